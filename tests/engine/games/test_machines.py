"""What an image of Crystal says of machines, of who can learn what, and of wild levels."""

import pytest

from engine.games.base import GameTables
from engine.games.crystal.machines import MACHINE_ITEMS, with_machines
from tests.engine.games.images import CRYSTAL

BANK = 0x4000
MOVES = bytes((*range(20, 54), *range(60, 76), 15, 19, 57, 70, 148, 250, 127))
"""Numbers of the moves of fifty TMs, made up, and of the seven HMs."""
MOVES_AT, BASE_AT, GRASS_AT = 0x1100, 0x14 * BANK + 0x1424, 0x0A * BANK + 0x25E9
CUT, SURF, TM01 = 243, 245, 191
MAPS = [(24, number) for number in range(1, 10)]


def image() -> bytearray:
    """Species n knows HM01 if n is even, and the grass of the i-th map has levels i + 2 to 22."""
    rom = bytearray(1 << 20)
    rom[MOVES_AT : MOVES_AT + len(MOVES)] = MOVES
    for species in range(1, 252):
        at = BASE_AT + 32 * (species - 1)
        rom[at] = species
        rom[at + 0x18 + 6] = 0b100 * (species % 2 == 0)  # the 51st bit
    for number, place in enumerate(MAPS):
        creatures = [byte for slot in range(21) for byte in (number + 2 + slot, 16)]
        row = bytes((*place, 25, 25, 25, *creatures))
        rom[GRASS_AT + 47 * number : GRASS_AT + 47 * (number + 1)] = row
    return rom


def read(rom: bytes | bytearray) -> GameTables:
    return with_machines(CRYSTAL, bytes(rom))


def test_machines_teach_what_the_image_says_in_the_pockets_order() -> None:
    tables = read(image())
    assert list(tables.MACHINES) == list(MACHINE_ITEMS)
    assert (tables.MACHINES[CUT], tables.MACHINES[SURF]) == ("CUT", "SURF")
    assert tables.MACHINES[TM01] == CRYSTAL.MOVES[20][0]


def test_who_can_learn_a_machine_is_read_bit_by_bit() -> None:
    learners = read(image()).LEARNERS
    assert learners["CUT"] == frozenset(range(2, 252, 2))
    assert learners["SURF"] == frozenset()


def test_the_levels_in_the_grass_are_those_of_all_times_of_day() -> None:
    assert {place: (n + 2, n + 22) for n, place in enumerate(MAPS)} == read(image()).WILD_LEVELS


@pytest.mark.parametrize("size", [0, 0x8000, 1 << 20])
def test_an_image_without_these_tables_has_none(size: int) -> None:
    tables = read(bytes(size))
    assert (tables.MACHINES, tables.LEARNERS, tables.WILD_LEVELS) == ({}, {}, {})
    assert tables.MILESTONES == CRYSTAL.MILESTONES


@pytest.mark.parametrize(
    ("at", "value", "lost"),
    [
        (MOVES_AT, 0, {"MACHINES", "LEARNERS"}),
        (BASE_AT + 32, 9, {"LEARNERS"}),
        (GRASS_AT + 47 * 4 + 5, 200, {"WILD_LEVELS"}),
    ],
)
def test_a_table_that_is_not_as_it_should_be_is_left_out(
    at: int, value: int, lost: set[str]
) -> None:
    rom = image()
    rom[at] = value
    tables = read(rom)
    names = ("MACHINES", "LEARNERS", "WILD_LEVELS")
    assert {name for name in names if not getattr(tables, name)} == lost
