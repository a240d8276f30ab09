"""Read the current map: terrain, ways out, signs and what stands on it.

The cells lie in RAM with 7 tiles of border on every side but the east, 8 there, which hold the
neighbours' nearest strips; layout, tilesets, events and connections lie in the image, where
gMapHeader points.
"""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.games.base import GameTables
from engine.games.emerald.gates import GateReader, pack_gates, unpack_gates
from engine.games.emerald.memory import (
    EWRAM,
    EWRAM_SIZE,
    Memory,
    Profile,
    SaveBlocks,
    ewram_at,
    iwram_at,
)
from engine.games.emerald.rom_maps import (
    ATTRIBUTES_AT,
    ATTRIBUTES_SIZE,
    BORDER_HEIGHT,
    BORDER_WIDTH,
    CONNECTION,
    CONNECTION_FACINGS,
    DYNAMIC_MAP,
    EVENTS,
    LAYOUT,
    MAX_CELLS,
    MAX_CONNECTIONS,
    WARP,
)
from engine.games.emerald.terrain import behaviours_of, bridges_of, cell_terrain, kinds_of
from engine.games.overworld import BACK
from engine.types import (
    MAP_BORDER,
    NO_MAP,
    SIDES,
    Edge,
    MapId,
    MapObject,
    MapView,
    TurningGate,
    Warp,
)

_BORDER = 7
_SPARE = _BORDER - MAP_BORDER
_HEADER, _HEADER_SIZE = ewram_at("gMapHeader"), 28
_BACKUP = iwram_at("gBackupMapLayout")
_BACKUP_LAYOUT = struct.Struct("<iiI")
_POINTERS = struct.Struct("<4I")
_SIGN = struct.Struct("<HHBB6x")
_CONNECTIONS = struct.Struct("<iI")
_SIGN_KINDS = 5
"""Kinds from here on are hidden items and secret bases."""
_DYNAMIC_WARP = 0x14  # in SaveBlock1, where warps to DYNAMIC_MAP lead: s8 group, number, warp

_OBJECTS, _OBJECT_SIZE, _NUM_OBJECTS = ewram_at("gObjectEvents"), 0x24, 16
_OBJECT = struct.Struct("<BBBxxBxxBBBB4xhh16x")
"""Active, visibility, whether the player, graphics, number, map's number and group, elevation (low
nibble), x, y."""
_THING = struct.Struct("<BBhH")
"""As it is saved: number, graphics, x, y and 4,096 times the level."""
_LEVEL = 0x1000
_ACTIVE, _INVISIBLE, _IS_PLAYER = 1, 0x20, 1
_AVATAR_OBJECT = ewram_at("gPlayerAvatar") + 5
_TEMPLATES, _NUM_TEMPLATES = 0xC70, 64
_TEMPLATE = struct.Struct("<BBxxhhB11xHxx")
"""Of SaveBlock1, all on the map: number, graphics, x, y, elevation, and the flag that takes them
away."""
_FLAGS, _NUM_FLAG_BYTES = 0x1270, 300


@dataclass(frozen=True, slots=True)
class _Layout:
    """The part of a map that changes only with it or its cells, and the memory it was read from.

    Attributes:
        key: The header, its map's numbers, where the dynamic warp leads and the size in RAM.
        view: Without objects.
    """

    key: bytes
    cells: bytes
    view: MapView


_NOWHERE = _Layout(b"", b"", NO_MAP)


class MapReader:
    """Read maps, computing a grid only when the map or its cells changed.

    Args:
        memory: Of the machine.
        profile: Of the image that it runs.
        tables: Name the maps.
    """

    def __init__(self, memory: Memory, profile: Profile, tables: GameTables) -> None:
        self._memory = memory
        self._ewram, self._iwram = memory.ewram, memory.iwram
        self._gates = GateReader(memory, profile)
        self._groups = profile.rom.get("gMapGroups", 0)
        self._name = tables.map_name
        self._layout = _NOWHERE
        self._view = _NOWHERE.view
        self._shown = b""
        self._things: tuple[MapObject, ...] = ()
        self._matching: tuple[int, ...] = ()
        self._near: frozenset[int] = frozenset()
        self._templates = b""
        self._beyond: tuple[MapObject, ...] = ()

    def read(self, blocks: SaveBlocks, map_id: MapId) -> MapView | None:
        """Return the current map, None where it is not whole in memory.

        Args:
            blocks: Where the save blocks are.
            map_id: Of the map that the player is on.
        """
        found = self._cells()
        if found is None:
            return None
        size, cells = found
        key = self._key(blocks, map_id, size)
        if key != self._layout.key or cells != self._layout.cells:
            layout = self._build(key, cells)
            if layout is None:
                return None
            self._layout, self._view, self._shown = layout, layout.view, b""
        objects = self._objects(map_id)
        shown = objects, self._far(blocks), self._gates.read(blocks, map_id)
        if shown != (self._view.objects, self._view.beyond, self._view.turning_gates):
            self._view = _with(self._layout.view, *shown)
        return self._view

    @property
    def last(self) -> MapView:
        """Return the map that was last read."""
        return self._view

    def save(self) -> list[str]:
        """Return the map that was last read, as JSON-able data."""
        objects, beyond = (_pack(things) for things in (self._view.objects, self._view.beyond))
        gates = pack_gates(self._view.turning_gates)
        return [self._layout.key.hex(), self._layout.cells.hex(), objects, beyond, gates]

    def restore(self, saved: list[str]) -> None:
        """Put back what `save` returned."""
        key, cells = (bytes.fromhex(text) for text in saved[:2])
        self._layout = (self._build(key, cells) if key else None) or _NOWHERE
        objects, beyond, gates = (*saved[2:], "", "")[:3]  # once without the last two
        things = _unpack(objects), _unpack(beyond)
        self._view = _with(self._layout.view, *things, unpack_gates(gates))

    def is_header_of(self, map_id: MapId) -> bool:
        """Return whether gMapHeader is of a map, by where its events lie in the image."""
        if not self._groups:
            return True
        events = _POINTERS.unpack_from(self._ewram, _HEADER)[1]
        key = map_id.group, map_id.number, events
        if key == self._matching:
            return True
        pointer = self._memory.pointer
        header = pointer(pointer(self._groups + 4 * map_id.group) + 4 * map_id.number)
        is_match = bool(header) and pointer(header + 4) == events
        if is_match:
            self._matching = key
        return is_match

    def _cells(self) -> tuple[tuple[int, int], bytes] | None:
        """Return width and height with the border, and the cells."""
        width, height, address = _BACKUP_LAYOUT.unpack_from(self._iwram, _BACKUP)
        if width <= BORDER_WIDTH or height <= BORDER_HEIGHT or width * height > MAX_CELLS:
            return None
        start, size = address - EWRAM, 2 * width * height
        if not 0 <= start <= EWRAM_SIZE - size:
            return None
        return (width, height), bytes(self._ewram[start : start + size])

    def _key(self, blocks: SaveBlocks, map_id: MapId, size: tuple[int, int]) -> bytes:
        warp = blocks.first + _DYNAMIC_WARP
        return b"".join(
            (
                self._ewram[_HEADER : _HEADER + _HEADER_SIZE],
                bytes((map_id.group & 0xFF, map_id.number & 0xFF)),
                self._ewram[warp : warp + 2],
                struct.pack("<HH", *size),
            )
        )

    def _build(self, key: bytes, raw: bytes) -> _Layout | None:
        """Return a layout, None where header and cells do not belong together."""
        layout_at, events_at, _, connections_at = _POINTERS.unpack_from(key)
        dynamic = MapId(*key[_HEADER_SIZE + 2 : _HEADER_SIZE + 4])
        columns, rows = struct.unpack("<HH", key[-4:])
        width, height = columns - BORDER_WIDTH, rows - BORDER_HEIGHT
        layout = self._memory.read(layout_at, LAYOUT.size)
        if not layout:
            return None
        map_width, map_height, _, _, *tilesets = LAYOUT.unpack(layout)
        if (map_width, map_height) != (width, height):
            return None
        cells = np.frombuffer(raw, "<u2").reshape(rows, columns)
        primary, secondary = (self._attributes(tileset) for tileset in tilesets)
        behaviours = behaviours_of(cells, primary, secondary)
        warps, signs = self._events(events_at, dynamic)
        inside = [(w.x, w.y) for w in warps if 0 <= w.x < width and 0 <= w.y < height]
        terrain = cell_terrain(cells, behaviours, [(x + _BORDER, y + _BORDER) for x, y in inside])
        bordered = np.ascontiguousarray(
            terrain[_SPARE : rows - _SPARE, _SPARE : _SPARE + width + 2 * MAP_BORDER]
        )
        own = slice(_BORDER, _BORDER + height), slice(_BORDER, _BORDER + width)
        kinds = kinds_of(terrain[own], behaviours[own])
        for array in (bordered, kinds):
            array.setflags(write=False)
        edges = tuple(self._edges(connections_at))
        within = slice(MAP_BORDER, MAP_BORDER + height), slice(MAP_BORDER, MAP_BORDER + width)
        view = MapView(
            width,
            height,
            bordered[within],
            tuple(w for w in warps if (w.x, w.y) in inside),
            (),
            frozenset(edge.side for edge in edges),
            tuple((x, y) for x, y in signs if x < width and y < height),
            bordered,
            edges,
            kinds,
            bridges=bridges_of(cells[own], terrain[own]),
        )
        return _Layout(key, raw, view)

    def _attributes(self, tileset: int) -> NDArray[np.uint16]:
        """Return the attributes of a tileset's metatiles; fewer where the image ends before."""
        address = self._memory.pointer(tileset + ATTRIBUTES_AT)
        raw = self._memory.read_most(address, ATTRIBUTES_SIZE)
        return np.frombuffer(raw[: len(raw) & ~1], "<u2")

    def _events(self, address: int, dynamic: MapId) -> tuple[list[Warp], list[tuple[int, int]]]:
        raw = self._memory.read(address, EVENTS.size)
        if not raw:
            return [], []
        _, num_warps, _, num_signs, _, warps_at, _, signs_at = EVENTS.unpack(raw)
        warps = []
        for x, y, _, index, number, group in self._rows(warps_at, num_warps, WARP):
            is_dynamic = (group, number) == DYNAMIC_MAP
            target = dynamic if is_dynamic else MapId(group, number)
            warps.append(Warp(x, y, target, BACK if is_dynamic else index + 1, self._name(target)))
        signs = self._rows(signs_at, num_signs, _SIGN)
        return warps, [(x, y) for x, y, _, kind in signs if kind < _SIGN_KINDS]

    def _edges(self, address: int) -> Iterator[Edge]:
        raw = self._memory.read(address, _CONNECTIONS.size)
        count, rows = _CONNECTIONS.unpack(raw) if raw else (0, 0)
        if 0 < count <= MAX_CONNECTIONS:
            for direction, _, group, number in self._rows(rows, count, CONNECTION):
                if direction in CONNECTION_FACINGS:
                    target = MapId(group, number)
                    side = SIDES[CONNECTION_FACINGS[direction]]
                    yield Edge(side, target, self._name(target))

    def _rows(self, address: int, count: int, row: struct.Struct) -> Iterator[tuple[int, ...]]:
        return row.iter_unpack(self._memory.read(address, count * row.size))

    def _objects(self, map_id: MapId) -> tuple[MapObject, ...]:
        """Return what stands near the player: objects further off are not in memory."""
        size = _OBJECT_SIZE * _NUM_OBJECTS
        raw = bytes(self._ewram[_OBJECTS : _OBJECTS + size])
        if raw == self._shown:
            return self._things
        player = self._ewram[_AVATAR_OBJECT]
        right, bottom = self._layout.view.width, self._layout.view.height
        things, near = [], set()
        for slot, (active, hidden, is_player, sprite, index, *row) in enumerate(
            _OBJECT.iter_unpack(raw)
        ):
            number, group, level, x, y = row
            if active & _ACTIVE and (group, number) == (map_id.group, map_id.number):
                near.add(index)
            if not active & _ACTIVE or hidden & _INVISIBLE or is_player & _IS_PLAYER:
                continue
            is_here = (group, number) == (map_id.group, map_id.number) and slot != player
            if is_here and 0 <= x - _BORDER < right and 0 <= y - _BORDER < bottom:
                things.append(MapObject(index, sprite, x - _BORDER, y - _BORDER, level & 0xF))
        self._shown, self._things, self._near = raw, tuple(things), frozenset(near)
        return self._things

    def _far(self, blocks: SaveBlocks) -> tuple[MapObject, ...]:
        """Return who is on the map, but too far from the player to be in gObjectEvents."""
        start, end = blocks.first + _TEMPLATES, blocks.first + _FLAGS
        raw = bytes(self._ewram[start : end + _NUM_FLAG_BYTES]) + bytes(sorted(self._near))
        if raw != self._templates:
            self._templates, self._beyond = raw, tuple(self._listed(raw))
        return self._beyond

    def _listed(self, raw: bytes) -> Iterator[MapObject]:
        size = _TEMPLATE.size * _NUM_TEMPLATES
        flags = int.from_bytes(raw[size : size + _NUM_FLAG_BYTES], "little")
        for index, sprite, x, y, level, flag in _TEMPLATE.iter_unpack(raw[:size]):
            is_gone = index == 0 or index in self._near or flags >> flag & 1
            if not is_gone and self._layout.view.contains(x, y):
                yield MapObject(index, sprite, x, y, level & 0xF)


def _with(
    view: MapView,
    objects: tuple[MapObject, ...],
    beyond: tuple[MapObject, ...],
    gates: tuple[TurningGate, ...],
) -> MapView:
    return replace(view, objects=objects, beyond=beyond, turning_gates=gates)


def _pack(things: Iterable[MapObject]) -> str:
    rows = ((one.index, one.sprite, one.x, one.y + _LEVEL * one.level) for one in things)
    return b"".join(_THING.pack(*row) for row in rows).hex()


def _unpack(saved: str) -> tuple[MapObject, ...]:
    rows = _THING.iter_unpack(bytes.fromhex(saved))
    return tuple(
        MapObject(index, sprite, x, y % _LEVEL, y // _LEVEL) for index, sprite, x, y in rows
    )
