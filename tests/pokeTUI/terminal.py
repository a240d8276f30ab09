"""Drive the real program in a real terminal, by tmux, as a person would."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.engine.processes import children

ROOT = Path(__file__).parents[2]
LIMIT_S = 180.0
"""A machine may be slow, and others at work on it."""
needs_tmux = pytest.mark.skipif(not shutil.which("tmux"), reason="needs tmux")

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
        words = ["run", "--envs", "4", "--workers", "1", *arguments]
        self.start_command(size, *words, "--save-dir", str(self._folder / "saves"))

    def start_command(self, size: tuple[int, int], *arguments: str) -> None:
        """Run `poketui` with just these arguments in a new window."""
        self.close()
        self._windows += 1
        config = f"POKETUI_CONFIG_DIR={os.environ.get('POKETUI_CONFIG_DIR', '')}"
        words = ["env", config, sys.executable, "-W", "ignore", "-m", "pokeTUI", *arguments]
        command = f"cd {ROOT} && {' '.join(words)}; echo exit code $?; sleep 600"
        columns, rows = map(str, size)
        self.tmux("-f", os.devnull, "new-session", "-d", "-x", columns, "-y", rows, command)

    def program(self) -> int:
        """Return the id of the program's process: the only child of the window's shell."""
        shell = int(self.tmux("display-message", "-p", "#{pane_pid}"))
        (program,) = children(shell)
        return program

    def screen(self) -> str:
        """Return what is to be seen now."""
        return self.tmux("capture-pane", "-p")

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def resize(self, columns: int, rows: int) -> None:
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def wait_for(self, *texts: str, seconds: float = LIMIT_S) -> str:
        """Return the screen once it shows all `texts`."""
        return self.wait_until(f"all of {texts}", *texts, seconds=seconds)

    def wait_until(
        self, what: str, /, *texts: str, gone: tuple[str, ...] = (), seconds: float = LIMIT_S
    ) -> str:
        """Return the screen once it shows all `texts` and nothing of what is to be `gone`."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            screen = self.screen()
            if all(text in screen for text in texts) and not any(text in screen for text in gone):
                return screen
            time.sleep(0.3)
        pytest.fail(f"never saw {what} on\n{self.screen()}")
