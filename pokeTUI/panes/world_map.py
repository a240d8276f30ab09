"""Draw the world around the player: the maps beside this one, or all of the region."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len

from engine.events import GameObserved
from engine.ground.text import counted, printable
from engine.types import MapId, MapOutline, TileKind
from pokeTUI.draw.lines import Line, shorten
from pokeTUI.draw.theme import Ink
from pokeTUI.panes.mini_map import (
    KINDS,
    NOTHING,
    PLAYER,
    TARGET,
    WALL,
    WAY,
    Sign,
    explained,
    merged,
)

Tile = tuple[int, int]

_NO_MAP, _TOP_WALL, _BOTTOM_WALL = 255, 100, 101
"""What a character shows besides the kinds of tiles."""

_SIGNS: dict[int, Sign] = {
    **{int(kind): sign for kind, sign in KINDS.items()},
    _NO_MAP: NOTHING,
    _TOP_WALL: Sign("▀", WALL.ink),
    _BOTTOM_WALL: Sign("▄", WALL.ink),
}
_LAND = Sign("·", Ink.faint)
"""Floor where a character stands for many tiles: a blank would look like a place without a map."""
_UNCOVERED = (Ink.key, Ink.badge, Ink.strong)
"""Inks of the way, the goal, the player and names, which no further name may cover."""
_SHORTEST_CUT = 8
"""Cells from which a name is cut rather than left out."""
_MAX_SCALE = 8
"""Most tiles across that a character stands for; of a larger region only a part is drawn."""
_SIZES = (4, 2)
"""Enlargements of a small plane, by preference; even, so that a tile fills whole characters."""
_LEGEND_FROM = 12
"""Rows from which the signs are explained."""
_FEW = 0.3
"""Share of a character's tiles above which it shows water or grass instead of floor or wall."""


class Plane:
    """The maps of one plane in one array, made once.

    Args:
        outlines: Its maps.
        size: How many times as large, in both directions, each tile is in `kinds`.

    Attributes:
        maps: Its outlines by map.
        kinds: (height, width) uint8 of `TileKind`, 255 where no map is.
        left, top: Tile of the plane that stands in the upper left corner.
    """

    def __init__(self, outlines: list[MapOutline], size: int = 1) -> None:
        self.maps = {one.map: one for one in outlines}
        self.size = size
        self.left = min(one.x for one in outlines)
        self.top = min(one.y for one in outlines)
        height = max(one.y + one.kinds.shape[0] for one in outlines) - self.top
        width = max(one.x + one.kinds.shape[1] for one in outlines) - self.left
        self.kinds = np.full((height * size, width * size), _NO_MAP, np.uint8)
        for one in outlines:
            left, top, right, bottom = self.span(one)
            tiles = one.kinds.repeat(size, 0).repeat(size, 1)
            tiles[tiles == TileKind.DOOR] = TileKind.FLOOR
            corners = tiles[::size, ::size]
            corners[one.kinds == TileKind.DOOR] = TileKind.DOOR  # one sign for all of its tile
            self.kinds[top:bottom, left:right] = tiles
        self._drawn: tuple[Window, NDArray[np.uint8]] | None = None

    def at(self, one: MapOutline, x: int, y: int) -> Tile:
        """Return where in `kinds` a tile of one of the maps is."""
        return (one.x + x - self.left) * self.size, (one.y + y - self.top) * self.size

    def span(self, one: MapOutline) -> tuple[int, int, int, int]:
        """Return the left, top, right and bottom of one of the maps in `kinds`."""
        rows, columns = one.kinds.shape
        return *self.at(one, 0, 0), *self.at(one, columns, rows)

    def size_for(self, width: int, rows: int) -> int:
        """Return how many times as large the plane can be drawn in `width` x `rows` cells."""
        height, across = (length // self.size for length in self.kinds.shape)
        fitting = (size for size in _SIZES if across * size <= width and height * size <= 2 * rows)
        return next(fitting, 1)

    def draw(self, window: "Window") -> list[list[Sign]]:
        """Return what each character of a window shows."""
        if self._drawn is None or self._drawn[0] != window:
            self._drawn = (window, _characters(window.tiles(self.kinds), window.scale))
        signs = _SIGNS if window.scale == 1 else {**_SIGNS, TileKind.FLOOR: _LAND}
        return [[signs[kind] for kind in row] for row in self._drawn[1].tolist()]


class Window:
    """A part of a plane: its first tile, its size in characters, and how many tiles each takes.

    A character stands for `scale` tiles across and twice as many down.
    """

    def __init__(
        self, plane: Plane, at: Tile, width: int, rows: int, max_scale: int = _MAX_SCALE
    ) -> None:
        height, across = plane.kinds.shape
        fitting = max(1, math.ceil(across / width), math.ceil(height / (2 * rows)))
        self.scale = min(fitting, max_scale)
        self.columns = min(width, math.ceil(across / self.scale))
        self.rows = min(rows, math.ceil(height / (2 * self.scale)))
        tiles_x, tiles_y = self.columns * self.scale, self.rows * 2 * self.scale
        self.x = max(0, min(at[0] - tiles_x // 2, across - tiles_x))
        self.y = max(0, min(at[1] - tiles_y // 2, height - tiles_y))
        # Tiles share the same characters while the window moves.
        self.x = math.ceil(self.x / self.scale) * self.scale
        self.y = math.ceil(self.y / (2 * self.scale)) * 2 * self.scale

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Window) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # compared only

    def tiles(self, kinds: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the tiles, (rows, 2 * scale, columns, scale) uint8."""
        tiles_x, tiles_y = self.columns * self.scale, self.rows * 2 * self.scale
        tiles = np.full((tiles_y, tiles_x), _NO_MAP, np.uint8)
        part = kinds[self.y : self.y + tiles_y, self.x : self.x + tiles_x]
        tiles[: part.shape[0], : part.shape[1]] = part
        return tiles.reshape(self.rows, 2 * self.scale, self.columns, self.scale)

    def cell(self, tile: Tile) -> tuple[int, int] | None:
        """Return row and column of a tile, None if it is not in the window."""
        row, column = (tile[1] - self.y) // (2 * self.scale), (tile[0] - self.x) // self.scale
        return (row, column) if 0 <= row < self.rows and 0 <= column < self.columns else None


class WorldMap:
    """Draw the outlines of a world.

    Args:
        outlines: Of all maps.
    """

    def __init__(self, outlines: tuple[MapOutline, ...]) -> None:
        self.outlines = outlines
        self._maps = {one.map: one for one in outlines}
        self._planes: dict[tuple[int, int], Plane] = {}

    def lines(self, game: GameObserved, width: int, height: int, *, is_whole: bool) -> list[Line]:
        """Draw the plane that the player is on, all of it or the part that is near.

        Inside of a house that is the plane outside, with the player at the door.
        """
        place = game.state.place
        found = self._outside(place.map, (place.x, place.y))
        if found is None:
            return [Line(width).add("The surrounding maps are unknown.", Ink.dim)]
        here, tile = found
        has_legend = height >= _LEGEND_FROM
        width, rows = max(1, width), max(1, height - 1 - has_legend)
        plane = self._plane(here.plane)
        plane = self._plane(here.plane, plane.size_for(width, rows))
        at = plane.at(here, *tile)
        window = Window(plane, at, width, rows, _MAX_SCALE if is_whole else 1)
        drawn = plane.draw(window)
        for tile, sign in self._marks(game, plane):
            cell = window.cell(tile)
            if cell is not None and (sign is not WAY or drawn[cell[0]][cell[1]] is not TARGET):
                drawn[cell[0]][cell[1]] = sign
        cell = window.cell(at)
        if cell is not None:
            drawn[cell[0]][cell[1]] = Sign(PLAYER[place.facing], Ink.badge)
        shown = {sign for row in drawn for sign in row}
        margin = max(0, (width - window.columns) // 2)
        for cells in drawn:  # names may go beyond the maps
            cells[:0] = [NOTHING] * margin
            cells += [NOTHING] * (width - len(cells))
        for one in plane.maps.values():
            if is_whole or one is not here:
                _name(drawn, printable(one.name).title(), plane.span(one), window, margin)
        body = [merged([(one.text, one.ink) for one in cells], width, 0) for cells in drawn]
        body.append(self._places(game, width))
        return [*body, *explained(shown, width, 1)] if has_legend else body[:height]

    def _plane(self, number: int, size: int = 1) -> Plane:
        if (number, size) not in self._planes:
            outlines = [one for one in self.outlines if one.plane == number]
            self._planes[number, size] = Plane(outlines, size)
        return self._planes[number, size]

    def _outside(self, here: MapId, tile: Tile) -> tuple[MapOutline, Tile] | None:
        """Return the nearest map that has neighbours, and where on it the player is or left it."""
        seen, queue = {here}, [(here, tile)]
        for number, at in queue:
            one = self._maps.get(number)
            if one is None:
                continue
            if len(self._plane(one.plane).maps) > 1:
                return one, at
            for _, _, target in one.doors:
                beyond = self._maps.get(target)
                if target in seen or beyond is None:
                    continue
                seen.add(target)
                back = ((x, y) for x, y, to in beyond.doors if to == number)
                queue.append((target, next(back, (0, 0))))
        one = self._maps.get(here)
        return (one, tile) if one is not None else None

    def _marks(self, game: GameObserved, plane: Plane) -> Iterator[tuple[Tile, Sign]]:
        """Yield the goal and the way, by their tiles of the plane."""
        here, goal = game.state.place.map, game.goal
        if goal is not None and goal.map is not None and goal.map in self._maps:
            found = self._outside(goal.map, goal.target or _middle(self._maps[goal.map]))
            if found is not None and found[0].map in plane.maps:
                yield plane.at(found[0], *found[1]), TARGET
        for number, tiles in ((here, game.path), *game.route):
            one = plane.maps.get(number)
            if one is not None:
                yield from ((plane.at(one, *tile), WAY) for tile in tiles)

    def _places(self, game: GameObserved, width: int) -> Line:
        """Return where the player is, and where the goal."""
        here, goal = game.state.place, game.goal
        line = Line(width).add(PLAYER[here.facing], Ink.badge)
        line.add(f" {printable(here.name)}", Ink.text)
        target = self._maps.get(goal.map) if goal is not None and goal.map is not None else None
        if target is None or target.map == here.map:
            return line
        if line.room < len("  ◎ ") + cell_len(target.name):
            line = Line(width)  # the player's place is said in other lines, too
        line.add("  ◎" if line.used else "◎", Ink.key).add(f" {printable(target.name)}", Ink.text)
        count = len({number for number, _ in game.route} - {here.map})
        return line.add_whole(f", {counted(count, 'map')} away", Ink.dim) if count else line


def _middle(one: MapOutline) -> Tile:
    rows, columns = one.kinds.shape
    return columns // 2, rows // 2


def _characters(tiles: NDArray[np.uint8], scale: int) -> NDArray[np.uint8]:
    """Return the kind of sign of each character, (rows, columns), for tiles of `Window.tiles`."""
    count = 2 * scale * scale

    def share(kind: int) -> NDArray[np.float64]:
        return np.asarray((tiles == kind).sum(axis=(1, 3)) / count)

    best = np.full((tiles.shape[0], tiles.shape[2]), TileKind.FLOOR, np.uint8)
    best[share(TileKind.WALL) > 0.5] = TileKind.WALL
    best[share(_NO_MAP) > 0.5] = _NO_MAP
    for kind in (TileKind.GRASS, TileKind.WATER):
        best[share(kind) > _FEW] = kind
    if scale == 1:
        for kind in (TileKind.LEDGE, TileKind.DOOR):
            best[share(kind) > 0] = kind
        top, bottom = tiles[:, 0, :, 0] == TileKind.WALL, tiles[:, 1, :, 0] == TileKind.WALL
        best[(best == TileKind.FLOOR) & top & ~bottom] = _TOP_WALL
        best[(best == TileKind.FLOOR) & bottom & ~top] = _BOTTOM_WALL
    return best


def _name(
    drawn: list[list[Sign]],
    name: str,
    span: tuple[int, int, int, int],
    window: Window,
    margin: int,
) -> None:
    """Write a map's name on its middle, or as near to it as nothing is in the way.

    It may reach over what no map covers, else it is cut to the map's width.
    """
    scale = window.scale
    left, top = (span[0] - window.x) // scale, (span[1] - window.y) // (2 * scale)
    right = math.ceil((span[2] - window.x) / scale)
    bottom = math.ceil((span[3] - window.y) / (2 * scale))
    left, right = max(0, left) + margin, min(right, window.columns) + margin
    top, bottom = max(0, top), min(bottom, window.rows)
    own = (left, right)
    for text in (name, shorten(name, right - left)) if right - left >= _SHORTEST_CUT else (name,):
        half, middle = len(text) // 2, (top + bottom - 1) / 2
        places = [
            (abs(row - middle) + abs(first + half - (left + right) // 2) / 4, row, first)
            for row in range(top, bottom)
            for first in range(left - half, right - half)
        ]
        for _, row, first in sorted(places):
            if _is_free(drawn[row], first, len(text), own):
                drawn[row][first : first + len(text)] = [Sign(sign, Ink.strong) for sign in text]
                return


def _is_free(cells: list[Sign], first: int, count: int, own: tuple[int, int]) -> bool:
    """Return whether a name may be written: on its own map or where none is, beside no other."""
    end = first + count
    around = cells[max(0, first - 1) : first] + cells[end : end + 1]
    if first < 0 or end > len(cells) or any(cell.ink is Ink.strong for cell in around):
        return False
    return all(
        cells[at].ink not in _UNCOVERED if own[0] <= at < own[1] else cells[at] is NOTHING
        for at in range(first, end)
    )
