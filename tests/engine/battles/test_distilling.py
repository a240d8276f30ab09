"""Looking ahead is taught to the policy that does it, and what it may not lose is watched."""

import numpy as np
import pytest

from engine.battles.play.distilling import (
    HABITS,
    DistillingSettings,
    Lessons,
    habits,
    join,
    judge,
    learn,
    visit,
)
from engine.battles.play.search import SearchSettings
from engine.battles.policy import NUM_WEIGHTS, Policy
from engine.battles.sim.actions import PASS, SLOT_CODES, SWITCH, joint_mask
from engine.battles.sim.observation import MOVE, MOVES, MOVES_PART, SIZE
from engine.battles.sim.teams import DEFAULT_FORMAT, pool
from engine.errors import ConfigurationError
from tests.engine.battles.helpers import random_legal, random_observations

POLICY = Policy(np.random.default_rng(0).normal(0, 0.05, NUM_WEIGHTS).astype(np.float32))
TEAMS = [team.packed for team in pool(DEFAULT_FORMAT)[:4]]
SETTINGS = DistillingSettings(share=0.2, search=SearchSettings(samples=1, seconds=0))


def lessons_of(count: int) -> Lessons:
    """Return lessons that say: switch with both; half are the search's."""
    rng = np.random.default_rng(1)
    legal = random_legal(count, rng)
    legal[:, SWITCH:SLOT_CODES] = legal[:, SLOT_CODES + SWITCH :] = False
    legal[:, [SWITCH, SLOT_CODES + SWITCH + 1]] = True
    codes = np.full((count, 8), SWITCH * SLOT_CODES + SWITCH + 1, np.int16)
    shares = np.zeros((count, 8), np.float32)
    shares[:, 0] = 1
    return Lessons(
        random_observations(count, rng).astype(np.float16),
        legal,
        np.zeros(count, bool),
        codes,
        shares,
        np.full(count, 0.5, np.float32),
        np.arange(count) // 10 % 2 == 0,
    )


def test_what_a_choice_does_is_told_by_slots():
    observation = np.zeros(SIZE, np.float32)
    moves = observation[MOVES_PART].reshape(MOVES)
    moves[0, 1, MOVE.index("is_protect")] = 1
    moves[1, 3, MOVE.index("is_speed_control")] = 1

    def found(first: int, second: int) -> dict[str, int]:
        return dict(+habits(observation, first * SLOT_CODES + second))

    assert found(12, SWITCH + 1) == {"turns": 2, "protect": 1, "switch": 1}
    assert found(12, PASS) == {"turns": 1, "protect": 1}
    assert found(7, 32) == {"turns": 2, "gimmick": 1, "speed control": 1}
    assert found(12, 2) == {"turns": 2, "protect": 1}


def test_a_policy_learns_what_the_search_chose_and_keeps_its_own_weights():
    before = POLICY.weights.copy()
    settings = DistillingSettings(epochs=8, batch_size=32, learning_rate=1e-3)
    found = learn(POLICY, lessons_of(400), settings)
    assert found.agreed_before < 0.2
    assert found.agreed_after > 0.9
    assert (POLICY.weights == before).all()
    observations = random_observations(200, np.random.default_rng(2))
    assert abs(found.policy.values(observations).mean() - 0.5) < 0.1  # what they were worth


@pytest.mark.slow
def test_the_decisions_that_it_visits_are_looked_ahead_from(showdown):
    counted: list[int] = []
    found = visit(POLICY, DEFAULT_FORMAT, TEAMS, 16, showdown, SETTINGS, 2, counted.append)
    assert sum(counted) == 16
    assert 0.1 < found.is_searched.mean() < 0.3
    assert found.is_preview.any()
    assert np.allclose(found.shares.sum(1), 1)
    assert np.abs(found.values).max() <= 1
    turns = ~found.is_preview
    legal = joint_mask(found.legal[turns])
    assert legal[np.arange(len(legal))[:, None], found.codes[turns]].all()
    assert len(join([found, found])) == 2 * len(found)


@pytest.mark.slow
def test_too_few_battles_are_refused(showdown):
    with pytest.raises(ConfigurationError, match="2 battles are too few to learn from"):
        visit(POLICY, DEFAULT_FORMAT, TEAMS, 2, showdown, SETTINGS)


@pytest.mark.slow
def test_a_policy_does_not_take_its_own_place(showdown):
    verdict = judge(POLICY, POLICY, DEFAULT_FORMAT, TEAMS, 20, showdown, SETTINGS)
    assert (verdict.score.battles, verdict.score.win_rate) == (20, 0.5)
    assert not verdict.is_kept
    assert not verdict.lost
    assert list(verdict.habits) == list(HABITS)
    assert all(new == pytest.approx(old) for old, new in verdict.habits.values())
    hard = DistillingSettings(floor=1.1)
    verdict = judge(POLICY, POLICY, DEFAULT_FORMAT, TEAMS, 20, showdown, hard)
    assert verdict.lost == tuple(name for name, (old, _) in verdict.habits.items() if old)
    assert "protect" in verdict.lost
