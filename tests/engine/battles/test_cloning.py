"""Cloning from a few made-up battles in which the choice follows from what is seen."""

import numpy as np
import pytest

from engine.battles.learn.cloning import CloningSettings, Epoch, clone
from engine.battles.learn.demonstrations import Demonstrations
from engine.battles.policy import FloatArray, Policy
from engine.battles.sim.actions import JOINT_CODES, SLOT_CODES, joint_mask
from engine.battles.sim.observation import MOVE, MOVES_PART
from engine.errors import ConfigurationError
from tests.engine.battles.helpers import random_legal, random_observations

pytestmark = pytest.mark.slow

COUNT = 256
SETTINGS = CloningSettings(
    epochs=10, batch_size=32, learning_rate=3e-3, loser_weight=0, patience=10
)


def demonstrations() -> Demonstrations:
    """Winners choose the moves of greatest power, losers those of least."""
    rng = np.random.default_rng(3)
    observations, legal = random_observations(COUNT, rng), random_legal(COUNT, rng)
    outcomes = np.tile(np.array([1, 1, 1, 1, -1, -1, -1, -1], np.int8), COUNT // 8)
    worth = joint_power(observations) * outcomes[:, None]
    return Demonstrations(
        observations.astype(np.float16),
        legal,
        np.zeros(COUNT, np.int8),
        np.where(joint_mask(legal), worth, -np.inf).argmax(1).astype(np.int16),
        outcomes,
        np.repeat(np.arange(COUNT // 8, dtype=np.int32), 8),
    )


def joint_power(observations: FloatArray) -> FloatArray:
    """Return the power of both slots' moves together, (n, 2025); switches have 0.5."""
    fields = observations[:, MOVES_PART].reshape(-1, 2, 4, len(MOVE))
    power = np.full((len(observations), 2, SLOT_CODES), 0.5, np.float32)
    power[..., :40] = np.repeat(fields[..., MOVE.index("base_power")], 10, axis=-1)
    return (power[:, 0, :, None] + power[:, 1, None]).reshape(-1, JOINT_CODES)


def test_a_clone_does_what_winners_did_and_plays_from_its_file(tmp_path):
    data, epochs = demonstrations(), list[Epoch]()
    cloned = clone(data, SETTINGS, epochs.append)
    assert cloned.epochs == tuple(epochs)
    cloned.save(tmp_path / "clone.zip", {})
    fresh = np.random.default_rng(4)
    observations, legal = random_observations(100, fresh), random_legal(100, fresh)
    policy = Policy.load(tmp_path / "clone.zip")
    codes, _, _ = policy.act(observations, legal, np.zeros(100, bool), fresh, greedy=True)
    power = joint_power(observations)
    mean = np.where(joint_mask(legal), power, np.nan)
    best, usual = np.nanmax(mean, 1), np.nanmean(mean, 1)
    reached = power[np.arange(100), codes]
    assert (reached - usual).sum() > 0.3 * (best - usual).sum()  # of what is to be gained


def test_cloning_is_the_same_for_a_seed():
    data = demonstrations()
    settings = CloningSettings(epochs=1, batch_size=64)
    first, second = (clone(data, settings).epochs for _ in range(2))
    assert first == second


def test_decisions_that_are_no_numbers_are_skipped_and_the_clone_is_finite():
    data = demonstrations()
    data.observations[::100] = np.nan
    cloned = clone(data, CloningSettings(epochs=2, batch_size=16))
    assert cloned.epochs[-1].skipped > 0
    assert all(np.isfinite(each).all() for each in cloned.weights.values())


def test_too_few_battles_are_refused():
    data = demonstrations()
    with pytest.raises(ConfigurationError, match="1 battles are too few to learn from"):
        clone(data.where(data.battles == 0), SETTINGS)
