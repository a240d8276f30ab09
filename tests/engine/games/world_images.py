"""Build images that carry a world in Crystal's layout: groups, headers, blocks, ways, people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

CRYSTAL_GROUPS, CRYSTAL_TILESETS = (0x25, 0x4000), (0x13, 0x5596)
COLLISIONS = {
    ".": 0x00, "#": 0x07, '"': 0x18, "~": 0x29, "C": 0x90, "T": 0x12, "I": 0x23, "@": 0x24,
    "W": 0x33, "D": 0x71, "L": 0x72, "S": 0x7A, "b": 0x7B, "P": 0x7C, "H": 0x60, "m": 0x70,
    "^": 0x78, "[": 0x76, "]": 0x7E, ">": 0xA0, "<": 0xA1, "v": 0xA3, "|": 0xB0, "!": 0xB1,
    "-": 0xB2, "_": 0xB3,
}  # fmt: skip
"""Collision ids of the signs that maps are drawn with."""

_BANK, _RAM_BLOCKS, _BORDER = 0x4000, 0xC800, 3
_SIDES = ("north", "south", "west", "east")
Place = tuple[int, int]


@dataclass(frozen=True)
class Person:
    x: int
    y: int
    sprite: int = 1
    movement: int = 6
    kind: int = 0
    sight: int = 0
    flag: int = 0xFFFF
    script: bytes = b""
    hours: tuple[int, int] = (0xFF, 0xFF)


@dataclass(frozen=True)
class Drawn:
    """One map; `sides`: side -> group, number and offset in blocks of the neighbour there."""

    rows: Sequence[str]
    warps: Sequence[tuple[int, int, int, int, int]] = ()
    """x, y, then group, number and number of the warp there."""
    sides: Mapping[str, tuple[int, int, int]] | None = None
    triggers: Sequence[tuple[int, int, int]] = ()
    """x, y, scene."""
    signs: Sequence[tuple[int, int, int, bytes]] = ()
    """x, y, kind, what its word points to."""
    people: Sequence[Person] = ()
    tileset: int = 1
    environment: int = 2
    landmark: int = 7

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in blocks."""
        return (len(self.rows[0]) + 1) // 2, (len(self.rows) + 1) // 2

    def block(self, x: int, y: int) -> bytes:
        tiles = ((2 * y, 2 * x), (2 * y, 2 * x + 1), (2 * y + 1, 2 * x), (2 * y + 1, 2 * x + 1))
        inside = (
            (r, c) if r < len(self.rows) and c < len(self.rows[r]) else None for r, c in tiles
        )
        return bytes(COLLISIONS[self.rows[at[0]][at[1]]] if at else 7 for at in inside)


class _Bank:
    """Hand out places in an image, one bank after the other."""

    def __init__(self, image: bytearray, bank: int) -> None:
        self._image, self._bank, self._at = image, bank, 0

    def put(self, data: bytes) -> Place:
        if self._at + len(data) > _BANK:
            self._bank, self._at = self._bank + 1, 0
        place = self._bank, _BANK + self._at
        start = self._bank * _BANK + self._at
        self._image[start : start + len(data)] = data
        self._at += len(data)
        return place

    def room_for(self, size: int) -> None:
        """Go on in the next bank unless so much fits into this one."""
        if self._at + size > _BANK:
            self._bank, self._at = self._bank + 1, 0


def build(
    maps: Mapping[Place, Drawn],
    groups_at: Place = CRYSTAL_GROUPS,
    tilesets_at: Place = CRYSTAL_TILESETS,
    size: int = 1 << 21,
) -> bytes:
    """Return an image with these maps by (group, number), numbers without gaps."""
    image = bytearray(size)
    space = _Bank(image, groups_at[0] + 1)
    blocks = _put_tilesets(image, space, maps, tilesets_at)
    num_groups = max(group for group, _ in maps)
    pointers, headers = [], []
    at = groups_at[1] + 2 * num_groups
    ordered = []
    for group in range(1, num_groups + 1):
        pointers.append(at)
        count = max((number for g, number in maps if g == group), default=0)
        ordered += [(group, number) for number in range(1, count + 1)]
        at += 9 * count
    attributes = bytearray()
    for key in ordered:
        drawn = maps[key]
        headers.append(
            bytes([groups_at[0], drawn.tileset, drawn.environment, *_word(at + len(attributes))])
            + bytes([drawn.landmark, 0, 0, 0])
        )
        attributes += _attributes(space, maps, drawn, blocks[drawn.tileset])
    table = b"".join(map(_word, pointers)) + b"".join(headers) + bytes(attributes)
    start = groups_at[0] * _BANK + groups_at[1] - _BANK
    assert groups_at[1] - _BANK + len(table) <= _BANK, "the headers do not fit into one bank"
    image[start : start + len(table)] = table
    return bytes(image)


def _attributes(
    space: _Bank, maps: Mapping[Place, Drawn], drawn: Drawn, blocks: Mapping[bytes, int]
) -> bytes:
    width, height = drawn.size
    ids = bytes(blocks[drawn.block(x, y)] for y in range(height) for x in range(width))
    at = space.put(ids)
    events, bank = _events(space, drawn)
    sides = drawn.sides or {}
    bits = sum(8 >> _SIDES.index(side) for side in sides)
    head = bytes([1, height, width, at[0], *_word(at[1]), bank, 0, 0x40, *_word(events), bits])
    return head + b"".join(
        _connection(maps, drawn, side, *sides[side]) for side in _SIDES if side in sides
    )


def _connection(
    maps: Mapping[Place, Drawn], drawn: Drawn, side: str, group: int, number: int, offset: int
) -> bytes:
    (width, height), (other_width, other_height) = drawn.size, maps[group, number].size
    is_vertical = side in ("north", "south")
    own, other = (width, other_width) if is_vertical else (height, other_height)
    begin = offset + _BORDER
    source, begin = max(0, -begin), max(0, begin)
    length = max(0, min(other - source, own + 2 * _BORDER - begin))
    stride = width + 2 * _BORDER
    place = (
        _RAM_BLOCKS
        + {
            "north": begin,
            "south": (height + _BORDER) * stride + begin,
            "west": begin * stride,
            "east": begin * stride + width + _BORDER,
        }[side]
    )
    shift = -2 * offset & 0xFF
    y, x = {
        "north": (2 * other_height - 1, shift),
        "south": (0, shift),
        "west": (shift, 2 * other_width - 1),
        "east": (shift, 0),
    }[side]
    return bytes(
        [group, number, 0, 0, *_word(place), length, other_width, y & 0xFF, x & 0xFF, 0, 0]
    )


def _events(space: _Bank, drawn: Drawn) -> tuple[int, int]:
    """Put the four tables and what they point to; return their address and bank."""
    extra = sum(len(data) for *_, data in drawn.signs) + sum(len(p.script) for p in drawn.people)
    rows = 5 * len(drawn.warps) + 8 * len(drawn.triggers) + 5 * len(drawn.signs)
    space.room_for(6 + rows + 13 * len(drawn.people) + extra)
    table = bytearray([0, 0, len(drawn.warps)])
    for x, y, group, number, arrival in drawn.warps:
        table += bytes([y, x, arrival, group, number])
    table.append(len(drawn.triggers))
    for x, y, scene in drawn.triggers:
        table += bytes([scene, y, x, 0, 0, 0x40, 0, 0])
    table.append(len(drawn.signs))
    for x, y, kind, data in drawn.signs:
        table += bytes([y, x, kind, *_word(space.put(data)[1])])
    table.append(len(drawn.people))
    for one in drawn.people:
        script = space.put(one.script)[1] if one.script else 0x4000
        table += bytes([one.sprite, one.y + 4, one.x + 4, one.movement, 0, *one.hours, one.kind])
        table += bytes([one.sight, *_word(script), *_word(one.flag)])
    bank, address = space.put(bytes(table))
    return address, bank


def _put_tilesets(
    image: bytearray, space: _Bank, maps: Mapping[Place, Drawn], at: Place
) -> dict[int, dict[bytes, int]]:
    """Put Tilesets and their collision data; return block -> id by tileset."""
    ids: dict[int, dict[bytes, int]] = {}
    for drawn in maps.values():
        known = ids.setdefault(drawn.tileset, {bytes([7] * 4): 1})
        width, height = drawn.size
        for y in range(height):
            for x in range(width):
                known.setdefault(drawn.block(x, y), len(known) + 1)
    start = at[0] * _BANK + at[1] - _BANK
    for tileset, known in ids.items():
        bank, address = space.put(bytes(4) + b"".join(known))
        far = bytes([bank, *_word(address)])
        record = far * 3 + b"\x00\x40" + b"\x00\x00" + b"\x00\x40"
        image[start + 15 * tileset : start + 15 * tileset + 15] = record
    return ids


def _word(value: int) -> bytes:
    return bytes([value & 0xFF, value >> 8 & 0xFF])
