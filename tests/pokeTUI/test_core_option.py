"""Choose the core for Game Boy Advance games on the command line."""

import subprocess
from pathlib import Path

import pytest

from engine.ground.folders import CORE_VARIABLE
from tests.pokeTUI.in_process import poketui
from tests.pokeTUI.test_cli import assert_refused, program

DEBIAN = Path("/usr/lib/x86_64-linux-gnu/libretro/mgba_libretro.so")


@pytest.fixture(autouse=True)
def _core_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo at the end what --core does to this process."""
    monkeypatch.setenv(CORE_VARIABLE, "")


def play(folder: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    """Run in a process of its own, which may end while it still loads the learning library."""
    game = ("--game", "mosslight-advance", "--agent", "random", "--steps", "40")
    small = ("--envs", "1", "--workers", "1", "--set", "env.max_steps=20")
    small += ("--save-dir", str(folder / "saves"))
    return program("run", "--headless", *game, *small, *options)


def test_core_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert_refused(play(tmp_path, "--core", f"{tmp_path}/none.so"), "There is no core", "none.so")


def test_file_that_is_no_core_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "text.so"
    text.write_text("text")
    reason = f"The core {text} cannot be used: it is no 64-bit library"
    assert_refused(play(tmp_path, "--core", str(text)), reason, "--core")
    doctor = poketui("doctor", "--game", "mosslight-advance", "--core", str(text))
    assert doctor.returncode == 1
    assert reason in " ".join(doctor.stdout.split())


@pytest.mark.slow
@pytest.mark.skipif(not DEBIAN.is_file(), reason="needs Debian's libretro-mgba")
def test_worker_plays_in_the_named_core_and_the_recording_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = play(tmp_path, "--core", str(DEBIAN))
    assert result.returncode == 0, result.stderr
    monkeypatch.setenv(CORE_VARIABLE, "")
    replay = ("replay", "--save-dir", str(tmp_path / "saves"))
    assert poketui(*replay, "--core", str(DEBIAN)).returncode == 0
    monkeypatch.setenv(CORE_VARIABLE, "")
    other = poketui(*replay)
    assert other.returncode != 0
    assert "mGBA 0.10" in other.stderr + other.stdout
