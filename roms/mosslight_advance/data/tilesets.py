"""Cut painted maps into tiles, palettes and metatiles of Emerald's layout.

A map is painted as two pictures, below and over people (art/outdoor.py, art/indoor.py). Every walk
cell of them becomes a metatile: four tiles of 8x8 pixels below, four over, and what the cell does.
What is equal is stored once. Metatiles of buildings and furniture go to the secondary tileset.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .art.canvas import CLEAR, Canvas
from .emit import numbers

TILES = 512
"""Tiles, and metatiles, of one tileset; numbers from here on belong to the secondary one."""
PALETTES, PRIMARY_PALETTES = 13, 6
ENTRIES = 15
"""Colours of a palette beside the see-through one."""
CELL = 16
FLIP_X, FLIP_Y = 0x400, 0x800

Key = tuple[tuple[int, ...], ...]
"""A picture's colours, row by row."""
CellKey = tuple[Key, Key, int]
"""What tells metatiles apart: below, over, behaviour."""


@dataclass(slots=True)
class PaintedCell:
    """A walk cell: what lies below and over people, and what it does.

    Attributes:
        below, over: 16x16 pixels.
        behaviour: Emerald's metatile behaviour.
        is_special: It belongs to the secondary tileset.
    """

    below: Canvas
    over: Canvas
    behaviour: int
    is_special: bool


@dataclass(slots=True)
class Half:
    """One tileset's share of the data."""

    first: int
    tiles: dict[Key, int] = field(default_factory=dict)
    pictures: list[list[int]] = field(default_factory=list)
    metatiles: list[tuple[int, ...]] = field(default_factory=list)
    attributes: list[int] = field(default_factory=list)


class TilesetPair:
    """A primary tileset and the secondary one that is always used with it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._cells: list[PaintedCell] = []
        self._numbers: dict[CellKey, int] = {}
        self._order: list[CellKey] = []

    def add(self, cell: PaintedCell) -> CellKey:
        """Take a cell in; returns what number() finds it by."""
        key = (_key(cell.below), _key(cell.over), cell.behaviour)
        if key not in self._numbers:
            self._numbers[key] = 0
            self._cells.append(cell)
            self._order.append(key)
        return key

    def number(self, key: CellKey) -> int:
        """Return a cell's metatile, after finish()."""
        return self._numbers[key]

    def finish(self) -> None:
        """Share everything out: palettes, tiles, metatiles.

        Raises:
            ValueError: There are too many colours, tiles or metatiles.
        """
        self.palettes = pack_palettes(self._colour_sets())
        self.halves = (Half(0), Half(TILES))
        blank = Canvas(8, 8)
        self._tile(blank, 0)
        for half in (0, 1):
            for key, cell in zip(self._order, self._cells, strict=True):
                if cell.is_special == bool(half):
                    self._numbers[key] = self._metatile(cell, half)
        for half in self.halves:
            if len(half.pictures) > TILES or len(half.metatiles) > TILES:
                raise ValueError(
                    f"tileset {self.name}: {len(half.pictures)} tiles, "
                    f"{len(half.metatiles)} metatiles; {TILES} fit"
                )

    def _colour_sets(self) -> list[list[frozenset[int]]]:
        """Return the tiles' colours, those of the primary tileset and the secondary one's."""
        sets: list[dict[frozenset[int], None]] = [{}, {}]
        for cell in self._cells:
            for tile in (*cell.below.tiles(), *cell.over.tiles()):
                sets[cell.is_special][frozenset(tile.colours())] = None
        return [list(one) for one in sets]

    def _metatile(self, cell: PaintedCell, half: int) -> int:
        entries = tuple(self._tile(t, half) for t in (*cell.below.tiles(), *cell.over.tiles()))
        mine = self.halves[half]
        mine.metatiles.append(entries)
        mine.attributes.append(cell.behaviour)
        return mine.first + len(mine.metatiles) - 1

    def _tile(self, tile: Canvas, half: int) -> int:
        """Return the map entry of a tile: its number, flips and palette."""
        colours = frozenset(tile.colours())
        choices = range(len(self.palettes) if half else PRIMARY_PALETTES)
        slot = next(n for n in choices if colours <= set(self.palettes[n]))
        places = {colour: at for at, colour in enumerate(self.palettes[slot], 1)}
        places[CLEAR] = 0
        picture = tuple(tuple(places[colour] for colour in row) for row in tile.rows)
        turned = {
            0: picture,
            FLIP_X: tuple(row[::-1] for row in picture),
            FLIP_Y: picture[::-1],
            FLIP_X | FLIP_Y: tuple(row[::-1] for row in picture[::-1]),
        }
        for one in self.halves[: half + 1]:
            for flips, key in turned.items():
                if key in one.tiles:
                    return one.tiles[key] | flips | slot << 12
        mine = self.halves[half]
        mine.tiles[picture] = mine.first + len(mine.pictures)
        mine.pictures.append([sum(p << 4 * x for x, p in enumerate(row)) for row in picture])
        return mine.tiles[picture] | slot << 12

    def c_source(self) -> str:
        """Return both tilesets in C: tileset_<name> and tileset_<name>_more."""
        rows = [[0, *colours] + [0] * (15 - len(colours)) for colours in self.palettes]
        rows += [[0] * 16] * (PALETTES - len(rows))
        text = numbers(
            f"static const u16 palettes_{self.name}[]", (c for row in rows for c in row), 4
        )
        for number, half in enumerate(self.halves):
            name = self.name + ("_more" if number else "")
            words = [word for picture in half.pictures for word in picture]
            words += [0] * (TILES * 8 - len(words))
            entries = [entry for metatile in half.metatiles for entry in metatile]
            text += numbers(f"static const u32 tiles_{name}[]", words, 8)
            text += numbers(f"static const u16 metatiles_{name}[]", entries, 4)
            text += numbers(f"static const u16 attributes_{name}[]", half.attributes, 4)
            text += (
                f"static const struct Tileset tileset_{name} = {{0, {number}, {{0, 0}}, "
                f"tiles_{name}, palettes_{self.name}, metatiles_{name}, attributes_{name}, 0}};\n"
            )
        return text


def _key(picture: Canvas) -> Key:
    return tuple(map(tuple, picture.rows))


def pack_palettes(sets: Sequence[Iterable[frozenset[int]]]) -> list[list[int]]:
    """Share colours out among palettes of 15, so that each tile finds all of its own in one.

    Args:
        sets: The tiles' colours, of the primary tileset and of the secondary one.

    Raises:
        ValueError: A tile has too many colours, or all palettes are full.
    """
    palettes: list[set[int]] = []
    for half, colour_sets in enumerate(sets):
        found = _merged([set(one) for one in set(colour_sets)], palettes)
        limit = PALETTES - len(palettes) if half else PRIMARY_PALETTES
        if len(found) > limit:
            raise ValueError(f"{len(found)} palettes in half {half}, {limit} are possible")
        palettes += found
    return [sorted(palette) for palette in palettes]


def _merged(wanted: list[set[int]], known: Sequence[set[int]]) -> list[set[int]]:
    """Join sets of colours, those that have most in common first, while 15 hold them."""
    left: list[set[int]] = []
    for colours in sorted(wanted, key=lambda one: (-len(one), sorted(one))):
        if len(colours) > ENTRIES:
            raise ValueError(f"a tile has {len(colours)} colours")
        if not any(colours <= other for other in (*known, *left)):
            left.append(colours)
    while True:
        pairs = (
            (len(one & other) * 32 - len(one | other), -a, -b)
            for a, one in enumerate(left)
            for b, other in enumerate(left[:a])
            if len(one | other) <= ENTRIES
        )
        best = max(pairs, default=None)
        if best is None:
            return left
        a, b = -best[1], -best[2]
        left[b] = left[b] | left.pop(a)
