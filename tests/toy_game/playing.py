"""Use the game through the program's commands and its recordings."""

from pathlib import Path

from engine.commands import StopRecording
from engine.config import RunConfig
from engine.demos.demonstration import Demonstration, read_demo
from engine.events import RecordingEnded
from engine.sessions.record import RecordingPlan, RecordingSession
from tests.engine.sessions.recording.conftest import Watcher
from tests.pokeTUI.in_process import poketui


def command(rom: str, folder: Path, *words: str) -> str:
    """Run a command on the game and a folder of saves; return what it prints."""
    done = poketui(*words, "--rom", rom, "--save-dir", str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def begin_recording(config: RunConfig) -> Watcher:
    recording = RecordingSession(config, RecordingPlan())
    recording.start()
    return Watcher(recording)


def end_recording(watcher: Watcher) -> tuple[Path, Demonstration]:
    """Return the demonstration's file and what is in it."""
    watcher.send(StopRecording())
    path = Path(watcher.next(RecordingEnded).path)
    assert watcher.session.stop(300)
    return path, read_demo(path)
