"""Demonstrations of either practice game are played without naming it."""

import json
from pathlib import Path

import numpy as np
import pytest

from engine.games.bundled import ADVANCE, find_image
from tests.engine.games.emerald.practice import needs_core
from tests.pokeTUI.in_process import poketui, succeed
from tests.pokeTUI.says import assert_has

pytestmark = [needs_core, pytest.mark.slow]


@pytest.fixture(scope="module")
def saves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a save folder with one demonstration of each practice game, by the rules."""
    folder = tmp_path_factory.mktemp("games")
    for game in ("mosslight", ADVANCE):
        player = ("--player", "rules", "--episodes", "1", "--dataset", game)
        options = ("--game", game, "--save-dir", str(folder))
        succeed("record", "--headless", *player, *options)
    return folder


def demo_of(saves: Path, game: str) -> str:
    (path,) = saves.glob(f"demos/{game}/*.demo")
    return str(path)


def test_both_are_validated_at_once(saves: Path) -> None:
    files = [demo_of(saves, game) for game in ("mosslight", ADVANCE)]
    done = poketui("demos", "validate", *files, "--save-dir", str(saves))
    assert done.stdout.count("exactly as recorded") == 2, done.stdout + done.stderr


def test_show_names_the_game_and_its_core(saves: Path) -> None:
    done = poketui("demos", "show", demo_of(saves, ADVANCE), "--save-dir", str(saves))
    assert_has(done.stdout, f"{ADVANCE}, ROM ", "emulator mGBA ")


def test_a_clone_plays_the_game_of_its_demonstrations(saves: Path) -> None:
    small = ("--epochs", "1", "--hidden-size", "8", "--eval-episodes", "0")
    succeed("bc", str(saves / "demos" / ADVANCE), *small, "--save-dir", str(saves))
    (config,) = saves.glob("policies/*/config.json")
    assert json.loads(config.read_text())["game"]["rom_path"] == ADVANCE


def test_foreign_files_are_known_by_their_frames(saves: Path, tmp_path: Path) -> None:
    exported = tmp_path / "npz"
    demo, options = demo_of(saves, ADVANCE), ("--save-dir", str(saves))
    done = succeed("demos", "export", demo, "--out", str(exported), *options)
    (path,) = exported.glob("*.npz")
    with np.load(path) as file:
        kept = {name: file[name] for name in ("observations", "actions", "rewards", "dones")}
    np.savez_compressed(tmp_path / "episode_0000.npz", **kept)
    into = ("--save-dir", str(tmp_path))
    done = succeed("demos", "import", str(tmp_path / "episode_0000.npz"), *into)
    done = poketui("demos", "validate", *into)
    assert "exactly as recorded" in done.stdout


def test_named_otherwise_it_is_refused_in_one_line(saves: Path) -> None:
    other = ("--game", "mosslight", "--save-dir", str(saves))
    done = poketui("demos", "validate", demo_of(saves, ADVANCE), *other)
    assert "a different ROM" in done.stdout
    assert str(find_image("mosslight")) not in done.stdout
