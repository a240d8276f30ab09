"""Train on the practice game from scratch: how soon the goal is reached, and how surely."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from engine.commands import Stop
from engine.config import load_config
from engine.errors import TrainingError
from engine.events import (
    EpisodeEnded,
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
_ROW_STEPS = 100_000


@dataclass(slots=True)
class LearningCurve:
    """What one seed did.

    Attributes:
        first_steps: Milestone key or `FIRST_WIN` to the step at the end of the first episode that
            reached it.
        target_step: Step at which `TARGET` of the last `WINDOW` episodes first succeeded.
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
    planner: PlannerStatusChanged | None = None
    _recent: deque[tuple[bool, float, int]] = field(default_factory=lambda: deque(maxlen=WINDOW))
    _next_row: int = _ROW_STEPS

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

    def print_row(self, steps: int) -> None:
        """Print how the last episodes went whenever another 100,000 steps are over."""
        if steps < self._next_row:
            return
        self._next_row = (steps // _ROW_STEPS + 1) * _ROW_STEPS
        mean_return = fmean(total for _, total, _ in self._recent)
        mean_length = fmean(length for _, _, length in self._recent)
        print(
            f"| {self.seed} | {steps:,} | {self.episodes:,} | {mean_return:.1f} "
            f"| {mean_length:.0f} | {100 * self.success():.0f} % |",
            flush=True,
        )


def measure_learning(overrides: dict[str, Any], seeds: Sequence[int]) -> int:
    """Train a run for each seed, one after the other, and print their curves as Markdown.

    `overrides` are settings by dotted key, `total_steps` among them.

    Returns:
        0 if every seed ended with at least `TARGET` of its last `WINDOW` episodes won, else 1.
    """
    curves = []
    print("| seed | steps | episodes | return | length | success |\n|---|---|---|---|---|---|")
    for seed in seeds:
        settings = {**overrides, "seed": seed, "headless": True}
        curves.append(train(settings, on_episode=LearningCurve.print_row))
    print(
        "\n| seed | success of last 30 | 90 % at step | steps/s | minutes |\n|---|---|---|---|---|"
    )
    for curve in curves:
        at_step = f"{curve.target_step:,}" if curve.target_step is not None else "never"
        print(
            f"| {curve.seed} | {100 * curve.success():.0f} % | {at_step} "
            f"| {curve.total_steps / max(curve.seconds, 1e-9):,.0f} | {curve.seconds / 60:.1f} |"
        )
    keys = [FIRST_WIN, *(key for key, _ in curves[0].milestones)]
    print("\n| seed | " + " | ".join(keys) + " |")
    print("|---" * (1 + len(keys)) + "|")
    for curve in curves:
        firsts = (curve.first_steps.get(key) for key in keys)
        cells = (f"{step:,}" if step is not None else "–" for step in firsts)
        print(f"| {curve.seed} | " + " | ".join(cells) + " |")
    return 0 if all(curve.success() >= TARGET for curve in curves) else 1


def train(
    overrides: dict[str, Any],
    *,
    stops_at_target: bool = False,
    on_episode: Callable[[LearningCurve, int], None] | None = None,
) -> LearningCurve:
    """Train one run to its end, or until it surely wins.

    Args:
        overrides: Settings by dotted key.
        on_episode: Told the curve and the steps so far after every episode from the true start.
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
                is_over = _take(curve, event)
                if on_episode and isinstance(event, EpisodeEnded) and event.summary.is_usual:
                    on_episode(curve, event.total_steps)
                if is_over:
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
