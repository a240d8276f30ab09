"""Files of a run are deleted while it continues: what can be is written anew, the rest is named."""

import shutil
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from engine.config import EnvConfig, PPOConfig, RunConfig
from engine.errors import ConfigurationError
from engine.events import (
    CheckpointSaved,
    EpisodeEnded,
    Event,
    PolicyUpdated,
    RunFailed,
    RunStarted,
    RunStopped,
    WarningRaised,
)
from engine.runs.checkpoint import CheckpointStore
from engine.runs.folder import RunFolder, list_runs
from engine.runs.journal import read_journal
from engine.sessions.train import EngineSession
from tests.engine.toy import ToyVector

SETTINGS = {
    "num_envs": 2,
    "workers": 1,
    "headless": True,
    "ppo": PPOConfig(rollout_steps=16, minibatch_size=32, hidden_size=32, distillation_gradients=4),
    "env": EnvConfig(max_steps=40, progress_steps=0),
}
Play = Callable[..., list[Event]]


def play(
    folder: Path,
    harm: Callable[[Path], None] = lambda run: None,
    *,
    resume: str | None = None,
    after: type = PolicyUpdated,
    times: int = 2,
    is_toy: bool = True,
    **settings,
) -> list[Event]:
    """Run a session to its end; harm its folder, from its own thread, when an event has come."""
    config = RunConfig(save_dir=str(folder), **{"total_steps": 200, **SETTINGS, **settings})
    session = EngineSession(config, resume, make_vector=ToyVector if is_toy else None)
    seen = 0
    post = session.mailbox.post

    def harming(event: Event) -> None:
        nonlocal seen
        post(event)
        seen += isinstance(event, after)
        if seen == times:
            seen += 1
            harm(Path(session.run_dir))

    session.mailbox.post = harming  # type: ignore[method-assign]
    session.start()
    assert session.join(300)
    return session.mailbox.drain()


def warnings_of(events: list[Event]) -> list[str]:
    return [event.message for event in events if isinstance(event, WarningRaised)]


def episodes_of(events: Iterable[Event]) -> list[Event]:
    return [event for event in events if isinstance(event, EpisodeEnded)]


def replace_parent(run: Path) -> None:
    saves = run.parent.parent
    saves.rename(saves.with_name("moved"))
    saves.mkdir()


def delete(name: str) -> Callable[[Path], None]:
    def harm(run: Path) -> None:
        path = run / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    return harm


HARMS = {
    "the whole folder": shutil.rmtree,
    "all saves": lambda run: shutil.rmtree(run.parent.parent),
    "saves moved away": replace_parent,
}
for _name in ("config.json", "journal.jsonl", "lock", "checkpoints", "decisions.db", "engine.log"):
    HARMS[_name] = delete(_name)


def assert_whole(saves: Path, events: list[Event], total_steps: int) -> None:
    """Check that the ending is true, and that the run continues with nothing lost."""
    end = events[-1]
    assert isinstance(end, RunStopped), end
    assert end.total_steps == total_steps
    assert Path(end.checkpoint).is_file()
    (info,) = list_runs(str(saves))
    assert (info.refusal, info.total_steps) == ("", total_steps)
    assert episodes_of(read_journal(info.path / "journal.jsonl")) == episodes_of(events)
    again = play(saves, resume="latest", total_steps=total_steps + 64)
    assert isinstance(again[-1], RunStopped), again[-1]
    assert again[-1].total_steps >= total_steps + 64
    assert not warnings_of(again)


@pytest.mark.parametrize("name", HARMS)
def test_deleted_files_of_a_run_are_written_again(tmp_path, name):
    saves = tmp_path / "saves"
    events = play(saves, HARMS[name])
    assert_whole(saves, events, 200)
    told = " ".join(warnings_of(events))
    assert name == "engine.log" or "deleted while it was running" in told


@pytest.mark.parametrize(
    ("after", "times"),
    [
        (RunStarted, 1),
        pytest.param(CheckpointSaved, 1, marks=pytest.mark.slow),
        (CheckpointSaved, 2),
        pytest.param(EpisodeEnded, 1, marks=pytest.mark.slow),
        (EpisodeEnded, 9),
    ],
)
def test_a_folder_is_written_again_whenever_it_is_deleted(tmp_path, after, times):
    saves = tmp_path / "saves"
    assert_whole(saves, play(saves, shutil.rmtree, after=after, times=times), 200)


@pytest.mark.parametrize("name", ["the whole folder", "journal.jsonl"])
def test_a_resumed_run_loses_nothing_of_before(tmp_path, name):
    first = play(tmp_path, total_steps=100)
    second = play(tmp_path, HARMS[name], resume="latest", total_steps=300)
    begun = next(at for at, event in enumerate(second) if isinstance(event, RunStarted))
    ended, told = episodes_of(first), episodes_of(second[begun:])
    assert told[: len(ended)] == ended
    (info,) = list_runs(str(tmp_path))
    assert episodes_of(read_journal(info.path / "journal.jsonl")) == told


def test_warning_names_what_is_lost_with_a_folder(tmp_path):
    def harm(run: Path) -> None:
        (run / "exchanges.jsonl").write_text("{}\n")
        (run / "states").mkdir()
        (run / "tensorboard").mkdir(exist_ok=True)
        (run / "tensorboard" / "events.1").touch()

    events = play(tmp_path, harm, after=RunStarted, times=1)
    assert not warnings_of(events)
    events = play(tmp_path, shutil.rmtree, resume="latest", total_steps=400)
    (warning,) = warnings_of(events)
    assert "Lost: checkpoints, engine.log, exchanges.jsonl, states, tensorboard/events.1" in warning


def test_a_run_whose_lock_another_process_took_writes_nothing_more(tmp_path):
    others: list[RunFolder] = []
    before: list[bytes] = []

    def harm(run: Path) -> None:
        (run / "lock").unlink()
        others.append(RunFolder(run))
        others[0].lock()
        before.append((run / "journal.jsonl").read_bytes())

    events = play(tmp_path, harm)
    end = events[-1]
    assert isinstance(end, RunFailed)
    assert "another process has taken over the run" in end.message
    assert not end.has_checkpoint
    (info,) = list_runs(str(tmp_path))
    assert (info.path / "journal.jsonl").read_bytes() == before[0]
    with pytest.raises(ConfigurationError, match="in use by another process"):
        RunFolder(info.path).lock()
    others[0].unlock()


def test_a_run_that_another_process_took_and_left_is_not_written(tmp_path):
    def harm(run: Path) -> None:
        (run / "lock").unlink()
        other = RunFolder(run)
        other.lock()
        other.unlock()

    assert isinstance(play(tmp_path, harm)[-1], RunFailed)


def test_a_folder_that_was_copied_back_is_gone_on_with(tmp_path):
    def harm(run: Path) -> None:
        shutil.copytree(run, tmp_path / "copy")
        shutil.rmtree(run)
        shutil.copytree(tmp_path / "copy", run)

    saves = tmp_path / "saves"
    assert_whole(saves, play(saves, harm), 200)


def test_a_file_in_place_of_the_folder_ends_with_what_is_true(tmp_path):
    def harm(run: Path) -> None:
        shutil.rmtree(run)
        run.write_text("mine")

    events = play(tmp_path, harm)
    end = events[-1]
    assert isinstance(end, RunStopped)
    assert end.checkpoint == ""
    assert "it is not a folder" in " ".join(warnings_of(events))
    (run,) = (tmp_path / "runs").iterdir()
    assert run.read_text() == "mine"


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    """Return the save folder of a run on the practice game that nothing was deleted of."""
    folder = tmp_path_factory.mktemp("untouched")
    play(folder, is_toy=False, total_steps=100)
    return folder


@pytest.mark.parametrize("leaves_log", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_decisions_are_kept_though_their_file_is_deleted(tmp_path, untouched, leaves_log):
    def harm(run: Path) -> None:
        for path in run.glob("decisions.db*"):
            if path.name == "decisions.db" or not leaves_log:
                path.unlink()

    play(tmp_path, harm, is_toy=False, total_steps=100)
    counts = []
    for folder in (tmp_path, untouched):
        (path,) = folder.glob("runs/*/decisions.db")
        with sqlite3.connect(path) as database:
            counts.append(database.execute("SELECT COUNT(*) FROM decisions").fetchone())
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        database.close()
    assert counts[0] == counts[1] != (0,)


@pytest.mark.slow
def test_a_run_on_the_practice_game_outlives_its_folder(tmp_path):
    events = play(tmp_path, shutil.rmtree, is_toy=False, total_steps=400)
    assert isinstance(events[-1], RunStopped)
    again = play(tmp_path, resume="latest", is_toy=False, total_steps=500)
    assert isinstance(again[-1], RunStopped)
    (info,) = list_runs(str(tmp_path))
    _, path, warnings = CheckpointStore(info.path / "checkpoints", keep=3).load_newest()
    assert (path.name, warnings) == ("step-000000000500.zip", [])
    assert path.samefile(again[-1].checkpoint)
