"""Turn a run's events into metrics, for writers to TensorBoard and Weights & Biases.

What Stable-Baselines3 logs too has its name and sign: rollout/*, train/*, eval/*, time/fps.
"""

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from types import MappingProxyType
from typing import Protocol

from engine.errors import PokeTUIError
from engine.events import (
    GREEDY,
    BattlesProgressed,
    CurriculumChanged,
    EpisodeEnded,
    EvaluationEnded,
    Event,
    PlanAnswered,
    PolicyUpdated,
    RunStopped,
    StatusChanged,
    StrategySwitched,
)
from engine.types import EpisodeSummary, Evaluation

WINDOW = 100
"""Last episodes over which rollout/* are means, as in Stable-Baselines3."""
_SB3_NAMES = MappingProxyType(
    {
        "policy_loss": "train/policy_gradient_loss",
        "entropy": "train/entropy_loss",
        "epsilon": "rollout/exploration_rate",
    }
)
"""Stable-Baselines3's names for figures of an update; others are train/* under our name."""
_CLEANRL_NAMES = MappingProxyType(
    {
        "distillation": "charts/distill_coeff",
        "cloning_loss": "losses/distill_loss",
        "kickstart_kl": "losses/distill_loss",
        "value_loss": "losses/td_loss",
        "loss": "losses/loss",
        "value": "losses/q_values",
        "value_std": "losses/q_values_std",
    }
)
"""CleanRL's names in QDagger, written as well where an agent is held near demonstrations or a
clone; `losses/q_values_std` is ours."""


class MetricsWriter(Protocol):
    """Takes named figures."""

    name: str

    def write(self, step: int, figures: Mapping[str, float | str]) -> None:
        """Add figures and texts at an environment step; must not wait for a disk or a network.

        Raises:
            OSError, PokeTUIError: It cannot continue.
        """

    def close(self, *, is_failed: bool = False) -> None:
        """Write what is left, and end, as failed if `is_failed`; never raises."""


class MetricsWriters:
    """Write to several writers, and close them; one that fails is left out from then on."""

    def __init__(self, writers: Sequence[MetricsWriter], warn: Callable[[str], None]) -> None:
        self._writers = list(writers)
        self._warn = warn

    def write(self, step: int, figures: Mapping[str, float | str]) -> None:
        """Add figures and texts at a step."""
        for writer in list(self._writers):
            try:
                writer.write(step, figures)
            except (OSError, PokeTUIError) as error:
                self._writers.remove(writer)
                writer.close()
                reason = str(getattr(error, "strerror", None) or error).rstrip(".")
                self._warn(f"{writer.name} gets no more metrics: {reason}. The run continues.")

    def close(self, *, is_failed: bool = False) -> None:
        """Close the writers."""
        for writer in self._writers:
            writer.close(is_failed=is_failed)


class MetricsLogger(MetricsWriters):
    """Several writers that take the metrics of events.

    Args:
        writers: Closed with this.
        warn: Takes a line for the user.
        num_milestones: As for `metrics_of`.
        learning_rate: nan where it is not known.
        passes: Epochs of an update, which Stable-Baselines3 counts in n_updates.
        past: Events from before a run was resumed.
    """

    def __init__(
        self,
        writers: Sequence[MetricsWriter],
        warn: Callable[[str], None],
        num_milestones: int = 0,
        *,
        learning_rate: float = math.nan,
        passes: int = 1,
        past: Iterable[Event] = (),
    ) -> None:
        super().__init__(writers, warn)
        self._num_milestones = num_milestones
        self._learning_rate = learning_rate
        self._passes = passes
        self._step = 0
        self._speed = 0.0
        self._recent: deque[EpisodeSummary] = deque(maxlen=WINDOW)
        self._is_stopped = False
        for event in past:
            self._step = getattr(event, "total_steps", self._step)
            self._count(event)

    def take(self, event: Event) -> None:
        """Write an event's metrics, if it has any."""
        self._is_stopped |= isinstance(event, RunStopped)
        if isinstance(event, StatusChanged):
            self._speed = event.steps_per_s
            return
        figures: dict[str, float | str] = {
            **metrics_of(event, self._num_milestones),
            **self._count(event),
            **_texts_of(event),
        }
        if not figures:
            return
        if isinstance(event, EpisodeEnded | PolicyUpdated):
            figures["time/fps"] = self._speed
            self._step = event.total_steps
        self.write(getattr(event, "total_steps", self._step), figures)

    def close(self, *, is_failed: bool = False) -> None:
        """Close the writers; a run that was not stopped has failed."""
        super().close(is_failed=is_failed or not self._is_stopped)

    def _count(self, event: Event) -> dict[str, float]:
        """Return the metrics that depend on earlier events as well."""
        match event:
            case EpisodeEnded(summary=summary) if summary.is_usual:
                recent = self._recent
                recent.append(summary)
                return {
                    "rollout/ep_rew_mean": fmean(each.total_reward for each in recent),
                    "rollout/ep_len_mean": fmean(each.length for each in recent),
                    "rollout/success_rate": fmean(each.is_success for each in recent),
                }
            case PolicyUpdated(update=update):
                counted = {"train/n_updates": float(update * self._passes)}
                if math.isnan(self._learning_rate):
                    return counted
                return counted | {"train/learning_rate": self._learning_rate}
            case _:
                return {}


def metrics_of(event: Event, num_milestones: int = 0) -> dict[str, float]:
    """Return an event's figures by name; those of episodes from snapshots have names of their own.

    With `num_milestones` 0 the share of milestones is left out.
    """
    figures: dict[str, float] = {}
    match event:
        case EpisodeEnded(summary=summary) if summary.is_usual:
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
            figures = {
                _SB3_NAMES.get(name, f"train/{name}"): -value if name == "entropy" else value
                for name, value in event.figures.items()
            }
            if "distillation" in event.figures:
                figures |= {
                    tag: event.figures[name]
                    for name, tag in _CLEANRL_NAMES.items()
                    if name in event.figures
                }
        case BattlesProgressed():
            figures = {
                _win_rate_tag(each.name): each.recent_wins / each.recent_battles
                for each in event.opponents
                if each.recent_battles
            }
            figures |= {"rollout/turns_mean": event.mean_turns, "time/fps": event.decisions_per_s}
        case EvaluationEnded(evaluation=evaluation):
            figures = evaluation_metrics(evaluation)
        case CurriculumChanged():
            figures = {
                "curriculum/stage": event.stage,
                "curriculum/planner_share": event.planner_share,
            }
        case _:
            pass
    return {name: float(value) for name, value in figures.items() if math.isfinite(value)}


def _win_rate_tag(opponent: str) -> str:
    played = "eval" if opponent.endswith(GREEDY) else "rollout"
    return f"{played}/win_rate/{opponent.removesuffix(GREEDY)}"


def evaluation_metrics(evaluation: Evaluation) -> dict[str, float]:
    """Return an evaluation's figures by name, of a run's policy and of a cloned one alike."""
    figures = {}
    if evaluation.episodes:
        figures = {
            "eval/episodic_return": evaluation.avg_reward,
            "eval/mean_reward": evaluation.avg_reward,
            "eval/std_reward": evaluation.std_reward,
            "eval/mean_ep_length": evaluation.avg_length,
            "eval/success_rate": evaluation.success_rate,
        }
    figures |= {f"eval/milestone/{key}": at for key, at in evaluation.milestones.items()}
    known = {
        "eval/milestones": evaluation.milestone_rate,
        "eval/progress": evaluation.progress,
        "eval/q_values": evaluation.avg_q_value,
        "eval/q_values_std": evaluation.std_q_value,
    }
    return figures | {tag: value for tag, value in known.items() if value is not None}


def _texts_of(event: Event) -> dict[str, str]:
    """Return an event's texts by name, in Markdown."""
    match event:
        case PlanAnswered(goal=goal) if goal:
            head = f"**{goal}** ({event.model}, confidence {event.confidence:.0%})"
            return {"planner/goal": f"{head}\n\n{event.reasoning}".strip()}
        case StrategySwitched():
            return {"planner/strategy": f"**{event.new}** after {event.old}: {event.cause}"}
        case _:
            return {}
