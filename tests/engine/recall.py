"""A game that only who remembers can win, with the form of the vector environment.

The first step shows a sign, left or right, the following ones show nothing, and the last one asks
which it was.
"""

import numpy as np

from engine.env.batch import Batch
from engine.types import Action, EpisodeSummary, Spaces
from tests.engine.toy import blank_batch

FEATURE_SIZE = 3
SPACES = Spaces(FEATURE_SIZE, len(Action))
LENGTHS = (4, 7)
"""Fewest and most steps of an episode."""


class RecallVector:
    """Several signs, each with a corridor of its own length."""

    feature_size = FEATURE_SIZE

    def __init__(self, num_envs: int, seed: int) -> None:
        self.num_envs = num_envs
        self._rng = np.random.default_rng(seed)
        self._signs = np.zeros(num_envs, np.int64)
        self._left = np.zeros(num_envs, np.int64)
        self._is_first = np.ones(num_envs, np.bool_)

    def reset(self) -> Batch:
        for index in range(self.num_envs):
            self._begin(index)
        return self._batch(np.zeros(self.num_envs, np.float32), {})

    def step(self, actions: np.ndarray, *, shows: bool = True) -> Batch:
        answers = np.where(self._signs == 0, Action.LEFT, Action.RIGHT)
        self._left -= 1
        is_over = self._left == 0
        rewards = (is_over & (actions == answers)).astype(np.float32)
        self._is_first[:] = False
        summaries = {}
        for index in np.flatnonzero(is_over):
            reward = float(rewards[index])
            summaries[index] = EpisodeSummary(index, reward, 0, (), is_success=reward > 0)
            self._begin(index)
        return self._batch(rewards, summaries)

    def _begin(self, index: int) -> None:
        self._signs[index] = self._rng.integers(2)
        self._left[index] = self._rng.integers(LENGTHS[0], LENGTHS[1] + 1)
        self._is_first[index] = True

    def _batch(self, rewards: np.ndarray, summaries: dict[int, EpisodeSummary]) -> Batch:
        n = self.num_envs
        features = np.zeros((n, FEATURE_SIZE), np.float32)
        features[np.arange(n), self._signs] = self._is_first
        features[:, 2] = self._left == 1
        mask = np.zeros((n, len(Action)), np.bool_)
        mask[:, [Action.LEFT, Action.RIGHT]] = True
        terminated = np.zeros(n, np.bool_)
        terminated[list(summaries)] = True
        return blank_batch(
            n,
            features=features,
            mask=mask,
            rewards=rewards,
            terminated=terminated,
            final_features=np.zeros((n, FEATURE_SIZE), np.float32),
            summaries=summaries,
        )
