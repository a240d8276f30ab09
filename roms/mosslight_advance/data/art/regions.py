"""Regions of map cells with soft edges: how deep every pixel of a cell lies in its region."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

CELL = 16
SIDES = ((0, -1), (0, 1), (-1, 0), (1, 0))
CORNERS = ((-1, -1), (1, -1), (-1, 1), (1, 1))
WOBBLE = (0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0)
"""How much an edge is drawn in, along it; even at both ends, so that neighbours meet."""

Around = tuple[bool, ...]
"""Whether the region goes on: north, south, west, east, nw, ne, sw, se."""


def cells(names: list[list[str]]) -> Iterator[tuple[int, int, str]]:
    """Yield place and name of every cell of a map, row by row."""
    for y, row in enumerate(names):
        for x, name in enumerate(row):
            yield x, y, name


def around(member: Callable[[int, int], bool], x: int, y: int) -> Around:
    """Return where a region goes on around a cell."""
    return tuple(member(x + dx, y + dy) for dx, dy in (*SIDES, *CORNERS))


@cache
def depths(
    goes_on: Around, inset: float, radius: float, wobble: float = 1.0
) -> tuple[tuple[float, ...], ...]:
    """Return how many pixels deep each pixel of a cell lies in its region, < 0 outside.

    Args:
        goes_on: See Around.
        inset: Pixels between the cell's border and the region's edge.
        radius: Of rounded corners, the inset not counted.
        wobble: Pixels that the edge wanders at most.
    """
    return tuple(
        tuple(_depth(goes_on, i, j, inset, radius, wobble) for i in range(CELL))
        for j in range(CELL)
    )


def _depth(goes_on: Around, i: int, j: int, inset: float, radius: float, wobble: float) -> float:
    away = (j, CELL - 1 - j, i, CELL - 1 - i)
    along = (i, i, j, j)
    walls = [
        away[side] - inset - wobble * WOBBLE[along[side]] if not goes_on[side] else 99.0
        for side in range(4)
    ]
    depth = min(walls)
    for number, (dx, dy) in enumerate(CORNERS):
        across, down = walls[2 if dx < 0 else 3], walls[0 if dy < 0 else 1]
        if across < 99 and down < 99:
            if across < radius and down < radius:
                reach = ((radius - across) ** 2 + (radius - down) ** 2) ** 0.5
                depth = min(depth, radius - reach)
        elif across == 99 and down == 99 and not goes_on[4 + number]:
            x, y = away[2 if dx < 0 else 3], away[0 if dy < 0 else 1]
            depth = min(depth, (x * x + y * y) ** 0.5 - inset - 1.5)
    return depth
