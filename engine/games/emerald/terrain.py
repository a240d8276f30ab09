"""Say what a walk tile lets the player do, from its cell and its metatile's behaviour.

A cell is what a map holds for a tile: bits 0-9 metatile, 10-11 collision, 12-15 elevation. The
behaviours are MB_* of pret/pokeemerald.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.types import NO_BRIDGES, Bridges, Facing, Terrain, TileKind

VOID = 0x3FF
"""Metatile of cells outside of every map."""
PRIMARY_METATILES = 512
"""Metatiles from here on are those of the second tileset."""
_METATILE, _COLLISION, _ELEVATION_SHIFT = 0x3FF, 0x0C00, 12
_BEHAVIOUR = 0xFF  # of a metatile's attributes
_ANY, _SHORE, _BRIDGE = 0, 3, 15
"""Elevations: a tile of `_ANY` joins all others, water is entered and left at `_SHORE` only, and on
a bridge one keeps the elevation at which one came."""
_MATCHES_ALL = (_ANY, _BRIDGE)

_Tile = tuple[int, int]  # x, y
_Level = tuple[int, bool]  # elevation, whether it is water's

_GRASS = (0x02, 0x03, 0x24)
_WATER = (
    *range(0x10, 0x16), 0x19, 0x1A, 0x22, 0x2A, *range(0x50, 0x54), 0x6C, 0x6D
)  # fmt: skip
"""Ponds, sea, waterfalls, seaweed, currents and the ways out of them: surfed on."""
_DOOR, _ENTRANCE = 0x69, 0x60
"""A door that opens, which walls do not hold back; stairs, and holes in rock and wall."""
_STEPPED_ON = (_DOOR, _ENTRANCE, 0x61, 0x6A, 0x6B, 0x6C, 0x6E, 0x0E, 0x0F, 0x29, 0x67, 0x68)
"""Warps taken by stepping on the tile: doors, ladders, escalators, holes, warp panels."""
_MATS: Mapping[Facing, tuple[int, ...]] = MappingProxyType(
    {
        Facing.RIGHT: (0x62,),
        Facing.LEFT: (0x63,),
        Facing.UP: (0x64, 0x1B),
        Facing.DOWN: (0x65, 0x6D, 0x1C),
    }
)
"""Warps taken by standing on the tile and pressing on in this direction."""
_LEDGES: Mapping[int, Facing] = MappingProxyType(
    {0x38: Facing.RIGHT, 0x39: Facing.LEFT, 0x3A: Facing.UP, 0x3B: Facing.DOWN}
)
"""Tiles that one hops over, standing before them and pressing in this direction."""
_LEDGE_CORNERS = range(0x3C, 0x40)
_COUNTER, _ICE, _WATERFALL = 0x80, 0x20, 0x13
_ANSWERING = (_COUNTER, *range(0x83, 0x90), *range(0xE0, 0xEB))
"""Counters, computers, televisions, maps on walls, shelves, vases, bins: may answer A."""
_SIDE_WALLS: Mapping[int, tuple[Facing, ...]] = MappingProxyType(
    {
        0x30: (Facing.RIGHT,),
        0x31: (Facing.LEFT,),
        0x32: (Facing.UP,),
        0x33: (Facing.DOWN,),
        0x34: (Facing.UP, Facing.RIGHT),
        0x35: (Facing.UP, Facing.LEFT),
        0x36: (Facing.DOWN, Facing.RIGHT),
        0x37: (Facing.DOWN, Facing.LEFT),
        0xC0: (Facing.DOWN, Facing.UP),
        0xC1: (Facing.LEFT, Facing.RIGHT),
        _DOOR: (Facing.UP, Facing.LEFT, Facing.RIGHT),
    }
)


def _table() -> NDArray[np.uint32]:
    """Return (256,) uint32 the bits that a behaviour gives to a tile that is no wall."""
    table = np.full(256, Terrain.WALKABLE, np.uint32)
    table[list(_WATER)] = Terrain.WATER
    for numbers, bit in (
        (_GRASS, Terrain.GRASS),
        (_STEPPED_ON, Terrain.DOOR),
        ((_DOOR, _ENTRANCE), Terrain.PUSH),
        (_ANSWERING, Terrain.ANSWERS),
        ((_COUNTER,), Terrain.COUNTER),
        ((_ICE,), Terrain.ICE),
        ((_WATERFALL,), Terrain.WATERFALL),
        *((numbers, Terrain.MATS[way]) for way, numbers in _MATS.items()),
        *(((number,), Terrain.WALLS[way]) for number, ways in _SIDE_WALLS.items() for way in ways),
    ):
        table[list(numbers)] |= np.uint32(bit)
    table[[*_LEDGES, *_LEDGE_CORNERS]] = 0
    table.setflags(write=False)
    return table


_BITS = _table()
_OF_WALLS = np.uint32(Terrain.COUNTER | Terrain.ANSWERS)
_OF_WARPS = np.uint32(Terrain.WARP | Terrain.PUSH)
_FLOOR = np.uint32(Terrain.WALKABLE | Terrain.WATER)
_NO_LEDGE = np.uint32(0xFFFF_FFFF ^ Terrain.LEDGE)


def behaviours_of(
    cells: NDArray[np.uint16], primary: NDArray[np.uint16], secondary: NDArray[np.uint16]
) -> NDArray[np.uint8]:
    """Return the behaviours of cells, in their shape; 0 for metatiles that no tileset has.

    Args:
        cells: As in a map.
        primary: Attributes of the first tileset's metatiles; at most 512 count.
        secondary: Of the second tileset's.
    """
    numbers = np.zeros(VOID + 1, np.uint8)
    for start, attributes in ((0, primary), (PRIMARY_METATILES, secondary)):
        known = attributes[:PRIMARY_METATILES]
        numbers[start : start + len(known)] = known & _BEHAVIOUR
    found: NDArray[np.uint8] = numbers[cells & _METATILE]
    return found


def terrain_of(
    cells: NDArray[np.uint16],
    primary: NDArray[np.uint16],
    secondary: NDArray[np.uint16],
    warps: Iterable[tuple[int, int]] = (),
) -> NDArray[np.uint32]:
    """Return `Terrain` bits of a map, from the attributes of its two tilesets.

    See `cell_terrain` and `behaviours_of`.
    """
    return cell_terrain(cells, behaviours_of(cells, primary, secondary), warps)


def cell_terrain(
    cells: NDArray[np.uint16], behaviours: NDArray[np.uint8], warps: Iterable[tuple[int, int]] = ()
) -> NDArray[np.uint32]:
    """Return `Terrain` bits of a map.

    Doors and mats count where a warp is; a door without one is as its collision says. A ledge's
    hop is a bit of the tile before it, the ledge itself a wall. Where two tiles beside each other
    differ in elevation there is a wall along their sides, but not between land and water, where
    one surfs.

    Args:
        cells: (height, width) uint16.
        behaviours: (height, width) uint8 of the cells.
        warps: (x, y) in the arrays of the map's warps; others are left out.

    Returns:
        (height, width) uint32.
    """
    height, width = cells.shape
    is_warp = np.zeros(cells.shape, np.bool_)
    for x, y in warps:
        if 0 <= x < width and 0 <= y < height:
            is_warp[y, x] = True
    bits = _BITS[behaviours]
    is_wall = (cells & _COLLISION != 0) & ~(is_warp & (behaviours == _DOOR))
    is_wall |= (cells & _METATILE == VOID) | (bits & _FLOOR == 0)
    bits[is_wall] &= _OF_WALLS
    bits[~is_warp] &= ~_OF_WARPS
    _add_hops(bits, behaviours)
    _add_steps(bits, cells >> _ELEVATION_SHIFT)
    return bits


def kinds_of(terrain: NDArray[np.uint32], behaviours: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the `TileKind` of tiles: a ledge is the tile that one hops over."""
    kinds = TileKind.of(terrain & _NO_LEDGE)
    kinds[np.isin(behaviours, list(_LEDGES))] = TileKind.LEDGE
    return kinds


def bridges_of(cells: NDArray[np.uint16], terrain: NDArray[np.uint32], first: int = 0) -> Bridges:
    """Return the tiles under the bridges of a map.

    A bridge has the levels of the floor around it. One that reaches the map's edge may have others
    beyond it, and counts as one level that joins them all, as does one of a single level.

    Args:
        cells: (height, width) uint16.
        terrain: (height, width) uint32, of `cell_terrain`.
        first: Number of the map's first tile.
    """
    elevations, (height, width) = cells >> _ELEVATION_SHIFT, cells.shape
    if not (elevations == _BRIDGE).any():
        return NO_BRIDGES
    floor = {
        (x, y): (int(elevations[y, x]), bool(terrain[y, x] & Terrain.WATER))
        for y, x in np.argwhere(terrain & _FLOOR).tolist()
    }
    wet = {level for level, is_water in floor.values() if is_water}
    places = {tile: first + tile[1] * width + tile[0] for tile in floor}
    numbers = {(tile, level): places[tile] for tile, (level, _) in floor.items()}
    lower: list[tuple[int, int, int, int]] = []
    for tile, levels in _levels(floor, width, height).items():
        numbers[tile, max(levels)] = numbers.pop((tile, _BRIDGE))
        dry = int(terrain[tile[1], tile[0]])
        for level in sorted(levels - {max(levels)}):
            numbers[tile, level] = number = first + height * width + len(lower)
            bits = dry & ~Terrain.WALKABLE | Terrain.WATER if level in wet else dry
            lower.append((number, places[tile], level, bits))
    steps = _steps(floor, places, numbers, wet) if lower else ()
    return Bridges(tuple(lower), tuple(steps))


def _steps(
    floor: Mapping[_Tile, _Level],
    places: Mapping[_Tile, int],
    numbers: Mapping[tuple[_Tile, int], int],
    wet: Collection[int],
) -> Iterator[tuple[int, Facing, int]]:
    """Yield `Bridges.steps`.

    Args:
        floor: The map's.
        places: Numbers of its tiles.
        numbers: Those at each level.
        wet: Levels of water.
    """
    for (tile, level), number in numbers.items():
        is_split = (tile, _BRIDGE) not in numbers and floor[tile][0] == _BRIDGE
        for way, beside in zip(Facing, _around(tile), strict=True):
            target = numbers.get((beside, level))
            if target is None and is_split and beside in floor:
                is_joined = _is_joined((level, level in wet), floor[beside])
                target = places[beside] if is_joined else -1
            if target is not None and target != places[beside]:
                yield number, way, target


def _levels(floor: Mapping[_Tile, _Level], width: int, height: int) -> dict[_Tile, set[int]]:
    """Return the bridges' tiles of several levels, with these."""
    found: dict[_Tile, set[int]] = {at: set() for at, (one, _) in floor.items() if one == _BRIDGE}
    waiting = [
        (beside, level)
        for tile, (level, _) in floor.items()
        if level != _BRIDGE
        for beside in _around(tile)
    ]
    waiting += [
        (tile, _BRIDGE) for tile in found if tile[0] in (0, width - 1) or tile[1] in (0, height - 1)
    ]
    for tile, level in waiting:
        if level not in found.get(tile, {level}):
            found[tile].add(level)
            waiting += [(beside, level) for beside in _around(tile)]
    return {
        tile: levels
        for tile, levels in found.items()
        if _BRIDGE not in levels and len(levels - {_ANY}) > 1
    }


def _around(tile: _Tile) -> tuple[_Tile, ...]:
    """Return the tiles around one, in the order of Facing."""
    return tuple((tile[0] + way.delta[0], tile[1] + way.delta[1]) for way in Facing)


def _is_joined(one: _Level, other: _Level) -> bool:
    """Return whether one steps between two levels."""
    if one[1] != other[1]:
        return (other if one[1] else one)[0] == _SHORE
    return one[0] == other[0] or _ANY in (one[0], other[0])


def _add_hops(bits: NDArray[np.uint32], behaviours: NDArray[np.uint8]) -> None:
    for number, way in _LEDGES.items():
        is_ledge = behaviours == number
        if not is_ledge.any():
            continue
        before, ledge = _pair(way)
        hops = is_ledge[ledge] & (bits[before] & Terrain.WALKABLE != 0)
        bits[before][hops] |= np.uint32(Terrain.HOPS[way])


def _add_steps(bits: NDArray[np.uint32], elevations: NDArray[np.integer[Any]]) -> None:
    matters = _is_none_of(elevations, _MATCHES_ALL) & (bits & _FLOOR != 0)
    is_water = bits & Terrain.WATER != 0
    for way, back in ((Facing.RIGHT, Facing.LEFT), (Facing.DOWN, Facing.UP)):
        here, there = _pair(way)
        differ = matters[here] & matters[there] & (elevations[here] != elevations[there])
        differ &= is_water[here] == is_water[there]
        bits[here][differ] |= np.uint32(Terrain.WALLS[way])
        bits[there][differ] |= np.uint32(Terrain.WALLS[back])


def _is_none_of(values: NDArray[np.integer[Any]], numbers: Collection[int]) -> NDArray[np.bool_]:
    found = np.ones(values.shape, np.bool_)
    for number in numbers:
        found &= values != number
    return found


def _pair(way: Facing) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Return what picks from an array [y, x] all tiles with a neighbour there, and those."""
    cut: Mapping[int, tuple[slice, slice]] = {
        -1: (slice(1, None), slice(None, -1)),
        0: (slice(None), slice(None)),
        1: (slice(None, -1), slice(1, None)),
    }
    dx, dy = way.delta
    (here_x, there_x), (here_y, there_y) = cut[dx], cut[dy]
    return (here_y, here_x), (there_y, there_x)
