"""Connect the application to a session: the mailbox comes in, commands go out."""

import time
from collections.abc import Callable
from typing import Protocol

from engine.commands import Command
from engine.errors import PokeTUIError
from engine.events import ConnectionLost, DecisionMade, Event, RunFailed, RunStopped

DECISION_INTERVAL_S = 0.15
"""At thousands of steps a second decisions could not be read."""


class Mailbox(Protocol):
    """Where a session leaves its events."""

    def drain(self) -> list[Event]:
        """Return the events since the last call, in order."""
        ...


class Session(Protocol):
    """What the application needs of an engine session."""

    @property
    def mailbox(self) -> Mailbox:
        """Return the session's mailbox."""
        ...

    @property
    def is_alive(self) -> bool:
        """Return whether the engine runs."""
        ...

    def start(self) -> None:
        """Start the engine and return at once."""
        ...

    def send(self, command: Command) -> None:
        """Ask for something; its effect comes back as an event."""
        ...


class Link:
    """Poll a session and send it commands."""

    def __init__(self, session: Session, clock: Callable[[], float] = time.monotonic) -> None:
        self._session = session
        self._clock = clock
        self._has_ended = False
        self._failure = RunFailed("The engine stopped unexpectedly.", "See its log.", True)
        self._decision: DecisionMade | None = None
        self._next_decision = 0.0

    @property
    def is_alive(self) -> bool:
        """Return whether the engine runs."""
        return self._session.is_alive

    def start(self) -> None:
        """Start the engine; if it cannot start, the next poll says why."""
        try:
            self._session.start()
        except PokeTUIError as error:
            self._failure = RunFailed(error.message, error.hint, has_checkpoint=False)

    def poll(self) -> list[Event]:
        """Return what has happened; decisions are thinned to what can be read.

        When the engine ends without a word, a RunFailed says so.
        """
        was_alive = self._session.is_alive
        now = self._clock()
        events: list[Event] = []
        for event in self._session.mailbox.drain():
            if isinstance(event, DecisionMade):
                self._decision = event
                continue
            if isinstance(event, RunFailed | RunStopped | ConnectionLost):
                self._has_ended = True
            events.append(event)
        if self._decision is not None and now >= self._next_decision:
            self._next_decision = now + DECISION_INTERVAL_S
            events.append(self._decision)
            self._decision = None
        if not was_alive and not self._has_ended:
            self._has_ended = True
            events.append(self._failure)
        return events

    def send(self, command: Command) -> None:
        """Send a command, unless the engine has ended."""
        if not self._has_ended:
            self._session.send(command)
