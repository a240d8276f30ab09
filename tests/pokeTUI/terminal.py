"""Drive the real program in a real terminal, by tmux, as a person would."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.processes import children
from tests.pokeTUI.pane_app import Size

ROOT = Path(__file__).parents[2]
LIMIT_S = 180.0
"""A machine may be slow, and others at work on it."""
needs_tmux = pytest.mark.tool("tmux")

_FIXED_SIZE = {"COLUMNS", "LINES"}
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in _FIXED_SIZE}
"""Without what a test runner may say of its own terminal: it would fix the program's size."""


class Terminal:
    """A tmux window with its own server."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._windows = 0
        self._is_open = False

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
        if self._is_open:
            self._is_open = False
            self.tmux("kill-server")

    def start(self, size: Size, *arguments: str) -> None:
        """Run the program with `arguments` in a new window, instead of an earlier one.

        Each window has a socket of its own: a server that was told to end still answers at its
        socket for a moment, and takes a new window with it.
        """
        words = ["run", "--envs", "4", "--workers", "1", *arguments]
        self.start_command(size, *words, "--save-dir", str(self._folder / "saves"))

    def start_line(self, size: Size, line: str) -> None:
        """Run a shell line in a new window."""
        self.close()
        self._windows += 1
        self._is_open = True
        columns, rows = map(str, size)
        self.tmux("-f", os.devnull, "new-session", "-d", "-x", columns, "-y", rows, line)

    def start_command(self, size: Size, *arguments: str, **settings: object) -> None:
        """Run `poketui` with just these arguments in a new window; settings are variables."""
        settings = {"CONFIG_DIR": os.environ.get("POKETUI_CONFIG_DIR", ""), **settings}
        variables = [f"POKETUI_{name}={value}" for name, value in settings.items()]
        words = ["env", *variables, sys.executable, "-W", "ignore", "-m", "pokeTUI", *arguments]
        self.start_line(size, f"cd {ROOT} && {' '.join(words)}; echo exit code $?; sleep 600")

    def start_bare(self, size: Size, *arguments: str) -> None:
        """Run it with settings for short episodes, and no option but those given."""
        small = {"NUM_ENVS": 2, "WORKERS": 1, "AGENT": "rules", "ENV__MAX_STEPS": 60}
        saves = self._folder / "saves"
        self.start_command(size, *arguments, SAVE_DIR=saves, ENV__PROGRESS_STEPS=0, **small)

    def start_shell(self, size: Size) -> None:
        """Start a shell with job control in a new window, for `type_line`."""
        self.start_line(size, f"cd {ROOT} && PS1='$ ' ENV= exec bash --norc -i")
        config = os.environ.get("POKETUI_CONFIG_DIR", "")
        self.type_line(f"PS1='$ '; export POKETUI_CONFIG_DIR={config} PYTHONWARNINGS=ignore; clear")

    def type_line(self, line: str) -> None:
        """Type a line as it stands, and enter."""
        self.tmux("send-keys", "-l", line)
        self.press("Enter")

    def modes(self) -> str:
        """Return the terminal's modes (`stty -g`), asked for by the shell in it."""
        self.type_line(
            f"stty -g > {self._folder / 'modes.new'}; mv {self._folder}/modes.new "
            f"{self._folder / 'modes'}"
        )
        end = time.monotonic() + LIMIT_S
        path = self._folder / "modes"
        while not path.exists() and time.monotonic() < end:
            time.sleep(0.05)
        modes = path.read_text()
        path.unlink()
        return modes

    def poketui(self, *arguments: str) -> str:
        """Return the line that runs the program from the shell."""
        saves = self._folder / "saves"
        return f"{sys.executable} -m pokeTUI {' '.join(arguments)} --save-dir {saves}"

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
        """Return the screen once it shows all `texts`.

        Two spaces tell the header's "► playing  " from the start's "► playing the introduction".
        """
        return self.wait_until(f"all of {texts}", *texts, seconds=seconds)

    def wait_for_steps(self) -> str:
        """Return the screen once steps are done; a run that is stopped before leaves nothing."""
        return self.wait_until("steps", "► playing  ", " steps", gone=(" 0 steps",))

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


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """Return a window that is closed at the end."""
    window = Terminal(tmp_path)
    yield window
    window.close()
