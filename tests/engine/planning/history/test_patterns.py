import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ConfigurationError
from engine.planning.history.analysis import GameStateAnalysis
from engine.planning.history.patterns import (
    CONTEXT_KEYS,
    PatternTable,
    context_key,
    context_of,
    read_context,
    success_estimate,
    success_interval,
)
from engine.types import BattleKind
from tests.engine.planning.history.helpers import WALKING, fighting, walking
from tests.engine.states import make_control, make_state


def table(*rows: tuple[dict, int, int, int, float]) -> PatternTable:
    result = PatternTable()
    for context, action, frequency, successes, reward_sum in rows:
        result.add(context_key(context), action, frequency, successes, reward_sum)
    return result


WILD = {"situation": "wild battle", "own_health": "low", "level_gap": "even"}
TRAINER = {"situation": "trainer battle", "own_health": "fine", "level_gap": "ahead"}


def test_a_walk_is_told_by_map_and_kind_of_goal():
    assert context_of(walking(), "heal") == {**WALKING, "goal": "heal"}
    assert context_of(walking()) == WALKING


@pytest.mark.parametrize(
    ("control", "situation"),
    [
        (make_control(in_text=True), "talking"),
        (make_control(in_menu=True), "menu"),
        (make_control(), "waiting"),
    ],
)
def test_context_without_walking_is_talking_choosing_or_waiting(control, situation):
    analysis = GameStateAnalysis.of(make_state(control=control))
    assert context_of(analysis)["situation"] == situation


@pytest.mark.parametrize(
    ("hp", "band"), [(0, "out"), (4, "low"), (5, "hurt"), (9, "hurt"), (10, "fine"), (20, "fine")]
)
def test_health_in_battle_is_told_in_bands(hp, band):
    assert context_of(fighting(hp=hp))["own_health"] == band
    assert context_of(fighting(enemy_hp=hp))["enemy_health"] == band


@pytest.mark.parametrize(
    ("level", "gap"), [(1, "even"), (3, "even"), (5, "even"), (6, "ahead"), (40, "ahead")]
)
def test_the_gap_of_levels_is_even_within_two(level, gap):
    assert context_of(fighting(level=level))["level_gap"] == gap


def test_a_battle_is_told_by_its_kind_wherever_it_is():
    assert context_of(fighting(), "reach")["situation"] == "wild battle"
    assert context_of(fighting(kind=BattleKind.TRAINER))["situation"] == "trainer battle"
    assert not {"map", "goal"} & context_of(fighting(), "reach").keys()


def test_context_of_an_unknown_state_has_only_its_situation():
    assert context_of(GameStateAnalysis({})) == {"situation": "waiting"}
    assert context_of(GameStateAnalysis({"in_battle": 1})) == {"situation": "battle"}


def test_a_context_says_nothing_but_the_known_keys():
    for analysis in (walking(), fighting(), GameStateAnalysis({})):
        assert context_of(analysis, "train").keys() <= set(CONTEXT_KEYS)


def test_equal_contexts_have_one_key_that_reads_back():
    assert context_key({"a": "1", "b": "ß"}) == context_key({"b": "ß", "a": "1"})
    assert read_context(context_key(WILD)) == WILD
    with pytest.raises(ValueError, match="not a context"):
        read_context("[1]")


@pytest.mark.parametrize(
    ("successes", "frequency", "low", "high"),
    [  # Wilson, 95 %: by hand from (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)
        (1, 1, 0.20654931, 1.0),
        (0, 10, 0.0, 0.27753279),
        (5, 10, 0.23659309, 0.76340691),
        (81, 263, 0.25528873, 0.36619855),
    ],
)
def test_the_interval_is_wilsons(successes, frequency, low, high):
    assert success_interval(successes, frequency) == pytest.approx((low, high), abs=1e-4)


def test_success_interval_without_evidence_is_zero_to_one():
    assert success_interval(0, 0) == (0.0, 1.0)
    assert success_estimate(0, 0) == 0.5
    assert success_estimate(3, 4) == pytest.approx(4 / 6)


@given(st.integers(1, 10**6), st.floats(0, 1))
def test_an_interval_holds_its_rate_within_0_and_1(frequency, share):
    successes = round(share * frequency)
    low, high = success_interval(successes, frequency)
    assert 0 <= low <= successes / frequency <= high <= 1
    assert 0 < success_estimate(successes, frequency) < 1


def test_a_pattern_has_frequency_rate_interval_and_mean():
    (pattern,) = table((WILD, 0, 4, 3, 2.0), (WILD, 0, 6, 2, -1.0)).patterns(3, None)
    assert pattern == {
        "context": WILD,
        "action": 0,
        "frequency": 10,
        "success_rate": 0.5,
        "success_interval": success_interval(5, 10),
        "mean_reward": pytest.approx(0.1),
    }
    assert json.loads(json.dumps(pattern))["context"] == WILD


def test_the_most_frequent_patterns_come_first_and_rare_ones_not_at_all():
    counts = table((WILD, 0, 3, 0, 0.0), (WILD, 1, 7, 0, 0.0), (TRAINER, 2, 2, 0, 0.0))
    assert [p["action"] for p in counts.patterns(3, None)] == [1, 0]
    assert [p["action"] for p in counts.patterns(1, None)] == [1, 0, 2]
    assert counts.patterns(8, None) == []


@pytest.mark.parametrize(
    ("wanted", "actions"),
    [
        ({}, {0, 1, 2}),
        (None, {0, 1, 2}),
        ({"situation": "wild battle"}, {0, 1}),
        ({"situation": ["wild battle", "trainer battle"]}, {0, 1, 2}),
        ({"action": 1}, {1}),
        ({"action": (0, 2), "level_gap": "even"}, {0}),
        ({"map": "HOME"}, set()),
    ],
)
def test_a_filter_keeps_what_says_so(wanted, actions):
    counts = table((WILD, 0, 3, 0, 0.0), (WILD, 1, 3, 0, 0.0), (TRAINER, 2, 3, 0, 0.0))
    assert {p["action"] for p in counts.patterns(1, wanted)} == actions


def test_an_unknown_filter_is_named_with_those_that_are_known():
    with pytest.raises(ConfigurationError, match=r"'mood'.*situation, map"):
        PatternTable().patterns(1, {"mood": "good"})


def test_advice_is_the_estimate_of_what_was_tried_often_enough():
    counts = table((WILD, 0, 4, 3, 0.0), (WILD, 1, 2, 2, 0.0), (TRAINER, 2, 9, 9, 0.0))
    assert counts.advice_for(WILD, 3) == {0: pytest.approx(4 / 6)}
    assert counts.advice_for(dict(reversed(WILD.items())), 1).keys() == {0, 1}
    assert counts.advice_for(WALKING, 1) == {}


def test_pattern_table_takes_counts_back():
    counts = table((WILD, 0, 4, 3, 2.5), (WILD, 0, -4, -3, -2.5))
    assert counts.patterns(1, None) == []
    assert math.isclose(sum(tally.reward_sum for *_, tally in counts.rows()), 0.0)
