"""The image holds the world in the layout of Crystal's ROM: read here once more, by hand.

This reader is independent of the engine's parser and of the build, so that both can be wrong alone.
"""

from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from roms.practice import world
from tests.roms.machine import ROM

MAPS: dict[str, Any] = world.MAPS
GROUP: int = world.MAP_GROUP
NAMES = list(MAPS)
BANK = 0x4000
BLOCKS = 0xC800
PUSHING = {0x71, 0x79, 0x7A, 0x7B}
SIDES = {"north": 8, "south": 4, "west": 2, "east": 1}


class Image:
    """The ROM, by bank and address."""

    def __init__(self) -> None:
        self.rom = ROM.read_bytes()

    def read(self, bank: int, address: int, size: int) -> bytes:
        assert address >= BANK
        assert address + size <= 2 * BANK
        return self.rom[bank * BANK + address - BANK :][:size]

    def word(self, bank: int, address: int) -> int:
        return int.from_bytes(self.read(bank, address, 2), "little")


IMAGE = Image()


def looks_like_a_header(bank: int, address: int) -> bool:
    if not BANK <= address <= 2 * BANK - 9:
        return False
    row = IMAGE.read(bank, address, 9)
    return 1 <= row[1] <= 40 and 1 <= row[2] <= 7 and 0x40 <= row[4] < 0x80


@cache
def map_groups() -> list[tuple[int, int, int]]:
    """Find every list of pointers that could be MapGroupPointers: bank, address, length."""
    found = []
    for bank in range(1, len(IMAGE.rom) // BANK):
        for address in range(BANK, 2 * BANK - 10):
            count, odd = divmod(IMAGE.word(bank, address) - address, 2)
            if odd or not 1 <= count <= 255 or address + 2 * count > 2 * BANK:
                continue
            words = [IMAGE.word(bank, address + 2 * n) for n in range(count)]
            if any(b < a or (b - a) % 9 for a, b in pairwise(words)):
                continue
            if all(looks_like_a_header(bank, word) for word in words):
                found.append((bank, address, count))
    # Behind the pointers of empty groups the list begins again.
    return [row for row in found if (row[0], row[1] - 2, row[2] + 1) not in found]


@pytest.fixture(scope="module")
def headers() -> dict[str, bytes]:
    ((bank, address, count),) = map_groups()
    assert count == GROUP
    first = IMAGE.word(bank, address + 2 * (GROUP - 1))
    return {name: IMAGE.read(bank, first + 9 * n, 9) for n, name in enumerate(NAMES)}


class Found:
    """One map as the tables tell it."""

    def __init__(self, header: bytes) -> None:
        self.tileset, self.environment, self.landmark = header[1], header[2], header[5]
        bank, address = header[0], int.from_bytes(header[3:5], "little")
        row = IMAGE.read(bank, address, 12)
        self.height, self.width, self.sides = row[1], row[2], row[11]
        place = int.from_bytes(row[4:6], "little")
        self.blocks_address, self.blocks = place, IMAGE.read(row[3], place, row[1] * row[2])
        self.connections = {}
        address += 12
        for side, bit in SIDES.items():
            if self.sides & bit:
                self.connections[side] = IMAGE.read(bank, address, 12)
                address += 12
        bank, at = row[6], int.from_bytes(row[9:11], "little")
        assert IMAGE.read(bank, at, 2) == bytes(2)
        at += 2
        self.tables = []
        for size in (5, 8, 5, 13):
            count = IMAGE.read(bank, at, 1)[0]
            self.tables.append([IMAGE.read(bank, at + 1 + size * n, size) for n in range(count)])
            at += 1 + size * count

    def collision(self, x: int, y: int) -> int:
        """Return a walk tile's collision by the tileset row that holds the image's only match."""
        block = self.blocks[y // 2 * self.width + x // 2]
        row = TILESETS[self.tileset]
        place = int.from_bytes(row[7:9], "little")
        return IMAGE.read(row[6], place + 4 * block + x % 2 + 2 * (y % 2), 1)[0]


def tilesets() -> dict[int, bytes]:
    """Find Tilesets behind the map headers, where layout.py puts it."""
    ((bank, address, count),) = map_groups()
    at = IMAGE.word(bank, address + 2 * (count - 1)) + 9 * len(MAPS)
    return {n: IMAGE.read(bank, at + 15 * n, 15) for n in range(8)}


TILESETS = tilesets()


def test_the_search_for_map_groups_finds_one_table() -> None:
    assert len(map_groups()) == 1


@pytest.mark.parametrize("name", NAMES)
def test_tables_say_what_the_world_says(headers: dict[str, bytes], name: str) -> None:
    one, found = MAPS[name], Found(headers[name])
    kinds = {1: "town", 2: "route", 3: "indoor", 4: "cave"}
    assert kinds[found.environment] == one.kind
    assert world.LANDMARKS[found.landmark] == one.landmark
    assert (2 * found.width, 2 * found.height) == (len(one.rows[0]), len(one.rows))
    warps, triggers, signs, people = found.tables
    for row, warp in zip(warps, one.warps, strict=True):
        group, number = (GROUP, NAMES.index(warp.target) + 1) if warp.target else (0, 0)
        assert tuple(row) == (warp.y, warp.x, warp.arrival, group, number)
    cells = [
        (t.scene, y, x)
        for t in one.triggers
        for y in range(t.y0, t.y1 + 1)
        for x in range(t.x0, t.x1 + 1)
    ]
    assert [tuple(row[:3]) for row in triggers] == cells
    assert [tuple(row[:2]) for row in signs] == [(sign.y, sign.x) for sign in one.signs]
    for row, person in zip(people, one.people, strict=True):
        assert (row[1] - 4, row[2] - 4) == (person.y, person.x)
        assert world.SPRITES[row[0] - 1] == person.sprite
        assert row[7] & 15 == (2 if person.trainer else 0)
        flag = int.from_bytes(row[11:13], "little")
        events = {event: n for n, event in enumerate(world.EVENTS, world.FIRST_EVENT)}
        assert flag == events.get(person.hidden_by, 0xFFFF)


@pytest.mark.parametrize("name", NAMES)
def test_connections_lead_where_the_world_says(headers: dict[str, bytes], name: str) -> None:
    one, found = MAPS[name], Found(headers[name])
    assert set(found.connections) == {side for side, _, _ in one.connections}
    for side, target, offset in one.connections:
        row, other = found.connections[side], Found(headers[target])
        assert tuple(row[:2]) == (GROUP, NAMES.index(target) + 1)
        assert row[7] == other.width
        across = {"north": 2 * other.height - 1, "west": 2 * other.width - 1}.get(side, 0)
        along = -2 * offset & 0xFF
        assert (row[8], row[9]) == (
            (across, along) if side in ("north", "south") else (along, across)
        )
        source = int.from_bytes(row[2:4], "little") - other.blocks_address
        assert 0 <= source < len(other.blocks)
        place = int.from_bytes(row[4:6], "little") - BLOCKS
        assert 0 <= place < (found.width + 6) * (found.height + 6)


@pytest.mark.parametrize("name", NAMES)
def test_who_is_pushed_down_from_a_warp_has_room(headers: dict[str, bytes], name: str) -> None:
    found = Found(headers[name])
    for y, x, *_ in found.tables[0]:
        collision = found.collision(x, y)
        if collision in PUSHING:
            assert found.collision(x, y + 1) not in (0x07, 0xFF), (x, y)


def test_scenes_end_and_belong_to_maps_with_triggers(headers: dict[str, bytes]) -> None:
    ((bank, address, count),) = map_groups()
    at = IMAGE.word(bank, address + 2 * (count - 1)) + 9 * len(MAPS)
    at += 15 * (1 + max(header[1] for header in headers.values())) + 256
    found = []
    while IMAGE.read(bank, at, 1)[0] != 0xFF:
        row = IMAGE.read(bank, at, 4)
        found.append((NAMES[row[1] - 1], int.from_bytes(row[2:4], "little")))
        at += 4
    with_triggers = [name for name, one in MAPS.items() if one.triggers]
    assert found == [(name, 0xD972 + n) for n, name in enumerate(with_triggers)]
