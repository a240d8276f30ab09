"""Build images with Emerald's layout of maps and tables, of no content but what a test asks for."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.games.emerald.memory import Profile
from engine.games.emerald.screen import CHARMAP

ROM = 0x0800_0000
SHA1 = "e" * 40

WALL, FLOOR, GRASS, DOOR, MAT, LEDGE, WATER, COUNTER = range(8)
"""Metatiles of the primary tileset, and by place their letters and behaviours."""
LETTERS = "#.wDm_~C"
_BEHAVIOURS = (0x00, 0x00, 0x02, 0x69, 0x65, 0x3B, 0x15, 0x80)
_CLOSED = (True, False, False, True, False, True, False, True)
_ELEVATIONS = (0, 3, 3, 0, 3, 3, 1, 3)
_LEVELS = {"0": 0, "4": 4, "=": 15}
"""Letters of floor at other elevations; "=" is a bridge."""
SECONDARY_GRASS = 512
"""A metatile of the secondary tileset, letter "W"."""

_CODES = {text: code for code, text in CHARMAP.items()}


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody on a map."""

    x: int
    y: int
    sprite: int = 5
    movement: int = 8
    trainer: int = 0
    sight: int = 0
    script: bytes = b"\x02"
    flag: int = 0
    level: int = 3


@dataclass(frozen=True, slots=True)
class Drawn:
    """A map.

    Attributes:
        rows: Letters of `LETTERS`.
        warps: X, y, group and number of the target map, and number of the warp there, from 0.
        sides: Direction, offset, group and number.
        triggers: X, y, variable, value.
        signs: X, y, kind, script or item.
    """

    rows: Sequence[str]
    warps: Sequence[tuple[int, int, int, int, int]] = ()
    sides: Sequence[tuple[int, int, int, int]] = ()
    people: Sequence[Person] = ()
    triggers: Sequence[tuple[int, int, int, int]] = ()
    signs: Sequence[tuple[int, int, int, int]] = ()
    kind: int = 1
    section: int = 0


class Writer:
    """Lay pieces one after another, 4-byte aligned."""

    def __init__(self) -> None:
        self.data = bytearray(0x200)

    def put(self, piece: bytes) -> int:
        """Add a piece and return its address."""
        self.data += bytes(-len(self.data) % 4)
        address = ROM + len(self.data)
        self.data += piece
        return address


def text(letters: str, size: int) -> bytes:
    """Return a name in the game's letters, as long as its field."""
    return bytes([*(_CODES[letter] for letter in letters), 0xFF]).ljust(size, b"\xff")[:size]


def build(
    maps: Mapping[tuple[int, int], Drawn],
    tables: Mapping[str, bytes] | None = None,
    code: str = "BPEE",
) -> tuple[bytes, Profile]:
    """Return an image and where it has its tables.

    Args:
        maps: Group and number -> map; both without gaps, from 0.
        tables: Label -> content of other tables.
        code: Of the game.
    """
    out = Writer()
    attributes = b"".join(struct.pack("<H", one) for one in _BEHAVIOURS).ljust(1024, b"\0")
    primary = out.put(bytes(16) + out.put(attributes).to_bytes(4, "little") + bytes(4))
    grass = struct.pack("<H", 0x02).ljust(1024, b"\0")
    secondary = out.put(bytes(16) + out.put(grass).to_bytes(4, "little") + bytes(4))
    headers: dict[int, list[int]] = {}
    for (group, _), drawn in sorted(maps.items()):
        headers.setdefault(group, []).append(_map(out, drawn, primary, secondary))
    groups = [
        out.put(b"".join(each.to_bytes(4, "little") for each in headers[group]))
        for group in sorted(headers)
    ]
    rom = {"gMapGroups": out.put(b"".join(each.to_bytes(4, "little") for each in groups))}
    out.put(b"\1\0\0\0")  # what follows is no address
    sizes = {}
    for name, content in (tables or {}).items():
        rom[name], sizes[name] = out.put(content), len(content)
    return bytes(out.data), Profile(SHA1, "a world", "POKEMON EMER", code, rom, sizes)


def _map(out: Writer, drawn: Drawn, primary: int, secondary: int) -> int:
    width, height = len(drawn.rows[0]), len(drawn.rows)
    cells = b"".join(struct.pack("<H", cell(letter)) for row in drawn.rows for letter in row)
    border = out.put(bytes(8))
    sizes = (width, height, border, out.put(cells), primary, secondary)
    layout = out.put(struct.pack("<2i4I", *sizes))
    objects = b""
    for number, one in enumerate(drawn.people, 1):
        script = out.put(one.script.ljust(8, b"\2"))
        head = (number, one.sprite, one.x, one.y, one.level, one.movement, one.trainer, one.sight)
        objects += struct.pack("<2B2x2h2B2x2HIH2x", *head, script, one.flag)
    warps = b"".join(
        struct.pack("<2h4B", x, y, 3, warp, number, group)
        for x, y, group, number, warp in drawn.warps
    )
    script = out.put(b"\2\0\0\0")
    triggers = b"".join(
        struct.pack("<2h2x2H2xI", x, y, variable, value, script)
        for x, y, variable, value in drawn.triggers
    )
    signs = b"".join(
        struct.pack("<2HBB2xI", x, y, 0, kind, what) for x, y, kind, what in drawn.signs
    )
    counts = (len(drawn.people), len(drawn.warps), len(drawn.triggers), len(drawn.signs))
    pieces = [out.put(piece) if piece else 0 for piece in (objects, warps, triggers, signs)]
    events = out.put(struct.pack("<4B4I", *counts, *pieces))
    sides = b"".join(struct.pack("<B3xi2B2x", *side) for side in drawn.sides)
    connections = out.put(struct.pack("<iI", len(drawn.sides), out.put(sides))) if sides else 0
    head = (layout, events, 0, connections, 0, 0, drawn.section, 0, 0, drawn.kind)
    return out.put(struct.pack("<4I2H4B4x", *head))


def cell(letter: str) -> int:
    """Return the cell of a letter: metatile, collision, elevation."""
    if letter == "W":
        return SECONDARY_GRASS | 3 << 12
    if letter in _LEVELS:
        return FLOOR | _LEVELS[letter] << 12
    number = LETTERS.index(letter)
    return number | _CLOSED[number] << 10 | _ELEVATIONS[number] << 12
