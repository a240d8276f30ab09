"""Read the current map: collision grid, ways out, signs and what stands on it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from engine.emulator.base import Emulator, rom_slice
from engine.games.base import GameTables
from engine.games.crystal.memory import BASE, FACTS, RAM_SIZE, SYMBOLS, WorkRam, at
from engine.games.facts import read_rows
from engine.types import (
    MAP_BORDER,
    NO_MAP,
    Edge,
    Facing,
    MapId,
    MapObject,
    MapView,
    Terrain,
    TileKind,
    Warp,
)

# Say what a walk tile's collision id lets the player do (COLL_* of pret/pokecrystal).

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


_RIDDEN = frozenset({(21, 3)})
"""Group and number of ROUTE 17: all along the Cycling Road one rides, and cannot surf."""
_NO_WATER = np.uint32(0xFFFFFFFF ^ Terrain.WATER)


def without_closed_water(
    map_id: tuple[int, int], terrain: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    """Return a map's terrain, in which water is a wall where nobody can surf."""
    return terrain & _NO_WATER if map_id in _RIDDEN else terrain


BORDER_BLOCKS = MAP_BORDER
"""Blocks by which the block map is wider and higher than the map: three on each side.

A block has 2 x 2 walk tiles, so that these are `MAP_BORDER` walk tiles on each side.
"""

_WARP_SIZE, _SIGN_SIZE = 5, 5
_OBJECT_STRIDE, _OBJECT_COUNT = 40, 12
_OBJECT_INDEX, _OBJECT_X, _OBJECT_Y = 1, 16, 17
_OFFSET = 4
_MAX_BLOCKS = SYMBOLS["wOverworldMapBlocks"].size
_LAST_WARP = 255
_NO_GROUPS = (0, 0xFF)
_CONNECTIONS = (
    (8, "north", "wNorthMapConnection"),
    (4, "south", "wSouthMapConnection"),
    (2, "west", "wWestMapConnection"),
    (1, "east", "wEastMapConnection"),
)

# What a layout depends on, in three stretches: the map's and the tileset's header, the tables of
# warps and signs, and where one is and came from.
_STRETCHES = (
    ("wMapHeight", "wTilesetCollisionAddress", 2),
    ("wCurMapWarpEventCount", "wCurMapBGEventsPointer", 2),
    ("wBackupMapGroup", "wMapNumber", 1),
)
_SPANS = tuple((at(first), at(last) + size) for first, last, size in _STRETCHES)
(_HEADER, _HEADER_END), (_EVENTS, _EVENTS_END), (_HERE, _HERE_END) = _SPANS
_GROUP, _NUMBER = at("wMapGroup"), at("wMapNumber")
_WIDTH, _HEIGHT, _TILESET = at("wMapWidth"), at("wMapHeight"), at("wTilesetCollisionBank")
_STRUCT = SYMBOLS["wObject1Struct"]
_FLAGS = slice(at("wEventFlags"), at("wEventFlags") + SYMBOLS["wEventFlags"].size)
_TABLE, _MASKS = SYMBOLS["wMapObjects"], SYMBOLS["wObjectMasks"].address
_TABLE_SIZE = _MASKS + SYMBOLS["wObjectMasks"].size - _TABLE.address
_TIME = SYMBOLS["wTimeOfDay"]
_ROW, _NUM_ROWS, _HOUR, _TIMES = 16, 16, 6, 7
_NO_STRUCT, _ANY, _NIGHT = 0xFF, 0xFF, 2
_BEYOND = 4
"""Place in what `MapReader.save` returns."""

MAP_WINDOWS: tuple[tuple[int, int], ...] = tuple(
    (BASE + start, end - start) for start, end in _SPANS
)
"""Work RAM that `MapReader` needs."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """The part of a map that changes only with the map, and the RAM that it was read from.

    Attributes:
        view: Without objects.
    """

    key: bytes
    blocks: bytes
    view: MapView


_NOWHERE = _Layout(b"", b"", NO_MAP)


class MapReader:
    """Read maps, computing a grid only when the map or its blocks changed.

    Args:
        tables: Name the maps.
    """

    def __init__(self, emulator: Emulator, ram: WorkRam, tables: GameTables) -> None:
        self._emulator = emulator
        self._ram = ram.data
        self._name = tables.map_name
        self._layout = _NOWHERE
        self._view = _NOWHERE.view
        self._has_left = True
        self._flags = bytearray()
        self._shown: tuple[object, ...] = ()
        self._things: tuple[MapObject, ...] = ()
        self._tabled: tuple[object, ...] = ()
        self._distant: tuple[MapObject, ...] = ()

    def read(self, is_free: bool, is_loaded: bool) -> MapView:
        """Return the current map; where it cannot be read now, the one last seen.

        The block map is overwritten by battles and screens, and an event may change it, so it is
        read anew when the player is free again, an event flag has changed, or another map is
        entered.

        Args:
            is_free: The player can walk.
            is_loaded: The map is whole in RAM: no battle, no window, no transition.
        """
        if not is_free:
            self._has_left = True
            if not is_loaded or self._key()[-2:] == self._layout.key[-2:]:
                return self._view
        key, flags = self._key(), self._ram[_FLAGS]
        # A step may hold a whole scene: then only an event tells that it changed blocks.
        if self._has_left or flags != self._flags or key != self._layout.key:
            self._has_left, self._flags = not is_free, flags
            width, height = self._ram[_WIDTH], self._ram[_HEIGHT]
            size = (width + BORDER_BLOCKS) * (height + BORDER_BLOCKS)
            blocks = self._emulator.read(0, SYMBOLS["wOverworldMapBlocks"].address, size)
            if key != self._layout.key or blocks != self._layout.blocks:
                self._layout = self._build(key, blocks)
                self._view = self._layout.view
        objects, beyond = self._objects(), self._read_beyond()
        if objects != self._view.objects or beyond != self._view.beyond:
            self._view = replace(self._layout.view, objects=objects, beyond=beyond)
        return self._view

    def save(self) -> list[str]:
        """Return what cannot be read back from RAM at any time, as JSON-able data."""
        objects, beyond = map(_packed, (self._view.objects, self._view.beyond))
        flag = "1" if self._has_left else ""
        return [self._layout.key.hex(), self._layout.blocks.hex(), objects, flag, beyond]

    def restore(self, saved: list[str]) -> None:
        """Put back what `save` returned."""
        key, blocks = (bytes.fromhex(text) for text in saved[:2])
        self._has_left = bool(saved[3])
        self._layout = self._build(key, blocks) if key else _NOWHERE
        beyond = saved[4] if len(saved) > _BEYOND else ""  # not in older ones
        self._view = replace(
            self._layout.view, objects=_things_in(saved[2]), beyond=_things_in(beyond)
        )

    def _key(self) -> bytes:
        ram = self._ram
        return bytes(ram[_HEADER:_HEADER_END] + ram[_EVENTS:_EVENTS_END] + ram[_HERE:_HERE_END])

    def _build(self, key: bytes, blocks: bytes) -> _Layout:
        ram = _unpacked(key)
        bordered = self._grid(ram, blocks)
        height, width = (size - 2 * MAP_BORDER for size in bordered.shape)
        signs = ((row[1], row[0]) for row in self._rows(ram, "wCurMapBGEventCount", _SIGN_SIZE))
        sides = ram[at("wMapConnections")]
        terrain = bordered[MAP_BORDER : MAP_BORDER + height, MAP_BORDER : MAP_BORDER + width]
        kinds = TileKind.of(terrain)
        kinds.setflags(write=False)
        view = MapView(
            width,
            height,
            terrain,
            tuple(w for w in self._warps(ram) if w.x < width and w.y < height),
            (),
            frozenset(side for bit, side, _ in _CONNECTIONS if sides & bit),
            tuple((x, y) for x, y in signs if x < width and y < height),
            bordered,
            tuple(self._edges(ram)),
            kinds,
        )
        return _Layout(key, blocks, view)

    def _warps(self, ram: bytearray) -> Iterator[Warp]:
        back = at("wBackupMapGroup")
        for y, x, index, group, number in self._rows(ram, "wCurMapWarpEventCount", _WARP_SIZE):
            target = MapId(group, number)
            if index == _LAST_WARP and ram[back]:
                target = MapId(ram[back], ram[back + 1])
            yield Warp(x, y, target, index, self._name(target))

    def _edges(self, ram: bytearray) -> Iterator[Edge]:
        sides = ram[at("wMapConnections")]
        for bit, side, symbol in _CONNECTIONS:
            group, number = ram[at(symbol) : at(symbol) + 2]
            if sides & bit and group not in _NO_GROUPS:
                target = MapId(group, number)
                yield Edge(side, target, self._name(target))

    def _rows(self, ram: bytearray, count_symbol: str, size: int) -> list[bytes]:
        """Return the rows of a table in ROM: its count is followed by its address."""
        start = at(count_symbol)
        count, low, high = ram[start : start + 3]
        bank = ram[at("wMapScriptsBank")]
        data = rom_slice(self._emulator.rom, bank, low | high << 8, count * size)
        return [data[row : row + size] for row in range(0, len(data) - size + 1, size)]

    def _grid(self, ram: bytearray, blocks: bytes) -> NDArray[np.uint32]:
        """Return (2 * height + 12, 2 * width + 12) uint32 terrain; sizes in blocks.

        wOverworldMapBlocks is row-major with 3 blocks of border on every side; a block has four
        ids in the tileset's collision table, at [4 * block + x % 2 + 2 * (y % 2)].
        """
        rows, columns = ram[_HEIGHT] + BORDER_BLOCKS, ram[_WIDTH] + BORDER_BLOCKS
        bank, low, high = ram[_TILESET : _TILESET + 3]
        table = np.zeros(1024, np.uint8)
        data = rom_slice(self._emulator.rom, bank, low | high << 8, len(table))
        table[: len(data)] = np.frombuffer(data, np.uint8)
        ids = np.frombuffer(blocks, np.uint8).reshape(rows, columns)
        quads = TERRAIN[table].reshape(256, 2, 2)[ids]
        grid = np.ascontiguousarray(quads.transpose(0, 2, 1, 3).reshape(2 * rows, 2 * columns))
        grid = without_closed_water((ram[_GROUP], ram[_NUMBER]), grid)
        grid.setflags(write=False)
        return grid

    def _objects(self) -> tuple[MapObject, ...]:
        """Read the object structs 1-12 (wObject1Struct 01:D4FE, 40 bytes each; sprite 0 = none)."""
        read, first = self._emulator.read_strided, _STRUCT.address
        sprites = read(1, first, _OBJECT_STRIDE, _OBJECT_COUNT)
        if not any(sprites):
            return ()
        indices = read(1, first + _OBJECT_INDEX, _OBJECT_STRIDE, _OBJECT_COUNT)
        xs = read(1, first + _OBJECT_X, _OBJECT_STRIDE, _OBJECT_COUNT)
        ys = read(1, first + _OBJECT_Y, _OBJECT_STRIDE, _OBJECT_COUNT)
        right, bottom = self._view.width + _OFFSET, self._view.height + _OFFSET
        shown = (sprites, indices, xs, ys, right, bottom)
        if shown != self._shown:
            self._shown = shown
            self._things = tuple(
                MapObject(index, sprite, x - _OFFSET, y - _OFFSET)
                for sprite, index, x, y in zip(sprites, indices, xs, ys, strict=True)
                if sprite and _OFFSET <= x < right and _OFFSET <= y < bottom
            )
        return self._things

    def _read_beyond(self) -> tuple[MapObject, ...]:
        """Read who is on the map without a struct, out of sight (wMapObjects, wObjectMasks)."""
        raw = self._emulator.read(1, _TABLE.address, _TABLE_SIZE)
        hour = self._emulator.read(1, _TIME.address, 1)[0]
        shown = (raw, hour, self._view.width, self._view.height)
        if shown != self._tabled:
            self._tabled = shown
            rows = (raw[at : at + _ROW] for at in range(_ROW, _ROW * _NUM_ROWS, _ROW))
            masks = raw[_MASKS - _TABLE.address + 1 :]
            self._distant = tuple(
                MapObject(index, row[1], row[3] - _OFFSET, row[2] - _OFFSET)
                for index, (row, mask) in enumerate(zip(rows, masks, strict=True), 1)
                if _is_beyond(row, hour)
                and not mask
                and self._view.contains(row[3] - _OFFSET, row[2] - _OFFSET)
            )
        return self._distant


def _is_beyond(row: bytes, time: int) -> bool:
    """Return whether a row of wMapObjects has no struct, and its hours fit."""
    is_there = row[_HOUR] != _ANY or row[_TIMES] == _ANY or row[_TIMES] >> min(time, _NIGHT) & 1
    return row[0] == _NO_STRUCT and row[1] != 0 and bool(is_there)


def _packed(things: tuple[MapObject, ...]) -> str:
    return b"".join(bytes((one.index, one.sprite, one.x, one.y)) for one in things).hex()


def _things_in(text: str) -> tuple[MapObject, ...]:
    data = bytes.fromhex(text)
    rows = (data[start : start + 4] for start in range(0, len(data), 4))
    return tuple(MapObject(*row) for row in rows)


def _unpacked(key: bytes) -> bytearray:
    """Return work RAM with only a layout's key in its places."""
    ram = bytearray(RAM_SIZE)
    for start, end in _SPANS:
        ram[start:end], key = key[: end - start], key[end - start :]
    return ram


def is_plausible_size(ram: bytearray) -> bool:
    """Return whether the map in RAM has a size that the block map can hold."""
    width, height = ram[_WIDTH], ram[_HEIGHT]
    blocks = (width + BORDER_BLOCKS) * (height + BORDER_BLOCKS)
    return width > 0 and height > 0 and blocks <= _MAX_BLOCKS
