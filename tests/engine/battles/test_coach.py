"""Reviews of battles on the real simulator, by a network that has learned nothing."""

import math
from dataclasses import replace

import numpy as np
import pytest

from engine.battles.learn.demonstrations import Battle
from engine.battles.play.coach import UNSEEN, Review, advise, review
from engine.battles.policy import Policy
from engine.battles.sim.actions import SELECTIONS
from engine.battles.sim.simulator import Simulator
from engine.battles.sim.teams import DEFAULT_FORMAT
from engine.errors import BattleError
from tests.engine.battles.play import lane
from tests.engine.battles.reviews import QUICK, cut, random_battle, unlearned_policy


@pytest.fixture(scope="module")
def policy() -> Policy:
    return unlearned_policy()


@pytest.fixture(scope="module")
def battle(showdown) -> Battle:
    return random_battle(showdown)


def reviewed(simulator: Simulator, battle: Battle, policy: Policy, side: int = 0) -> Review:
    return review(simulator, battle, side, policy, QUICK, np.random.default_rng(0))


@pytest.fixture(scope="module")
def found(showdown, battle, policy) -> Review:
    with Simulator((), showdown) as simulator:
        return reviewed(simulator, battle, policy)


def test_every_decision_of_the_side_is_judged_with_what_it_chose(found, battle, simulator):
    sides = [each.side for each in simulator.transcript(battle.input_log).asked]
    codes = simulator.decisions(battle.input_log).results
    chosen = [code for code, side in zip(codes.tolist(), sides, strict=True) if side == 0]
    assert [one.played and one.played.code for one in found.decisions] == chosen
    assert all(-1 <= one.analysis.value <= 1 for one in found.decisions)
    assert all(one.best.value - one.played.value <= one.cost for one in found.decisions)
    assert found.unknown == 0


def test_luck_is_what_came_less_what_was_to_be_expected(found, battle, policy, simulator):
    sides = np.array([each.side for each in simulator.transcript(battle.input_log).asked])
    values = policy.values(simulator.decisions(battle.input_log).observations[sides == 0])
    came = [*values[1:].tolist(), found.result]
    expected = [one.played.value for one in found.decisions]
    assert [one.luck for one in found.decisions] == pytest.approx(np.subtract(came, expected))


def test_a_decision_is_judged_without_what_came_after(found, battle, policy, simulator):
    early = reviewed(simulator, cut(battle), policy)
    assert len(early.decisions) == 2
    assert [one.analysis for one in early.decisions] == [
        one.analysis for one in found.decisions[:2]
    ]
    assert early.decisions[0].luck == found.decisions[0].luck
    assert early.decisions[1].luck is None


def test_the_foes_reply_is_told_without_those_it_has_not_shown(found, battle):
    shown_first = found.decisions[1].foe_request["side"]["pokemon"]
    assert [one["ident"] for one in shown_first[2:]] == [f"p2: {UNSEEN}"] * 2
    assert all(UNSEEN not in one["ident"] for one in shown_first[:2])
    preview = found.decisions[0].foe_request["side"]["pokemon"]
    assert len({one["ident"] for one in preview}) == 6


def test_of_lines_alone_it_says_what_the_policy_does_and_no_cost(found, battle, policy, simulator):
    lines = simulator.replay(battle.input_log).lines
    seen = reviewed(simulator, replace(battle, input_log=(), lines=lines), policy)
    assert not seen.is_exact
    assert found.is_exact
    assert len(seen.decisions) == len(found.decisions)
    assert {(one.cost, one.luck) for one in seen.decisions} == {(None, None)}
    assert all(math.isnan(one.best.value) and 0 < one.best.share <= 1 for one in seen.decisions)
    known = [
        (one.played.code, other.played.code)
        for one, other in zip(seen.decisions, found.decisions, strict=True)
        if one.played and "forceSwitch" not in one.asked.request  # no line tells the bench's order
    ]
    assert len(known) > 3
    assert all(code == other for code, other in known)


def test_a_battle_without_open_sheets_is_refused_with_the_reason(battle, policy, simulator):
    lines = simulator.replay(battle.input_log).lines
    closed = tuple(line for line in lines if not line.startswith("|showteam|"))
    with pytest.raises(BattleError, match="Ann could choose is not known: no open team sheet"):
        reviewed(simulator, replace(battle, input_log=(), lines=closed), policy)


def test_selections_of_two_teams_are_compared(showdown, policy):
    given = lane(4)
    rng = np.random.default_rng(0)
    found = advise(DEFAULT_FORMAT, given.teams, policy, showdown, QUICK, rng)
    assert len(found.analysis.options) == QUICK.candidates
    assert all(0 <= one.code < len(SELECTIONS) for one in found.analysis.options)
    assert sum(one.share for one in found.analysis.options) == pytest.approx(1)
    assert found.foe_shares.shape == (len(SELECTIONS),)
    assert found.foe_shares.sum() == pytest.approx(1)
