"""Keep of a run's events what a viewer needs that comes late: bounded, however long the run."""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from engine import events
from engine.events import Event

_KEPT: Mapping[type, int] = MappingProxyType(
    {
        events.EpisodeEnded: 2000,
        events.EvaluationEnded: 200,
        events.PolicyUpdated: 500,
        events.ReasoningLogged: 200,
        events.PayoutMade: 50,
        events.StrategySwitched: 50,
        events.WarningRaised: 5,  # few: a viewer shows each as a notice
        events.ProgressReported: 8,
        events.GoalEvaluated: 200,
        events.PlanRequested: 20,
        events.PlanAnswered: 20,
        events.PlanStreamed: 400,
    }
)
"""How many of a kind; of all others the latest."""

_NEVER = (
    events.ControlChanged,
    events.CommandObeyed,
    events.CommandRefused,
    events.ControlWanted,
    events.ViewersChanged,
)
"""They are told to those who are there; who has control is part of StatusChanged too."""


class RunDigest:
    """Hold the latest events of each kind, as many as matter."""

    def __init__(self) -> None:
        self._kept: dict[type, deque[tuple[int, Event]]] = {}
        self._count = 0

    def take(self, event: Event) -> None:
        """Keep an event, and let older ones of its kind go."""
        kind = type(event)
        if kind in _NEVER:
            return
        if isinstance(event, events.PlanAnswered):
            self._kept.pop(events.PlanStreamed, None)  # its words are in the answer
        if isinstance(event, events.EpisodeEnded) and event.summary.goals:
            event = replace(event, summary=replace(event.summary, goals=()))
        if kind not in self._kept:
            self._kept[kind] = deque(maxlen=_KEPT.get(kind, 1))
        self._count += 1
        self._kept[kind].append((self._count, event))

    def replay(self) -> list[Event]:
        """Return what is kept, in the order in which it happened."""
        entries = [entry for kept in self._kept.values() for entry in kept]
        return [event for _, event in sorted(entries)]
