"""Do what the planner advises, and nothing else: the baseline that the learner must beat."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.agents.arbitration import calibrated, draw_best
from engine.agents.base import ActionBatch, Guidance, Player
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

    def player(self, seed: int) -> Player:
        """Return another one like this: nothing was learnt."""
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
