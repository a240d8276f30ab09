"""Act without learning, as the planner advises or at random: baselines for the learners."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.agents.arbitration import calibrated, draw_best
from engine.agents.base import ActionBatch, Guidance, PolicyFunction
from engine.env.batch import Batch
from engine.types import Source


class RulesAgent:
    """Take the advised action; a random valid one where there is no advice."""

    name = "rules"

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng([seed, 3])

    def decide(self, batch: Batch, guidance: Guidance) -> ActionBatch:
        """Choose the best advised valid action; equals are drawn at random."""
        advised = np.where(batch.mask, batch.prior, -1.0)
        actions = draw_best(advised, self._rng)
        is_advised = advised[np.arange(len(actions)), actions] > 0
        nobody = np.zeros(len(actions), np.float32)
        c_planner, _ = calibrated(batch.advice_confidence, nobody, guidance)
        confidences = np.where(is_advised, c_planner, nobody)
        return ActionBatch(actions, confidences, is_advised, Source.RANDOM)

    def observe(self, batch: Batch) -> None:
        """Learn nothing."""

    def truncate_trajectory(self, env_index: int, batch: Batch) -> None:
        """Forget nothing."""

    def player(self, seed: int) -> PolicyFunction:
        """Return another agent like this: nothing was learnt."""
        return type(self)(seed).decide

    @property
    def is_update_due(self) -> bool:
        """Return False: there is nothing to learn."""
        return False

    def update(self, batch: Batch) -> dict[str, float]:
        """Return no figures."""
        return {}

    def save(self) -> tuple[dict[str, Any], dict[str, NDArray[np.generic]]]:
        """Return the random generator's state."""
        return {"rng": self._rng.bit_generator.state}, {}

    def load(self, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Restore the state that `save` returned."""
        self._rng.bit_generator.state = facts["rng"]


class RandomAgent(RulesAgent):
    """Draw every valid action with the same probability; the planner's advice is ignored."""

    name = "random"

    def decide(self, batch: Batch, guidance: Guidance) -> ActionBatch:
        """Draw one valid action per environment."""
        actions = np.where(batch.mask, self._rng.random(batch.mask.shape), -1.0).argmax(1)
        return _drawn(actions.astype(np.int64))


def _drawn(actions: NDArray[np.int64]) -> ActionBatch:
    """Return actions (envs,) that were drawn at random, with no confidence in them."""
    num_envs = len(actions)
    confidences = np.zeros(num_envs, np.float32)
    return ActionBatch(actions, confidences, np.zeros(num_envs, np.bool_), Source.RANDOM)


_NONE = -1


class ExploreAgent(RulesAgent):
    """Draw valid actions with the same probability, and repeat each for a while.

    Single draws go back and forth; repeats cross a room. `engine.curriculum.swarm` decides from
    which states it explores.

    Args:
        seed: Of the draws.
        repeats: Steps that an action lasts on average, at least 1; it ends where it is masked.
    """

    name = "explore"

    def __init__(self, seed: int, repeats: float) -> None:
        super().__init__(seed)
        self._repeats = repeats
        self._held = np.zeros(0, np.int64)

    def decide(self, batch: Batch, guidance: Guidance) -> ActionBatch:
        """Repeat the last valid action of an environment, or draw another."""
        num_envs = len(batch.mask)
        if len(self._held) != num_envs:
            self._held = np.full(num_envs, _NONE, np.int64)
        is_valid = batch.mask[np.arange(num_envs), self._held] & (self._held != _NONE)
        lasts = is_valid & (self._rng.random(num_envs) >= 1 / self._repeats)
        drawn = np.where(batch.mask, self._rng.random(batch.mask.shape), -1.0).argmax(1)
        self._held = np.where(lasts, self._held, drawn).astype(np.int64)
        return _drawn(self._held.copy())

    def truncate_trajectory(self, env_index: int, batch: Batch) -> None:
        """Stop repeating what was begun before."""
        if env_index < len(self._held):
            self._held[env_index] = _NONE

    def player(self, seed: int) -> PolicyFunction:
        """Return another agent like this: nothing was learnt."""
        return type(self)(seed, self._repeats).decide

    def save(self) -> tuple[dict[str, Any], dict[str, NDArray[np.generic]]]:
        """Return the random generator's state, and what is being repeated."""
        facts, arrays = super().save()
        return facts, {**arrays, "held": self._held}

    def load(self, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Restore the state that `save` returned."""
        super().load(facts, arrays)
        self._held = np.asarray(arrays["held"], np.int64)
