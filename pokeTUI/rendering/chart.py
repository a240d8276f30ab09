"""Draw line charts in braille dots with numpy (plotext takes 50 times as long)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart from `low` at the bottom to `high` at the top.

    Attributes:
        places: (n,) float, rising: where each value stands, 0 at the left edge, 1 at the right.
        values: (n,) float.
        is_dotted: Draw every other column, so that two lines differ without colour.
        floor: (n,) float: fill sparsely from here to the values, instead of drawing a line.
    """

    places: NDArray[np.float64]
    values: NDArray[np.float64]
    low: float
    high: float
    is_dotted: bool = False
    floor: NDArray[np.float64] | None = None


def draw_chart(
    series: Sequence[Series], columns: int, rows: int
) -> tuple[list[str], NDArray[np.int16]]:
    """Draw `series` over each other, the first on top.

    Returns:
        The rows as text, and (rows, columns) int16: which series owns a cell, -1 for none.
    """
    codes = np.zeros(rows * columns, np.uint32)
    owner = np.full(rows * columns, -1, np.int16)
    for number in reversed(range(len(series))):
        y, x = _dots(series[number], 2 * columns, 4 * rows)
        cells = y // 4 * columns + x // 2
        drawn = np.bincount(cells, _DOTS[y % 4, x % 2], rows * columns)  # no dot comes twice
        is_drawn = drawn > 0
        np.copyto(codes, drawn, where=is_drawn, casting="unsafe")
        owner[is_drawn] = number
    glyphs = np.where(codes > 0, codes + 0x2800, ord(" ")).astype("<u4").reshape(rows, columns)
    return [row.tobytes().decode("utf-32-le") for row in glyphs], owner.reshape(rows, columns)


def nice_bounds(low: float, high: float) -> tuple[float, float]:
    """Widen a range to round numbers, so that axis labels do not dance."""
    if high - low < 1e-9:
        high, low = high + 1, low - 1
    step = 10 ** np.floor(np.log10(high - low))
    for divisor in (5, 2, 1):
        if (high - low) / (step / divisor) <= 8:
            step /= divisor
            break
    # Adding zero makes 0 of -0, which an axis would show.
    return float(np.floor(low / step) * step) + 0.0, float(np.ceil(high / step) * step) + 0.0


def _dots(series: Series, width: int, height: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the row and the column of each dot: the line's vertical extent in every column."""
    if len(series.values) == 0:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    at = np.rint(np.clip(series.places, 0, 1) * (width - 1)).astype(np.intp)
    columns, starts = np.unique(at, return_index=True)
    every = np.arange(columns[0], columns[-1] + 1)
    lowest = series.values if series.floor is None else series.floor
    bottom = np.interp(every, columns, np.minimum.reduceat(lowest, starts))
    top = np.interp(every, columns, np.maximum.reduceat(series.values, starts))
    span = max(series.high - series.low, 1e-9)
    upper = np.clip((series.high - top) / span, 0, 1) * (height - 1)
    lower = np.clip((series.high - bottom) / span, 0, 1) * (height - 1)
    first, last = np.rint(upper).astype(np.intp), np.rint(lower).astype(np.intp)
    if series.floor is None:
        # Reach to the neighbour on the left, so that steep parts stay one line.
        one, other = first[:-1], last[:-1]
        first[1:], last[1:] = (
            np.minimum(first[1:], other + (other < first[1:])),
            np.maximum(last[1:], one - (one > last[1:])),
        )
    depths = last - first + 1
    x, tops = np.repeat(every, depths), np.repeat(first, depths)
    y = tops + np.arange(len(x)) - np.repeat(np.cumsum(depths) - depths, depths)
    if series.floor is not None:
        is_kept = (x + 2 * (y % 2)) % 4 == 0
    elif series.is_dotted:
        is_kept = x % 4 < 2
    else:
        return y, x
    return y[is_kept], x[is_kept]
