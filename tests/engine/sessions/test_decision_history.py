"""What a run leaves in the decision history."""

import sqlite3
import threading
from pathlib import Path

import pytest

from engine.config import PPOConfig, RunConfig
from engine.events import RunFailed, RunStopped
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.sessions.train import EngineSession
from tests.engine.planning.history.helpers import record
from tests.engine.processes import wait_until
from tests.engine.toy import ToyVector

PPO = PPOConfig(rollout_steps=16, minibatch_size=32, hidden_size=32, distillation_gradients=4)


def play(folder: Path, resume: str | None = None, **settings):
    """Run a session on the toy to its end and return what it told last."""
    settings = {"num_envs": 4, "headless": True, "ppo": PPO, "total_steps": 400} | settings
    config = RunConfig(save_dir=str(folder), workers=1, **settings)
    before = set(threading.enumerate())
    session = EngineSession(config, resume, make_vector=ToyVector)
    session.start()
    assert session.join(300)
    assert wait_until(lambda: before.issuperset(threading.enumerate()))
    return session.mailbox.drain()[-1]


def decisions(path: Path) -> list[dict]:
    with DecisionHistoryAnalyzer(path) as history:
        return history.get_recent_decisions(10**6)


@pytest.mark.parametrize("headless", [True, False])
def test_a_run_keeps_its_decisions_in_its_folder(tmp_path, headless):
    assert isinstance(play(tmp_path, headless=headless), RunStopped)
    (path,) = tmp_path.glob("runs/*/decisions.db")
    found = decisions(path)
    assert found
    for decision in found:
        assert decision["context"]["map"] == "BOARD"
        assert decision["source"] in {"policy", "planner"}
        assert decision["episode_id"].startswith(path.parent.name)
    ended = [d for d in found if d["total_episode_reward"] is not None]
    assert ended
    assert {d["outcome"] for d in ended if d["total_episode_reward"] > 0} >= {"success"}


def test_runs_may_share_a_file_by_its_absolute_path(tmp_path):
    path = tmp_path / "shared.db"
    for _ in range(2):
        play(tmp_path, decision_db_path=str(path))
    assert not list(tmp_path.glob("runs/*/decisions.db"))
    assert len({d["episode_id"].partition("/")[0] for d in decisions(path)}) == 2


def test_a_resumed_run_cuts_its_own_later_decisions_alone(tmp_path):
    path = tmp_path / "shared.db"
    play(tmp_path, decision_db_path=str(path))
    (checkpoints,) = tmp_path.glob("runs/*/checkpoints")
    run = checkpoints.parent.name
    with DecisionHistoryAnalyzer(path, run="other") as history:
        record(history, 77.0)
    newest = sorted(checkpoints.glob("step-*.zip"))[-1]
    newest.unlink()  # back to the run's beginning
    play(tmp_path, run, decision_db_path=str(path), total_steps=200)
    found = decisions(path)
    assert sum(d["outcome_reward"] == 77.0 for d in found) == 1
    steps = [(d["episode_id"], d["step_number"]) for d in found]
    assert len(steps) == len(set(steps))


@pytest.mark.parametrize("content", [b"no database at all" * 100, None])
def test_a_file_that_is_not_ours_ends_the_run_in_one_line_and_stays(tmp_path, content):
    path = tmp_path / "mine.db"
    if content is None:
        database = sqlite3.connect(path)
        database.execute("CREATE TABLE mine (x)")
        database.close()
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    end = play(tmp_path, decision_db_path=str(path))
    assert isinstance(end, RunFailed)
    assert str(path) in end.message
    assert "decision_db_path" in end.hint
    assert path.read_bytes() == before
