"""Build lines of styled text of an exact width."""

from collections.abc import Iterable, Sequence
from itertools import pairwise, zip_longest

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from engine.ground.text import printable
from pokeTUI.draw.theme import SOURCE_MARKS, Ink, Palette


class Line:
    """A line that grows to the right and never beyond its width."""

    def __init__(self, width: int) -> None:
        self.width = max(0, width)
        self.used = 0
        self._parts: list[tuple[str, Ink]] = []

    @property
    def room(self) -> int:
        """Cells that are still free."""
        return self.width - self.used

    def add(self, text: str, ink: Ink, width: int | None = None, *, right: bool = False) -> "Line":
        """Add text, padded or cut to `width` if given; what does not fit is cut with an ellipsis.

        What is not printable in it becomes a space.
        """
        text = printable(text)
        limit = self.room if width is None else min(width, self.room)
        text = shorten(text, limit)
        if width is not None:
            padding = " " * (limit - cell_len(text))
            text = padding + text if right else text + padding
        if text:
            self._parts.append((text, ink))
            self.used += cell_len(text)
        return self

    def skip_to(self, column: int) -> "Line":
        """Add spaces up to `column`."""
        return self.add(" " * max(0, min(column, self.width) - self.used), Ink.text)

    def add_whole(self, text: str, ink: Ink) -> "Line":
        """Add text only if all of it fits."""
        return self.add(text, ink) if cell_len(text) <= self.room else self

    def append(self, other: "Line") -> "Line":
        """Add what another line holds."""
        if other.used <= self.room:
            self._parts += other._parts
            self.used += other.used
            return self
        for text, ink in other._parts:
            self.add(text, ink)
        return self

    def strip(self, base: Style, palette: Palette) -> Strip:
        """Return the line as a strip of its full width on the background of `base`."""
        segments = [Segment(text, base + palette[ink]) for text, ink in self._parts]
        if self.room > 0:
            segments.append(Segment(" " * self.room, base))
        return Strip(segments, self.width)

    @property
    def text(self) -> str:
        """The bare text."""
        return "".join(text for text, _ in self._parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Line) and self.width == other.width and self._parts == other._parts

    __hash__ = None  # type: ignore[assignment]  # mutable


def shorten(text: str, width: int) -> str:
    """Cut `text` to `width` cells, with an ellipsis if something is lost."""
    if cell_len(text) <= width:
        return text
    if width <= 1:
        return "…"[:width]
    return set_cell_size(text, width - 1).rstrip() + "…"


def wrap(text: str, width: int, max_lines: int) -> list[str]:
    """Break `text` at spaces into at most `max_lines` lines; the last is cut if need be."""
    lines: list[str] = []
    rest = text.split()
    while rest and len(lines) < max_lines:
        if len(lines) == max_lines - 1:
            lines.append(shorten(" ".join(rest), width))
            break
        line = rest.pop(0)
        while rest and cell_len(line) + 1 + cell_len(rest[0]) <= width:
            line += " " + rest.pop(0)
        lines.append(shorten(line, width))
    return lines


def labelled(
    label: str, text: str, ink: Ink, width: int, indent: int, max_lines: int = 1
) -> list[Line]:
    """Return a text in lines behind a label of `indent` cells; the last is cut if need be."""
    return [
        Line(width).add("" if row else label, Ink.dim, indent).add(part, ink)
        for row, part in enumerate(wrap(text, width - indent, max_lines))
    ]


def flow(
    parts: Iterable[str | Line], width: int, ink: Ink, *, gap: str = " · ", indent: int = 0
) -> list[Line]:
    """Set parts one after the other in as many lines as that takes; none of them is broken."""
    lines: list[Line] = []
    for part in parts:
        entry = Line(width - indent).add(part, ink) if isinstance(part, str) else part
        if lines and lines[-1].used + len(gap) + entry.used <= width:
            lines[-1].add(gap, Ink.dim).append(entry)
        else:
            lines.append(Line(width).skip_to(indent).append(entry))
    return lines


def beside(left: Sequence[Line], right: Sequence[Line], at: int, width: int) -> list[Line]:
    """Set two blocks of lines side by side, the right one from column `at`."""
    return [
        Line(width).append(one).skip_to(at).append(other)
        for one, other in zip_longest(left, right, fillvalue=Line(0))
    ]


def bar(fraction: float, width: int) -> str:
    """Return a bar filled to `fraction` of `width` cells, in halves; any share above 0 shows."""
    halves = round(max(0.0, min(1.0, fraction)) * width * 2)
    if fraction > 0 and width > 0:
        halves = max(1, halves)
    return "━" * (halves // 2) + "╸" * (halves % 2)


def add_bar(
    line: Line, fraction: float, width: int, fill: Ink, track: Ink, *, is_hatched: bool = False
) -> Line:
    """Add a bar over a dotted track; hatched bars differ without colour."""
    width = min(width, line.room)
    filled = bar(fraction, width)
    if is_hatched:
        filled = "╍" * len(filled)
    return line.add(filled, fill).add("┈" * (width - len(filled)), track)


def signed(value: float, width: int = 7) -> str:
    """Return a number with its sign, "·" for nothing, in at most `width` characters."""
    if abs(value) < 0.0005:
        return "·"
    for digits in (2, 1, 0):
        text = f"{value:+z.{digits}f}"
        if len(text) <= width:
            break
    if abs(value) < 0.01 and width >= 6:
        text = f"{value:+.3f}"
    return text


def clock(seconds: float) -> str:
    """Return a duration as h:mm:ss."""
    whole = max(0, int(seconds))
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


# Draw small charts of a line or a few: sparklines, columns, stacked bars, panes side by side.

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
    """Return whole cells in proportion that fill `width`; any share above 0 gets one."""
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
