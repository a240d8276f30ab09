"""Train a run from scratch: how soon the goal is reached, and how surely."""

import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from engine.commands import Stop
from engine.config import load_config
from engine.errors import TrainingError
from engine.events import (
    EpisodeEnded,
    EvaluationEnded,
    Event,
    PlannerStatusChanged,
    RunFailed,
    RunStarted,
    RunStopped,
)
from engine.session import EngineSession

WINDOW = 30
"""Episodes over which success is counted."""
TARGET = 0.9
FIRST_WIN = "battle won"
"""Stands beside the milestones' keys."""
_POLL_INTERVAL_S = 0.5


@dataclass(slots=True)
class LearningCurve:
    """What one seed did.

    Attributes:
        first_steps: Milestone key or `FIRST_WIN` to the step at the end of the first episode that
            reached it.
        target_step: Step at which `TARGET` of the last `WINDOW` episodes first succeeded.
        alone: How the policy alone did: in its exam games, or where the run evaluates it.
        planner: How the language model did, where one was asked.
        run_dir: Folder of the run.
    """

    seed: int
    run_dir: str = ""
    milestones: tuple[tuple[str, str], ...] = ()
    first_steps: dict[str, int] = field(default_factory=dict)
    target_step: int | None = None
    episodes: int = 0
    total_steps: int = 0
    seconds: float = 0.0
    alone: list[EvaluationEnded] = field(default_factory=list)
    planner: PlannerStatusChanged | None = None
    _recent: deque[tuple[bool, float, int]] = field(default_factory=lambda: deque(maxlen=WINDOW))

    def success(self) -> float:
        """Return the share of the last `WINDOW` episodes that reached the goal."""
        return sum(won for won, _, _ in self._recent) / WINDOW

    def add(self, event: EpisodeEnded) -> None:
        """Count an episode."""
        summary = event.summary
        self.episodes += 1
        self._recent.append((summary.is_success, summary.total_reward, summary.length))
        won = [FIRST_WIN] if summary.battles_won else []
        for key in [*summary.steps_to_milestone, *won]:
            self.first_steps.setdefault(key, event.total_steps)
        if self.target_step is None and self.success() >= TARGET:
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
    session = EngineSession(config)
    session.start()
    started = time.monotonic()
    try:
        while True:
            time.sleep(_POLL_INTERVAL_S)
            for event in session.mailbox.drain():
                if _take(curve, event):
                    curve.seconds = time.monotonic() - started
                    return curve
            if stops_at_target and curve.target_step is not None:
                session.send(Stop())
    finally:
        session.stop()


def _take(curve: LearningCurve, event: Event) -> bool:
    """Fold one event into the curve; return whether the run is over."""
    match event:
        case RunStarted(milestones=milestones, run_dir=run_dir):
            curve.milestones, curve.run_dir = milestones, run_dir
        case EpisodeEnded(summary=summary) if summary.is_usual:
            curve.add(event)
        case EvaluationEnded():
            curve.alone.append(event)
        case PlannerStatusChanged():
            curve.planner = event
        case RunStopped(total_steps=total_steps):
            curve.total_steps = total_steps
            return True
        case RunFailed(message=message, hint=hint):
            raise TrainingError(message, hint)
        case _:
            pass
    return False
