"""What earlier games of a set tell, and what is made of it."""

import numpy as np
import pytest

from engine.battles.play.sets import (
    SetSoFar,
    Shown,
    choose_selection,
    expected_selections,
    shown_selection,
)
from engine.battles.policy import NUM_WEIGHTS, Policy
from engine.battles.sim.actions import PREVIEW_CODES, SELECTIONS
from engine.battles.sim.simulator import POLICY, Lane
from engine.battles.sim.teams import find_format, pool
from engine.events import SetScore

LINES = (
    "|poke|p2|Iron Hands, L50|",
    "|poke|p2|Urshifu-*, L50, M|",
    "|poke|p2|Mewtwo, L50|",
    "|poke|p2|Mew, L50|",
    "|poke|p2|Charizard, L50, M|",
    "|poke|p2|Zoroark, L50|",
    "|poke|p1|Mew, L50|",
    "|switch|p1a: Mew|Mew, L50|100/100",
    "|switch|p2a: Fist|Urshifu-Rapid-Strike, L50, M|100/100",
    "|switch|p2b: Mew|Mew, L50|100/100",
    "|move|p2a: Fist|U-turn|p1a: Mew",
    "|switch|p2a: Lizard|Charizard, L50, M|100/100",
)
PREDICTED = np.random.default_rng(0).dirichlet(np.ones(PREVIEW_CODES))


def test_leads_and_members_are_those_that_came_out():
    shown = shown_selection(LINES, 1)
    assert shown == Shown(frozenset({1, 3}), frozenset({1, 3, 4}))
    assert shown.agrees((1, 3, 4, 5))
    assert not shown.agrees((1, 4, 3, 5))
    assert not shown.agrees((1, 3, 0, 5))
    assert shown_selection(LINES[:8], 1) is None


def test_earlier_selections_are_expected_again_and_a_prediction_stays_without_them():
    assert expected_selections(PREDICTED, []) == pytest.approx(PREDICTED)
    code = 17
    selection = SELECTIONS[code]
    whole = Shown(frozenset(selection[:2]), frozenset(selection))
    leads_only = Shown(frozenset(selection[:2]), frozenset(selection[:2]))
    once = expected_selections(PREDICTED, [whole])
    twice = expected_selections(PREDICTED, [whole, whole])
    assert 0.5 < once[code] < 2 / 3 < twice[code] < 1
    vague = expected_selections(PREDICTED, [leads_only])
    agreeing = [leads_only.agrees(one) for one in SELECTIONS]
    assert vague.sum() == pytest.approx(1)
    assert vague[agreeing].sum() > 0.5 > PREDICTED[agreeing].sum()
    assert vague[agreeing] / PREDICTED[agreeing] == pytest.approx(
        np.full(6, vague[code] / PREDICTED[code]), rel=0.01
    )


@pytest.mark.parametrize(
    ("winners", "is_over", "score"),
    [
        (["p1"], False, SetScore(1, 3, 1, 0)),
        (["p1", "p1"], True, SetScore(2, 3, 2, 0, has_ended=True)),
        (["p1", "p2"], False, SetScore(2, 3, 1, 1)),
        (["p1", "p2", "p2"], True, SetScore(3, 3, 1, 2, has_ended=True)),
        (["", "p2", "p2"], True, SetScore(3, 3, 0, 2, has_ended=True)),
        (["", "", "p1"], True, SetScore(3, 3, 1, 0, has_ended=True)),
        (["", "", ""], True, SetScore(3, 3, 0, 0, has_ended=True)),
    ],
)
def test_a_set_is_over_when_nobody_can_turn_it(winners, is_over, score):
    played = SetSoFar(3)
    for winner in winners:
        assert not played.is_over
        played.add(LINES, winner)
    assert played.is_over == is_over
    assert played.score(0, len(winners)) == score
    assert len(played.selections_of(1)) == len(winners)
    assert played.selections_of(0) == []


@pytest.mark.slow
def test_the_foes_effort_values_do_not_matter_to_the_selection(simulator):
    format = find_format("gen9vgc2023regc")
    policy = Policy(np.random.default_rng(0).normal(0, 0.05, NUM_WEIGHTS).astype(np.float32))
    own, foe = (team.packed for team in pool(format)[:2])
    hidden = "]".join(_without_effort(one) for one in foe.split("]"))
    assert hidden != foe
    nobody = np.empty(0, np.int64)
    found = []
    for team in (foe, hidden):
        simulator.configure([Lane(format.id, (own, team), (POLICY, POLICY), 5, limit=1)])
        waiting = simulator.step(nobody, nobody)
        games = [Shown(frozenset({0, 1}), frozenset({0, 1, 2}))]
        seen = waiting.observations[0], waiting.legal[0]
        rng = np.random.default_rng(3)
        found.append(choose_selection(simulator, policy, 0, *seen, games, rng))
    assert found[0] == found[1]
    assert 0 <= found[0] < PREVIEW_CODES


def _without_effort(packed: str) -> str:
    fields = packed.split("|")
    fields[5], fields[6] = "Serious", ""
    return "|".join(fields)
