"""An image of the practice game that costs what a real cartridge does, and plays as the game."""

from pathlib import Path

import pytest

from engine.bench.environment import is_like_cartridge, make_cartridge
from engine.bench.pace import play_steps, write_script
from engine.emulator.cartridge import Cartridge, is_image_checksum_right
from engine.env.game_env import GameEnv
from engine.errors import RomError
from engine.games.catalog import load_game


@pytest.fixture(scope="module")
def image() -> bytes:
    return make_cartridge(load_game().rom)


def test_image_has_the_header_of_crystals_kind_of_cartridge(image: bytes) -> None:
    cartridge = Cartridge.of(image)
    assert (cartridge.kind, cartridge.controller, cartridge.title) == (0x10, "MBC3", "PRACTICE")
    assert len(image) == cartridge.rom_size == 2 * 1024 * 1024
    assert cartridge.ram_size == 32 * 1024
    assert (cartridge.has_battery, cartridge.has_clock) == (True, True)
    assert cartridge.is_header_right
    assert is_image_checksum_right(image)


def test_image_is_told_from_the_practice_game_by_its_clock(image: bytes) -> None:
    assert is_like_cartridge(image)
    assert not is_like_cartridge(load_game().rom)


def test_image_is_recognised_only_when_allowed(image: bytes, tmp_path: Path) -> None:
    file = tmp_path / "cartridge.gbc"
    file.write_bytes(image)
    with pytest.raises(RomError, match="a different version"):
        load_game(file)
    assert load_game(file, allow_unknown=True).name.startswith(load_game().name)


@pytest.mark.slow
def test_image_plays_as_the_practice_game_does(image: bytes, tmp_path: Path) -> None:
    file = tmp_path / "cartridge.gbc"
    file.write_bytes(image)
    original = GameEnv(observation_type="state")
    copy = GameEnv(str(file), observation_type="state", allow_unknown_rom=True)
    script = write_script(original, 120, seed=3)
    for env in (original, copy):
        play_steps(env, script, seed=3)
    assert copy.state == original.state
    original.close()
    copy.close()


def test_game_that_waits_otherwise_is_refused() -> None:
    with pytest.raises(RomError, match="wait loop"):
        make_cartridge(bytes(0x8000))
