"""The joint mask against the simulator's own word on every joint code."""

from typing import Any

import numpy as np
import pytest

from engine.battles.sim.actions import JOINT_CODES, PASS, SLOT_CODES, SWITCH, is_gimmick, joint_mask
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.teams import find_format, pool, unseen
from tests.engine.battles.helpers import REG_C, run_script

MEGA = find_format("gen9championsvgc2026regmb")
COMMANDER = unseen(REG_C)[0].packed


def asked(node: NodeCommand, format: str, teams: list[str], battles: int) -> list[dict[str, Any]]:
    """Return the decisions of some battles, and what the simulator accepts at each."""
    seeds = [f"{number},5,6,7" for number in range(battles)]
    found: list[dict[str, Any]] = run_script(
        node, "legality.js", format=format, teams=teams, seeds=seeds
    )
    return found


def is_pointless(slot: int, code: int, decision: dict[str, Any]) -> bool:
    """Return whether a slot's code is accepted, but a part of it has no effect.

    It is aimed at a place where nobody stands, or is the gimmick of who is locked into a move.
    """
    is_aimed_at_nobody = code < SWITCH and code % 5 != 2 and not decision["alive"][code % 5]
    return is_aimed_at_nobody or (is_gimmick(code) and decision["locked"][slot])


@pytest.fixture(scope="module")
def decisions(showdown) -> list[dict[str, Any]]:
    teams = [team.packed for team in pool(MEGA)[:2]]
    return [
        *asked(showdown, REG_C.id, [COMMANDER, COMMANDER], 8),
        *asked(showdown, MEGA.id, teams, 2),
    ]


def test_the_mask_allows_what_the_simulator_accepts_but_what_has_no_effect(decisions):
    for each in decisions:
        mask = joint_mask(np.array([each["legal"]], bool))[0]
        accepted = np.zeros(JOINT_CODES, bool)
        accepted[each["accepted"]] = True
        assert not (mask & ~accepted).any()
        for code in (accepted & ~mask).nonzero()[0].tolist():
            codes = divmod(code, SLOT_CODES)
            assert any(is_pointless(slot, one, each) for slot, one in enumerate(codes)), codes


def test_the_decisions_have_what_is_hard_about_joint_choices(decisions):
    legal = [np.array(each["legal"], bool).reshape(2, SLOT_CODES) for each in decisions]
    gimmicks = np.array([is_gimmick(code) for code in range(SLOT_CODES)])
    both_switch = [(one & two)[SWITCH:PASS].any() for one, two in legal]
    both_gimmick = [(one & gimmicks).any() and (two & gimmicks).any() for one, two in legal]
    assert any(both_switch)
    assert any(both_gimmick)
    assert any(each["commanding"] for each in decisions)
    last_one = [
        each["kind"] == 1 and one[PASS] and two[PASS] and one[SWITCH:PASS].sum() == 1
        for each, (one, two) in zip(decisions, legal, strict=True)
    ]
    assert any(last_one)
    for each, (one, two) in zip(decisions, legal, strict=True):
        mask = joint_mask(np.array([each["legal"]], bool))[0].reshape(SLOT_CODES, SLOT_CODES)
        assert not mask.diagonal()[SWITCH:PASS].any()
        assert not mask[np.ix_(gimmicks, gimmicks)].any()
        assert mask.any()
        assert mask[PASS, PASS] == (
            one.nonzero()[0].tolist() == two.nonzero()[0].tolist() == [PASS]
        )
