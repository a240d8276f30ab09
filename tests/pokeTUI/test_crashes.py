"""When the engine dies the screen stays, says what happened, and offers to continue."""

import sys
from pathlib import Path

import pytest

from tests.pokeTUI.says import assert_has
from tests.pokeTUI.throttled_pty import ThrottledPty

pytestmark = pytest.mark.slow

FAST = 20_000_000
LIMIT_S = 180.0
TRUECOLOR = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


def test_an_error_in_the_trainer_is_told_and_the_run_resumed(tmp_path: Path) -> None:
    breaks = tmp_path / "break"
    module = "tests.pokeTUI.breaking_run"
    command = [sys.executable, "-W", "ignore", "-m", module, str(tmp_path / "saves"), str(breaks)]
    with ThrottledPty(command, bytes_per_s=FAST, environment=TRUECOLOR) as terminal:
        terminal.wait_for(lambda screen: "► playing  " in screen.text, LIMIT_S)
        terminal.press("s")
        terminal.wait_for(lambda screen: "Saved at step" in screen.text, LIMIT_S)
        breaks.touch()
        terminal.wait_for(lambda screen: "r resume from the checkpoint" in screen.text, LIMIT_S)
        assert_has(terminal.screen.text, "ZeroDivisionError", "Mosslight")
        assert terminal.process.poll() is None
        terminal.press("r")
        terminal.wait_for(lambda screen: "► playing  " in screen.text, LIMIT_S)
        assert "ZeroDivisionError" not in terminal.screen.text
