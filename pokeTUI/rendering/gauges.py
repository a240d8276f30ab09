"""Draw small charts of a line or a few: sparklines, columns, stacked bars, panes side by side."""

from collections.abc import Sequence
from itertools import pairwise

from pokeTUI.rendering.lines import Line
from pokeTUI.theme import SOURCE_MARKS, Ink

_LEVELS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float], width: int) -> str:
    """Return the last values as columns, the newest at the right end; "·" where there is none.

    No column is so high that it touches the line above. The lowest is the smallest value, or zero
    if all are above it.
    """
    room = max(0, width)
    shown = squeeze(values, room)
    if not shown:
        return "·" * room
    low, high = min(0.0, *shown), max(0.0, *shown)
    span = high - low
    marks = [
        _LEVELS[round((value - low) / span * (len(_LEVELS) - 2))] if span > 1e-9 else _LEVELS[0]
        for value in shown
    ]
    return "·" * (room - len(marks)) + "".join(marks)


def squeeze(values: Sequence[float], width: int) -> list[float]:
    """Return at most `width` means of neighbouring values."""
    count = len(values)
    if count <= width:
        return list(values)
    edges = [count * index // width for index in range(width + 1)]
    return [sum(values[start:end]) / (end - start) for start, end in pairwise(edges)]


def column(fraction: float, rows: int) -> list[str]:
    """Return one column of `rows` cells, the top one first, filled to `fraction` from below."""
    eighths = round(max(0.0, min(1.0, fraction)) * rows * 8)
    if fraction > 0:
        eighths = max(1, eighths)
    cells = []
    for row in range(rows):
        filled = min(8, max(0, eighths - 8 * (rows - 1 - row)))
        cells.append(_LEVELS[filled - 1] if filled else " ")
    return cells


def source_mark(source: str) -> tuple[str, Ink]:
    """Return a source's sign and its ink."""
    return SOURCE_MARKS.get(source, ("·", Ink.dim))


def portions(shares: Sequence[float], width: int) -> list[int]:
    """Return whole cells in proportion that fill `width`; what is more than nothing shows."""
    total = sum(shares)
    if total <= 0 or width <= 0:
        return [0] * len(shares)
    exact = [share / total * width for share in shares]
    cells = [max(1, int(part)) if part > 0 else 0 for part in exact]
    while sum(cells) > width and max(cells) > 1:
        cells[cells.index(max(cells))] -= 1
    rest = sorted(range(len(cells)), key=lambda index: int(exact[index]) - exact[index])
    for index in rest[: max(0, width - sum(cells))]:
        cells[index] += 1
    return cells


def stacked_bar(line: Line, shares: Sequence[tuple[str, float]], width: int) -> Line:
    """Add one bar of several sources, each drawn in its own sign and ink."""
    cells = portions([share for _, share in shares], min(width, line.room))
    for (source, _), count in zip(shares, cells, strict=True):
        mark, ink = source_mark(source)
        line.add(mark * count, ink)
    return line
