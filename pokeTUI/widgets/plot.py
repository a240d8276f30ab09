"""Draw curves with their axes into lines of text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pokeTUI.dashboard.history import Points
from pokeTUI.rendering.chart import Series, draw_chart, nice_bounds
from pokeTUI.rendering.lines import Line
from pokeTUI.theme import Ink

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
    """What is around the curves, from the place `left` to `right`, counted in a unit.

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
    """Where a plot was drawn, so that a click can be understood: columns of the curves."""

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
    """Add a row of curves, each run of cells in the ink of its curve; gaps belong to any."""
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
