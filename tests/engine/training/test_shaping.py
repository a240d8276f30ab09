from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.env.batch import Batch
from engine.planning_types import Outcome
from engine.training.learning import Shaping
from tests.engine.states import make_goal_outcome
from tests.engine.toy import blank_batch

GAMMA = 0.99
WORTH = 0.5


def batch(nearness: float, *, confidence: float = 1.0, **changes: Any) -> Batch:
    ends = {key: np.array([changes.pop(key, False)]) for key in ("terminated", "truncated")}
    return blank_batch(
        1,
        advice_confidence=np.array([confidence], np.float32),
        rewards=np.array([1.0], np.float32),
        nearness=np.array([nearness], np.float32),
        **ends,
        **changes,
    )


def shape(shaping: Shaping, made: Batch, trust: float = 1.0) -> float:
    return float(shaping.shaped(made, trust, lambda goal_outcome: trust).shaping[0])


def test_coming_nearer_pays_and_going_away_costs():
    shaping = Shaping(WORTH, 1.0, 1)
    assert shape(shaping, batch(0.2)) == pytest.approx(0.1)
    assert shape(shaping, batch(0.6)) == pytest.approx(0.2)
    assert shape(shaping, batch(0.2)) == pytest.approx(-0.2)


def test_rewards_as_they_are_counted_stay():
    shaped = Shaping(WORTH, GAMMA, 1).shaped(batch(0.8), 1.0, lambda goal_outcome: 1.0)
    assert shaped.rewards.tolist() == [1.0]
    assert shaped.shaped_rewards[0] == pytest.approx(1.0 + GAMMA * 0.4)


def test_where_the_way_is_unknown_the_potential_stays():
    shaping = Shaping(WORTH, 1.0, 1)
    shape(shaping, batch(0.6))
    assert shape(shaping, batch(np.nan)) == 0
    assert shaping.potential[0] == pytest.approx(0.3)


@given(
    st.lists(
        st.tuples(
            st.one_of(st.just(np.nan), st.floats(0, 1, width=32)),
            st.floats(0, 1, width=32),
            st.floats(0, 1, width=32),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_over_an_episode_that_ends_everything_is_given_back(steps):
    """Whatever goals and trust do meanwhile: so the best policy stays what it is."""
    shaping = Shaping(WORTH, GAMMA, 1)
    paid = 0.0
    for number, (nearness, confidence, trust) in enumerate(steps):
        is_last = number == len(steps) - 1
        made = batch(nearness, confidence=confidence, terminated=is_last)
        paid += GAMMA**number * shape(shaping, made, trust)
    assert paid == pytest.approx(0.0, abs=1e-4)


def test_the_next_episode_owes_nothing_to_the_one_before():
    shaping = Shaping(WORTH, 1.0, 1)
    shape(shaping, batch(0.9))
    shape(shaping, batch(np.nan, terminated=True))
    assert shaping.potential[0] == 0
    assert shape(shaping, batch(0.4)) == pytest.approx(0.2)


def test_an_episode_cut_short_pays_nothing_for_its_end():
    shaping = Shaping(WORTH, GAMMA, 1)
    shape(shaping, batch(0.9))
    assert shape(shaping, batch(0.1, truncated=True)) == 0
    assert shaping.potential[0] == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("changes", "paid"),
    [
        ({}, 0.5),
        ({"made_progress": False}, 0.0),
        ({"outcome": Outcome.FAILED}, 0.0),
        ({"outcome": Outcome.REPLACED}, 0.0),
        ({"is_control": True}, 0.0),
    ],
)
def test_a_goal_that_ram_shows_reached_with_progress_pays_once(changes, paid):
    shaping = Shaping(WORTH, GAMMA, 1)
    judged = batch(np.nan, goal_outcomes=(make_goal_outcome(**{"made_progress": True, **changes}),))
    assert shape(shaping, judged) == pytest.approx(paid)
    assert shape(shaping, batch(np.nan)) == 0


@pytest.mark.parametrize(("worth", "trust"), [(WORTH, 0.0), (0.0, 1.0)])
def test_without_trust_or_worth_nothing_is_paid(worth, trust):
    judged = batch(0.7, goal_outcomes=(make_goal_outcome(made_progress=True),))
    assert shape(Shaping(worth, GAMMA, 1), judged, trust) == 0
