"""The world of MOSSLIGHT ADVANCE as RAM and image tell it: tiles, people, ways out."""

import struct
from dataclasses import dataclass
from functools import cache

from engine.games.facts import read_rows
from tests.roms.advance.machine import FACTS, OFFSET, Cell, Machine

MapKey = tuple[int, int]
Warps = dict[Cell, MapKey]

GRASS, STAIRS, DOOR, COUNTER = 0x02, 0x60, 0x69, 0x80
MATS = {0x62: "right", 0x63: "left", 0x64: "up", 0x65: "down"}
LEDGES = {0x38: "right", 0x39: "left", 0x3A: "up", 0x3B: "down"}
BADGE = 0x867
"""Flag of the first badge, which opens the gatehouse."""
_PRIMARY_METATILES = 512
_SIDES = {1: "down", 2: "up", 3: "left", 4: "right"}


@cache
def map_names() -> dict[MapKey, str]:
    """Return the maps' names by group and number."""
    rows = read_rows(FACTS, "maps")
    return {(int(row["group"]), int(row["number"])): row["name"] for row in rows}


def map_of(title: str) -> MapKey:
    """Return the map's group and number."""
    return next(key for key, name in map_names().items() if name == title)


@dataclass(frozen=True, slots=True)
class Tile:
    """A walk tile: whether it is closed, its elevation, its metatile's behaviour."""

    is_closed: bool
    elevation: int
    behaviour: int


def tiles(game: Machine) -> dict[Cell, Tile]:
    """Return the present map's tiles from RAM, and what of its neighbours lies around it."""
    width, height, cells = struct.unpack("<iiI", game.read("gBackupMapLayout"))
    raw = struct.unpack(f"<{width * height}H", game.at(cells, 2 * width * height))
    layout = game.get("gMapHeader", size=4)
    sets = struct.unpack("<II", game.at(layout + 16, 8))
    attributes = [
        game.at(int.from_bytes(game.at(at + 16, 4), "little"), 2 * _PRIMARY_METATILES)
        for at in sets
    ]
    found = {}
    for index, cell in enumerate(raw):
        metatile = cell & 0x3FF
        if metatile == 0x3FF:
            continue
        table = attributes[metatile // _PRIMARY_METATILES]
        behaviour = table[metatile % _PRIMARY_METATILES * 2]
        place = index % width - OFFSET, index // width - OFFSET
        found[place] = Tile(bool(cell & 0xC00), cell >> 12, behaviour)
    return found


def size(game: Machine) -> Cell:
    """Return the present map's width and height in tiles."""
    width, height = struct.unpack("<ii", game.read("gBackupMapLayout", 0, 8))
    return width - 15, height - 14


def people(game: Machine) -> dict[Cell, int]:
    """Return where others stand, on their way too: cell -> slot in gObjectEvents."""
    found = {}
    for slot, one in enumerate(game.objects):
        if slot and one[0] & 1:
            x, y, old_x, old_y = struct.unpack_from("<4h", one, 0x10)
            found[x - OFFSET, y - OFFSET] = slot
            found[old_x - OFFSET, old_y - OFFSET] = slot
    return found


def warps_of(game: Machine, header: int) -> Warps:
    """Return a map's warps by its header's address: cell -> map."""
    events = int.from_bytes(game.at(header + 4, 4), "little")
    count = game.at(events + 1, 1)[0]
    rows = game.at(int.from_bytes(game.at(events + 8, 4), "little"), 8 * count)
    unpacked = struct.iter_unpack("<hhBBBB", rows)
    return {(x, y): (group, number) for x, y, _, _, number, group in unpacked}


def sides_of(game: Machine, header: int) -> dict[MapKey, str]:
    """Return a map's neighbours: map -> direction."""
    listed = int.from_bytes(game.at(header + 12, 4), "little")
    if not listed:
        return {}
    count, rows = struct.unpack("<iI", game.at(listed, 8))
    found = struct.iter_unpack("<B3xiBB2x", game.at(rows, 12 * count))
    return {(group, number): _SIDES[side] for side, _, group, number in found}


def is_level(here: int, there: int) -> bool:
    """Tell whether one can step between two elevations: 0 and 15 match all."""
    return here == there or here in (0, 15) or there in (0, 15)
