"""However a run ends, what is said of it is true, and one remedy is named that does help."""

import errno
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.commands import Stop
from engine.config import PPOConfig, RunConfig
from engine.errors import CheckpointError, ConfigurationError, PokeTUIError, RomError, WorkerError
from engine.events import ConnectionLost, RunFailed, RunStopped
from engine.runs.checkpoint import checkpoint_paths
from engine.runs.folder import RunFolder, resume_command
from engine.sessions.train import EngineSession
from pokeTUI.app.cockpit import CockpitApp
from pokeTUI.app.headless import HeadlessRunner
from pokeTUI.app.launch import report
from pokeTUI.cli.bc import _how_to_resume
from tests.engine.toy import ToyVector
from tests.pokeTUI.conftest import screen_text, settle
from tests.pokeTUI.fake_session import FakeSession
from tests.pokeTUI.says import assert_lacks
from tests.saved_runs import save_run

PPO = PPOConfig(rollout_steps=16, minibatch_size=32, hidden_size=32, distillation_gradients=4)
Capture = pytest.CaptureFixture[str]
Change = Callable[[ToyVector], None]


class Saves:
    """A folder of runs, and a way to train in it as `poketui run --headless` does."""

    def __init__(self, folder: Path, capture: Capture) -> None:
        self.folder = folder
        self._capture = capture

    def config(self, **settings: object) -> RunConfig:
        given = {"num_envs": 4, "workers": 1, "headless": True, "ppo": PPO, **settings}
        return RunConfig(save_dir=str(self.folder), **given)  # type: ignore[arg-type]

    def session(
        self, resume: str | None = None, change: Change = lambda vector: None, **settings: object
    ) -> EngineSession:
        def make(config: RunConfig) -> ToyVector:
            vector = ToyVector(config)
            change(vector)
            return vector

        return EngineSession(self.config(**settings), resume, make_vector=make)

    def end(self, session: EngineSession) -> tuple[str, int]:
        """Train to the end; return what is said of it, and the exit code."""
        end = HeadlessRunner(session, is_quiet=True).run()
        assert session.join(300)
        code = report(end, session.run_dir)
        told = self._capture.readouterr()
        said = told.out + told.err
        assert "Traceback" not in said
        self.check(said)
        return said, code

    def train(self, steps: int = 400) -> EngineSession:
        """Train a run that ends well, and return it."""
        session = self.session(total_steps=steps)
        assert self.end(session)[1] == 0
        return session

    def check(self, said: str) -> None:
        """What is told to be resumed can be, and where it cannot be, nothing tells to."""
        named = re.findall(r"poketui run --resume (\S+)", said)
        assert len(named) <= 1, said
        if named:
            assert "tart a new run" not in said
            EngineSession(self.config(), named[0])._folder.unlock()


@pytest.fixture
def saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Saves:
    monkeypatch.chdir(tmp_path)
    return Saves(tmp_path / "saves", capsys)


def checkpoints(session: EngineSession) -> list[Path]:
    return checkpoint_paths(Path(session.run_dir) / "checkpoints")


def test_a_run_that_ends_well_names_itself(saves: Saves) -> None:
    first = saves.session(total_steps=64)
    said, code = saves.end(first)
    assert said == f"Saved at step 64. Resume with: poketui run --resume {first.run_id}\n"
    assert code == 0


def test_a_run_that_is_saved_elsewhere_is_named_by_its_folder(
    saves: Saves, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = saves.train(64)
    (tmp_path / "a b").mkdir()
    monkeypatch.chdir(tmp_path / "a b")
    assert resume_command(session.run_dir) == (
        f"poketui run --resume ../saves/runs/{session.run_id}"
    )
    monkeypatch.chdir("/")
    shutil.copytree(session.run_dir, tmp_path / "a b" / "run")
    command = resume_command(str(tmp_path / "a b" / "run"))
    assert command.startswith("poketui run --resume '")


def test_a_run_with_damaged_checkpoints_only_is_not_told_to_be_resumed(saves: Saves) -> None:
    session = saves.train()
    for path in checkpoints(session):
        path.write_bytes(b"PK damaged")
    said, code = saves.end(saves.session(session.run_id, total_steps=800))
    assert said.count("\n") == 1
    assert "No usable checkpoint" in said
    assert "Using the previous one" not in said
    assert said.endswith("Start a new run.\n")
    assert code == 1


def test_a_checkpoint_of_another_version_names_that_version_as_the_remedy(saves: Saves) -> None:
    from engine.runs.checkpoint import Checkpoint, write_checkpoint

    session = saves.train(64)
    for path in checkpoints(session):
        write_checkpoint(path, Checkpoint({"format": 1}))
    said, _ = saves.end(saves.session("latest"))
    assert said.endswith("Use the version that wrote it, or start a new run.\n")


def test_a_damaged_checkpoint_before_a_good_one_costs_a_few_steps(saves: Saves) -> None:
    session = saves.train()
    checkpoints(session)[0].write_bytes(b"PK damaged")
    said, code = saves.end(saves.session("latest", total_steps=800))
    assert said.startswith("Saved at step 800. Resume with:")
    assert code == 0


def test_a_run_without_a_checkpoint_is_not_resumed(saves: Saves) -> None:
    session = saves.train(64)
    shutil.rmtree(Path(session.run_dir) / "checkpoints")
    with pytest.raises(CheckpointError, match=r"no checkpoint.*Start a new run") as refused:
        saves.session(session.run_id)
    saves.check(str(refused.value))


def test_a_run_whose_rom_is_gone_is_resumed_with_another(saves: Saves, tmp_path: Path) -> None:
    session = saves.train(64)
    with pytest.raises(RomError) as refused:
        saves.session(session.run_id, rom_path=str(tmp_path / "gone.gbc"))
    assert "gone.gbc" in refused.value.message
    saves.check(str(refused.value))
    saves.session(session.run_id)  # what was refused holds no lock


def test_a_run_in_use_is_not_resumed_twice(saves: Saves) -> None:
    session = saves.train(64)
    holder = saves.session(session.run_id)
    with pytest.raises(ConfigurationError, match="in use by another process"):
        saves.session(session.run_id)
    holder._folder.unlock()


def test_a_folder_that_cannot_be_written_is_not_sent_elsewhere_by_save_dir(saves: Saves) -> None:
    session = saves.train(64)
    lock = Path(session.run_dir) / "lock"
    lock.unlink()
    lock.mkdir()  # also stops root, whom no permission stops
    with pytest.raises(ConfigurationError) as refused:
        saves.session(session.run_id)
    assert refused.value.hint == "Make it writable, or free some disk space."


def test_a_log_that_cannot_be_written_names_a_remedy_and_then_the_run(saves: Saves) -> None:
    session = saves.train(64)
    log = Path(session.run_dir) / "engine.log"
    log.unlink()
    log.mkdir()
    said, code = saves.end(saves.session(session.run_id))
    assert "Make it writable, or free some disk space.\nResume from the last checkpoint" in said
    assert code == 1


def disk_is_full(source: Path, target: Path) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_tells_the_saved_step(saves: Saves, monkeypatch: pytest.MonkeyPatch) -> None:
    session = saves.train(64)
    resumed = saves.session(session.run_id, total_steps=128)
    move = os.replace
    monkeypatch.setattr(
        os, "replace", lambda *paths: (disk_is_full if "step-" in str(paths[1]) else move)(*paths)
    )
    said, code = saves.end(resumed)
    assert "The last state (step 128) could not be saved." in said
    assert f"Saved at step 64. Resume with: poketui run --resume {session.run_id}" in said
    assert code == 1


def test_a_full_disk_from_the_beginning_promises_no_former_checkpoint(
    saves: Saves, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    session = saves.session(total_steps=64)
    monkeypatch.setattr(os, "replace", disk_is_full)
    end = HeadlessRunner(session).run()
    assert report(end, session.run_dir) == 1
    told = capsys.readouterr()
    assert "Free some disk space." in told.out
    assert_lacks(told.out, "intact", "--resume")
    assert told.err == "poketui: The last state (step 64) could not be saved.\n"


def test_a_folder_gone_at_the_end_is_not_told_to_be_resumed(saves: Saves, capsys: Capture) -> None:
    session = saves.train(64)
    shutil.rmtree(session.run_dir)
    end = RunStopped("quit", 64, f"{session.run_dir}/checkpoints/step-000000000064.zip")
    assert report(end, session.run_dir) == 1
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "poketui: The last state (step 64) could not be saved.\n")


def dies(vector: ToyVector) -> None:
    raise WorkerError("Environment process 0 died (exit status 1).", "End other programs.")


def test_a_process_that_dies_before_a_checkpoint_leaves_nothing_to_resume(saves: Saves) -> None:
    said, code = saves.end(saves.session(change=dies))
    assert said == "poketui: Environment process 0 died (exit status 1). End other programs.\n"
    assert code == 1


def test_a_process_that_dies_at_once_on_resuming_leaves_the_checkpoint(saves: Saves) -> None:
    session = saves.train(64)
    saves.train(64)  # now it is not the latest any more
    said, _ = saves.end(saves.session(session.run_id, dies))
    assert said.splitlines()[1] == (
        f"Resume from the last checkpoint with: poketui run --resume {session.run_id}"
    )


def test_a_dead_process_names_no_remedy_that_depends_on_a_checkpoint(tmp_path: Path) -> None:
    from engine.env.vector.world import VectorEnv

    config = RunConfig(save_dir=str(tmp_path))
    with pytest.raises(PokeTUIError) as failed:
        VectorEnv("tests.engine.env.factories:missing", config, 1)
    assert "esume" not in str(failed.value)


def test_a_bug_in_the_engine_points_to_the_log_and_the_checkpoint(saves: Saves) -> None:
    def breaks(vector: ToyVector) -> None:
        vector.fail_at_step = 3

    session = saves.session(change=breaks)
    said, code = saves.end(session)
    assert f"The log has the details: {session.run_dir}/engine.log\nResume from" in said
    assert code == 1


@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_run_that_is_stopped_before_its_first_step(saves: Saves, is_resumed: bool) -> None:
    former = saves.train(64) if is_resumed else None
    session = saves.session(former.run_id if former else None)
    session.send(Stop("quit"))
    said, code = saves.end(session)
    if former:
        assert said == f"Saved at step 64. Resume with: poketui run --resume {former.run_id}\n"
    elif not checkpoints(session):
        assert said == "Stopped before the first step: nothing was started.\n"
    assert code == 0


@pytest.mark.parametrize("is_saved", [False, True])
def test_a_run_left_at_once_says_what_is_saved(
    saves: Saves, capsys: Capture, is_saved: bool
) -> None:
    session = saves.train(64)
    if not is_saved:
        shutil.rmtree(session.run_dir)
    assert report(None, session.run_dir) == 1
    said = capsys.readouterr().err
    saves.check(said)
    assert said.startswith("poketui: Quit without saving. ")
    assert ("Resume from the last checkpoint with: " in said) is is_saved
    assert ("There is no checkpoint." in said) is not is_saved


def test_an_end_without_a_word_names_a_checkpoint_if_any(saves: Saves, capsys: Capture) -> None:
    session = saves.train(64)
    failure = RunFailed("The engine stopped unexpectedly.", "See its log.", True)
    report(failure, session.run_dir)
    assert f"poketui run --resume {session.run_id}" in capsys.readouterr().err
    shutil.rmtree(RunFolder(Path(session.run_dir)).checkpoints_path)
    report(failure, session.run_dir)
    assert capsys.readouterr().err == "poketui: The engine stopped unexpectedly. See its log.\n"


def test_a_cloning_is_resumed_by_its_folder_if_something_is_saved(tmp_path: Path) -> None:
    assert _how_to_resume([]) == "Stopped before the first checkpoint."
    assert _how_to_resume([tmp_path]) == "Stopped before the first checkpoint."
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "step-000000000001.zip").touch()
    assert _how_to_resume([tmp_path]) == f"Stopped. Resume with: poketui bc --resume {tmp_path}"


# On the screen


@pytest.mark.parametrize(
    ("end", "is_saved", "shown", "not_shown"),
    [
        (RunFailed("It broke.", "Start a new run.", False), True, "new run", "--resume"),
        (RunFailed("It broke.", "See its log.", True), True, "--resume", "new run"),
        (RunFailed("It broke.", "See its log.", True), False, "See its log.", "--resume"),
        (ConnectionLost("It is gone.", "Nothing is saved.", False), False, "gone", "r resume"),
        (ConnectionLost("It is gone.", "Resume it.", False), True, "r resume", "r attach"),
        (ConnectionLost("It was slow.", "Attach again.", True), False, "r attach", "r resume"),
    ],
)
async def test_the_screen_offers_what_is_possible(
    saves: Saves, end: RunFailed | ConnectionLost, is_saved: bool, shown: str, not_shown: str
) -> None:
    run = save_run(saves.folder, [1.0], has_checkpoint=is_saved)
    session = FakeSession()
    app = CockpitApp(session, RunConfig(), make_session=FakeSession, run_dir=str(run))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        session.post(end)
        session.is_alive = False
        await settle(pilot)
        text = screen_text(pilot)
    assert shown in text
    assert not_shown not in text
    assert "--resume" not in text or run.name in text
