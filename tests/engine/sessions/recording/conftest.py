import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest

from engine.commands import Command, Press, Stop, StopRecording
from engine.config import RunConfig
from engine.demos.demonstration import Demonstration, read_demo
from engine.demos.exact_replay import DemoPlayer
from engine.events import (
    CommandRefused,
    Event,
    RecordingChanged,
    RecordingEnded,
    RunFailed,
    RunStopped,
    StatusChanged,
)
from engine.sessions.record import RecordingPlan, RecordingSession

Kind = TypeVar("Kind")
PATIENCE_S = 300.0


def is_so(event: Event, **facts: Any) -> bool:
    return all(getattr(event, name) == value for name, value in facts.items())


class Watcher:
    """Reads a session's events until something is among them."""

    def __init__(self, session: RecordingSession) -> None:
        self.session = session
        self.seen: list[Event] = []
        self._read = 0

    def all(self, kind: type[Kind]) -> list[Kind]:
        self.seen += self.session.mailbox.drain()
        return [event for event in self.seen if isinstance(event, kind)]

    def next(self, kind: type[Kind], wanted: Callable[[Kind], bool] = lambda event: True) -> Kind:
        """Return the next event that is wanted, after the one that was returned before."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            self.seen += self.session.mailbox.drain()
            for place in range(self._read, len(self.seen)):
                event = self.seen[place]
                if isinstance(event, kind) and wanted(event):
                    self._read = place + 1
                    return event
                if isinstance(event, RunFailed):
                    raise AssertionError(str(event))
            time.sleep(0.005)
        raise AssertionError(f"no {kind.__name__} came; the last were {self.seen[-5:]}")

    def recording(self, **facts: Any) -> RecordingChanged:
        """Wait for a demonstration that stands so."""
        return self.next(RecordingChanged, lambda event: is_so(event, **facts))

    def status(self, **facts: Any) -> StatusChanged:
        """Wait for such a status."""
        return self.next(StatusChanged, lambda event: is_so(event, **facts))

    def send(self, *commands: Command) -> None:
        for command in commands:
            self.session.send(command)

    def press(self, actions: Sequence[int]) -> None:
        self.send(*(Press(int(action)) for action in actions))

    def walk(self, *actions: int, steps: int | None = None) -> None:
        """Take these actions, and wait until the demonstration has so many steps."""
        self.press(actions)
        self.recording(steps=len(actions) if steps is None else steps)

    def keep(self) -> Demonstration:
        """End the demonstration; return what is in its file."""
        self.send(StopRecording())
        return self.saved()

    def stop(self) -> None:
        self.send(Stop())
        self.next(RunStopped)

    def refusal(self, command: Command) -> str:
        self.send(command)
        return self.next(CommandRefused).reason

    def saved(self) -> Demonstration:
        """Wait for the next demonstration's file, and return what is in it."""
        return read_demo(Path(self.next(RecordingEnded, lambda event: bool(event.path)).path))


Begin = Callable[..., Watcher]


@pytest.fixture
def config(tmp_path: Path) -> RunConfig:
    return RunConfig(save_dir=str(tmp_path))


@pytest.fixture
def begin(config: RunConfig) -> Iterator[Begin]:
    """Begin sessions; at the end they are stopped."""
    sessions: list[RecordingSession] = []

    def start(*, speed: float = 0.0, **plan: Any) -> Watcher:
        session = RecordingSession(config, RecordingPlan(**plan), speed=speed)
        sessions.append(session)
        session.start()
        return Watcher(session)

    yield start
    for session in sessions:
        assert session.stop(300)


def assert_replays(config: RunConfig, *names: str) -> list[Demonstration]:
    """Play all demonstrations of a set in another environment; return them."""
    folder = Path(config.save_dir) / "demos"
    demos = [read_demo(path) for path in sorted(folder.joinpath(*names).glob("*.demo"))]
    with closing(DemoPlayer(config, renders=False)) as player:
        for demo in demos:
            for _ in player.play(demo):
                pass  # it raises where memory, rewards or the end are not those recorded
    assert not list(folder.joinpath(*names).glob("*.part"))
    return demos
