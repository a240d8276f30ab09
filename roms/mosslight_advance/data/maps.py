"""Turn the maps into Emerald's cells: metatile, collision, elevation."""

from __future__ import annotations

from dataclasses import dataclass, replace

from . import gatehouse, tables
from .art import indoor, outdoor
from .art.canvas import Painted
from .art.regions import CELL
from .sources import act_one, world_kinds
from .tilesets import CellKey, PaintedCell, TilesetPair

Map = world_kinds.Map
MAPS: dict[str, Map] = act_one.MAPS | {"GATEHOUSE": gatehouse.MAP}

FIRST_FLAG, FIRST_TRAINER_FLAG, FIRST_BADGE_FLAG = 0x20, 0x500, 0x867
FIRST_SCENE = 0x4050
OWN_EVENTS = ("GOT_GIFT", gatehouse.EVENT)
"""What happens in this game only."""
SCRIPTS = (*act_one.SCRIPTS, gatehouse.SCRIPT)

OUTDOOR_GROUP, INDOOR_GROUP = 0, 1
STORY_SPAWNS: dict[str, tuple[int, int]] = {
    name: one.spawn[:2] for name, one in MAPS.items() if one.spawn
}
"""Map -> where a new game begins or a whiteout leads."""
TYPES = {"town": 1, "route": 3, "indoor": 8}
WATER_LEVEL, WALKABLE, UPPER, ANY_LEVEL, BRIDGE = 1, 3, 4, 0, 15
VOID = "void"
OUTDOOR = "outdoor"

GRASS, WATER, LEDGE_SOUTH, DOOR, STAIRS, MAT_SOUTH, COUNTER = (
    0x02, 0x10, 0x3B, 0x69, 0x60, 0x65, 0x80,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kind:
    """What a cell does: Emerald's behaviour, whether it is a wall, its elevation."""

    behaviour: int = 0
    wall: bool = False
    elevation: int = WALKABLE

    @property
    def bits(self) -> int:
        """Return what a map cell holds beside the metatile."""
        return self.wall << 10 | self.elevation << 12


FLOOR, WALL = Kind(), Kind(wall=True)
KINDS: dict[str, Kind] = {
    **dict.fromkeys(
        ("grass", "flower", "flower_yellow", "path", "wood_floor", "floor", "gym_floor",
         "chair", "rug"), FLOOR,
    ),
    "tall_grass": Kind(GRASS),
    "water": Kind(WATER, elevation=WATER_LEVEL),
    "ledge": Kind(LEDGE_SOUTH, wall=True),
    "door": Kind(DOOR, wall=True),
    "gym_door": Kind(DOOR, wall=True),
    "steps": Kind(elevation=ANY_LEVEL),
    "balcony": Kind(elevation=UPPER),
    "gallery": Kind(elevation=BRIDGE),
    "stairs_up": Kind(STAIRS),
    "stairs_down": Kind(STAIRS),
    "mat_exit": Kind(MAT_SOUTH),
    "counter": Kind(COUNTER, wall=True),
    "counter_down": Kind(COUNTER, wall=True),
}  # fmt: skip
"""Cells by their names in roms/practice/world; the others are walls."""


def is_indoor(one: Map) -> bool:
    """Tell whether a map lies in the indoor group."""
    return one.kind == "indoor"


def map_ids() -> dict[str, tuple[int, int]]:
    """Return map -> (group, number)."""
    groups = (OUTDOOR_GROUP, INDOOR_GROUP)
    return {
        name: (group, number)
        for group in groups
        for number, name in enumerate(n for n, one in MAPS.items() if is_indoor(one) == group)
    }


def flags() -> dict[str, int]:
    """Return event of world/ -> its flag."""
    found: dict[str, int] = {}
    story = iter(range(FIRST_FLAG, FIRST_TRAINER_FLAG))
    trainers = {one.event: one.key for one in act_one.SIGHT_TRAINERS.values()}
    for event in (*act_one.EVENTS, *OWN_EVENTS):
        if event in trainers:
            found[event] = FIRST_TRAINER_FLAG + tables.trainer_number(trainers[event])
        elif event == "COBBLE_BADGE":
            found[event] = FIRST_BADGE_FLAG
        else:
            found[event] = next(story)
    return found


def scenes() -> dict[str, int]:
    """Return map -> the variable that holds its scene, of maps with triggers."""
    with_triggers = (name for name, one in MAPS.items() if one.triggers)
    return {name: FIRST_SCENE + number for number, name in enumerate(with_triggers)}


def cell_names(one: Map) -> list[list[str]]:
    """Return the names of a map's cells, row by row."""
    legend = world_kinds.INDOOR | gatehouse.CELLS if is_indoor(one) else world_kinds.OUTDOOR
    return [[legend[sign] for sign in row] for row in one.rows]


def changed(one: Map, event: str) -> Map:
    """Return a map as it is while an event is set."""
    lines = list(one.rows)
    for change in one.changes:
        if change.event == event:
            for y, text in enumerate(change.rows, change.y):
                lines[y] = lines[y][: change.x] + text + lines[y][change.x + len(text) :]
    return replace(one, rows=tuple(lines))


def style_of(one: Map) -> str:
    """Return which tilesets a map uses."""
    return indoor.style(cell_names(one)) if is_indoor(one) else OUTDOOR


def kind_of(name: str) -> Kind:
    """Return what a cell does."""
    return KINDS.get(name, WALL)


class World:
    """All maps, packed.

    Attributes:
        pairs: Style ("outdoor" or one of indoor.STYLES) -> its tilesets.
        borders: Style -> what lies around its maps, 2x2 cells.
        cells: Map -> its cells, row by row.
        changes: Rows (map, event, x, y, cell) of what changes with an event.
    """

    def __init__(self) -> None:
        self.pairs = {style: TilesetPair(style) for style in (OUTDOOR, *indoor.STYLES)}
        self.cells: dict[str, list[list[int]]] = {}
        self.changes: list[tuple[str, str, int, int, int]] = []
        self.borders: dict[str, list[int]] = {}
        self._pack_cells()

    # ---- cells ---------------------------------------------------------------------------------

    def _pack_cells(self) -> None:
        painted = {name: self._painted(one) for name, one in MAPS.items()}
        variants = {
            (name, event): self._painted(changed(one, event))
            for name, one in MAPS.items()
            for event in {change.event for change in one.changes}
        }
        borders = {
            style: self._add(indoor.paint_border(), [[VOID] * 2] * 2, style)
            for style in indoor.STYLES
        }
        borders[OUTDOOR] = self._add(outdoor.paint_border(), [["tree"] * 2] * 2, OUTDOOR)
        for pair in self.pairs.values():
            pair.finish()
        for style, cells in borders.items():
            self.borders[style] = [c for row in self._numbered(cells, style) for c in row]
        for name, cells in painted.items():
            self.cells[name] = self._numbered(cells, style_of(MAPS[name]))
        for (name, event), cells in variants.items():
            now = self._numbered(cells, style_of(MAPS[name]))
            self.changes += [
                (name, event, x, y, cell)
                for y, row in enumerate(now)
                for x, cell in enumerate(row)
                if cell != self.cells[name][y][x]
            ]

    def _painted(self, one: Map) -> list[list[tuple[CellKey, Kind]]]:
        names = cell_names(one)
        art = indoor if is_indoor(one) else outdoor
        return self._add(art.paint(names), names, style_of(one))

    def _add(
        self, painted: Painted, names: list[list[str]], style: str
    ) -> list[list[tuple[CellKey, Kind]]]:
        cells: list[list[tuple[CellKey, Kind]]] = []
        for y, row in enumerate(names):
            cells.append([])
            for x, name in enumerate(row):
                place = (x * CELL, y * CELL, CELL, CELL)
                kind = kind_of(name)
                cell = PaintedCell(
                    painted.below.cut(*place),
                    painted.over.cut(*place),
                    kind.behaviour,
                    (x, y) in painted.special,
                    painted.phases.get((x, y), ()),
                    painted.doors.get((x, y), ()),
                )
                cells[-1].append((self.pairs[style].add(cell), kind))
        return cells

    def _numbered(self, cells: list[list[tuple[CellKey, Kind]]], style: str) -> list[list[int]]:
        pair = self.pairs[style]
        return [[pair.number(key) | kind.bits for key, kind in row] for row in cells]
