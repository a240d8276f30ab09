"""Cut painted maps into tiles, palettes and metatiles of Emerald's layout.

A map is painted as two pictures, below and over people (art/outdoor.py, art/indoor.py). Every walk
cell of them becomes a metatile: four tiles of 8x8 pixels below, four over, and what the cell does.
What is equal is stored once. Metatiles of buildings and furniture go to the secondary tileset.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from .art.canvas import CLEAR, PHASES, Canvas
from .emit import numbers

TILES = 512
"""Tiles, and metatiles, of one tileset; numbers from here on belong to the secondary one."""
PALETTES, PRIMARY_PALETTES = 13, 6
ENTRIES = 15
"""Colours of a palette beside the see-through one."""
FLIP_X, FLIP_Y = 0x400, 0x800

MOVING_PERIOD = 16
"""For how many frames each phase of water and flowers is seen."""
FIRST_MOVING = 1
ANIMATION = """static void animate_{name}(void)
{{
    u32 time = gMain.vblankCounter1;
    const u32 *tiles = moving_{name} + time / {period} % {phases} * {count} * 8;
    if (time % {period} == 0) bg_tiles({tile}, tiles, {count});
}}
"""

Key = tuple[tuple[int, ...], ...]
"""A picture's colours, row by row."""
CellKey = tuple[tuple[Key, ...], Key, int]
"""What tells metatiles apart: below, in turn if it moves; over; behaviour."""


@dataclass(slots=True)
class PaintedCell:
    """A walk cell: what lies below and over people, and what it does.

    Attributes:
        below, over: 16x16 pixels.
        behaviour: Emerald's metatile behaviour.
        is_special: It belongs to the secondary tileset.
        phases: What lies below people in turn, `below` first, if it moves.
        states: A door's further metatiles, half open and open: what lies below people then.
    """

    below: Canvas
    over: Canvas
    behaviour: int
    is_special: bool
    phases: Sequence[Canvas] = ()
    states: Sequence[Canvas] = ()

    def tiles(self) -> list[tuple[Canvas, ...]]:
        """Return its eight tiles, each as often as it looks different in turn."""
        below = zip(*(one.tiles() for one in self.phases or (self.below,)), strict=True)
        over = ((tile,) for tile in self.over.tiles())
        in_turn = (*below, *over)
        return [one if len({_key(tile) for tile in one}) > 1 else one[:1] for one in in_turn]


@dataclass(slots=True)
class Half:
    """One tileset's share of the data.

    Attributes:
        first: The number of its first tile and metatile.
        tiles: Picture, or pictures in turn -> number.
        pictures: The tiles' words, by number.
        phases: Of the tiles that move, from FIRST_MOVING: their words in turn.
    """

    first: int
    tiles: dict[tuple[Key, ...], int] = field(default_factory=dict)
    pictures: list[list[int]] = field(default_factory=list)
    phases: list[list[list[int]]] = field(default_factory=list)
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
        below = tuple(_key(one) for one in (cell.below, *cell.phases[1:]))
        key = (below, _key(cell.over), cell.behaviour)
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
        self._tile((Canvas(8, 8),), 0)
        for cell in self._cells:
            for tile in cell.tiles():
                if len(tile) > 1:
                    self._tile(tile, 0)
        for half in (0, 1):
            for key, cell in zip(self._order, self._cells, strict=True):
                if cell.is_special == bool(half):
                    self._numbers[key] = self._metatile(cell, half)
                    for state in cell.states:
                        self._metatile(replace(cell, below=state, phases=()), half)
        for one in self.halves:
            if len(one.pictures) > TILES or len(one.metatiles) > TILES:
                raise ValueError(
                    f"tileset {self.name}: {len(one.pictures)} tiles, "
                    f"{len(one.metatiles)} metatiles; {TILES} fit"
                )

    def _colour_sets(self) -> list[list[frozenset[int]]]:
        """Return the tiles' colours, those of the primary tileset and the secondary one's."""
        sets: list[dict[frozenset[int], None]] = [{}, {}]
        for cell in self._cells:
            states = (tile for state in cell.states for tile in state.tiles())
            for tile in (*cell.tiles(), *((tile,) for tile in states)):
                colours = frozenset(colour for phase in tile for colour in phase.colours())
                sets[cell.is_special][colours] = None
        return [list(one) for one in sets]

    def _metatile(self, cell: PaintedCell, half: int) -> int:
        entries = tuple(self._tile(tile, half) for tile in cell.tiles())
        mine = self.halves[half]
        mine.metatiles.append(entries)
        mine.attributes.append(cell.behaviour)
        return mine.first + len(mine.metatiles) - 1

    def _tile(self, tile: tuple[Canvas, ...], half: int) -> int:
        """Return the map entry of a tile: its number, flips and palette."""
        colours = frozenset(colour for phase in tile for colour in phase.colours())
        choices = range(len(self.palettes) if half else PRIMARY_PALETTES)
        slot = next(n for n in choices if colours <= set(self.palettes[n]))
        places = {colour: at for at, colour in enumerate(self.palettes[slot], 1)}
        places[CLEAR] = 0
        pictures = [
            tuple(tuple(places[colour] for colour in row) for row in phase.rows) for phase in tile
        ]
        for one in self.halves[: half + 1]:
            for flips in (0, FLIP_X, FLIP_Y, FLIP_X | FLIP_Y):
                key = tuple(_turned(picture, flips) for picture in pictures)
                if key in one.tiles:
                    return one.tiles[key] | flips | slot << 12
        mine = self.halves[half]
        number = mine.tiles[tuple(pictures)] = mine.first + len(mine.pictures)
        words = [[sum(p << 4 * x for x, p in enumerate(row)) for row in one] for one in pictures]
        mine.pictures.append(words[0])
        if len(words) > 1:
            mine.phases.append(words)
        return number | slot << 12

    def _animation(self) -> str:
        """Return the C function that moves the tiles that move; "" if none do."""
        moving = self.halves[0].phases
        if not moving:
            return ""
        words = [word for phase in zip(*moving, strict=True) for tile in phase for word in tile]
        frames = numbers(f"static const u32 moving_{self.name}[]", words, 8)
        return frames + ANIMATION.format(
            name=self.name,
            tile=FIRST_MOVING,
            count=len(moving),
            period=MOVING_PERIOD,
            phases=PHASES,
        )

    def c_source(self) -> str:
        """Return both tilesets in C: tileset_<name> and tileset_<name>_more."""
        rows = [[0, *colours] + [0] * (15 - len(colours)) for colours in self.palettes]
        rows += [[0] * 16] * (PALETTES - len(rows))
        text = numbers(
            f"static const u16 palettes_{self.name}[]", (c for row in rows for c in row), 4
        )
        text += self._animation()
        for number, half in enumerate(self.halves):
            callback = f"animate_{self.name}" if half.phases else "0"
            name = self.name + ("_more" if number else "")
            words = [word for picture in half.pictures for word in picture]
            words += [0] * (TILES * 8 - len(words))
            entries = [entry for metatile in half.metatiles for entry in metatile]
            text += numbers(f"static const u32 tiles_{name}[]", words, 8)
            text += numbers(f"static const u16 metatiles_{name}[]", entries, 4)
            text += numbers(f"static const u16 attributes_{name}[]", half.attributes, 4)
            text += (
                f"static const struct Tileset tileset_{name} = {{0, {number}, {{0, 0}}, "
                f"tiles_{name}, palettes_{self.name}, metatiles_{name}, attributes_{name}, "
                f"{callback}}};\n"
            )
        return text


def _turned(picture: Key, flips: int) -> Key:
    rows = picture[::-1] if flips & FLIP_Y else picture
    return tuple(row[::-1] for row in rows) if flips & FLIP_X else rows


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
        found = merged([set(one) for one in set(colour_sets)], palettes)
        limit = PALETTES - len(palettes) if half else PRIMARY_PALETTES
        if len(found) > limit:
            raise ValueError(f"{len(found)} palettes in half {half}, {limit} are possible")
        palettes += found
    return [sorted(palette) for palette in palettes]


def merged(wanted: list[set[int]], known: Sequence[set[int]] = ()) -> list[set[int]]:
    """Join sets of colours, those that have most in common first, while a palette holds them.

    Args:
        wanted: The sets.
        known: Palettes that there are; what they hold is left out.

    Raises:
        ValueError: A set is larger than a palette.
    """
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
