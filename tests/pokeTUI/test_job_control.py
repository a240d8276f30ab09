"""Ctrl-Z, `fg`, SIGSTOP and SIGCONT at a real shell in a real terminal."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine.runs.checkpoint import steps_of
from tests.engine.processes import child_process, is_gone, is_stopped, wait_until
from tests.pokeTUI.terminal import LIMIT_S, Terminal, needs_tmux, terminal

__all__ = ["terminal"]

WHOLE = ("Mosslight", "Party and place", "Rewards", "Curriculum", "Reasoning", "Learning curve")
"""What a screen shows that is drawn as a whole."""
RUN = ("run", "--envs", "2", "--workers", "1")
STOP_ITSELF = """
import os, signal
from pokeTUI.terminal.signals import stop
print(stop(lambda: os.kill(os.getpid(), signal.SIGTSTP)), flush=True)
print(signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL)
"""


def test_stop_returns_when_the_process_is_continued() -> None:
    with child_process(
        [sys.executable, "-c", STOP_ITSELF], stdout=subprocess.PIPE, text=True, process_group=0
    ) as process:
        assert wait_until(lambda: is_stopped(process.pid))
        process.send_signal(signal.SIGCONT)
        assert process.stdout.read() == "True\nTrue\n"


def test_stop_returns_at_once_where_no_shell_could_continue_the_process() -> None:
    found = subprocess.run(
        [sys.executable, "-c", STOP_ITSELF],
        capture_output=True, text=True, check=True, start_new_session=True,
    )  # fmt: skip
    assert found.stdout == "False\nTrue\n"


def stopped_program(terminal: Terminal) -> int:
    """Return the process of the program, once it stands still."""
    program = terminal.program()
    assert wait_until(lambda: is_stopped(program), LIMIT_S)
    return program


@pytest.mark.slow
@needs_tmux
def test_ctrl_z_gives_the_terminal_back_and_fg_draws_everything_again(terminal: Terminal) -> None:
    terminal.start_shell((120, 40))
    modes = terminal.modes()
    terminal.type_line(terminal.poketui(*RUN))
    terminal.wait_for_steps()
    for _ in range(2):
        terminal.press("C-z")
        terminal.wait_for("playing and training stop until `fg` resumes it", "Stopped")
        stopped_program(terminal)
        assert terminal.modes() == modes
        terminal.type_line("fg")
        terminal.wait_for("► playing  ", *WHOLE)
    terminal.press("q")
    terminal.wait_for("Resume with: poketui run --resume")
    assert terminal.modes() == modes


@pytest.mark.slow
@needs_tmux
def test_a_cockpit_stopped_from_outside_gives_the_terminal_back(terminal: Terminal) -> None:
    """SIGSTOP cannot be caught, so the program's own modes are still set when it is continued."""
    terminal.start_shell((120, 40))
    modes = terminal.modes()
    terminal.type_line(terminal.poketui(*RUN))
    terminal.wait_for_steps()
    os.kill(terminal.program(), signal.SIGSTOP)
    terminal.wait_for("Stopped")
    terminal.type_line("clear; fg")
    # Until the shell clears it, the screen shows the cockpit as it was, which reads no key yet.
    terminal.wait_until("drawn again", "► playing  ", *WHOLE, gone=("Stopped",))
    terminal.press("q")
    terminal.wait_for("Resume with: poketui run --resume")
    assert terminal.modes() == modes


@pytest.mark.slow
@needs_tmux
def test_a_suspended_cockpit_without_its_terminal_saves(terminal: Terminal, tmp_path: Path) -> None:
    terminal.start_shell((120, 40))
    terminal.type_line(terminal.poketui(*RUN))
    terminal.wait_for_steps()
    assert wait_until(lambda: any(tmp_path.glob("saves/runs/*/checkpoints/*")), LIMIT_S)
    terminal.wait_for("goal: ")  # it is on its way
    terminal.press("C-z")
    program = stopped_program(terminal)
    terminal.close()
    assert wait_until(lambda: is_gone(program), LIMIT_S)
    assert max(map(steps_of, tmp_path.glob("saves/runs/*/checkpoints/*"))) > 0


@pytest.mark.slow
@needs_tmux
def test_a_cockpit_that_no_shell_could_continue_is_not_suspended(terminal: Terminal) -> None:
    terminal.start((120, 40))
    terminal.wait_for_steps()
    terminal.press("C-z")
    terminal.wait_for("no shell to resume it")
    terminal.wait_for("► playing  ", *WHOLE)
    assert not is_stopped(terminal.program())
    terminal.press("q")
    terminal.wait_for("Resume with: poketui run --resume")


@pytest.mark.slow
@needs_tmux
def test_ctrl_z_of_a_headless_run_says_what_it_does(terminal: Terminal) -> None:
    terminal.start_shell((120, 40))
    terminal.type_line(terminal.poketui(*RUN, "--headless"))
    terminal.wait_for("saved at step")
    terminal.press("C-z")
    terminal.wait_for("suspended: training stops until `fg` resumes it", "Stopped")
    stopped_program(terminal)
    terminal.type_line("fg")
    terminal.wait_for("resumed")
    terminal.press("C-c")
    terminal.wait_for("saving, then stopping", "Resume with: poketui run --resume")
