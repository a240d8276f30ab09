"""Draw line charts in braille dots with numpy (plotext takes 50 times as long)."""

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
    """

    places: NDArray[np.float64]
    values: NDArray[np.float64]
    low: float
    high: float
    is_dotted: bool = False


def draw_chart(series: list[Series], columns: int, rows: int) -> tuple[list[str], NDArray[np.int8]]:
    """Draw `series` over each other, the first on top.

    Returns:
        The rows as text, and (rows, columns) int8: which series owns a cell, -1 for none.
    """
    codes = np.zeros((rows, columns), np.intp)
    owner = np.full((rows, columns), -1, np.int8)
    for number in reversed(range(len(series))):
        dots = _dots(series[number], 2 * columns, 4 * rows)
        blocks = dots.reshape(rows, 4, columns, 2)
        drawn = (blocks * _DOTS[None, :, None, :]).sum(axis=(1, 3))
        codes = np.where(drawn > 0, drawn, codes)
        owner[drawn > 0] = number
    glyphs = np.where(codes > 0, codes + 0x2800, ord(" "))
    return ["".join(map(chr, row)) for row in glyphs.tolist()], owner


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


def _dots(series: Series, width: int, height: int) -> NDArray[np.bool_]:
    """Return (height, width): the vertical extent of the line in every dot column."""
    if len(series.values) == 0:
        return np.zeros((height, width), np.bool_)
    at = np.rint(np.clip(series.places, 0, 1) * (width - 1)).astype(np.intp)
    columns, starts = np.unique(at, return_index=True)
    every = np.arange(width)
    is_drawn = (every >= columns[0]) & (every <= columns[-1])
    bottom = np.interp(every, columns, np.minimum.reduceat(series.values, starts))
    top = np.interp(every, columns, np.maximum.reduceat(series.values, starts))
    span = max(series.high - series.low, 1e-9)
    upper = np.clip((series.high - top) / span, 0, 1) * (height - 1)
    lower = np.clip((series.high - bottom) / span, 0, 1) * (height - 1)
    first, last = np.rint(upper).astype(np.intp), np.rint(lower).astype(np.intp)
    # Reach to the neighbour on the left, so that steep parts stay one line.
    reach_first, reach_last = first.copy(), last.copy()
    reach_first[1:] = np.minimum(first[1:], last[:-1] + (last[:-1] < first[1:]))
    reach_last[1:] = np.maximum(last[1:], first[:-1] - (first[:-1] > last[1:]))
    y = np.arange(height)[:, None]
    dots: NDArray[np.bool_] = (y >= reach_first) & (y <= reach_last) & is_drawn
    if series.is_dotted:
        dots[:, every % 4 >= 2] = False
    return dots
