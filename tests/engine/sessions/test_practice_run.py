"""The whole engine on the real practice game."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.commands import GiveBack, Pause, Press, Resume, SetSpeed, StepOnce, TakeOver
from engine.config import EnvConfig, PPOConfig, RunConfig
from engine.events import (
    CheckpointSaved,
    ControlChanged,
    DecisionMade,
    EpisodeEnded,
    FrameRendered,
    GameObserved,
    ReasoningLogged,
    RewardPaid,
    RunFailed,
    RunStopped,
)
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.sessions.train import EngineSession
from engine.types import Action, Source

pytestmark = pytest.mark.slow

SETTINGS = {
    "num_envs": 2,
    "workers": 1,
    "ppo": PPOConfig(rollout_steps=16, minibatch_size=32, hidden_size=32, distillation_gradients=4),
    "env": EnvConfig(max_steps=50, progress_steps=0),
}
STEPS = 2 * 220
NOT_OF_THE_RUN = {"config", "uptime_s", "history"}
"""Facts of a checkpoint that tell of the clock and of rows in a file."""


def play(folder: Path, resume: str | None = None, **settings) -> list:
    """Run a session to its end and return what it told."""
    config = RunConfig(save_dir=str(folder), **SETTINGS | {"headless": True} | settings)
    session = EngineSession(config, resume)
    session.start()
    assert session.join(600)
    events = session.mailbox.drain()
    assert isinstance(events[-1], RunStopped), events[-1]
    return events


def journal(folder: Path) -> str:
    (path,) = folder.glob("runs/*/journal.jsonl")
    return path.read_text()


def final_checkpoint(folder: Path) -> dict:
    from engine.runs.checkpoint import CheckpointStore

    (run,) = folder.glob("runs/*")
    checkpoint, _, warnings = CheckpointStore(run / "checkpoints", keep=3).load_newest()
    assert not warnings
    arrays = {name: array.tobytes() for name, array in checkpoint.arrays.items()}
    facts = {k: v for k, v in checkpoint.facts.items() if k not in NOT_OF_THE_RUN}
    return {"arrays": arrays, "facts": facts, "blobs": dict(checkpoint.blobs)}


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A run that nobody interrupted; that it has more workers changes nothing."""
    folder = tmp_path_factory.mktemp("whole")
    events = play(folder, total_steps=STEPS, workers=2)
    assert sum(isinstance(event, EpisodeEnded) for event in events) >= 8
    return folder


def decisions(folder: Path) -> list[dict]:
    (path,) = folder.glob("runs/*/decisions.db")
    with DecisionHistoryAnalyzer(path) as history:
        newest = history.get_recent_decisions(10**6)
    for decision in newest:
        decision["episode_id"] = decision["episode_id"].rpartition("/")[2]
    return [{k: v for k, v in one.items() if k not in {"id", "timestamp"}} for one in newest]


@pytest.mark.parametrize(
    "stop_at",
    [
        pytest.param(2 * 16 * 4, marks=pytest.mark.slow),  # where the policy is updated
        2 * 101,
        pytest.param(2 * 102, marks=pytest.mark.slow),
    ],
)
def test_a_resumed_run_is_the_uninterrupted_one_bit_for_bit(whole, tmp_path, stop_at):
    play(tmp_path, total_steps=stop_at)
    play(tmp_path, "latest", total_steps=STEPS)
    assert journal(tmp_path) == journal(whole)
    assert final_checkpoint(tmp_path) == final_checkpoint(whole)
    expected = decisions(whole)
    assert len(expected) > 30
    assert {decision["context"]["situation"] for decision in expected} > {"walking"}
    assert decisions(tmp_path) == expected


RUN = """
from engine.sessions.train import EngineSession
from engine.commands import SetSpeed
from engine.config import RunConfig, EnvConfig, PPOConfig
import sys, time
if __name__ == "__main__":
    settings = {settings!r}
    session = EngineSession(RunConfig(save_dir=sys.argv[1], headless=True, **settings))
    session.send(SetSpeed(25))  # so that it is killed long before its end
    session.start()
    session.join()
"""


def test_a_run_killed_in_mid_step_resumes_with_the_same_curve(whole, tmp_path):
    settings = SETTINGS | {"checkpoint_interval_s": 0.2, "total_steps": STEPS}
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", RUN.format(settings=settings), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    deadline = time.monotonic() + 300
    pattern = "runs/*/checkpoints/step-*.zip"
    while len(saved := sorted(tmp_path.glob(pattern))) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(saved) >= 2
    events = play(tmp_path, "latest", total_steps=STEPS)
    assert events[-1].total_steps == STEPS
    assert journal(tmp_path) == journal(whole)


def wait_for(
    session: EngineSession,
    events: list,
    kind: type,
    is_wanted: Callable[..., bool] = lambda event: True,
) -> None:
    """Gather events until one that is wanted has come."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        new = session.mailbox.drain()
        events += new
        assert not any(isinstance(event, RunFailed) for event in new), new
        if any(isinstance(event, kind) and is_wanted(event) for event in new):
            return
        time.sleep(0.02)
    raise AssertionError(f"no {kind.__name__}")


def test_a_watched_run_is_seen_taken_over_and_given_back(tmp_path):
    session = EngineSession(RunConfig(save_dir=str(tmp_path), **SETTINGS))
    events: list = []

    def send(*commands) -> None:
        for command in commands:
            session.send(command)

    def of(kind):
        return [event for event in events if isinstance(event, kind)]

    def is_by(source):
        return lambda event: event.decision.source is source

    send(Pause(), StepOnce())  # however late it is read, one step is all that there is to see
    session.start()
    wait_for(session, events, GameObserved)
    assert of(GameObserved)[0].state.place.name == "HOME 2F"
    assert of(GameObserved)[0].goal.key == "left_bedroom"
    send(SetSpeed(50), Resume())
    wait_for(session, events, DecisionMade, is_by(Source.PLANNER))
    send(TakeOver())
    wait_for(session, events, ControlChanged)
    send(Press(Action.DOWN))
    wait_for(session, events, DecisionMade, is_by(Source.HUMAN))
    send(GiveBack())
    wait_for(session, events, ControlChanged)
    wait_for(session, events, DecisionMade, lambda event: not is_by(Source.HUMAN)(event))
    assert session.stop(300)
    events += session.mailbox.drain()
    assert [event.is_human for event in of(ControlChanged)] == [True, False]
    assert of(FrameRendered)[-1].frame.shape == (144, 160, 3)
    assert of(RewardPaid)
    assert of(CheckpointSaved)
    assert any("Go downstairs" in event.text for event in of(ReasoningLogged))
