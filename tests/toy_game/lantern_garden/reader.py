"""Read the garden's memory."""

from dataclasses import dataclass, replace

import numpy as np

from engine.types import (
    MAP_BORDER,
    Bag,
    Control,
    Facing,
    GameState,
    MapId,
    MapObject,
    MapView,
    Place,
    Terrain,
    TileKind,
    Warp,
)

from . import garden
from . import machine as at
from .tables import GATE_KEY, TABLES

_TERRAIN = {garden.HEDGE: 0, garden.POND: Terrain.WATER, garden.LANTERN: 0}
_KEY, _LANTERN, _MOTH = 1, 2, 10
"""Sprites and indices; lanterns count up."""


@dataclass(frozen=True, slots=True)
class GardenState(GameState):
    """What this game has of its own.

    Attributes:
        oil: Lanterns that can still be lit.
    """

    oil: int = 0


class GardenReader:
    """An `engine.games.base.Reader`."""

    def __init__(self, machine: at.GardenMachine) -> None:
        self._machine = machine
        self._views: dict[tuple[int, bool], MapView] = {}

    def read(self) -> GardenState:
        ram = self._machine.ram
        has_key = bool(ram[at.FLAGS] & at.KEY_TAKEN)
        in_game = not ram[at.TITLE]
        is_moving = ram[at.MOVING] > 0
        here = MapId(1, 1 + ram[at.MAP])
        return GardenState(
            place=Place(
                here, TABLES.MAPS[1, here.number], ram[at.X], ram[at.Y], Facing(ram[at.FACING]),
                "town" if here.number == 1 else "indoor", "GARDEN",
            ),
            control=Control(
                in_game, in_game and not is_moving, False, False, False, is_moving, (0, 0), (0, 0)
            ),
            badges=(int(ram[at.OIL] == 0), 0),
            bag=Bag(key_items=(GATE_KEY,) if has_key else ()),
            event_flags=bytes(ram[at.FLAGS : at.FLAGS + 1]),
            map=self._view(here.number - 1, has_key),
            oil=ram[at.OIL],
        )  # fmt: skip

    def save(self) -> None:
        """Memory tells all."""

    def restore(self, saved: None) -> None:
        pass

    def _view(self, number: int, has_key: bool) -> MapView:
        view = self._views.get((number, has_key))
        if view is None:
            view = self._views[number, has_key] = self._build(number, has_key)
        objects = self._objects(number, has_key)
        return view if view.objects == objects else replace(view, objects=objects)

    def _build(self, number: int, has_key: bool) -> MapView:
        rom = self._machine.rom
        door = Terrain.WALKABLE | Terrain.DOOR if has_key else 0
        bits = _TERRAIN | {garden.DOOR: door}
        marks = garden.tiles(rom, number).values()
        ids = np.array([bits.get(mark, Terrain.WALKABLE) for mark in marks], np.uint32)
        bordered = np.pad(ids.reshape(garden.HEIGHT, garden.WIDTH), MAP_BORDER)
        bordered.setflags(write=False)
        terrain = bordered[MAP_BORDER:-MAP_BORDER, MAP_BORDER:-MAP_BORDER]
        target = MapId(1, 2 - number)
        warps = (
            Warp(x, y, target, 1, TABLES.MAPS[1, target.number])
            for x, y in garden.find(rom, number, garden.DOOR)
        )
        kinds = TileKind.of(terrain)
        kinds.setflags(write=False)
        return MapView(
            garden.WIDTH, garden.HEIGHT, terrain, tuple(warps), (), frozenset(),
            bordered=bordered, kinds=kinds,
        )  # fmt: skip

    def _objects(self, number: int, has_key: bool) -> tuple[MapObject, ...]:
        rom, ram = self._machine.rom, self._machine.ram
        keys = () if has_key else garden.find(rom, number, garden.KEY)
        lanterns = garden.find(rom, number, garden.LANTERN)
        return (
            *(MapObject(_KEY, _KEY, *tile) for tile in keys),
            *(MapObject(_LANTERN + i, _LANTERN, *tile) for i, tile in enumerate(lanterns)),
            MapObject(_MOTH, _MOTH, ram[at.MOTH_X], ram[at.MOTH_Y]),
        )
