"""`--game` names a practice game wherever a ROM may be given, and excludes `--rom`."""

import json
import subprocess
from pathlib import Path

import pytest

from engine.games.bundled import FIRST, IMAGES, find_image
from engine.ground.folders import CORE_VARIABLE
from tests.pokeTUI.in_process import assert_refused, poketui, program, succeed, succeeded
from tests.pokeTUI.says import assert_has

TAKES_A_GAME = (
    ("run", "--headless"),
    ("record", "--headless", "--player", "rules", "--episodes", "1"),
    ("bc", "--rules", "1"),
    ("bench", "env"),
    ("bench", "play"),
    ("demos", "watch", "x"),
    ("demos", "validate"),
    ("demos", "export"),
    ("demos", "import", "x"),
    ("doctor",),
    ("llm", "ask"),
)


@pytest.mark.parametrize("command", TAKES_A_GAME, ids=" ".join)
def test_every_command_with_a_rom_takes_a_game_instead(command: tuple[str, ...]) -> None:
    both = poketui(*command, "--game", FIRST, "--rom", "own.gbc")
    assert_refused(both, f"--game {FIRST} and --rom own.gbc are mutually exclusive")
    unknown = poketui(*command, "--game", "moss")
    assert_refused(unknown, "no practice game 'moss'", *IMAGES)


def test_poketui_rom_identifies_a_practice_game_by_its_name() -> None:
    named = succeed("rom", "--game", FIRST)
    assert named.stdout == poketui("rom", str(find_image(FIRST))).stdout
    assert_refused(poketui("rom", "--game", FIRST, "x.gbc"), "FILE x.gbc are mutually exclusive")


def test_a_run_saves_the_name_of_its_game(tmp_path: Path) -> None:
    run = ("run", "--headless", "--quiet", "--save-dir", str(tmp_path))
    small = ("--agent", "random", "--envs", "1", "--workers", "1", "--steps", "5")
    succeed(*run, "--game", FIRST, *small)
    (config,) = tmp_path.glob("runs/*/config.json")
    assert json.loads(config.read_text())["rom_path"] == FIRST
    succeed(*run, "--resume", "latest", "--steps", "9")


def test_rom_prints_the_world_and_a_way_in_the_practice_game() -> None:
    told = succeed("rom", "--world", "--path", "HOME 2F", "GYM 4,3")
    assert_has(told.stdout, "maps ", "GYM (4,3): ")


def test_rom_refuses_a_map_that_is_none_in_one_line() -> None:
    told = poketui("rom", "--path", "HOME 2F", "GYMM")
    assert told.returncode == 2
    assert len(told.stderr.splitlines()) == 1
    assert "Did you mean GYM, REED GYM?" in told.stderr


# Choose the core for Game Boy Advance games on the command line


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
    succeeded(play(tmp_path, "--core", str(DEBIAN)))
    monkeypatch.setenv(CORE_VARIABLE, "")
    replay = ("replay", "--save-dir", str(tmp_path / "saves"))
    assert poketui(*replay, "--core", str(DEBIAN)).returncode == 0
    monkeypatch.setenv(CORE_VARIABLE, "")
    other = poketui(*replay)
    assert other.returncode != 0
    assert "mGBA 0.10" in other.stderr + other.stdout
