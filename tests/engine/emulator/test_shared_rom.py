"""Machines that share a ROM play as those with a copy of their own do."""

import gc
import io
from array import array

import pytest

from engine.bench.environment import make_cartridge
from engine.emulator import gameboy
from engine.emulator.gameboy import GameBoy
from engine.emulator.gameboy_hooks import SharedRom, share_roms
from engine.errors import RomError
from engine.games.catalog import load_game
from engine.types import Action


def copies(rom: bytes) -> int:
    """Return how many arrays hold the image, as PyBoy's copies do."""
    arrays = (found for found in gc.get_objects() if type(found) is array)
    return sum(found.itemsize == 1 and found.tobytes() == rom for found in arrays)


@pytest.fixture(params=("practice game", "cartridge with clock and battery"))
def rom(request: pytest.FixtureRequest) -> bytes:
    practice = load_game().rom
    return practice if request.param == "practice game" else make_cartridge(practice)


def test_two_machines_play_as_one_with_a_copy_and_copy_nothing(
    rom: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = copies(rom)
    machines = [GameBoy(rom), GameBoy(rom)]
    assert copies(rom) == before
    monkeypatch.setattr(gameboy, "SharedRom", io.BytesIO)
    machines.append(GameBoy(rom))
    assert copies(rom) == before + 1
    for machine in machines:
        machine.tick(400)
        machine.press(Action.START)
        machine.tick(8)
        machine.release(Action.START)
        machine.tick(400)
    first, second, copied = (machine.save_state() for machine in machines)
    assert first == second == copied
    for machine in machines:
        machine.close()


@pytest.mark.parametrize("rom", [b"", bytes(0x4001), bytes(0x8000)], ids=["empty", "odd", "zeros"])
def test_what_cannot_run_is_refused_as_before(rom: bytes) -> None:
    with pytest.raises(RomError):
        GameBoy(rom)


def test_larger_images_are_left_to_pyboy() -> None:
    class Cartridges:
        def load_cartridge(self, rom: SharedRom, ram: None, clock: None) -> int:
            return len(rom.read())

    cartridges = Cartridges()
    share_roms(cartridges)
    assert cartridges.load_cartridge(SharedRom(bytes(0x400000)), None, None) == 0x400000


def test_another_version_of_pyboy_copies() -> None:
    class Controller:
        """Takes nothing that we know of."""

    class Cartridges:
        def load_cartridge(self, rom: io.BytesIO, ram: None, clock: None) -> Controller:
            return Controller()

    practice, cartridges = load_game().rom, Cartridges()
    share_roms(cartridges)
    assert isinstance(cartridges.load_cartridge(SharedRom(practice), None, None), Controller)
    share_roms(object())
