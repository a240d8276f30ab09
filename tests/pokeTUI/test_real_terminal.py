"""Drive the real program on the real game in a real terminal, by tmux, as a person would."""

import os
import re
import signal
import time

import pytest

from tests.engine.processes import wait_until
from tests.pokeTUI.terminal import LIMIT_S, Terminal, needs_tmux, terminal

__all__ = ["terminal"]
pytestmark = [pytest.mark.slow, needs_tmux]


def test_a_person_plays_opens_every_page_resizes_quits_and_resumes(terminal: Terminal) -> None:
    terminal.start((80, 24))
    terminal.wait_for("Mosslight", "steps", "Party and place", "goal")
    terminal.press("t")
    terminal.wait_for("YOU PLAY", "gives back")
    terminal.press("Up", "Left", "Down", "Right")
    terminal.press("l")
    terminal.wait_for("YOU PLAY in real time")
    terminal.press("Right")
    terminal.press("l")
    terminal.wait_until("turns again", "gives back", gone=("YOU PLAY in real time",))
    terminal.resize(200, 60)
    terminal.wait_for("YOU PLAY", "Rewards", "milestone", "Curriculum", "planner", "Reasoning")
    terminal.resize(120, 40)
    terminal.wait_for("YOU PLAY", "Learning curve", "Reasoning")
    terminal.press("t")
    terminal.wait_for("► playing  ", "quadrants")
    terminal.press("5")  # hides the curves, then shows them again
    terminal.wait_until("no curves", gone=("Learning curve",))
    terminal.press("5")
    terminal.wait_for("Learning curve")
    terminal.press("Z")
    terminal.wait_until("one pane only", gone=("Reasoning",))
    terminal.press("Z")
    terminal.wait_for("Reasoning", "Learning curve")
    for key, words in (("?", "Take one step while paused"), ("C-p", "Search"), (",", "Settings")):
        terminal.press(key)
        terminal.wait_for(words)
        terminal.press("Escape")
        terminal.wait_until("the cockpit alone", "► playing  ", gone=(words,))
    terminal.press("p")
    terminal.wait_for("paused")
    terminal.press("q")
    terminal.wait_for("Resume with: poketui run --resume", "exit code 0")
    terminal.start((80, 24), "--resume")
    terminal.wait_for("Mosslight", "► playing  ")


def test_direct_drawing_equals_a_repaint(terminal: Terminal) -> None:
    def game() -> list[str]:
        return [line[:60] for line in terminal.screen().splitlines()[1:29]]

    def steps() -> int:
        """Return how many are told; the picture of a step is drawn before that."""
        found = re.search(r"([\d,]+) steps", terminal.screen())
        return int(found[1].replace(",", "")) if found else -1

    terminal.start((120, 40))
    terminal.wait_for("► playing  ", "Learning curve", "quadrants")
    time.sleep(2)  # some pictures
    terminal.press("p")
    terminal.wait_for("paused")
    terminal.press("?")  # covers the game
    terminal.wait_for("Take one step while paused")
    terminal.press("Escape")
    terminal.wait_until("the cockpit alone", "paused", gone=("Take one step while paused",))
    for _ in range(5):
        before = steps()
        terminal.press(".")
        assert wait_until(lambda before=before: steps() > before, LIMIT_S)  # type: ignore[misc]
    time.sleep(1)
    straight = game()
    terminal.press("Z")
    terminal.wait_until("one pane only", gone=("Reasoning",))
    terminal.press("Z")
    terminal.wait_for("Reasoning")
    assert wait_until(lambda: game() == straight, LIMIT_S)


def test_a_small_terminal_is_refused_in_one_line(terminal: Terminal) -> None:
    terminal.start((70, 20))
    screen = terminal.wait_for("exit code 2")
    assert "minimum is 80x24" in screen
    assert "Traceback" not in screen


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_saves_and_is_the_exit_code(terminal: Terminal, number: signal.Signals) -> None:
    terminal.start((80, 24))
    terminal.wait_for("Mosslight", "steps", "Party and place")
    os.kill(terminal.program(), number)
    terminal.wait_for("Resume with: poketui run --resume", f"exit code {128 + number}")
