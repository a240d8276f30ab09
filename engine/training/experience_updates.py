"""Tell the games now and then what the history of decisions has shown to be good."""

from collections.abc import Mapping
from typing import Any

from engine.history.decisions import DecisionHistoryAnalyzer
from engine.planning_types import PlannerUpdate
from engine.strategy.experience import Known
from engine.training.planning import Planning
from engine.world import PlannerGoals

_INTERVAL_STEPS = 20_000
"""By steps and not by time, so that a run repeats exactly."""


class ExperienceUpdates:
    """What was told last, and when the next time is.

    Args:
        history: Of decisions; None: there is nothing to tell.
    """

    def __init__(self, history: DecisionHistoryAnalyzer | None) -> None:
        self.known: Known = {}
        self._history = history
        self._due_at = _INTERVAL_STEPS

    def after_step(self, vector: PlannerGoals, planning: Planning | None, total_steps: int) -> None:
        """Tell the games what is known, if it is time."""
        if self._history is None or total_steps < self._due_at:
            return
        self._due_at = total_steps + _INTERVAL_STEPS
        self.known = self._history.experience()
        self.tell(vector, planning)

    def tell(self, vector: PlannerGoals, planning: Planning | None) -> None:
        """Tell the games what was known at the last time."""
        if planning is not None:
            planning.learn(vector, self.known)
        elif self.known:
            vector.update_planner(PlannerUpdate(experience=self.known))

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        known = {key: sorted(actions.items()) for key, actions in self.known.items()}
        return {"known": known, "due_at": self._due_at}

    def load(self, facts: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned."""
        self.known = {
            str(key): {int(action): float(worth) for action, worth in actions}
            for key, actions in facts["known"].items()
        }
        self._due_at = int(facts["due_at"])
