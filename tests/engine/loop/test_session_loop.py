"""The loop that trains, records and replays, with an activity that only counts."""

import pytest

from engine.commands import (
    Command,
    Hold,
    Pause,
    PlayLive,
    Press,
    Resume,
    Seek,
    SetSpeed,
    StepOnce,
    Stop,
)
from engine.events import CommandRefused, Event, StatusChanged
from engine.loop.controls import CommandQueue, Controls, Pace
from engine.loop.reporter import Reporter
from engine.loop.session_loop import SessionLoop
from engine.types import GAME_BOY_ACTIONS, Action


class Counter:
    """Counts to ten, and knows of Seek what no other activity knows."""

    not_here = "This only counts."

    def __init__(self) -> None:
        self.controls = Controls()
        self.count = 0

    def is_over(self) -> bool:
        return bool(self.controls.stop_reason) or self.count >= 10

    def wait_s(self) -> float | None:
        return 0.0

    def obey(self, command: Command) -> str | None:
        match command:
            case Seek(step):
                self.count = step
                return ""
            case Resume() if self.count >= 5:
                return "Too late."
        return None

    def advance(self) -> None:
        if self.controls.may_step:
            self.controls.step_taken()
            self.count += 1


class Session:
    def __init__(self) -> None:
        self.events: list[Event] = []
        self.activity = Counter()
        self.pace = Pace()
        self.commands = CommandQueue()
        reporter = Reporter(self.activity.controls, self.pace, self.events.append)
        self.loop = SessionLoop(
            self.activity,
            self.activity.controls,
            self.pace,
            reporter,
            self.commands,
            GAME_BOY_ACTIONS,
        )

    def refused(self) -> list[tuple[str, str]]:
        events = self.events
        return [(e.command, e.reason) for e in events if isinstance(e, CommandRefused)]


@pytest.fixture
def session() -> Session:
    return Session()


def test_run_advances_until_the_activity_is_over(session):
    session.loop.run()
    assert session.activity.count == 10


def test_stop_ends_the_loop_before_another_step(session):
    session.commands.put(Stop())
    session.loop.run()
    assert session.activity.count == 0
    assert session.activity.controls.stop_reason == "asked to stop"


def test_paused_only_the_steps_that_are_asked_for_are_taken(session):
    for command in (Pause(), StepOnce(), StepOnce()):
        session.loop.obey(command)
    for _ in range(5):
        session.activity.advance()
    assert session.activity.count == 2
    session.loop.obey(Resume())
    session.loop.run()
    assert session.activity.count == 10


def test_every_obeyed_command_is_followed_by_the_status(session):
    for command in (Pause(), SetSpeed(30.0), Seek(3)):
        session.loop.obey(command)
    told = [event for event in session.events if isinstance(event, StatusChanged)]
    assert len(told) == 3
    assert told[-1].is_paused
    assert told[-1].speed == 30.0


def test_an_activity_refuses_in_its_own_words(session):
    session.activity.count = 5
    for command in (StepOnce(), Resume(), Press(Action.A), PlayLive(True), Hold(frozenset())):
        session.loop.obey(command)
    assert session.refused() == [
        ("StepOnce", "Pause first."),
        ("Resume", "Too late."),
        ("Press", "This only counts."),
        ("PlayLive", "This only counts."),
        ("Hold", "This only counts."),
    ]
    assert not [event for event in session.events if isinstance(event, StatusChanged)]
