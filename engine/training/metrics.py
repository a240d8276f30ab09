"""Sum up a run: steps, speed, episodes, and what they were paid by component."""

from collections import deque
from collections.abc import Mapping
from typing import Any

from engine.types import EpisodeSummary

_SPEED_WINDOW_S = 5.0


class RunMetrics:
    """Count what a run did since its first start.

    Attributes:
        total_steps: Environment steps.
        episodes: Episodes that ended.
        updates: Updates of the policy.
    """

    def __init__(self) -> None:
        self.total_steps = 0
        self.episodes = 0
        self.updates = 0
        self._component_sums: dict[str, float] = {}
        self._first_steps: dict[str, int] = {}

    def count_episode(self, summary: EpisodeSummary) -> list[str]:
        """Add an ended episode and return the milestones that no episode reached before."""
        self.episodes += 1
        for name, value in summary.components:
            self._component_sums[name] = self._component_sums.get(name, 0.0) + value
        new = [key for key in summary.steps_to_milestone if key not in self._first_steps]
        for key in new:
            self._first_steps[key] = self.total_steps
        return new

    def mean_components(self) -> tuple[tuple[str, float], ...]:
        """Return the mean by component of a finished episode."""
        return tuple(
            (name, total / max(self.episodes, 1)) for name, total in self._component_sums.items()
        )

    @property
    def first_steps(self) -> Mapping[str, int]:
        """Return at how many total steps an episode ended that was the first with a milestone."""
        return self._first_steps

    def save(self) -> dict[str, Any]:
        """Return JSON-able facts from which `load` goes on."""
        return {
            "total_steps": self.total_steps,
            "episodes": self.episodes,
            "updates": self.updates,
            "component_sums": self._component_sums,
            "first_steps": self._first_steps,
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Take back what `save` returned."""
        self.total_steps = int(facts["total_steps"])
        self.episodes = int(facts["episodes"])
        self.updates = int(facts["updates"])
        self._component_sums = {str(k): float(v) for k, v in facts["component_sums"].items()}
        self._first_steps = {str(k): int(v) for k, v in facts["first_steps"].items()}


class SpeedMeter:
    """Measure steps a second over the last seconds."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, int]] = deque()

    def mark(self, now_s: float, total_steps: int) -> None:
        """Note how many steps were taken by now."""
        self._samples.append((now_s, total_steps))
        while len(self._samples) > 2 and now_s - self._samples[0][0] > _SPEED_WINDOW_S:
            self._samples.popleft()

    def forget(self) -> None:
        """Start anew, after a pause."""
        self._samples.clear()

    def steps_per_s(self) -> float:
        """Return the speed, 0 before there is one."""
        if len(self._samples) < 2:
            return 0.0
        (first_s, first), (last_s, last) = self._samples[0], self._samples[-1]
        return (last - first) / (last_s - first_s) if last_s > first_s else 0.0
