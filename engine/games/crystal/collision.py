"""Say what a walk tile's collision id lets the player do (COLL_* of pret/pokecrystal)."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from engine.games.crystal.symbols import FACTS
from engine.games.facts import read_rows
from engine.types import Facing, Terrain

_ROWS = read_rows(FACTS, "collisions")
WALL = 0x07
_WALLS = {int(row["id"], 16) for row in _ROWS if row["permission"] == "wall"}
WATER = {int(row["id"], 16) for row in _ROWS if row["permission"] == "water"}
_ANSWERING = {int(row["id"], 16) for row in _ROWS if row["answers"]}
"""Trees to cut, counters, shelves, computers, whirlpools: may answer A."""
GRASS = frozenset({0x10, 0x14, 0x18, 0x1C, 0x48, 0x49, 0x4A, 0x4B, 0x4C})
DOORS = frozenset({*range(0x71, 0x76), 0x77, 0x79, 0x7A, 0x7B, 0x7C, 0x7D, 0x7F, 0x60, 0x68})
"""Warps taken by stepping on the tile (doors, stairs, ladders, caves, pits)."""
MATS: Mapping[int, Facing] = MappingProxyType(
    {0x70: Facing.DOWN, 0x76: Facing.LEFT, 0x78: Facing.UP, 0x7E: Facing.RIGHT}
)
"""Warps taken by standing on the tile and pressing on in this direction."""
LEDGES: Mapping[int, frozenset[Facing]] = MappingProxyType(
    {
        0xA0: frozenset({Facing.RIGHT}),
        0xA1: frozenset({Facing.LEFT}),
        0xA2: frozenset({Facing.UP}),
        0xA3: frozenset({Facing.DOWN}),
        0xA4: frozenset({Facing.DOWN, Facing.RIGHT}),
        0xA5: frozenset({Facing.DOWN, Facing.LEFT}),
        0xA6: frozenset({Facing.UP, Facing.RIGHT}),
        0xA7: frozenset({Facing.UP, Facing.LEFT}),
    }
)
"""Tiles that the player may only jump over, standing on them and pressing in these directions."""
COUNTERS = frozenset({0x90, 0x98})
"""Tiles across which a person can be talked to."""
PUSHING = frozenset({0x71, 0x79, 0x7A, 0x7B})
"""Doors, stairs and caves that push who arrives on them one tile down."""
ICE, CUT_TREES, WHIRLPOOLS, WATERFALL = {0x23, 0x2B}, {0x12, 0x1A}, {0x24, 0x2C}, 0x33
SIDE_WALLS: tuple[frozenset[Facing], ...] = (
    frozenset({Facing.RIGHT}),
    frozenset({Facing.LEFT}),
    frozenset({Facing.UP}),
    frozenset({Facing.DOWN}),
    frozenset({Facing.DOWN, Facing.RIGHT}),
    frozenset({Facing.DOWN, Facing.LEFT}),
    frozenset({Facing.UP, Facing.RIGHT}),
    frozenset({Facing.UP, Facing.LEFT}),
)
"""Walled sides of the tiles B0 to B7, and C0 to C7 on water."""
PERMISSIONS = bytes(0xF if number in _WALLS else int(number in WATER) for number in range(256))
"""Low nybble of CollisionPermissionTable by collision id: 0 land, 1 water, F wall."""


def terrain_table(permissions: bytes) -> NDArray[np.uint32]:
    """Return (256,) uint32 `Terrain` bits by collision id, given who may enter which."""
    table = np.zeros(256, np.uint32)
    nybbles = np.frombuffer(permissions, np.uint8) & 0xF
    table[nybbles == 0] |= Terrain.WALKABLE
    table[nybbles == 1] |= Terrain.WATER
    for numbers, bit in (
        (GRASS, Terrain.GRASS),
        (DOORS, Terrain.DOOR),
        (COUNTERS, Terrain.COUNTER),
        (_ANSWERING, Terrain.ANSWERS),
        (PUSHING, Terrain.PUSH),
        (ICE, Terrain.ICE),
        (CUT_TREES, Terrain.CUT_TREE),
        (WHIRLPOOLS, Terrain.WHIRLPOOL),
        ({WATERFALL}, Terrain.WATERFALL),
    ):
        table[list(numbers)] |= bit
    for offset, sides in enumerate(SIDE_WALLS):
        for side in sides:
            table[[0xB0 + offset, 0xC0 + offset]] |= Terrain.WALLS[side]
    for number, ways in LEDGES.items():
        for way in ways:
            table[number] |= Terrain.HOPS[way]
    for number, way in MATS.items():
        table[number] |= Terrain.MATS[way]
    table.setflags(write=False)
    return table


TERRAIN = terrain_table(PERMISSIONS)
"""(256,) uint32 `Terrain` bits by collision id."""
