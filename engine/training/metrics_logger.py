"""Bring a run's figures to programs that draw curves: TensorBoard's files, Weights & Biases."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from engine.errors import PokeTUIError
from engine.events import (
    CurriculumChanged,
    EpisodeEnded,
    EvaluationEnded,
    Event,
    PolicyUpdated,
    StatusChanged,
)
from engine.types import Evaluation


class MetricsWriter(Protocol):
    """Takes named figures."""

    name: str

    def write(self, step: int, figures: Mapping[str, float]) -> None:
        """Add figures at an environment step; must not wait for a disk or a network.

        Raises:
            OSError, PokeTUIError: It cannot continue.
        """

    def close(self) -> None:
        """Write what is left, and end; never raises."""


class MetricsWriters:
    """Several writers as one, which closes them; one that fails is left out from then on."""

    def __init__(self, writers: Sequence[MetricsWriter], warn: Callable[[str], None]) -> None:
        self._writers = list(writers)
        self._warn = warn

    def write(self, step: int, figures: Mapping[str, float]) -> None:
        """Add figures at a step."""
        for writer in list(self._writers):
            try:
                writer.write(step, figures)
            except (OSError, PokeTUIError) as error:
                self._writers.remove(writer)
                writer.close()
                reason = str(getattr(error, "strerror", None) or error).rstrip(".")
                self._warn(f"{writer.name} gets no more metrics: {reason}. The run continues.")

    def close(self) -> None:
        """Close the writers."""
        for writer in self._writers:
            writer.close()


class MetricsLogger(MetricsWriters):
    """Several writers that take the figures of events; `num_milestones` as for `metrics_of`."""

    def __init__(
        self,
        writers: Sequence[MetricsWriter],
        warn: Callable[[str], None],
        num_milestones: int = 0,
    ) -> None:
        super().__init__(writers, warn)
        self._num_milestones = num_milestones
        self._step = 0
        self._speed = 0.0

    def take(self, event: Event) -> None:
        """Write an event's figures, if it has any."""
        if isinstance(event, StatusChanged):
            self._speed = event.steps_per_s
            return
        figures = metrics_of(event, self._num_milestones)
        if not figures:
            return
        if isinstance(event, PolicyUpdated):
            figures["run/steps_per_s"] = self._speed
        self._step = getattr(event, "total_steps", self._step)
        self.write(self._step, figures)


def metrics_of(event: Event, num_milestones: int = 0) -> dict[str, float]:
    """Return an event's figures by name; those of episodes from elsewhere than power-on are apart.

    Of `num_milestones` = 0 nobody can say what share was reached.
    """
    figures: dict[str, float] = {}
    match event:
        case EpisodeEnded(summary=summary) if not summary.start:
            figures = {
                "episode/return": summary.total_reward,
                "episode/length": summary.length,
                "episode/success": summary.is_success,
                "episode/planner_share": summary.planner_share,
            }
            figures |= {f"reward/{name}": value for name, value in summary.components}
            figures |= {f"milestone/{key}": at for key, at in summary.steps_to_milestone.items()}
            if num_milestones:
                reached = len(summary.steps_to_milestone)
                figures["episode/milestones"] = reached / num_milestones
        case EpisodeEnded(summary=summary):
            figures = {
                "from_snapshot/return": summary.total_reward,
                "from_snapshot/length": summary.length,
                "from_snapshot/success": summary.is_success,
            }
        case PolicyUpdated():
            figures = {f"update/{name}": value for name, value in event.figures.items()}
        case EvaluationEnded(evaluation=evaluation):
            figures = evaluation_metrics(evaluation, num_milestones)
        case CurriculumChanged():
            figures = {
                "curriculum/stage": event.stage,
                "curriculum/planner_share": event.planner_share,
            }
        case _:
            pass
    return {name: float(value) for name, value in figures.items() if math.isfinite(value)}


def evaluation_metrics(evaluation: Evaluation, num_milestones: int = 0) -> dict[str, float]:
    """Return an evaluation's figures by name, of a run's policy and of a cloned one alike."""
    figures = {
        "evaluation/return": evaluation.avg_reward,
        "evaluation/return_std": evaluation.std_reward,
        "evaluation/length": evaluation.avg_length,
        "evaluation/success": evaluation.success_rate,
    }
    figures |= {f"evaluation/milestone/{key}": at for key, at in evaluation.milestones.items()}
    if num_milestones:
        figures["evaluation/milestones"] = sum(evaluation.milestones.values()) / num_milestones
    return figures


def clone_metrics(evaluation: Evaluation, num_milestones: int = 0) -> dict[str, float]:
    """Return the figures of a cloned policy's evaluation: the documented one, and a run's."""
    documented = {"eval/episodic_return": evaluation.avg_reward}
    return documented | evaluation_metrics(evaluation, num_milestones)
