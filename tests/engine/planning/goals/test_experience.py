from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.planning.goals.planned import Experience
from engine.planning.history.analysis import GameStateAnalysis
from engine.planning.history.patterns import PatternTable, context_key, context_of, walking_context
from engine.types import Action, Advice, Goal, GoalKind
from tests.engine.states import make_state

KEY = context_key(walking_context("TOWN", GoalKind.REACH))


def walking():
    state = make_state()
    return replace(state, place=replace(state.place, name="TOWN"))


def advice(*actions: Action) -> Advice:
    prior = np.zeros(len(Action), np.float32)
    prior[list(actions)] = 1 / max(1, len(actions))
    return Advice(Goal("gym", "go", kind=GoalKind.REACH), prior, 0.9, "go")


def test_a_walkers_context_is_that_of_the_history():
    state = walking()
    assert state.control.is_free
    found = context_of(GameStateAnalysis.of(state), GoalKind.REACH)
    assert found == walking_context("TOWN", GoalKind.REACH)


def test_experience_favours_the_equal_way_that_paid_off():
    weighed = experienced(0.2, 0.6).weigh(advice(Action.UP, Action.RIGHT), walking())
    assert weighed.prior[Action.RIGHT] == pytest.approx(0.75)
    assert weighed.prior.sum() == pytest.approx(1.0)
    assert weighed.confidence == 0.9


def experienced(up: float, right: float) -> Experience:
    experience = Experience()
    experience.learn({KEY: {Action.UP: up, Action.RIGHT: right}})
    return experience


def test_the_only_way_is_advised_whatever_became_of_it():
    only = advice(Action.UP)
    assert experienced(0.01, 0.9).weigh(only, walking()) is only


def test_elsewhere_nothing_is_known():
    ways = advice(Action.UP, Action.RIGHT)
    state = walking()
    for other in (
        replace(state, place=replace(state.place, name="GYM")),
        replace(state, control=replace(state.control, is_free=False)),
    ):
        assert experienced(0.01, 0.9).weigh(ways, other) is ways


def test_the_same_state_is_advised_alike_after_a_restore():
    experience, ways = experienced(0.2, 0.6), advice(Action.UP, Action.RIGHT)
    before = experience.weigh(ways, walking()).prior
    again = experienced(0.9, 0.1)  # learnt after that advice
    again.restore(experience.save())
    np.testing.assert_array_equal(again.weigh(ways, walking()).prior, before)
    assert again.weigh(ways, walking()).prior[Action.UP] > 0.5


worths = st.dictionaries(st.integers(0, len(Action) - 1), st.floats(0.01, 0.99))


@given(worths, st.sets(st.sampled_from(list(Action))))
def test_experience_never_advises_another_button_nor_takes_one_away(worth, actions):
    experience = Experience()
    experience.learn({KEY: worth})
    weighed = experience.weigh(advice(*actions), walking()).prior
    assert {Action(int(i)) for i in np.flatnonzero(weighed)} == actions
    assert weighed.sum() == pytest.approx(1.0 if actions else 0.0)


def test_the_history_tells_of_what_was_tried_often_enough():
    table = PatternTable()
    table.add(KEY, Action.UP, 8, 2, 0.0)
    table.add(KEY, Action.RIGHT, 3, 3, 0.0)
    table.add(KEY, Action.LEFT, 2, 2, 0.0)
    table.add(context_key({"situation": "menu"}), Action.A, 9, 9, 0.0)
    assert table.experience(3) == {KEY: {Action.UP: 3 / 10, Action.RIGHT: 4 / 5}}
