"""Drive the real program on the real game in a real terminal, by tmux, as a person would."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.processes import children

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("tmux"), reason="needs tmux"),
]

_FIXED_SIZE = {"COLUMNS", "LINES"}
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in _FIXED_SIZE}
"""Without what a test runner may say of its own terminal: it would fix the program's size."""


class Terminal:
    """A tmux window with its own server."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._windows = 0

    def tmux(self, *arguments: str) -> str:
        socket = self._folder / f"tmux{self._windows}"
        result = subprocess.run(
            ["tmux", "-S", str(socket), *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=_ENVIRONMENT,
        )
        assert result.returncode == 0, f"tmux {arguments}: {result.stderr}"
        return result.stdout

    def close(self) -> None:
        if self._windows:
            self.tmux("kill-server")

    def start(self, size: tuple[int, int], *arguments: str) -> None:
        """Run the program with `arguments` in a new window, instead of an earlier one.

        Each window has a socket of its own: a server that was told to end still answers at its
        socket for a moment, and takes a new window with it.
        """
        self.close()
        self._windows += 1
        words = [sys.executable, "-W", "ignore", "-m", "pokeTUI", "run", "--envs", "4"]
        words += ["--workers", "1", "--save-dir", str(self._folder / "saves"), *arguments]
        command = f"cd {ROOT} && {' '.join(words)}; echo exit code $?; sleep 600"
        columns, rows = map(str, size)
        self.tmux("-f", os.devnull, "new-session", "-d", "-x", columns, "-y", rows, command)

    def program(self) -> int:
        """Return the id of the program's process: the only child of the window's shell."""
        shell = int(self.tmux("display-message", "-p", "#{pane_pid}"))
        (program,) = children(shell)
        return program

    def press(self, key: str) -> None:
        self.tmux("send-keys", key)

    def resize(self, columns: int, rows: int) -> None:
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def wait_for(self, *texts: str, seconds: float = 90) -> str:
        """Return the screen once it shows all `texts`."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            screen = self.tmux("capture-pane", "-p")
            if all(text in screen for text in texts):
                return screen
            time.sleep(0.3)
        pytest.fail(f"never saw {texts} on\n{self.tmux('capture-pane', '-p')}")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    window = Terminal(tmp_path)
    yield window
    window.close()


def test_a_person_plays_resizes_quits_and_resumes(terminal: Terminal) -> None:
    terminal.start((80, 24))
    terminal.wait_for("Mosslight", "steps", "Party and place", "goal")
    terminal.press("t")
    terminal.wait_for("YOU PLAY", "gives back")
    terminal.press("Right")
    terminal.press("t")
    terminal.wait_for("playing")
    terminal.resize(200, 60)
    terminal.wait_for("Rewards", "milestone", "Curriculum", "planner", "Reasoning")
    terminal.resize(120, 40)
    terminal.wait_for("Learning curve", "Reasoning", "quadrants")
    terminal.press("p")
    terminal.wait_for("paused")
    terminal.press("q")
    terminal.wait_for("Go on with: poketui run --resume", "exit code 0")
    terminal.start((80, 24), "--resume")
    terminal.wait_for("Mosslight", "playing")


def test_a_small_terminal_is_refused_in_one_line(terminal: Terminal) -> None:
    terminal.start((70, 20))
    screen = terminal.wait_for("exit code 2")
    assert "80x24 are needed" in screen
    assert "Traceback" not in screen


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_saves_and_is_the_exit_code(terminal: Terminal, number: signal.Signals) -> None:
    terminal.start((80, 24))
    terminal.wait_for("Mosslight", "steps", "Party and place")
    os.kill(terminal.program(), number)
    terminal.wait_for("Go on with: poketui run --resume", f"exit code {128 + number}")
