"""The real engine behind a real socket."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.commands import Pause, PauseRendering, Save, Stop, TakeOver, Watch
from engine.config import PPOConfig, RunConfig
from engine.errors import ConfigurationError, RomError
from engine.events import (
    CheckpointSaved,
    CommandRefused,
    ConnectionLost,
    ControlChanged,
    Event,
    FrameRendered,
    GameObserved,
    RunStarted,
    RunStopped,
    StatusChanged,
    ViewersChanged,
)
from engine.remote.folder import LiveRun, live_runs, probe, socket_path
from engine.remote.protocol import make_hello
from engine.remote.server import RunServer
from engine.remote.start import start_detached, stop_run, wait_for_start
from engine.sessions.train import EngineSession
from tests.engine.processes import children, is_gone, wait_until
from tests.engine.remote.scripted import LIMIT_S, Viewing
from tests.engine.toy import ToyVector

VIEWER = """
import sys, time
from engine.commands import Hold, TakeOver
from engine.events import ControlChanged
from engine.remote.client import RemoteSession
from engine.remote.folder import find_live_run
session = RemoteSession(find_live_run(None))
session.start()
session.send(TakeOver())
while not any(isinstance(event, ControlChanged) for event in session.mailbox.drain()):
    time.sleep(0.02)
print("playing", flush=True)
time.sleep(600)
"""

View = Callable[[LiveRun], Viewing]


@pytest.fixture
def detached(tmp_path: Path) -> Iterator[Callable[..., LiveRun]]:
    """Start a run of the practice game in the background."""
    started: list[LiveRun] = []

    def start(resume: str | None = None, **settings) -> LiveRun:
        given = {"num_envs": 2, "workers": 1, "save_dir": str(tmp_path)} | settings
        live = start_detached(RunConfig(**given), resume)
        started.append(live)
        assert wait_for_start(live, lambda text: None) is None
        return live

    yield start
    for live in started:
        stop_run(live, LIMIT_S, is_now=True)


def toy_session(saves: Path) -> EngineSession:
    ppo = PPOConfig(rollout_steps=16, minibatch_size=32, hidden_size=32, distillation_gradients=4)
    config = RunConfig(num_envs=4, workers=1, ppo=ppo, save_dir=str(saves))
    return EngineSession(config, make_vector=ToyVector)


def test_a_toy_run_is_steered_and_stopped_through_its_socket(tmp_path: Path, view: View) -> None:
    session = toy_session(tmp_path)
    path = socket_path(session.run_id, session.run_dir)
    server = RunServer(session, path, make_hello(session.run_id, session.run_dir, os.getpid()))
    server.start()
    session.start()
    live = probe(path)
    assert live is not None
    viewing = view(live)
    viewing.wait_for_kind(RunStarted)
    viewing.wait_for_kind(GameObserved)
    viewing.wait_for_kind(StatusChanged)
    viewing.session.send(Pause())
    assert wait_until(lambda: viewing.of(StatusChanged)[-1].is_paused, LIMIT_S)
    viewing.session.send(Save())
    viewing.wait_for_kind(CheckpointSaved)
    viewing.session.send(Stop())
    assert session.join(LIMIT_S)
    server.close()
    assert viewing.wait_for_kind(RunStopped)


def test_a_run_that_nobody_looks_at_draws_nothing_until_it_is_watched(tmp_path: Path) -> None:
    session = toy_session(tmp_path)
    session.send(PauseRendering())
    session.start()
    seen: list[Event] = []

    def count(kind: type) -> int:
        seen.extend(session.mailbox.drain())
        return sum(isinstance(event, kind) for event in seen)

    assert wait_until(lambda: count(RunStarted) > 0, LIMIT_S)
    assert wait_until(lambda: count(StatusChanged) > 3, LIMIT_S)
    drawn = count(FrameRendered)
    assert wait_until(lambda: count(StatusChanged) > 8, LIMIT_S)
    assert count(FrameRendered) == drawn
    session.send(Watch(0))
    assert wait_until(lambda: count(FrameRendered) > drawn, LIMIT_S)
    assert session.stop(LIMIT_S)


@pytest.mark.slow
def test_a_killed_viewer_gives_the_game_back_and_the_run_goes_on(
    detached: Callable[..., LiveRun], view: View
) -> None:
    live = detached()
    process = subprocess.Popen([sys.executable, "-c", VIEWER], stdout=subprocess.PIPE)
    with process:
        assert process.stdout.readline() == b"playing\n"
        other = view(live)
        assert other.wait_for(ViewersChanged(2, False))
        other.session.send(TakeOver())
        assert "Another viewer" in other.wait_for_kind(CommandRefused)[0].reason
        process.kill()
    assert other.wait_for(ViewersChanged(1, False, is_held=False), ControlChanged(False))
    other.seen.clear()
    assert other.wait_for_kind(FrameRendered)
    steps = other.wait_for_kind(StatusChanged)[-1].total_steps
    assert wait_until(lambda: other.of(StatusChanged)[-1].total_steps > steps, LIMIT_S)


@pytest.mark.slow
def test_killed_engine_is_reported_and_can_be_resumed(
    detached: Callable[..., LiveRun], view: View
) -> None:
    live = detached()
    viewing = view(live)
    viewing.session.send(Save())
    viewing.wait_for_kind(CheckpointSaved)
    workers = children(live.pid)
    os.kill(live.pid, signal.SIGKILL)
    (lost,) = viewing.wait_for_kind(ConnectionLost)
    assert not lost.is_running
    assert "poketui run --resume" in lost.hint
    assert wait_until(lambda: all(map(is_gone, workers)), LIMIT_S)
    assert live_runs() == []
    again = detached(live.run_id)
    assert (again.run_id, again.path) == (live.run_id, live.path)


@pytest.mark.slow
def test_a_hangup_is_nothing_to_a_run_in_the_background_and_stopping_saves_it(
    detached: Callable[..., LiveRun], view: View, tmp_path: Path
) -> None:
    live = detached()
    os.kill(live.pid, signal.SIGHUP)
    viewing = view(live)
    assert viewing.wait_for_kind(FrameRendered)
    with pytest.raises(ConfigurationError, match="in use"):
        detached(live.run_id)
    workers = children(live.pid)
    assert stop_run(live, LIMIT_S)
    (end,) = viewing.wait_for_kind(RunStopped)
    assert end.reason == "SIGTERM"
    assert Path(end.checkpoint).is_file()
    # What Python starts beside the workers notices a moment later that it is not needed any more.
    assert wait_until(lambda: all(map(is_gone, workers)), LIMIT_S)
    assert not live.path.exists()
    log = tmp_path / "runs" / live.run_id / "engine.log"
    assert "Traceback" not in log.read_text()


@pytest.mark.slow
def test_start_detached_reports_user_errors_before_starting(tmp_path: Path) -> None:
    missing = RunConfig(rom_path=str(tmp_path / "none.gbc"), save_dir=str(tmp_path / "saves"))
    with pytest.raises(RomError, match=r"none\.gbc"):
        start_detached(missing, None)
    assert not list(tmp_path.iterdir())
    assert live_runs() == []
