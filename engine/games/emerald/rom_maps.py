"""Read the maps in an image of Emerald: what gMapGroups leads to.

gMapGroups lists the groups, those their maps' headers, those lead to layout, events and
connections. Nothing in an image is believed: every address and every size is checked before it is
followed. Structures are those of pret/pokeemerald, include/global.fieldmap.h.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.games.emerald.memory import ROM
from engine.games.emerald.terrain import PRIMARY_METATILES
from engine.games.overworld import ImplausibleError
from engine.types import Facing

MAX_CELLS = 10_240
"""Of the map in RAM, its border included."""
BORDER_WIDTH, BORDER_HEIGHT = 15, 14
"""What the border adds to a map's size in RAM."""
ATTRIBUTES_AT, ATTRIBUTES_SIZE = 0x10, 2 * PRIMARY_METATILES
"""Where a tileset points to its metatiles' attributes, and their bytes."""
DYNAMIC_MAP = (127, 127)
"""Group and number in warps of which a script says where they lead."""
CONNECTION_FACINGS: Mapping[int, Facing] = MappingProxyType(
    {1: Facing.DOWN, 2: Facing.UP, 3: Facing.LEFT, 4: Facing.RIGHT}
)
"""Direction of a connection -> where one looks who leaves by it; diving and emerging are none."""

_MAX_GROUPS = _MAX_MAPS = 256
_POINTER = 4
_HEADER = struct.Struct("<4I2H8B")
LAYOUT = struct.Struct("<2i4I")
EVENTS = struct.Struct("<4B4I")
CONNECTION = struct.Struct("<B3xi2B2x")
_MAX_SIDE = 255
"""`engine.games.overworld` keeps coordinates in a byte."""
MAX_CONNECTIONS = 16

ObjectRow = tuple[int, int, int, int, int, int, int, int, int, int]
"""Local id, graphics, x, y, elevation, movement, trainer type, trainer range, script, flag."""
_OBJECT = struct.Struct("<2B2x2h2B2x2HIH2x")
WarpRow = tuple[int, int, int, int, int, int]
"""X, y, elevation, warp, map's number, map's group."""
WARP = struct.Struct("<2h4B")
TriggerRow = tuple[int, int, int, int, int]
"""X, y, variable, value, script."""
_TRIGGER = struct.Struct("<2h2x2H2xI")
SignRow = tuple[int, int, int, int]
"""X, y, kind, script or item."""
_SIGN = struct.Struct("<2HxB2xI")


class Image:
    """A ROM that is read by the processor's addresses, and never beyond its end."""

    def __init__(self, rom: bytes) -> None:
        self.rom = rom

    def read(self, address: int, size: int) -> bytes:
        """Return `size` bytes at an address.

        Raises:
            ImplausibleError: They are not in the image.
        """
        start = address - ROM
        if start < 0 or start + size > len(self.rom):
            raise ImplausibleError(f"{address:08X} is outside the image")
        return self.rom[start : start + size]

    def pointer(self, address: int) -> int:
        """Return the address that lies at an address."""
        return int.from_bytes(self.read(address, _POINTER), "little")

    def holds(self, address: int, size: int = 1) -> bool:
        """Return whether `size` bytes at an address are in the image."""
        start = address - ROM
        return start >= 0 and start + size <= len(self.rom)


@dataclass(frozen=True, slots=True)
class RomMap:
    """What header, layout, events and connections of one map say, sizes in walk tiles.

    Attributes:
        cells: Of u16, row after row: see sBackupMapData in facts/symbols.csv.
        attributes: Of the primary and the secondary tileset, u16 each; what is not there is 0.
        connections: Direction (1 S, 2 N, 3 W, 4 E), offset, group and number of the neighbour.
    """

    group: int
    number: int
    kind: int
    section: int
    width: int
    height: int
    cells: bytes
    attributes: tuple[bytes, bytes]
    objects: tuple[ObjectRow, ...]
    warps: tuple[WarpRow, ...]
    triggers: tuple[TriggerRow, ...]
    signs: tuple[SignRow, ...]
    connections: tuple[tuple[int, int, int, int], ...]


def read_maps(image: Image, groups: int) -> list[RomMap]:
    """Return all maps.

    Args:
        image: The ROM.
        groups: Address of gMapGroups.

    Raises:
        ImplausibleError: There are none.
    """
    starts: list[int] = []
    while len(starts) < _MAX_GROUPS and image.holds(groups + _POINTER * len(starts), _POINTER):
        start = image.pointer(groups + _POINTER * len(starts))
        if not _is_group(image, start):
            break
        starts.append(start)
    if not starts:
        raise ImplausibleError(f"no map groups are listed at {groups:08X}")
    # Nothing says how long a group is but where the next table begins.
    ends = sorted({*starts, groups})
    maps = []
    for group, start in enumerate(starts):
        end = next((each for each in ends if each > start), start + _POINTER * _MAX_MAPS)
        for number in range(min((end - start) // _POINTER, _MAX_MAPS)):
            try:
                maps.append(
                    _read_map(image, image.pointer(start + _POINTER * number), group, number)
                )
            except ImplausibleError:
                if number == 0:
                    raise
                break
    return maps


def _is_group(image: Image, start: int) -> bool:
    """Return whether a list of maps begins at an address: its first leads to a layout."""
    try:
        layout = image.pointer(image.pointer(start))
        width, height, *_ = LAYOUT.unpack(image.read(layout, LAYOUT.size))
    except ImplausibleError:
        return False
    return _is_size(width, height)


def _is_size(width: int, height: int) -> bool:
    return (
        0 < width <= _MAX_SIDE
        and 0 < height <= _MAX_SIDE
        and (width + BORDER_WIDTH) * (height + BORDER_HEIGHT) <= MAX_CELLS
    )


def _read_map(image: Image, header: int, group: int, number: int) -> RomMap:
    layout, events, _, connections, _, _, section, _, _, kind, *_ = _HEADER.unpack(
        image.read(header, _HEADER.size)
    )
    width, height, _, cells, *tilesets = LAYOUT.unpack(image.read(layout, LAYOUT.size))
    if not _is_size(width, height):
        raise ImplausibleError(f"map {group}.{number} has an invalid size")
    counts, tables = (0, 0, 0, 0), (0, 0, 0, 0)
    if events:
        found = EVENTS.unpack(image.read(events, EVENTS.size))
        counts, tables = found[:4], found[4:]

    def rows(kind: int, layout: struct.Struct) -> Iterator[tuple[int, ...]]:
        data = image.read(tables[kind], counts[kind] * layout.size) if counts[kind] else b""
        return layout.iter_unpack(data)

    return RomMap(
        group,
        number,
        kind,
        section,
        width,
        height,
        image.read(cells, 2 * width * height),
        (_attributes(image, tilesets[0]), _attributes(image, tilesets[1])),
        tuple(rows(0, _OBJECT)),  # type: ignore[arg-type]  # `struct` does not say how many
        tuple(rows(1, WARP)),  # type: ignore[arg-type]
        tuple(rows(2, _TRIGGER)),  # type: ignore[arg-type]
        tuple(rows(3, _SIGN)),  # type: ignore[arg-type]
        tuple(_connections(image, connections)),
    )


def _attributes(image: Image, tileset: int) -> bytes:
    """Return a tileset's attributes; fewer where the image ends before, or there is none."""
    if not tileset:
        return bytes(ATTRIBUTES_SIZE)
    start = image.pointer(tileset + ATTRIBUTES_AT)
    if not image.holds(start):
        raise ImplausibleError(f"the tileset at {tileset:08X} has no attributes")
    size = min(ATTRIBUTES_SIZE, ROM + len(image.rom) - start)
    return image.read(start, size).ljust(ATTRIBUTES_SIZE, b"\0")


def _connections(image: Image, address: int) -> Iterator[tuple[int, int, int, int]]:
    if not address:
        return
    count, rows = struct.unpack("<iI", image.read(address, 2 * _POINTER))
    if not 0 <= count <= MAX_CONNECTIONS:
        raise ImplausibleError(f"there are no connections at {address:08X}")
    yield from CONNECTION.iter_unpack(image.read(rows, count * CONNECTION.size))
