"""From the start screen to a run, to a replay and back, in a real terminal."""

import re

import pytest

from tests.engine.processes import wait_until
from tests.pokeTUI.terminal import LIMIT_S, Terminal, needs_tmux, terminal

__all__ = ["terminal"]

pytestmark = [pytest.mark.slow, needs_tmux]


def episodes(terminal: Terminal) -> int:
    """Return how many the status line tells of, -1 where there is none."""
    found = re.search(r"ep ([\d,]+)", terminal.screen())
    return int(found[1].replace(",", "")) if found else -1


def test_a_run_is_begun_left_and_replayed_from_the_start_screen(terminal: Terminal) -> None:
    terminal.start_bare((80, 24))
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


def test_a_start_is_left_at_once(terminal: Terminal) -> None:
    terminal.start_bare((80, 24), "run")
    # Who looks late may find it playing already.
    assert wait_until(lambda: "Starting" in terminal.screen() or episodes(terminal) >= 0, LIMIT_S)
    terminal.press("q")
    screen = terminal.wait_for("exit code")
    assert "exit code 0" in screen
