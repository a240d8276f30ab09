"""`--game` names a practice game wherever a ROM may be given, and excludes `--rom`."""

import json
from pathlib import Path

import pytest

from engine.games.bundled import FIRST, IMAGES, find_image
from tests.pokeTUI.in_process import poketui
from tests.pokeTUI.test_cli import assert_refused

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
    named = poketui("rom", "--game", FIRST)
    assert named.returncode == 0, named.stderr
    assert named.stdout == poketui("rom", str(find_image(FIRST))).stdout
    assert_refused(poketui("rom", "--game", FIRST, "x.gbc"), "FILE x.gbc are mutually exclusive")


def test_a_run_saves_the_name_of_its_game(tmp_path: Path) -> None:
    run = ("run", "--headless", "--quiet", "--save-dir", str(tmp_path))
    small = ("--agent", "random", "--envs", "1", "--workers", "1", "--steps", "5")
    done = poketui(*run, "--game", FIRST, *small)
    assert done.returncode == 0, done.stderr
    (config,) = tmp_path.glob("runs/*/config.json")
    assert json.loads(config.read_text())["rom_path"] == FIRST
    resumed = poketui(*run, "--resume", "latest", "--steps", "9")
    assert resumed.returncode == 0, resumed.stderr
