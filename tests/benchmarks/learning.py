"""Train a run from scratch and note when it first reached the goal, and when it surely does."""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from engine.bench.learning import TARGET, follow_run
from engine.config import load_config
from engine.events import (
    EpisodeEnded,
    EvaluationEnded,
    Event,
    PlannerStatusChanged,
    RunStarted,
    RunStopped,
)

WINDOW = 30
"""Episodes over which success is counted."""


@dataclass(slots=True)
class LearningCurve:
    """What one seed did.

    Attributes:
        run_dir: Folder of the run.
        first_steps: Milestone key to the step at the end of the first episode that reached it.
        target_step: Step at which `TARGET` of the last `WINDOW` episodes first succeeded.
        alone: How the policy alone did: in its exam games, or where the run evaluates it.
        planner: How the language model did, where one was asked.
    """

    seed: int
    run_dir: str = ""
    first_steps: dict[str, int] = field(default_factory=dict)
    target_step: int | None = None
    episodes: int = 0
    total_steps: int = 0
    seconds: float = 0.0
    alone: list[EvaluationEnded] = field(default_factory=list)
    planner: PlannerStatusChanged | None = None
    _recent: deque[bool] = field(default_factory=lambda: deque(maxlen=WINDOW))

    def take(self, event: Event) -> None:
        """Fold one event into the curve."""
        match event:
            case RunStarted():
                self.run_dir = event.run_dir
            case EpisodeEnded(summary=summary) if summary.is_usual:
                self._count(event)
            case EvaluationEnded():
                self.alone.append(event)
            case PlannerStatusChanged():
                self.planner = event
            case RunStopped():
                self.total_steps = event.total_steps
            case _:
                pass

    def _count(self, event: EpisodeEnded) -> None:
        self.episodes += 1
        self._recent.append(event.summary.is_success)
        for key in event.summary.steps_to_milestone:
            self.first_steps.setdefault(key, event.total_steps)
        if self.target_step is None and sum(self._recent) >= TARGET * WINDOW:
            self.target_step = event.total_steps


def train(overrides: dict[str, Any], *, stops_at_target: bool = False) -> LearningCurve:
    """Train one run to its end, or until it surely wins.

    Args:
        overrides: Settings by dotted key.
        stops_at_target: End as soon as `TARGET` of the last `WINDOW` episodes succeeded.

    Raises:
        PokeTUIError: The run failed.
    """
    config = load_config(None, overrides)
    curve = LearningCurve(config.seed)

    def take(event: Event) -> bool:
        curve.take(event)
        return stops_at_target and curve.target_step is not None

    curve.seconds = follow_run(config, take)
    return curve
