"""When the engine dies the screen stays, says what happened, and offers to continue."""

import os
import signal
import sys
from pathlib import Path

import pytest

from engine.remote.folder import live_runs
from tests.pokeTUI.background import Background
from tests.pokeTUI.throttled_pty import ThrottledPty

pytestmark = pytest.mark.slow

FAST = 20_000_000
LIMIT_S = 180.0
TRUECOLOR = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


def test_an_error_in_the_trainer_is_told_and_the_run_goes_on_from_its_checkpoint(
    tmp_path: Path,
) -> None:
    breaks = tmp_path / "break"
    module = "tests.pokeTUI.breaking_run"
    command = [sys.executable, "-W", "ignore", "-m", module, str(tmp_path / "saves"), str(breaks)]
    with ThrottledPty(command, bytes_per_s=FAST, environment=TRUECOLOR) as terminal:
        terminal.wait_for(lambda screen: "► playing  " in screen.text, LIMIT_S)
        terminal.press("s")
        terminal.wait_for(lambda screen: "Saved at step" in screen.text, LIMIT_S)
        breaks.touch()
        terminal.wait_for(lambda screen: "r resume from the checkpoint" in screen.text, LIMIT_S)
        assert "ZeroDivisionError" in terminal.screen.text
        assert "Mosslight" in terminal.screen.text
        assert terminal.process.poll() is None
        terminal.press("r")
        terminal.wait_for(lambda screen: "► playing  " in screen.text, LIMIT_S)
        assert "ZeroDivisionError" not in terminal.screen.text


def test_a_killed_engine_in_the_background_is_told_on_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    background = Background(tmp_path)
    monkeypatch.setenv("POKETUI_RUNTIME_DIR", str(background._sockets))
    try:
        run_id = background.detach()
        (live,) = live_runs()
        command = [sys.executable, "-W", "ignore", "-m", "pokeTUI", "attach"]
        with ThrottledPty(command, bytes_per_s=FAST, environment=TRUECOLOR) as terminal:
            terminal.wait_for(lambda screen: "► playing  " in screen.text, LIMIT_S)
            terminal.press("s")
            terminal.wait_for(lambda screen: "Saved at step" in screen.text, LIMIT_S)
            os.kill(live.pid, signal.SIGKILL)
            terminal.wait_for(lambda screen: "Not attached" in screen.text, LIMIT_S)
            terminal.wait_for(lambda screen: "--resume" in screen.text, LIMIT_S)
            terminal.wait_for(lambda screen: run_id in screen.text, LIMIT_S)
            assert "Mosslight" in terminal.screen.text
            assert terminal.process.poll() is None
            terminal.press("q")
            terminal.wait_for(lambda _: terminal.process.poll() is not None, LIMIT_S)
            assert terminal.process.returncode == 1
    finally:
        background.close()
