"""Count a session's steps, speed, episodes and returns, and who made the decisions."""

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.agents.base import ActionBatch
from engine.types import EpisodeSummary, Evaluation, Source

_SPEED_WINDOW_S = 5.0

_SCORED = 10
"""Episodes that a checkpoint's score is a mean of."""
_MOST_DECISIONS = 1000
_SOURCES = tuple(source for source in Source if source is not Source.RECORDED)
_POLICY, _PLANNER, _RULES, _RANDOM, _HUMAN = range(len(_SOURCES))
_CODES: dict[Source, int] = {source: code for code, source in enumerate(_SOURCES)}


@dataclass(slots=True)
class RunMetrics:
    """Count what a run did since its first start."""

    total_steps: int = 0
    episodes: int = 0
    episodes_from_start: int = 0
    """Of these, the ones that began at the true start."""
    updates: int = 0
    evaluated_at: int = 0
    """Episodes that had ended when the policy was evaluated last."""
    evaluated_reward: float | None = None
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=_SCORED))
    """Returns of the last episodes from the true start."""
    component_sums: dict[str, float] = field(default_factory=dict)
    first_steps: dict[str, int] = field(default_factory=dict)
    """Milestone key to the run's steps at the end of the first episode that reached it."""

    def count_episode(self, summary: EpisodeSummary) -> list[str]:
        """Add an ended episode and return the milestones that no episode reached before.

        Of one that began elsewhere than at the true start, or that the policy played alone, only
        the episode itself is counted.
        """
        self.episodes += 1
        if not summary.is_usual:
            return []
        self.episodes_from_start += 1
        self.recent.append(summary.total_reward)
        for name, value in summary.components:
            self.component_sums[name] = self.component_sums.get(name, 0.0) + value
        new = [key for key in summary.steps_to_milestone if key not in self.first_steps]
        for key in new:
            self.first_steps[key] = self.total_steps
        return new

    def count_evaluation(self, evaluation: Evaluation | None) -> None:
        """Note an evaluation, or that one failed, after the episodes so far."""
        self.evaluated_at = self.episodes
        self.evaluated_reward = None if evaluation is None else evaluation.avg_reward

    def score(self, stage: int) -> tuple[bool, int, float] | None:
        """Return what checkpoints are compared by; None when too little was played.

        The last evaluation counts. Without one it is the mean return of the last ten episodes from
        the true start, compared within a stage only: in an earlier one the planner helps more.
        """
        if self.evaluated_reward is not None:
            return True, 0, self.evaluated_reward
        if len(self.recent) < _SCORED:
            return None
        return False, stage, sum(self.recent) / _SCORED

    def mean_components(self) -> tuple[tuple[str, float], ...]:
        """Return the mean of the finished episodes by component."""
        count = max(self.episodes_from_start, 1)
        return tuple((name, total / count) for name, total in self.component_sums.items())

    def save(self) -> dict[str, Any]:
        """Return the state as JSON-able facts, for `load`."""
        return {**asdict(self), "recent": list(self.recent)}

    def load(self, facts: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned."""
        for name in ("total_steps", "episodes", "episodes_from_start", "updates", "evaluated_at"):
            setattr(self, name, int(facts[name]))
        evaluated = facts["evaluated_reward"]
        self.evaluated_reward = None if evaluated is None else float(evaluated)
        self.recent = deque((float(value) for value in facts["recent"]), _SCORED)
        self.component_sums = {str(k): float(v) for k, v in facts["component_sums"].items()}
        self.first_steps = {str(k): int(v) for k, v in facts["first_steps"].items()}


class SpeedMeter:
    """Measure how fast a count rises.

    Args:
        window_s: How far back it looks.
        interval_s: Shortest time between two counts that are noted.
    """

    def __init__(self, window_s: float = _SPEED_WINDOW_S, interval_s: float = 0.0) -> None:
        self._window_s = window_s
        self._interval_s = interval_s
        self._samples: deque[tuple[float, int]] = deque()

    def mark(self, now_s: float, count: int) -> None:
        """Note the current count."""
        samples = self._samples
        if samples and now_s - samples[-1][0] < self._interval_s:
            return
        samples.append((now_s, count))
        while len(samples) > 2 and now_s - samples[0][0] > self._window_s:
            samples.popleft()

    def forget(self) -> None:
        """Start anew, after a pause."""
        self._samples.clear()

    def per_s(self) -> float:
        """Return the speed, 0 before there is one."""
        if len(self._samples) < 2:
            return 0.0
        (first_s, first), (last_s, last) = self._samples[0], self._samples[-1]
        return (last - first) / (last_s - first_s) if last_s > first_s else 0.0


class DecisionShares:
    """The sources of the last `most` decisions, as in `engine.agents.arbitration.explain`."""

    def __init__(self, most: int = _MOST_DECISIONS) -> None:
        self._codes: deque[int] = deque(maxlen=most)

    def add(self, action_batch: ActionBatch, is_walking: NDArray[np.bool_]) -> None:
        """Count a decision in every environment.

        Args:
            action_batch: Who made them.
            is_walking: (envs,) where the player could walk, or one for all: there the planner's
                actions are the planner's, elsewhere rules for battles, menus and texts made them.
        """
        advised = np.where(is_walking, _PLANNER, _RULES)
        codes = np.where(action_batch.is_planned, advised, _CODES[action_batch.source])
        self._codes.extend(codes.tolist())

    def add_human(self) -> None:
        """Count a decision of a person."""
        self._codes.append(_HUMAN)

    def shares(self) -> tuple[tuple[str, float], ...]:
        """Return (source, share) of those that made any, summing to 1; () before the first."""
        counts = Counter(self._codes)
        return tuple(
            (source.value, counts[code] / len(self._codes))
            for code, source in enumerate(_SOURCES)
            if counts[code]
        )
