"""Call a user's functions with what happened in training, between two steps."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from engine.errors import ConfigurationError
from engine.events import (
    CheckpointSaved,
    CurriculumChanged,
    EpisodeEnded,
    EvaluationEnded,
    Event,
    PlannerStatusChanged,
    PolicyUpdated,
    StrategySwitched,
)

Callback = Callable[[Any, int, dict[str, Any]], None]
"""Takes the trainer, the number of episodes that ended, and figures by name."""

CALLBACK_EVENTS: Mapping[str, type[Event]] = MappingProxyType(
    {
        "episode_end": EpisodeEnded,
        "curriculum_change": CurriculumChanged,
        "strategy_switch": StrategySwitched,
        "policy_update": PolicyUpdated,
        "evaluation_end": EvaluationEnded,
        "checkpoint_saved": CheckpointSaved,
        "llm_status": PlannerStatusChanged,
    }
)


class Callbacks:
    """Keep the functions, and the events until it is time to call them."""

    def __init__(self) -> None:
        self._callbacks: dict[type, list[Callback]] = {}
        self._waiting: list[Event] = []

    def register(self, event_name: str, callback: Callback) -> None:
        """Call a function at every event of a name.

        Raises:
            ConfigurationError: There is no such event.
        """
        if event_name not in CALLBACK_EVENTS:
            raise ConfigurationError(
                f"Unknown event '{event_name}'.", f"Events: {', '.join(CALLBACK_EVENTS)}."
            )
        self._callbacks.setdefault(CALLBACK_EVENTS[event_name], []).append(callback)

    def take(self, event: Event) -> None:
        """Keep an event that has a callback; of the curriculum's only its moves."""
        is_news = not isinstance(event, CurriculumChanged) or event.has_moved
        if type(event) in self._callbacks and is_news:
            self._waiting.append(event)

    def call(self, trainer: object, episode: int, performance: Mapping[str, Any]) -> None:
        """Call the functions for what happened since the last call.

        Args:
            trainer: Handed on.
            episode: Episodes that ended.
            performance: The documented metrics, after the last of them.
        """
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            figures = _figures(event, performance)
            for callback in self._callbacks[type(event)]:
                callback(trainer, episode, dict(figures))


def _figures(event: Event, performance: Mapping[str, Any]) -> dict[str, Any]:
    match event:
        case EpisodeEnded(summary=summary):
            return {**performance, "reward": summary.total_reward, "length": summary.length}
        case EvaluationEnded(evaluation=evaluation):
            return asdict(evaluation)
        case PolicyUpdated(figures=figures):
            return dict(figures)
        case _:
            return asdict(event)
