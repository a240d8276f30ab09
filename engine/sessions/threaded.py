"""Run a session in a thread: commands go in, events come out, exceptions never do."""

import logging
import threading
from collections import deque

from engine.commands import Command, Stop
from engine.errors import (
    CheckpointError,
    ClosedError,
    ConfigurationError,
    DemoError,
    PokeTUIError,
    ReplayError,
)
from engine.events import Event, LossyEvent, RunFailed, RunStopped
from engine.loop.controls import CommandQueue

_MAILBOX_CAPACITY = 20_000
_REFUSALS = (ConfigurationError, DemoError, ReplayError)
"""Errors in what the user gave, if the run has not begun."""

_log = logging.getLogger(__name__)


class Mailbox:
    """Hold events for one reader: of each lossy type the newest, of all others every one.

    Beyond the capacity the oldest are dropped.
    """

    def __init__(self, capacity: int = _MAILBOX_CAPACITY) -> None:
        self._lock = threading.Lock()
        self._kept: deque[tuple[int, Event]] = deque(maxlen=capacity)
        self._newest: dict[type, tuple[int, Event]] = {}
        self._count = 0

    def post(self, event: Event) -> None:
        """Add an event; never blocks for long."""
        with self._lock:
            self._count += 1
            if isinstance(event, LossyEvent):
                self._newest[type(event)] = (self._count, event)
            else:
                self._kept.append((self._count, event))

    def drain(self) -> list[Event]:
        """Take everything out, in the order in which it was posted."""
        with self._lock:
            entries = [*self._kept, *self._newest.values()]
            self._kept.clear()
            self._newest.clear()
        return [event for _, event in sorted(entries)]


class StartLeft(Exception):  # noqa: N818 (no error: it was asked for)
    """A session is to end before it has begun."""


class ThreadedSession:
    """What all sessions of this process have in common: the thread, commands and events.

    Attributes:
        mailbox: Its events. The last one is RunStopped or RunFailed.
    """

    def __init__(self, name: str) -> None:
        self.mailbox = Mailbox()
        self._name = name
        self._commands = CommandQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def is_alive(self) -> bool:
        """Return whether the thread runs."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Start the thread, and return at once.

        Raises:
            ClosedError: It was started before.
        """
        if self._thread.ident is not None:
            raise ClosedError("The session was started before.")
        self._thread.start()

    def send(self, command: Command) -> None:
        """Ask for something; events report the outcome."""
        self._commands.put(command)

    def stop(self, timeout_s: float = 30.0) -> bool:
        """Ask to save and end, wait for it, and return whether it ended in time."""
        self.send(Stop())
        return self.join(timeout_s)

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the end and return whether it came in time."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self.is_alive

    def _run(self) -> None:
        """Run in the thread."""
        self.mailbox.post(self._end())

    def _end(self) -> RunStopped | RunFailed:
        """Do the work, and return how it ended."""
        try:
            return self._work()
        except PokeTUIError as error:
            is_lost = isinstance(error, CheckpointError) and error.is_permanent
            has_checkpoint = self._has_checkpoint
            is_refused = not has_checkpoint and isinstance(error, _REFUSALS)
            return RunFailed(
                error.message, error.hint, has_checkpoint and not is_lost, is_refused=is_refused
            )
        except Exception as error:
            # The thread's outermost frame: beyond it an exception would be lost, and the terminal
            # would wait for ever. The traceback belongs into the log, not on the screen.
            _log.exception("the %s failed unexpectedly", self._name)
            text = f"An unexpected error ended the {self._name}: {type(error).__name__}: {error}"
            return RunFailed(text, self._remedy, self._has_checkpoint)

    def _work(self) -> RunStopped:
        """Do the session's work, and return how it was stopped."""
        raise NotImplementedError

    @property
    def _has_checkpoint(self) -> bool:
        """Return whether it can continue from a checkpoint after a failure."""
        return False

    @property
    def _remedy(self) -> str:
        """Return what helps after an unexpected error."""
        return ""
