"""Runs in the background, as a person has them: in real terminals, over a real SSH connection."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.remote.folder import FOLDER_VARIABLE
from tests.engine.processes import wait_until
from tests.pokeTUI.background import LIMIT_S, Background, SecureShell, all_gone
from tests.pokeTUI.in_process import assert_refused, poketui

needs_tmux = pytest.mark.tool("tmux")
needs_sshd = pytest.mark.tool("sshd")


@pytest.fixture
def background(tmp_path: Path) -> Iterator[Background]:
    runs = Background(tmp_path)
    yield runs
    runs.close()


@pytest.fixture
def ssh(tmp_path: Path) -> Iterator[SecureShell]:
    server = SecureShell(tmp_path)
    yield server
    server.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("attach",), "No run is running in the background. Start one: poketui run --detach"),
        (("stop",), "No run is running in the background. Start one: poketui run --detach"),
        (("run", "--detach", "--rom", "none.gbc"), "none.gbc"),
    ],
)
def test_what_cannot_be_done_in_the_background_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "sockets"))
    monkeypatch.setenv("POKETUI_SAVE_DIR", str(tmp_path))
    assert_refused(poketui(*arguments), words)
    assert poketui("stop").returncode == 2, "nothing runs"


@pytest.mark.slow
@needs_tmux
def test_a_run_is_left_attached_to_again_and_stopped(background: Background) -> None:
    run_id = background.detach()
    assert "● running" in background.run("runs", "--save-dir", str(background.saves)).stdout
    refused = background.run("attach")
    assert_refused(refused, "needs a terminal")
    first = background.window((80, 24), background.shell_line("attach"))
    first.wait_for("► playing  ", "Mosslight", "steps")
    first.press("p")
    first.wait_for("paused")
    first.press("q")
    first.wait_for(f"Detached: the run {run_id} stays paused", "poketui stop", "exit code 0")
    second = background.window((120, 40), background.shell_line("attach", run_id))
    second.wait_for("paused", "Mosslight", "Rewards")
    second.press("p")
    second.wait_for("► playing  ")
    stopped = background.run("stop")
    assert stopped.returncode == 0
    assert "Its checkpoint is at step" in stopped.stdout
    second.wait_for("Saved at step", "poketui run --resume", "exit code 0")
    assert background.checkpoints()


@pytest.mark.slow
@needs_tmux
def test_one_of_two_viewers_controls_and_ends_the_run(background: Background) -> None:
    background.detach()
    first = background.window((120, 40), background.shell_line("attach"))
    first.wait_for("► playing  ", "Mosslight")
    second = background.window((120, 40), background.shell_line("attach"))
    second.wait_for("► playing  ", "Mosslight")
    second.press("n")
    second.wait_for("another viewer has control", "another has control", "C take control")
    second.press("C")
    second.wait_for("Take control: Another viewer is in control")
    first.wait_for("Another viewer asks for control", "C give control")
    first.press("C")
    first.wait_for("Another viewer is in control now", "another has control")
    second.wait_for("You are in control now", "C give control")
    second.press("p")
    first.wait_for("paused")
    second.press("Q")
    first.wait_for("Saved at step", "exit code 0")
    second.wait_for("■ stopped")
    second.press("q")
    second.wait_for("Saved at step", "exit code 0")


@pytest.mark.slow
@needs_tmux
def test_a_run_whose_process_was_killed_is_gone_on_with_by_a_key(background: Background) -> None:
    run_id = background.detach()
    live = background.live()
    first = background.window((80, 24), background.shell_line("attach"))
    first.wait_for("► playing  ")
    second = background.window((120, 40), background.shell_line("attach"))
    second.wait_for("► playing  ")
    first.press("s")
    first.wait_for("Saved at step")
    os.kill(live.pid, signal.SIGKILL)
    for one in (first, second):
        one.wait_for("process ended unexpectedly", "r resume from the checkpoint", "--resume")
        one.wait_for("Not attached", run_id)
    second.press("r")
    second.wait_for("► playing  ")
    again = background.live()
    assert again.run_id == run_id
    assert again.pid != live.pid
    first.press("r")
    first.wait_for("► playing  ", "another has control")
    second.press("Q")
    first.wait_for("Saved at step", "exit code 0")
    second.wait_for("■ stopped")


@pytest.mark.slow
@needs_tmux
@needs_sshd
def test_a_dropped_connection_ends_the_viewer(background: Background, ssh: SecureShell) -> None:
    run_id = background.detach()
    first = background.window((80, 24), ssh.line(background.shell_line("attach")))
    first.wait_for("► playing  ", "Mosslight")
    first.press("t")
    first.wait_for("YOU PLAY")
    viewers = ssh.programs()
    assert viewers
    ssh.drop()
    first.wait_for("exit code 255")
    assert all_gone(viewers)
    second = background.window((80, 24), ssh.line(background.shell_line("attach", run_id)))
    screen = second.wait_for("► playing  ", "Mosslight")
    assert "YOU PLAY" not in screen
    second.press("q")
    second.wait_for("Detached", "exit code 0")
    assert background.run("stop").returncode == 0


@pytest.mark.slow
@needs_tmux
@needs_sshd
def test_a_dropped_connection_saves_its_own_run(background: Background, ssh: SecureShell) -> None:
    options = ("--envs", "4", "--workers", "1", "--save-dir", str(background.saves))
    longer = ("--set", "checkpoint_interval_s=100000")
    line = ssh.line(background.shell_line("run", *options, *longer))
    background.window((80, 24), line).wait_for("► playing  ", "Mosslight", "steps")
    programs = ssh.programs()
    before = background.checkpoints()
    ssh.drop()
    assert all_gone(programs)
    assert wait_until(lambda: background.checkpoints() > before, LIMIT_S)
    assert "SIGHUP" in next(background.saves.glob("runs/*/engine.log")).read_text()
