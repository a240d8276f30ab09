"""A run whose events the test posts, and a viewer whose events the test waits for."""

from pathlib import Path

import numpy as np

from engine.commands import Command, PauseRendering, Watch
from engine.events import Event, FrameRendered
from engine.remote.client import RemoteSession
from engine.remote.folder import LiveRun
from engine.remote.server import RunServer
from engine.sessions.threaded import Mailbox
from tests.engine.processes import wait_until

LIMIT_S = 60.0
"""Loading the learning library takes long on a busy machine."""


class ScriptedRun:
    """What a server serves; it records commands, apart from them whether anybody looks."""

    server: RunServer
    path: Path

    def __init__(self) -> None:
        self.mailbox = Mailbox()
        self.is_alive = True
        self.sent: list[Command] = []
        self.looks: list[Command] = []

    def send(self, command: Command) -> None:
        (self.looks if isinstance(command, Watch | PauseRendering) else self.sent).append(command)

    def has_been_sent(self, *commands: Command) -> bool:
        return wait_until(lambda: self.sent == list(commands), LIMIT_S)


class Viewing:
    """A viewer that collects all it is told."""

    def __init__(self, live: LiveRun, *, is_read_only: bool = False) -> None:
        self.session = RemoteSession(live, is_read_only=is_read_only)
        self.session.start()
        self.seen: list[Event] = []

    def collect(self) -> list[Event]:
        self.seen += self.session.mailbox.drain()
        return self.seen

    def of(self, kind: type) -> list:
        return [event for event in self.collect() if isinstance(event, kind)]

    def wait_for(self, *events: Event) -> bool:
        """Wait until it was told all of them."""
        return wait_until(lambda: all(event in self.collect() for event in events), LIMIT_S)

    def wait_for_kind(self, kind: type, count: int = 1) -> list:
        """Return all of a kind, once so many are there."""
        assert wait_until(lambda: len(self.of(kind)) >= count, LIMIT_S), (
            f"no {kind.__name__}: {self.seen}"
        )
        return self.of(kind)


def frame(value: int) -> FrameRendered:
    return FrameRendered(np.full((144, 160, 3), value, np.uint8), 0)


def noise(seed: int) -> FrameRendered:
    """Return a frame that cannot be made small."""
    pixels = np.random.default_rng(seed).integers(0, 256, (144, 160, 3))
    return FrameRendered(pixels.astype(np.uint8), 0)
