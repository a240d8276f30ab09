"""Tell the games now and then what the history of decisions has shown to be good."""

from collections.abc import Mapping
from typing import Any

from engine.env.batch import Vector
from engine.history.decisions import DecisionHistoryAnalyzer
from engine.plans import Directions
from engine.strategy.experience import Known
from engine.training.planning import Planning

_INTERVAL_STEPS = 20_000
"""By steps and not by time, so that a run repeats exactly."""


class Lessons:
    """What was told last, and when the next time is.

    Args:
        history: Of decisions; None: there is nothing to tell.
    """

    def __init__(self, history: DecisionHistoryAnalyzer | None) -> None:
        self.known: Known = {}
        self._history = history
        self._due_at = _INTERVAL_STEPS

    def after_step(self, vector: Vector, planning: Planning | None, total_steps: int) -> None:
        """Tell the games what is known, if it is time."""
        if self._history is None or total_steps < self._due_at:
            return
        self._due_at = total_steps + _INTERVAL_STEPS
        self.known = self._history.experience()
        self.tell(vector, planning)

    def tell(self, vector: Vector, planning: Planning | None) -> None:
        """Tell the games what was known at the last time."""
        if planning is not None:
            planning.learn(vector, self.known)
        elif self.known:
            vector.direct(Directions(experience=self.known))

    def save(self) -> dict[str, Any]:
        """Return JSON-able facts from which `load` goes on."""
        known = {key: sorted(actions.items()) for key, actions in self.known.items()}
        return {"known": known, "due_at": self._due_at}

    def load(self, facts: Mapping[str, Any]) -> None:
        """Take back what `save` returned."""
        self.known = {
            str(key): {int(action): float(worth) for action, worth in actions}
            for key, actions in facts["known"].items()
        }
        self._due_at = int(facts["due_at"])
