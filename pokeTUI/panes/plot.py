"""Draw curves with their axes into lines of text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pokeTUI.dashboard.history import Points
from pokeTUI.draw.lines import Line
from pokeTUI.draw.theme import Ink

# Draw line charts in braille dots with numpy (plotext takes 50 times as long).

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
    # Adding zero turns -0 into 0: an axis would show the sign.
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


_MIN_ROWS_FOR_MIDDLE = 5
_SMALL_ROWS, _SMALL_COLUMNS = 10, 36
_LABELS_BESIDE = 12


@dataclass(frozen=True, slots=True)
class PlotLine:
    """One curve of a plot; on the right it has an axis of its own, from 0 to 100 %.

    Attributes:
        label: A letter at the end of the line, "" for none.
        band: Lowest and highest values at the points' places; filled sparsely behind all lines.
        band_ink: Ink of the band.
    """

    points: Points
    ink: Ink
    is_dotted: bool = False
    is_on_right: bool = False
    label: str = ""
    band: Points | None = None
    band_ink: Ink = Ink.faint


@dataclass(frozen=True, slots=True)
class Axes:
    """The axes of a plot; the lower one goes from `left` to `right`, in `unit`.

    Attributes:
        text: Writes a value of the left axis.
        is_log: The left axis is logarithmic; all values must be above 0.
        is_share: The left axis goes from 0 to 1.
        cursor: Place that is marked.
    """

    left: float
    right: float
    unit: str
    text: Callable[[float], str]
    is_log: bool = False
    is_share: bool = False
    cursor: float | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """The columns that the curves were drawn in, to find the place of a click."""

    start: int
    columns: int


@dataclass(frozen=True, slots=True)
class SmallChart:
    """A curve with its name and last value, for a grid of several."""

    title: str
    points: Points
    unit: str
    text: Callable[[float], str]
    is_share: bool = False
    is_chosen: bool = False

    def lines(self, width: int, height: int) -> list[Line]:
        """Return the chart below its name."""
        places, values = self.points
        head = Line(width).add("▸" if self.is_chosen else " ", Ink.key)
        head.add(self.title, Ink.strong if self.is_chosen else Ink.dim)
        if not len(values):
            return [head.add("  nothing yet", Ink.dim)]
        head.add("  ", Ink.dim).add(self.text(float(values[-1])), Ink.strong)
        axes = Axes(
            float(places[0]), float(places[-1]), self.unit, self.text, is_share=self.is_share
        )
        return [head, *plot([PlotLine(self.points, Ink.accent)], axes, width, height - 1)[0]]


def plot(
    curves: Sequence[PlotLine], axes: Axes, width: int, height: int
) -> tuple[list[Line], Frame]:
    """Return the plot's lines, the first curve on top of the others, and where the curves are."""
    low, high = _bounds(curves, axes)
    middle = (low + high) / 2
    ticks = [_tick(value, axes, high - low) for value in (high, middle, low)]
    label = max([3, *map(len, ticks)])
    has_right = any(curve.is_on_right for curve in curves)
    rows, columns = max(1, height - 1), max(4, width - label - 2 - (5 if has_right else 0))
    bands = [curve for curve in curves if curve.band is not None]
    series = [_series(one, axes, low, high) for one in curves]
    filled = [_series(one, axes, low, high, is_band=True) for one in bands]
    drawn, owner = draw_chart([*series, *filled], columns, rows)
    _label_ends(curves, series, drawn, owner)
    cursor = None if axes.cursor is None else column_of(axes.cursor, axes, columns)
    inks = [*(curve.ink for curve in curves), *(curve.band_ink for curve in bands)]
    lines = []
    for row, text in enumerate(drawn):
        at = _tick_row(row, rows)
        line = Line(width).add("" if at is None else ticks[at], Ink.dim, label, right=True)
        line.add("┤" if at is not None else "│", Ink.faint)
        if cursor is not None and text[cursor] == " ":
            text = f"{text[:cursor]}┊{text[cursor + 1 :]}"
        _add_owned(line, text, owner[row].tolist(), inks, cursor)
        line.add("│", Ink.faint)
        if has_right and at is not None:
            line.add(("100%", "50%", "0%")[at], Ink.dim, 4, right=True)
        lines.append(line)
    if height > 1:
        lines.append(_foot(axes, width, label, columns))
    return lines, Frame(label + 1, columns)


def grid(charts: Sequence[SmallChart], width: int, room: int) -> list[Line]:
    """Return rows of small charts under each other, as many as there is room for."""
    across = max(1, min(len(charts), width // _SMALL_COLUMNS))
    size = width // across
    depth = -(-len(charts) // across)
    height = max(_SMALL_ROWS, min(_SMALL_ROWS + 4, room // max(1, depth)))
    lines: list[Line] = []
    for start in range(0, len(charts), across):
        if len(lines) + height > room:
            break
        row = [Line(width) for _ in range(height - 1)]
        for number, chart in enumerate(charts[start : start + across]):
            for line, part in zip(row, chart.lines(size - 2, height - 1), strict=False):
                line.skip_to(number * size).append(part)
        lines += [Line(width), *row]
    return lines


def column_of(place: float, axes: Axes, columns: int) -> int:
    """Return the column of a place."""
    share = (place - axes.left) / max(axes.right - axes.left, 1e-9)
    return round(min(1.0, max(0.0, share)) * (columns - 1))


def place_of(column: int, axes: Axes, columns: int) -> float:
    """Return the place of a column."""
    return axes.left + (axes.right - axes.left) * column / max(1, columns - 1)


def _bounds(curves: Sequence[PlotLine], axes: Axes) -> tuple[float, float]:
    """Return round bounds, wide enough that noise does not look like progress."""
    if axes.is_share:
        return 0.0, 1.0
    left = [curve for curve in curves if not curve.is_on_right]
    parts = [part for curve in left for part in (curve.points[1], *(curve.band or ()))]
    values: NDArray[np.float64] = np.concatenate(parts or [np.zeros(1)])
    if not len(values):
        values = np.zeros(1)
    if axes.is_log:
        low, high = np.log10([values.min(), values.max()])
        return float(np.floor(low * 4) / 4), float(max(np.ceil(high * 4) / 4, low + 0.25))
    low, high = float(values.min()), float(values.max())
    margin = max(0.0, 0.2 * max(abs(low), abs(high)) - (high - low)) / 2
    return nice_bounds(low - margin, high + margin)


def _tick(value: float, axes: Axes, span: float) -> str:
    if axes.is_log:
        return axes.text(10**value)
    if axes.is_share:
        return f"{value:.0%}"
    if span >= 1e6 or span < 1e-4:
        return f"{value:.1e}"
    for digits in range(6):
        if abs(round(value, digits) - value) <= 0.02 * span:
            break
    return f"{value:,.{digits}f}"


def _series(
    curve: PlotLine, axes: Axes, low: float, high: float, *, is_band: bool = False
) -> Series:
    places, values = curve.points
    floor = None
    if is_band and curve.band is not None:
        floor, values = curve.band
    share = (places - axes.left) / max(axes.right - axes.left, 1e-9)
    if len(values) == 1 and axes.right - axes.left < 1:
        share, values = np.array([0.0, 1.0]), np.repeat(values, 2)  # one point is a level
        floor = None if floor is None else np.repeat(floor, 2)
    if curve.is_on_right:
        low, high = 0.0, 1.0
    elif axes.is_log:
        values = np.log10(values)
        floor = None if floor is None else np.log10(floor)
    return Series(share, values, low, high, curve.is_dotted, floor)


def _label_ends(
    curves: Sequence[PlotLine], series: Sequence[Series], drawn: list[str], owner: NDArray[np.int16]
) -> None:
    """Write labels over the ends of their lines, beside each other where ends meet."""
    rows, columns = owner.shape
    taken: set[tuple[int, int]] = set()
    for number, (curve, one) in enumerate(zip(curves, series, strict=True)):
        if not curve.label or not len(one.values):
            continue
        share = (one.high - one.values[-1]) / max(one.high - one.low, 1e-9)
        row = round(min(1.0, max(0.0, share)) * (4 * rows - 1)) // 4
        end = round(min(1.0, max(0.0, one.places[-1])) * (2 * columns - 1)) // 2
        for column in range(end, max(-1, end - _LABELS_BESIDE), -1):
            if (row, column) not in taken:
                taken.add((row, column))
                drawn[row] = drawn[row][:column] + curve.label + drawn[row][column + 1 :]
                owner[row, column] = number
                break


def _tick_row(row: int, rows: int) -> int | None:
    """Return which tick stands in a row."""
    if row == 0:
        return 0
    if row == rows - 1:
        return 2
    return 1 if row == rows // 2 and rows >= _MIN_ROWS_FOR_MIDDLE else None


def _foot(axes: Axes, width: int, label: int, columns: int) -> Line:
    first, last = f" {axes.left:,.0f} ", f" {axes.unit} {axes.right:,.0f} "
    line = Line(width).add(" " * label, Ink.dim).add("└", Ink.faint)
    if columns < len(first) + len(last) + 2:
        return line.add("─" * columns + "┘", Ink.faint)
    line.add(first, Ink.dim).add("─" * (columns - len(first) - len(last)), Ink.faint)
    return line.add(last, Ink.dim).add("┘", Ink.faint)


def _add_owned(
    line: Line, text: str, owners: list[int], inks: Sequence[Ink], cursor: int | None
) -> None:
    """Add a row of curves, each in its own ink; empty cells take the ink before them."""
    start, current = 0, Ink.faint
    for column, owner in enumerate(owners):
        ink = Ink.warn if column == cursor else inks[owner] if owner >= 0 else None
        if ink is None or ink is current:
            if column - 1 == cursor and ink is None:
                ink = Ink.faint
            else:
                continue
        line.add(text[start:column], current)
        start, current = column, ink
    line.add(text[start:], current)
