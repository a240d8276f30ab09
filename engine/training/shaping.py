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
from engine.plans import Outcome, Verdict


class Shaping:
    """The potential of every environment's state, and the reward for changing it.

    Args:
        worth: What being at a fully trusted goal is worth, and reaching it; 0: nothing.
        gamma: The discount that is learnt with.
        num_envs: Environments.

    Attributes:
        potential: (envs,) float32, of the states of now.
    """

    def __init__(self, worth: float, gamma: float, num_envs: int) -> None:
        self.potential = np.zeros(num_envs, np.float32)
        self._worth = worth
        self._gamma = gamma

    def shaped(
        self, batch: Batch, trust: FloatArray | float, trust_of: Callable[[Verdict], float]
    ) -> Batch:
        """Return what a step led to as it is learnt from.

        Where nothing is known of a goal's nearness, as in battles, the potential stays. Where an
        episode ended by its own, it becomes 0; where it was cut short, nothing is paid.

        Args:
            batch: What the step led to.
            trust: (envs,) how far the goals of now are followed, 0 to 1.
            trust_of: Likewise the goal of a verdict.
        """
        before, ended = self.potential, batch.terminated | batch.truncated
        known = self._worth * trust * batch.advice_confidence * batch.nearness
        begun = np.where(ended, np.float32(0.0), before)
        after = np.where(np.isnan(known), begun, known).astype(np.float32)
        led_to = np.where(batch.terminated, np.float32(0.0), after)
        change = self._gamma * led_to - before
        shaping = np.where(batch.truncated & ~batch.terminated, 0.0, change).astype(np.float32)
        for verdict in batch.verdicts:
            if verdict.outcome is Outcome.REACHED and verdict.made_progress:
                shaping[verdict.env_index] += self._bonus(verdict, trust_of)
        self.potential = after
        return replace(batch, shaping=shaping)

    def forget(self, env_index: int) -> None:
        """Begin anew in an environment in which somebody else has acted."""
        self.potential[env_index] = 0.0

    def _bonus(self, verdict: Verdict, trust_of: Callable[[Verdict], float]) -> float:
        return 0.0 if verdict.is_ignored else self._worth * trust_of(verdict)
