"""From the start screen to a run, to a replay and back, in a real terminal."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.processes import wait_until
from tests.pokeTUI.terminal import LIMIT_S, ROOT, Terminal, needs_tmux

pytestmark = [pytest.mark.slow, needs_tmux]


class BareTerminal(Terminal):
    """Runs the program with settings from the environment, and no option but those given."""

    def start_command(self, size: tuple[int, int], *arguments: str) -> None:
        self.close()
        self._windows += 1
        settings = {
            "SAVE_DIR": self._folder / "saves",
            "CONFIG_DIR": self._folder / "config",
            "NUM_ENVS": 2,
            "WORKERS": 1,
            "AGENT": "rules",
            "ENV__MAX_STEPS": 60,
            "ENV__PROGRESS_STEPS": 0,
        }
        variables = " ".join(f"POKETUI_{name}={value}" for name, value in settings.items())
        words = [sys.executable, "-W", "ignore", "-m", "pokeTUI", *arguments]
        command = f"cd {ROOT} && env {variables} {' '.join(words)}; echo exit code $?; sleep 600"
        columns, rows = map(str, size)
        self.tmux("-f", os.devnull, "new-session", "-d", "-x", columns, "-y", rows, command)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[BareTerminal]:
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "preferences.toml").write_text("has_seen_first_run = true\n", encoding="utf-8")
    window = BareTerminal(tmp_path)
    yield window
    window.close()


def episodes(terminal: BareTerminal) -> int:
    """Return how many the status line tells of, -1 where there is none."""
    found = re.search(r"ep ([\d,]+)", terminal.screen())
    return int(found[1].replace(",", "")) if found else -1


def test_a_run_is_begun_left_and_replayed_from_the_start_screen(terminal: BareTerminal) -> None:
    terminal.start_command((80, 24))
    terminal.wait_for("New run", "no saved run yet")
    terminal.press("n")
    terminal.wait_for("MOSSLIGHT", "‹ rules ›")
    terminal.press("Enter")
    terminal.wait_for("Mosslight", "► playing  ")
    assert wait_until(lambda: episodes(terminal) >= 4, LIMIT_S)
    terminal.press("q")
    terminal.wait_for("New run", "Saved at step", "1 to choose from")
    terminal.press("p")
    terminal.wait_for("Replay: an episode of")
    terminal.press("Enter")
    terminal.wait_for("recording", "return")
    terminal.press("Enter")
    terminal.wait_for("replay", "10 steps")
    terminal.press("End")
    terminal.wait_for("‖ replay", "/60")
    terminal.press("Home")
    terminal.wait_for("‖ replay 0/")
    terminal.press("Right")
    terminal.wait_for("‖ replay 10/")
    terminal.press("q")
    terminal.wait_for("New run", "was replayed")
    terminal.press("q")
    terminal.wait_for("exit code 0")


def test_a_start_is_left_at_once(terminal: BareTerminal) -> None:
    terminal.start_command((80, 24), "run")
    # Who looks late may find it playing already.
    assert wait_until(lambda: "Starting" in terminal.screen() or episodes(terminal) >= 0, LIMIT_S)
    terminal.press("q")
    screen = terminal.wait_for("exit code")
    assert "exit code 0" in screen
