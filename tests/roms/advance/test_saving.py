"""Saving of MOSSLIGHT ADVANCE: the flash memory as Emerald marks it, and CONTINUE."""

import struct
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.roms.advance.conftest import Start
from tests.roms.advance.machine import Machine

FLASH, FLASH_SIZE = 0x0E000000, 0x20000
SECTOR_SIZE, SECTORS = 4096, 14
SIGNATURE = 0x08012025
ENTRY_SAVE = 5
PATIENCE = 400
STARTER_MONEY, PARTY_SIZE = 3000, 600


def save(game: Machine) -> bytes:
    """Save by the START menu; return the flash memory."""
    count = game.get("gSaveCounter", size=4)
    game.act("start", hold=3)
    place = game.read("sCurrentStartMenuActions").index(ENTRY_SAVE)
    while game.get("sStartMenuCursorPos") != place:
        game.act("down", hold=3)
    for _ in range(PATIENCE):
        game.act("a", hold=3)
        if game.get("gSaveCounter", size=4) > count and game.is_free:
            return game.at(FLASH, FLASH_SIZE)
    raise AssertionError(f"never saved: {game.mode} {game.tasks} {game.text}")


def continued(battery: bytes) -> Machine:
    """Switch on with this flash memory and press A until the field is there."""
    game = Machine(battery=battery)
    for _ in range(PATIENCE):
        game.act("a", hold=3)
        if game.in_field:
            game.tick(60)
            return game
    raise AssertionError(f"never in the field: {game.mode}")


def footers(battery: bytes, slot: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield number, sum, signature and count of every sector of a slot."""
    for sector in range(slot * SECTORS, (slot + 1) * SECTORS):
        yield struct.unpack_from("<HHII", battery, sector * SECTOR_SIZE + 0xFF4)


def test_sectors_are_marked_as_emerald_marks_them(start: Start) -> None:
    game = start("bedroom")
    first = save(game)
    assert sorted(number for number, *_ in footers(first, 1)) == list(range(SECTORS))
    assert {(sign, count) for _, _, sign, count in footers(first, 1)} == {(SIGNATURE, 1)}
    second = save(game)
    assert {(sign, count) for _, _, sign, count in footers(second, 0)} == {(SIGNATURE, 2)}
    assert (
        second[SECTORS * SECTOR_SIZE : 2 * SECTORS * SECTOR_SIZE]
        == first[SECTORS * SECTOR_SIZE : 2 * SECTORS * SECTOR_SIZE]
    )


def test_continue_restores_place_money_party_and_options(start: Start) -> None:
    game = start("starter")
    battery = save(game)
    with closing(continued(battery)) as again:
        assert again.map_key == game.map_key
        assert again.position == game.position
        assert again.money == game.money == STARTER_MONEY
        assert again.read("gPlayerParty", 0, PARTY_SIZE) == game.read("gPlayerParty", 0, PARTY_SIZE)
        assert again.block(2, 0, 8) == game.block(2, 0, 8)
        assert again.block(2, 0x14, 2) == game.block(2, 0x14, 2)
        assert again.block(1, 0x1270, 300) == game.block(1, 0x1270, 300)


@pytest.mark.parametrize("damaged", [0, SECTORS - 1])
def test_continue_takes_the_older_slot_when_the_newer_is_damaged(
    start: Start, damaged: int
) -> None:
    game = start("bedroom")
    save(game)
    before = game.position
    game.act("down")
    game.act("down")
    assert game.position != before
    battery = bytearray(save(game))
    battery[damaged * SECTOR_SIZE + 100] ^= 0x55
    with closing(continued(bytes(battery))) as again:
        assert again.position == before
