"""Draw the map that the player is on: its tiles, who stands there, and the way to the goal."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.events import GameObserved
from engine.ground.text import printable
from engine.types import Facing, MapView, TileKind
from pokeTUI.draw.lines import Line, labelled
from pokeTUI.draw.theme import Ink

_MAX_SCALE = 5
_WINDOW = (21, 13)
"""Tiles that a window on a map shows at least, or the tiles are drawn smaller."""
PLAYER = {Facing.UP: "▲", Facing.DOWN: "▼", Facing.LEFT: "◄", Facing.RIGHT: "►"}


@dataclass(frozen=True, slots=True)
class Sign:
    """How a tile is drawn.

    Attributes:
        text: One character.
        name: In the legend; "" leaves it out, as for what explains itself.
        fill: Fills the rest of a large tile.
        rank: Where two tiles share a character, the higher one is shown.
    """

    text: str
    ink: Ink
    name: str = ""
    fill: str = " "
    rank: int = 0


NOTHING = Sign(" ", Ink.text)
WALL = Sign("█", Ink.faint, fill="█")
_VISITED = Sign("·", Ink.dim, "visited", rank=2)
_LEDGE = Sign("▂", Ink.dim, "ledge", rank=3)
_WATER = Sign("≈", Ink.info, "water", "≈", rank=3)
_GRASS = Sign('"', Ink.good, "grass", '"', rank=3)
_BEEN_GRASS = Sign('"', Ink.dim, "", " ", rank=3)
WAY = Sign("•", Ink.key, "route", rank=5)
_SIGN = Sign("¶", Ink.dim, "sign", rank=6)
DOOR = Sign("⌂", Ink.warn, "door", rank=7)
_SOMEBODY = Sign("☻", Ink.odd, "person", rank=8)
TARGET = Sign("◎", Ink.key, "goal", rank=9)
KINDS = {
    TileKind.WALL: WALL,
    TileKind.FLOOR: NOTHING,
    TileKind.GRASS: _GRASS,
    TileKind.WATER: _WATER,
    TileKind.LEDGE: _LEDGE,
    TileKind.DOOR: DOOR,
}

_LEGEND = (WAY, _SOMEBODY, DOOR, TARGET, _GRASS, _WATER, _VISITED, _LEDGE, _SIGN)
"""Signs that the legend explains, the most needed first."""

_MOST_EXIT_ROWS = 3

_Grid = dict[tuple[int, int], Sign]


def map_lines(game: GameObserved, width: int, height: int) -> list[Line]:
    """Draw the map, or what of it is around the player, in at most `height` lines.

    Where there is room, a legend says what is what, and where the ways out lead.
    """
    view = game.state.map
    if not view.width or not view.height:
        return [Line(width).add("No map here.", Ink.dim)]
    legend_rows = 0 if height < 8 else 1 if height < 14 else 2
    room = height - legend_rows
    scale = _scale(view, width, room)
    columns = max(1, 2 * scale)
    tiles_x = min(view.width, width // columns)
    tiles_y = min(view.height, room // scale if scale else room * 2)
    x0 = _start(game.state.place.x, tiles_x, view.width)
    y0 = _start(game.state.place.y, tiles_y, view.height)
    if not scale:
        y0 -= y0 % 2
        if game.state.place.y >= y0 + tiles_y:
            y0 += 2
        tiles_y = min(tiles_y, view.height - y0)
    grid = _signs(game)
    window = x0, y0, tiles_x, tiles_y
    rows = _large(grid, window, scale) if scale else _small(grid, window)
    margin = max(0, (width - tiles_x * columns) // 2)
    lines = [merged(cells, width, margin) for cells in rows]
    shown = {
        sign for (x, y), sign in grid.items() if x0 <= x < x0 + tiles_x and y0 <= y < y0 + tiles_y
    }
    return [*lines, *_legend(game, shown, width, height - len(lines), legend_rows)]


def _scale(view: MapView, width: int, rows: int) -> int:
    """Return the largest scale in which the map, or enough of it, can be seen.

    A tile takes 2 x 1 cells times the scale; at 0 it takes 1 x 1/2.
    """
    for size in range(_MAX_SCALE, 0, -1):
        if view.width * 2 * size <= width and view.height * size <= rows:
            return size
    enough_x, enough_y = min(view.width, _WINDOW[0]), min(view.height, _WINDOW[1])
    return int(width >= 2 * enough_x and rows >= enough_y)


def _start(at: int, shown: int, size: int) -> int:
    """Return the first tile of a window around `at`."""
    return max(0, min(at - shown // 2, size - shown))


def _signs(game: GameObserved) -> _Grid:
    """Return what each tile shows; the player too."""
    state = game.state
    view, place = state.map, state.place
    kinds = view.kinds
    if kinds is None:
        kinds = np.full((view.height, view.width), TileKind.FLOOR, np.uint8)
    visited = game.visited
    if visited is not None and visited.shape != (view.height, view.width):
        visited = None  # of the map before
    grid: _Grid = {}
    for y in range(view.height):
        for x, kind in enumerate(kinds[y].tolist()):
            sign = KINDS.get(kind, NOTHING)
            if visited is not None and visited[y, x]:
                sign = {NOTHING: _VISITED, _GRASS: _BEEN_GRASS}.get(sign, sign)
            grid[x, y] = sign
    placed = [(tile, _SIGN) for tile in view.signs]
    placed += [((warp.x, warp.y), DOOR) for warp in view.warps]
    placed += [(tile, WAY) for tile in game.path]
    placed += [((one.x, one.y), _SOMEBODY) for one in view.objects]
    goal = game.goal
    if goal is not None and goal.target is not None and goal.map in (None, place.map):
        placed.append((goal.target, TARGET))
    for tile, sign in placed:
        if tile in grid and (sign is not WAY or grid[tile] is not DOOR):
            grid[tile] = sign
    grid[place.x, place.y] = Sign(PLAYER[place.facing], Ink.badge, rank=10)
    return grid


def _large(
    grid: _Grid, window: tuple[int, int, int, int], size: int
) -> Iterator[list[tuple[str, Ink]]]:
    """Yield rows of cells, `size` rows a tile; the sign stands in the middle of its tile."""
    x0, y0, tiles_x, tiles_y = window
    for y in range(y0, y0 + tiles_y):
        for row in range(size):
            is_middle = row == size // 2
            cells = []
            for x in range(x0, x0 + tiles_x):
                sign = grid.get((x, y), NOTHING)
                if sign is _LEDGE:
                    edge = sign.text if row == size - 1 else " "
                    cells.append((edge * 2 * size, sign.ink))
                    continue
                before = sign.fill * (size - 1)
                middle = sign.text if is_middle else sign.fill
                cells.append((f"{before}{middle}{sign.fill * size}", sign.ink))
            yield cells


def _small(grid: _Grid, window: tuple[int, int, int, int]) -> Iterator[list[tuple[str, Ink]]]:
    """Yield rows of cells that stand for two tiles each, one above the other."""
    x0, y0, tiles_x, tiles_y = window
    for y in range(y0, y0 + tiles_y, 2):
        cells = []
        for x in range(x0, x0 + tiles_x):
            top, bottom = grid.get((x, y), NOTHING), grid.get((x, y + 1), NOTHING)
            best = max(top, bottom, key=lambda sign: sign.rank)
            if best.rank > _VISITED.rank or WALL not in (top, bottom):
                cells.append((best.text, best.ink))
            else:
                half = "█" if top == bottom else "▀" if top is WALL else "▄"
                cells.append((half, WALL.ink))
        yield cells


def merged(cells: list[tuple[str, Ink]], width: int, margin: int) -> Line:
    """Return a line with neighbours of one ink as one piece."""
    line = Line(width).add(" " * margin, Ink.text)
    text, ink = "", Ink.text
    for piece, its_ink in cells:
        if its_ink is not ink and text:
            line.add(text, ink)
            text = ""
        text, ink = text + piece, its_ink
    return line.add(text, ink)


def _legend(
    game: GameObserved, shown: set[Sign], width: int, rows: int, planned: int
) -> list[Line]:
    """Return the legend: signs, and where the ways out lead; [] if no row was `planned` for it."""
    if not planned or rows <= 0:
        return []
    exits = _exits(game.state.map)
    lines = explained(shown, width, max(1, rows - bool(exits) * (planned > 1 or rows > 2)))
    room = min(rows - len(lines), _MOST_EXIT_ROWS)
    if not exits or room < 1:
        return lines
    return lines + labelled("to", exits, Ink.text, width, 3, room)


def explained(shown: set[Sign], width: int, rows: int) -> list[Line]:
    """Return what the signs mean in at most `rows` lines; the least needed are left out."""
    lines = [Line(width)]
    for sign in _LEGEND:
        if sign not in shown:
            continue
        needed = 2 + len(sign.name)
        line = next((one for one in lines if needed + 2 * bool(one.used) <= one.room), None)
        if line is None and needed <= width and len(lines) < rows:
            line = Line(width)
            lines.append(line)
        if line is not None:
            line.add("  " if line.used else "", Ink.text)
            line.add(sign.text, sign.ink).add(f" {sign.name}", Ink.dim)
    return lines


def _exits(view: MapView) -> str:
    named = {edge.side: printable(edge.name) for edge in view.edges}
    ways = [
        f"{side} {named[side]}" if named.get(side) else side for side in sorted(view.connections)
    ]
    doors = dict.fromkeys(printable(warp.name) for warp in view.warps if warp.name)
    return ", ".join([*ways, *(f"⌂ {name}" for name in doors)])
