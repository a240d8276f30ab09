"""Shape what is learnt from by the goals that are pursued; what is counted and shown stays.

Coming nearer to a goal is rewarded by a potential that changes with time (Devlin and Kudenko, AAMAS
2012): F = gamma * phi(s', t') - phi(s, t) leaves the best policy what it is, whoever sets the goals
and however often. What is paid on the way is given back when the goal is reached, so one bonus is
paid then, if RAM shows that the goal led somewhere.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from engine.agents.rollout import FloatArray
from engine.env.batch import Batch
from engine.planning_types import GoalOutcome, Outcome


class Shaping:
    """The potential of every environment's state, and the reward for changing it.

    `worth` is the reward for reaching a fully trusted goal, and the potential of being there; 0:
    nothing. `gamma` is the discount that is learnt with.

    Attributes:
        potential: (envs,) float32, of the current states.
    """

    def __init__(self, worth: float, gamma: float, num_envs: int) -> None:
        self.potential = np.zeros(num_envs, np.float32)
        self._worth = worth
        self._gamma = gamma

    def shaped(
        self,
        batch: Batch,
        trust: FloatArray | float,
        reliability_of: Callable[[GoalOutcome], float],
    ) -> Batch:
        """Return what a step led to as it is learnt from.

        Where nothing is known of a goal's nearness, as in battles, the potential stays. Where an
        episode ended by its own, it becomes 0; where it was cut short, nothing is paid.

        Args:
            batch: What the step led to.
            trust: (envs,) how far the current goals are followed, 0 to 1.
            reliability_of: Likewise the goal of a goal outcome.
        """
        before, ended = self.potential, batch.terminated | batch.truncated
        known = self._worth * trust * batch.advice_confidence * batch.nearness
        begun = np.where(ended, np.float32(0.0), before)
        after = np.where(np.isnan(known), begun, known).astype(np.float32)
        led_to = np.where(batch.terminated, np.float32(0.0), after)
        change = self._gamma * led_to - before
        shaping = np.where(batch.truncated & ~batch.terminated, 0.0, change).astype(np.float32)
        for goal_outcome in batch.goal_outcomes:
            is_earned = goal_outcome.made_progress and not goal_outcome.is_control
            if goal_outcome.outcome is Outcome.REACHED and is_earned:
                shaping[goal_outcome.env_index] += self._worth * reliability_of(goal_outcome)
        self.potential = after
        return replace(batch, shaping=shaping)

    def forget(self, env_index: int) -> None:
        """Begin anew in an environment in which somebody else has acted."""
        self.potential[env_index] = 0.0
