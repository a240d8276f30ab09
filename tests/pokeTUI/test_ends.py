import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios

from textual.events import Paste

from engine.commands import Pause, Stop
from engine.config import RunConfig
from engine.errors import TrainingError
from engine.events import RunFailed, RunStopped
from pokeTUI.app.cockpit import CockpitApp
from tests.pokeTUI.conftest import comes_to_show, open_cockpit, post, press, screen_text, settle
from tests.pokeTUI.fake_session import FakeSession
from tests.pokeTUI.in_process import loaded_of


async def test_quitting_waits_for_the_checkpoint() -> None:
    async with open_cockpit() as (pilot, session):
        session.saves_on_stop = False
        await press(pilot, "q")
        assert "Saving…" in screen_text(pilot)
        assert pilot.app.is_running
        session.finish("quit")
        await settle(pilot)
        assert pilot.app.end == RunStopped("quit", 123456, "saves/x.zip")  # type: ignore[attr-defined]
        assert pilot.app.return_code == 0


async def test_a_second_q_asks_whether_to_leave_at_once() -> None:
    async with open_cockpit() as (pilot, session):
        session.saves_on_stop = False
        await press(pilot, "q", "q")
        assert "Quit without waiting?" in screen_text(pilot)
        await press(pilot, "n")
        assert "Saving…" in screen_text(pilot)
        await press(pilot, "y")
        assert pilot.app.return_code is None
        await press(pilot, "q", "y")
        assert pilot.app.return_code == 1
        assert pilot.app.end is None  # type: ignore[attr-defined]
        assert session.sent == [Stop("quit")]


async def test_a_failure_stays_on_the_screen_and_is_the_exit_code() -> None:
    failure = RunFailed("Worker 1 died [signal 9].", "Use fewer games: --envs 8.", True)
    async with open_cockpit(80, 24) as (pilot, session):
        await pilot.press("question_mark")
        await post(pilot, session, failure)
        text = screen_text(pilot)
        assert failure.message in text
        assert failure.hint in text
        assert "poketui run --resume" in text
        await press(pilot, "escape")
        assert "✗ failed" in screen_text(pilot)
        await press(pilot, "p", "q")
        assert session.sent == []
        assert pilot.app.return_code == 1
        assert pilot.app.dashboard.failure == failure  # type: ignore[attr-defined]


async def test_a_failed_run_goes_on_from_its_checkpoint() -> None:
    first, second = FakeSession(), FakeSession()
    app = CockpitApp(first, RunConfig(), make_session=lambda: second)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        first.post(RunFailed("Worker 1 died.", "", True))
        first.is_alive = False
        await settle(pilot)
        assert "r resume from the checkpoint" in screen_text(pilot)
        await press(pilot, "r")
        assert second.is_alive
        second.post_all()
        await settle(pilot)
        assert "playing" in screen_text(pilot)
        assert app.dashboard.failure is None
        await pilot.press("p")
        assert second.sent == [Pause()]


async def test_a_run_that_cannot_go_on_says_why() -> None:
    def broken() -> FakeSession:
        raise TrainingError("The run is in use.", "End the other program.")

    session = FakeSession()
    app = CockpitApp(session, RunConfig(), make_session=broken)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settle(pilot)
        session.post(RunFailed("Worker 1 died.", "", True))
        session.is_alive = False
        await settle(pilot)
        await pilot.press("r")
        assert await comes_to_show(pilot, "The run is in use.")


async def test_a_stopped_run_stays_to_be_looked_at() -> None:
    async with open_cockpit() as (pilot, session):
        await pilot.press("Q")
        assert await comes_to_show(pilot, "The run is saved and has ended.")
        assert session.sent == [Stop("quit")]
        assert pilot.app.return_code is None
        await press(pilot, "q")
        assert pilot.app.return_code == 0


async def test_a_flood_of_pasted_text_does_nothing() -> None:
    async with open_cockpit() as (pilot, session):
        pilot.app.post_message(Paste("q" * 1_000_000))
        pilot.app.post_message(Paste("\x1b[31m\x00\r\n" * 1000))
        await settle(pilot)
        assert session.sent == []
        assert "playing" in screen_text(pilot)


async def test_a_failure_while_saving_is_told() -> None:
    async with open_cockpit() as (pilot, session):
        session.saves_on_stop = False
        await pilot.press("q")
        await post(pilot, session, RunFailed("The disk is full.", "Free some space.", False))
        assert "The disk is full." in screen_text(pilot)
        assert "Saving…" not in screen_text(pilot)
        await press(pilot, "q")
        assert pilot.app.return_code == 1


async def test_a_session_that_cannot_start_is_a_failure() -> None:
    class Broken(FakeSession):
        def start(self) -> None:
            raise TrainingError("No process could be started.", "Close some programs.")

    app = CockpitApp(Broken(), RunConfig())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "No process could be started." in screen_text(pilot)


async def test_a_run_that_reaches_its_end_leaves_the_screen() -> None:
    async with open_cockpit() as (pilot, session):
        session.finish("1,000,000 steps were taken")
        await settle(pilot)
        assert pilot.app.return_code == 0


async def test_a_polite_kill_saves() -> None:
    async with open_cockpit() as (pilot, session):
        os.kill(os.getpid(), signal.SIGTERM)
        await settle(pilot)
        assert session.sent == [Stop("SIGTERM")]


def test_a_lost_terminal_ends_the_process() -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    code = (
        "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
        "from tests.pokeTUI.fake_session import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    seen = b""
    while "► playing".encode() not in seen:
        seen += os.read(ours, 65536)
    os.close(ours)
    process.wait(timeout=300)


def test_the_application_needs_neither_torch_nor_an_emulator() -> None:
    assert loaded_of({"torch", "pyboy", "gymnasium"}, "import pokeTUI.app.cockpit") == "[]\n"
