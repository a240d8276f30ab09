"""Hold a session's controls, its pace and its queue of commands."""

import queue
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.commands import Command, Stop

FIRST_SPEED = 12.0
"""Actions a second at which a person can follow what happens."""
MAX_SPEED = 1000.0
"""Actions a second and environment; more is the same as unlimited."""


@dataclass(slots=True)
class Controls:
    """The state that commands set."""

    is_paused: bool = False
    steps_due: int = 0
    """Steps to take although paused."""
    is_human: bool = False
    """A person acts in the watched environment; all others wait."""
    is_live: bool = False
    """The game runs in real time meanwhile, and does not wait for each press."""
    watched_env: int = 0
    stop_reason: str = ""
    """Why to end; "" continues."""
    skips_evaluation: bool = False
    """The evaluation in progress is to be skipped."""

    @property
    def may_step(self) -> bool:
        """Return whether the agent takes the next step."""
        if self.is_human or self.stop_reason:
            return False
        return not self.is_paused or self.steps_due > 0

    def step_taken(self) -> None:
        """Note that a step was taken."""
        self.steps_due = max(0, self.steps_due - 1)

    @property
    def press_refusal(self) -> str:
        """Return why a person cannot press a button now; "" where one can."""
        if not self.is_human:
            return "Take control first."
        return "The game runs in real time." if self.is_live else ""


class Pace:
    """Say when the next step is due."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.actions_per_s = 0.0
        """The limit for every environment; 0 is unlimited."""
        self._clock = clock
        self._due_s = 0.0

    def limit(self, actions_per_s: float) -> None:
        """Set the limit."""
        self.actions_per_s = 0.0 if actions_per_s >= MAX_SPEED else max(0.0, actions_per_s)
        self._due_s = self._clock()

    def mark(self) -> None:
        """Note that a step begins now."""
        if self.actions_per_s:
            # A late step does not make the next ones faster.
            self._due_s = max(self._due_s + 1 / self.actions_per_s, self._clock())

    def wait_s(self) -> float:
        """Return the seconds until the next step is due; 0 when it is."""
        return max(0.0, self._due_s - self._clock()) if self.actions_per_s else 0.0


class CommandQueue:
    """Pass commands from any thread to the session's.

    Attributes:
        stop: The last Stop that was put, known at once; None while there is none.
    """

    def __init__(self) -> None:
        self.stop: Stop | None = None
        self._queue: queue.SimpleQueue[Command] = queue.SimpleQueue()

    def put(self, command: Command) -> None:
        """Add a command; never blocks, not even in a signal handler."""
        if isinstance(command, Stop):
            self.stop = command
        self._queue.put(command)

    def drain(self, wait_s: float = 0.0) -> Iterator[Command]:
        """Yield the waiting commands; wait up to `wait_s` for the first."""
        try:
            yield self._queue.get(timeout=wait_s) if wait_s > 0 else self._queue.get_nowait()
            while True:
                yield self._queue.get_nowait()
        except queue.Empty:
            return
