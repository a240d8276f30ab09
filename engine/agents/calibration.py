"""Learn how far planner and policy can be believed, from what RAM shows of their episodes.

A stated confidence alone means little (models state 82 % and are right in 49 %), so arbitration
multiplies it by k, the share of such goals that were reached; likewise the policy's certainty. Both
k are means of Beta(1, 1) with the same meaning: milestones or goals that were reached, against
those that were not. An episode counts for either side by its share of the decisions: credit goes
to who acted.

A language model's goal must also lead somewhere: one that was reached without any progress counts
as failed, or a model that always sends back would be believed. It counts as soon as its outcome is
known, and fully: goals of the control group prove nothing of the model, and are left out.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.agents.rollout import FloatArray
from engine.curriculum.starts import SuccessRate
from engine.planning.rules.advisor import GOAL_SOURCE
from engine.planning_types import GoalOutcome, Outcome
from engine.types import EpisodeSummary, GoalKind

_KINDS = tuple(GoalKind)


class Calibration:
    """Count how the goals of each goal source and kind went, and the policy's episodes."""

    def __init__(self) -> None:
        self._policy = SuccessRate()
        self._goals: dict[tuple[str, GoalKind], SuccessRate] = {}

    def count(self, summary: EpisodeSummary) -> None:
        """Take in an episode that ended.

        The policy succeeds with every milestone that the episode reached, and fails once where the
        episode ended without its own goal.
        """
        for rate in (self._policy, *self._goals.values()):
            rate.decay()
        planned = summary.planner_share
        for tally in summary.goals:
            rate = self._goals.setdefault((tally.setter, tally.kind), SuccessRate())
            rate.add(planned * tally.reached, planned * tally.failed)
        reached = sum(step > 0 for step in summary.steps_to_milestone.values())
        self._policy.add((1 - planned) * reached, (1 - planned) * (not summary.is_success))

    def record_goal(self, goal_outcome: GoalOutcome, goal_sources: Sequence[str]) -> None:
        """Take in the outcome of a goal that models set together.

        One that gave way to another counts only if no progress came of either.
        """
        is_replaced = goal_outcome.outcome is Outcome.REPLACED
        if goal_outcome.is_control or (is_replaced and goal_outcome.made_progress):
            return
        is_good = goal_outcome.outcome is Outcome.REACHED and goal_outcome.made_progress
        for goal_source in goal_sources:
            rate = self._goals.setdefault((goal_source, goal_outcome.kind), SuccessRate())
            rate.add(is_good, not is_good)

    @property
    def policy_reliability(self) -> float:
        """Return k of the policy, 0 to 1."""
        return self._policy.mean

    def goal_reliability(self, goal_source: str, kind: GoalKind) -> float:
        """Return k of a goal source's goals of one kind, 0 to 1."""
        return self._goals.get((goal_source, kind), SuccessRate()).mean

    def model_reliability(self, goal_source: str) -> float:
        """Return k of a goal source's goals of every kind, 0 to 1: the weight of its vote."""
        rates = [rate for (name, _), rate in self._goals.items() if name == goal_source]
        reached = sum(rate.reached for rate in rates)
        return SuccessRate(reached, sum(rate.failed for rate in rates)).mean

    def advice_reliability(
        self,
        goal_kinds: NDArray[np.int64],
        goal_sources: NDArray[np.int64] | int = 0,
        names: Sequence[Sequence[str]] = ((GOAL_SOURCE,),),
    ) -> FloatArray:
        """Return k (envs,) of the goals that are pursued.

        Args:
            goal_kinds: (envs,) places in `GoalKind`.
            goal_sources: (envs,) places in `names`.
            names: Who sets goals: one name, or those of models that agreed; theirs is the mean.
        """
        rows = [
            [
                sum(self.goal_reliability(name, kind) for name in group) / len(group)
                for kind in _KINDS
            ]
            for group in names
        ]
        reliability: FloatArray = np.array(rows, np.float32)[goal_sources, goal_kinds]
        return reliability

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        return {
            "policy": self._policy.save(),
            "goals": [
                [goal_source, kind, *rate.save()]
                for (goal_source, kind), rate in self._goals.items()
            ],
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned."""
        self._policy = SuccessRate.load(facts["policy"])
        self._goals = {
            (str(goal_source), GoalKind(kind)): SuccessRate.load(saved)
            for goal_source, kind, *saved in facts["goals"]
        }
