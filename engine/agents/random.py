"""Act at random among the valid actions: the baseline below every other."""

import numpy as np

from engine.agents.base import ActionBatch, Guidance
from engine.agents.rules import RulesAgent
from engine.env.batch import Batch
from engine.types import Source


class RandomAgent(RulesAgent):
    """Draw every valid action with the same probability; the planner's advice is ignored."""

    name = "random"

    def decide(self, batch: Batch, guidance: Guidance) -> ActionBatch:
        """Draw one valid action an environment."""
        actions = np.where(batch.mask, self._rng.random(batch.mask.shape), -1.0).argmax(1)
        num_envs = len(actions)
        return ActionBatch(
            actions.astype(np.int64),
            np.zeros(num_envs, np.float32),
            np.zeros(num_envs, np.bool_),
            Source.RANDOM,
        )
