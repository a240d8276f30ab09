import os
import threading
import time
from pathlib import Path

import pytest

from engine.commands import Save, Stop
from engine.config import PPOConfig, RunConfig
from engine.errors import CheckpointError, ConfigurationError, RomError, WorkerError
from engine.events import (
    CheckpointSaved,
    EpisodeEnded,
    FrameRendered,
    ProgressReported,
    RunFailed,
    RunStarted,
    RunStopped,
    StatusChanged,
    WarningRaised,
)
from engine.runs.folder import RunFolder, list_runs
from engine.sessions.threaded import Mailbox
from engine.sessions.train import EngineSession
from tests.engine.processes import wait_until
from tests.engine.toy import ToyVector
from tests.engine.training.test_small_world import Levers

PPO = PPOConfig(rollout_steps=16, minibatch_size=32, hidden_size=32, distillation_gradients=4)


def config(folder: Path, **settings) -> RunConfig:
    settings = {"num_envs": 4, "workers": 1, "headless": True, "ppo": PPO} | settings
    return RunConfig(save_dir=str(folder), **settings)


def session(folder: Path, resume: str | None = None, **settings) -> EngineSession:
    return EngineSession(config(folder, **settings), resume, make_vector=ToyVector)


def play(subject: EngineSession) -> list:
    """Run a session that ends by itself and return what it told."""
    subject.start()
    assert subject.join(300)
    return subject.mailbox.drain()


def of(events: list, kind: type) -> list:
    return [event for event in events if isinstance(event, kind)]


def test_a_session_trains_in_its_own_thread_and_ends_with_run_stopped(tmp_path):
    made = []

    def make(config):
        made.append(ToyVector(config))
        return made[0]

    events = play(EngineSession(config(tmp_path, total_steps=400), make_vector=make))
    assert isinstance(events[-1], RunStopped)
    assert made[0].is_closed
    assert of(events, RunStarted)[0].num_envs == 4
    assert of(events, EpisodeEnded)
    assert len(of(events, StatusChanged)) == 1


def test_run_started_says_that_a_world_without_inspection_has_no_game_state(tmp_path):
    settings = config(tmp_path, num_envs=3, total_steps=3, mode="rl_only")
    events = play(EngineSession(settings, make_vector=Levers))
    assert not of(events, RunStarted)[0].has_game_state
    events = play(session(tmp_path, total_steps=4))
    assert of(events, RunStarted)[0].has_game_state


@pytest.mark.parametrize("key", ["strategy", "initial_strategy"])
def test_new_run_warns_of_a_setting_that_names_a_model_where_none_is_set(tmp_path, key):
    def warned(**settings) -> list[str]:
        subject = session(tmp_path, **settings)
        subject.discard()
        return [event.message for event in of(subject.mailbox.drain(), WarningRaised)]

    assert warned(**{key: "llm_heavy"}) == [
        f"{key} = llm_heavy: no language model is set, so the rules are the planner. "
        "--llm-model sets one."
    ]
    assert warned() == warned(**{key: "balanced"}) == []
    assert warned(**{key: "llm_heavy"}, llm_model="smollm2:135m") == []


def waits_for(subject: EngineSession, kind: type) -> list:
    """Return what was told until an event of `kind` came."""
    told: list = []
    while not of(told, kind):
        told += subject.mailbox.drain()
        time.sleep(0.01)
    return told


def test_stop_saves_and_ends(tmp_path):
    subject = session(tmp_path)
    subject.start()
    waits_for(subject, CheckpointSaved)  # before the first one a Stop leaves the start
    assert subject.stop(timeout_s=300)
    end = subject.mailbox.drain()[-1]
    assert isinstance(end, RunStopped)
    assert Path(end.checkpoint).is_file()


@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_start_is_left_at_once_and_taken_down_behind(tmp_path, is_resumed):
    if is_resumed:
        play(session(tmp_path, total_steps=400))
    gate, made = threading.Event(), []

    def slow(config):
        gate.wait(600)
        made.append(ToyVector(config))
        return made[0]

    resume = "latest" if is_resumed else None
    subject = EngineSession(config(tmp_path), resume, make_vector=slow)
    subject.start()
    waits_for(subject, ProgressReported)
    subject.send(Stop("quit"))
    told = waits_for(subject, RunStopped)  # while the game is still being built
    assert not made
    assert (told[-1].reason, told[-1].total_steps) == ("quit", 400 if is_resumed else 0)
    assert Path(told[-1].checkpoint).is_file() is is_resumed
    gate.set()
    assert subject.join(300)
    assert made[0].is_closed
    assert not subject.mailbox.drain()
    folder = RunFolder(Path(subject.run_dir))
    assert folder.path.exists() is is_resumed
    if is_resumed:
        folder.lock()  # nobody holds it any more
        folder.unlock()


def test_a_resumed_session_goes_on_and_tells_the_curve_so_far(tmp_path):
    first = session(tmp_path, total_steps=400)
    told = of(play(first), EpisodeEnded)
    second = session(tmp_path, "latest", total_steps=800)
    assert second.run_id == first.run_id
    events = play(second)
    assert of(events, RunStarted)[0].resumed_from == 400
    assert of(events, EpisodeEnded)[: len(told)] == told
    assert events[-1].total_steps == 800


def test_a_resumed_run_keeps_its_own_settings_and_says_so(tmp_path):
    play(session(tmp_path, total_steps=64, seed=5))
    subject = session(tmp_path, "latest", total_steps=128, seed=6)
    assert subject.config.seed == 5
    assert "seed" in of(play(subject), WarningRaised)[0].message


def test_an_unexpected_error_is_told_without_a_traceback(tmp_path):
    def broken(config):
        vector = ToyVector(config)
        vector.fail_at_step = 3
        return vector

    subject = EngineSession(config(tmp_path), make_vector=broken)
    (failure,) = of(play(subject), RunFailed)
    assert "toy failure" in failure.message
    assert "Traceback" not in failure.message
    assert "engine.log" in failure.hint
    assert failure.has_checkpoint
    assert "Traceback" in Path(subject.run_dir, "engine.log").read_text()


def test_a_missing_rom_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(RomError):
        session(tmp_path, rom_path=str(tmp_path / "none.gbc"))
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_save_folder_is_refused_at_once(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(ConfigurationError, match="Cannot write"):
        session(tmp_path / "saves")


def test_a_save_folder_that_is_a_file_is_refused_at_once(tmp_path):
    (tmp_path / "saves").write_text("")
    with pytest.raises(ConfigurationError, match="Cannot write to the folder"):
        session(tmp_path / "saves")


@pytest.mark.parametrize("run", ["latest", "20200101-000000"])
def test_resuming_what_is_not_there_is_refused(tmp_path, run):
    with pytest.raises(CheckpointError):
        session(tmp_path, run)


def test_a_run_in_use_is_not_resumed_twice(tmp_path):
    subject = session(tmp_path, total_steps=8)
    play(subject)
    again = session(tmp_path, subject.run_id, total_steps=16)
    with pytest.raises(ConfigurationError, match="in use"):
        session(tmp_path, subject.run_id)
    play(again)


def test_a_damaged_checkpoint_is_passed_over_with_a_warning(tmp_path):
    subject = session(tmp_path, total_steps=64)
    newest = Path(play(subject)[-1].checkpoint)
    newest.write_bytes(newest.read_bytes()[:-10])
    events = play(session(tmp_path, "latest", total_steps=64))
    assert "damaged" in of(events, WarningRaised)[0].message
    assert of(events, RunStarted)[0].resumed_from == 0
    assert events[-1].total_steps == 64


def test_runs_are_listed_newest_first(tmp_path):
    for steps in (8, 16):
        play(session(tmp_path, total_steps=steps))
        time.sleep(0.02)
    assert [info.total_steps for info in list_runs(str(tmp_path))] == [16, 8]


def test_a_run_without_a_checkpoint_is_not_the_latest(tmp_path):
    first = session(tmp_path, total_steps=8)
    play(first)
    RunFolder.create(config(tmp_path)).unlock()
    assert session(tmp_path, "latest", total_steps=16).run_id == first.run_id


def test_save_is_answered_by_an_event(tmp_path):
    subject = session(tmp_path)
    subject.send(Save())
    subject.start()
    told: list = []
    while len(of(told, CheckpointSaved)) < 2:  # that of the beginning, and the answer
        told += waits_for(subject, CheckpointSaved)
    assert not of(told, RunStopped)
    assert subject.stop(300)


def test_the_mailbox_keeps_the_newest_frame_and_every_episode():
    mailbox = Mailbox()
    for number in range(3):
        mailbox.post(FrameRendered(None, number))
        mailbox.post(WarningRaised(str(number)))
    assert mailbox.drain() == [
        WarningRaised("0"),
        WarningRaised("1"),
        FrameRendered(None, 2),
        WarningRaised("2"),
    ]
    assert mailbox.drain() == []


def test_an_unread_mailbox_does_not_grow_for_ever():
    mailbox = Mailbox(capacity=10)
    for number in range(100):
        mailbox.post(WarningRaised(str(number)))
    assert len(mailbox.drain()) == 10


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_log_that_cannot_be_written_ends_no_run_and_says_nothing(tmp_path, capfd, monkeypatch):
    """/dev/full fails every write as a full disk does."""
    subject = session(tmp_path, total_steps=400, log_level="DEBUG")
    opened = []

    def open_full(path, flags):
        opened.append(path.name)
        return os.open("/dev/full", os.O_WRONLY)

    monkeypatch.setattr("engine.sessions.train.open_file", open_full)
    assert isinstance(play(subject)[-1], RunStopped)
    assert set(opened) == {"engine.log"}
    assert capfd.readouterr() == ("", "")


def folders(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


@pytest.mark.parametrize(
    "failure",
    [WorkerError("gone", "again"), ConfigurationError("bad"), RomError("It is wet.", "Dry it.")],
)
def test_a_failed_start_leaves_no_folder(tmp_path, failure):
    def fails(config):
        raise failure

    subject = EngineSession(config(tmp_path / "saves"), make_vector=fails)
    assert Path(subject.run_dir).is_dir()
    (end,) = of(play(subject), RunFailed)
    assert (end.message, end.hint) == (failure.message, failure.hint)
    assert not end.has_checkpoint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_start_that_ends_with_its_last_word_leaves_nothing_running(
    tmp_path, monkeypatch, is_resumed
):
    if is_resumed:
        play(session(tmp_path, total_steps=400))
    before = set(threading.enumerate())
    subject = session(tmp_path, "latest" if is_resumed else None)
    last, post = EpisodeEnded if is_resumed else RunStarted, subject.mailbox.post

    def ends(event):
        if isinstance(event, last):
            raise WorkerError("gone", "again")
        post(event)

    monkeypatch.setattr(subject.mailbox, "post", ends)
    (end,) = of(play(subject), RunFailed)
    assert end.message == "gone"
    assert wait_until(lambda: before.issuperset(threading.enumerate()))


def test_an_unexpected_failure_of_a_start_leaves_its_log_alone(tmp_path):
    def fails(config):
        raise ZeroDivisionError("oops")

    subject = EngineSession(config(tmp_path / "saves"), make_vector=fails)
    (end,) = of(play(subject), RunFailed)
    assert end.hint.endswith(str(tmp_path / "saves" / "failed-start.log"))
    assert folders(tmp_path) == ["saves", "saves/failed-start.log"]
    assert "ZeroDivisionError: oops" in (tmp_path / "saves" / "failed-start.log").read_text()


def test_a_session_that_never_began_leaves_no_folder(tmp_path):
    subject = EngineSession(config(tmp_path))
    subject.discard()
    assert folders(tmp_path) == []


def test_a_failed_start_deletes_nothing_that_was_there(tmp_path):
    play(session(tmp_path, total_steps=64))
    (tmp_path / "mine.txt").write_text("kept")
    before = folders(tmp_path)

    def fails(config):
        raise WorkerError("gone", "again")

    for resume in (None, "latest"):
        play(EngineSession(config(tmp_path), resume, make_vector=fails))
        assert folders(tmp_path) == before
