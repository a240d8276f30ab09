"""The work RAM that is looked straight into is the one that PyBoy's own interface reads."""

from array import array
from typing import Any

import pytest

from engine.emulator.gameboy import GameBoy
from engine.emulator.gameboy_hooks import BANK_SIZE, BANKS, find_work_ram, offset_of
from engine.games.catalog import load_game


@pytest.fixture
def machine() -> GameBoy:
    machine = GameBoy(load_game().rom)
    machine.tick(120)
    return machine


def test_every_bank_reads_as_through_pyboy(machine: GameBoy) -> None:
    assert machine._work_ram is not None, "this version of PyBoy keeps it elsewhere"
    places = [(0, 0xC000), *((bank, 0xD000) for bank in range(1, BANKS))]
    direct = [machine.read(*place, BANK_SIZE) for place in places]
    strided = machine.read_strided(1, 0xD100, 40, 12)
    machine._work_ram = None
    assert [machine.read(*place, BANK_SIZE) for place in places] == direct
    assert machine.read_strided(1, 0xD100, 40, 12) == strided


def test_two_machines_have_a_work_ram_each(machine: GameBoy) -> None:
    other = GameBoy(machine.rom)
    machine.write(1, 0xDE00, b"\x11")
    other.write(1, 0xDE00, b"\x22")
    assert (machine.read(1, 0xDE00, 1), other.read(1, 0xDE00, 1)) == (b"\x11", b"\x22")


def test_loaded_state_is_seen(machine: GameBoy) -> None:
    state = machine.save_state()
    before = machine.read(0, 0xC000, BANK_SIZE)
    machine.tick(200)
    machine.write(0, 0xC123, b"\x99")
    machine.load_state(state)
    assert machine.read(0, 0xC000, BANK_SIZE) == before


def test_finding_it_changes_nothing_and_takes_no_array_that_only_looks_alike(
    machine: GameBoy,
) -> None:
    before = machine.read(0, 0xC000, BANK_SIZE)
    lookalike = array("B", bytes(BANKS * BANK_SIZE))
    found = find_work_ram(machine._memory)
    assert found.obj is not lookalike
    assert bytes(lookalike) == bytes(BANKS * BANK_SIZE)
    assert machine.read(0, 0xC000, BANK_SIZE) == before


def test_none_is_found_where_pyboy_keeps_it_in_another_way() -> None:
    elsewhere: dict[Any, int] = dict.fromkeys(((0, 0xC000), (1, 0xD000), (BANKS - 1, 0xDFFF)), 0)
    assert find_work_ram(elsewhere) is None


def test_switched_banks_lie_behind_the_first() -> None:
    assert [offset_of(*at) for at in ((0, 0xC010), (1, 0xD010), (7, 0xDFFF))] == [
        0x10, 0x1010, 0x7FFF,
    ]  # fmt: skip
