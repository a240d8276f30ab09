"""Read the current map: collision grid, warps, signs and what stands on it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.emulator.base import Emulator, rom_slice
from engine.games.crystal.ram import WorkRam, at, window
from engine.games.crystal.symbols import SYMBOLS
from engine.types import MapId, MapObject, MapView, Warp

BORDER = 6
"""Walk tiles on each side of the map that the block map holds too."""
BORDER_BLOCKS = 6
"""Blocks by which the block map is wider and higher than the map: three on each side."""

_WARP_SIZE, _SIGN_SIZE = 5, 5
_OBJECT_STRIDE, _OBJECT_COUNT = 40, 12
_OBJECT_INDEX, _OBJECT_X, _OBJECT_Y = 1, 16, 17
_OFFSET = 4
_MAX_BLOCKS = SYMBOLS["wOverworldMapBlocks"].size
_CONNECTIONS = ((8, "north"), (4, "south"), (2, "west"), (1, "east"))

_GROUP, _WIDTH, _HEIGHT = at("wMapGroup"), at("wMapWidth"), at("wMapHeight")
_BANK, _TABLE = at("wTilesetCollisionBank"), at("wTilesetCollisionAddress")
_SCRIPTS = at("wMapScriptsBank")
_WARPS, _SIGNS = at("wCurMapWarpEventCount"), at("wCurMapBGEventCount")
_EDGES = at("wMapConnections")
_STRUCT = SYMBOLS["wObject1Struct"]

MAP_WINDOWS: tuple[tuple[int, int], ...] = (
    window("wMapGroup", 4),
    window("wMapHeight", 2),
    window("wMapConnections"),
    window("wMapScriptsBank"),
    window("wTilesetCollisionBank", 3),
    window("wCurMapWarpEventCount", 3),
    window("wCurMapBGEventCount", 3),
)
"""Work RAM that `MapReader` needs."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """What of a map changes only with the map, and the RAM that says so."""

    key: bytes
    blocks: bytes
    bordered: NDArray[np.uint8]
    collision: NDArray[np.uint8]
    warps: tuple[Warp, ...]
    signs: tuple[tuple[int, int], ...]
    connections: frozenset[str]


_NOWHERE = _Layout(
    b"", b"", np.zeros((0, 0), np.uint8), np.zeros((0, 0), np.uint8), (), (), frozenset()
)


class MapReader:
    """Read maps, computing a grid only when the map or its blocks changed."""

    def __init__(self, emulator: Emulator, ram: WorkRam) -> None:
        self._emulator = emulator
        self._ram = ram.data
        self._layout = _NOWHERE
        self._view = MapView(0, 0, _NOWHERE.collision, (), (), frozenset())
        self._has_left = True

    def read(self, is_free: bool) -> MapView:
        """Return the current map; while `is_free` is false, the one last seen.

        The block map is overwritten by battles and screens, and an event may change it, so it is
        read anew when the player is free again, or on another map.
        """
        if not is_free:
            self._has_left = True
            return self._view
        key = self._key()
        if self._has_left or key != self._layout.key:
            self._has_left = False
            size = (key[2] + BORDER_BLOCKS) * (key[3] + BORDER_BLOCKS)
            blocks = self._emulator.read(
                0, SYMBOLS["wOverworldMapBlocks"].address, min(size, _MAX_BLOCKS)
            )
            if key != self._layout.key or blocks != self._layout.blocks:
                self._layout = self._build(key, blocks)
                self._view = self._with_objects(())
        objects = self._objects()
        if objects != self._view.objects:
            self._view = self._with_objects(objects)
        return self._view

    def save(self) -> list[str]:
        """Return what cannot be read back from RAM at any time, as JSON-able data."""
        objects = b"".join(
            bytes((entry.index, entry.sprite, entry.x + _OFFSET, entry.y + _OFFSET))
            for entry in self._view.objects
        )
        flag = "1" if self._has_left else ""
        return [self._layout.key.hex(), self._layout.blocks.hex(), objects.hex(), flag]

    def restore(self, saved: list[str]) -> None:
        """Put back what `save` returned."""
        key, blocks, objects = (bytes.fromhex(text) for text in saved[:3])
        self._has_left = bool(saved[3])
        self._layout = self._build(key, blocks) if key else _NOWHERE
        rows = [objects[start : start + 4] for start in range(0, len(objects), 4)]
        self._view = self._with_objects(
            tuple(MapObject(row[0], row[1], row[2] - _OFFSET, row[3] - _OFFSET) for row in rows)
        )

    def _key(self) -> bytes:
        """Return group, number, width, height, then the other bytes that a layout depends on."""
        ram = self._ram
        return bytes(
            (
                *ram[_GROUP : _GROUP + 2],
                ram[_WIDTH],
                ram[_HEIGHT],
                *ram[_BANK : _BANK + 3],
                ram[_SCRIPTS],
                *ram[_WARPS : _WARPS + 3],
                *ram[_SIGNS : _SIGNS + 3],
                ram[_EDGES],
            )
        )

    def _build(self, key: bytes, blocks: bytes) -> _Layout:
        width, height = key[2], key[3]
        warp_rows = self._rows(key[7], key[8], key[9:11], _WARP_SIZE)
        sign_rows = self._rows(key[7], key[11], key[12:14], _SIGN_SIZE)
        bordered = self._grid(width, height, key[4], key[5] | key[6] << 8, blocks)
        return _Layout(
            key,
            blocks,
            bordered,
            bordered[BORDER : BORDER + 2 * height, BORDER : BORDER + 2 * width],
            tuple(Warp(row[1], row[0], MapId(row[3], row[4]), row[2]) for row in warp_rows),
            tuple((row[1], row[0]) for row in sign_rows),
            frozenset(name for bit, name in _CONNECTIONS if key[14] & bit),
        )

    def _rows(self, bank: int, count: int, pointer: bytes, size: int) -> list[bytes]:
        data = rom_slice(self._emulator.rom, bank, pointer[0] | pointer[1] << 8, count * size)
        return [data[start : start + size] for start in range(0, len(data) - size + 1, size)]

    def _grid(
        self, width: int, height: int, bank: int, address: int, blocks: bytes
    ) -> NDArray[np.uint8]:
        """Return (2 * height + 12, 2 * width + 12) collision ids; sizes in blocks.

        wOverworldMapBlocks is row-major with 3 blocks of border on every side; a block has four
        ids in the tileset's collision table, at [4 * block + x % 2 + 2 * (y % 2)].
        """
        rows, columns = height + BORDER_BLOCKS, width + BORDER_BLOCKS
        table = np.zeros(1024, np.uint8)
        data = np.frombuffer(rom_slice(self._emulator.rom, bank, address, 1024), np.uint8)
        table[: len(data)] = data
        ids = np.zeros(rows * columns, np.uint8)
        known = np.frombuffer(blocks, np.uint8)[: rows * columns]
        ids[: len(known)] = known
        quads = table.reshape(256, 2, 2)[ids.reshape(rows, columns)]
        grid = np.ascontiguousarray(quads.transpose(0, 2, 1, 3).reshape(2 * rows, 2 * columns))
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
        return tuple(
            MapObject(index, sprite, x - _OFFSET, y - _OFFSET)
            for sprite, index, x, y in zip(sprites, indices, xs, ys, strict=True)
            if sprite
        )

    def _with_objects(self, objects: tuple[MapObject, ...]) -> MapView:
        layout = self._layout
        height, width = layout.collision.shape
        return MapView(
            width,
            height,
            layout.collision,
            layout.warps,
            objects,
            layout.connections,
            layout.signs,
            layout.bordered if layout.key else None,
        )
