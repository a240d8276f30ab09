"""Write screens as an asciinema recording, version 2: https://docs.asciinema.org."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pokeTUI.draw.raster import Boxes, Cell, Rgb, Screen, shape_of

_NEAR = 6
"""So many equal cells between two changed ones are written again: that is shorter than a jump."""
_MANY = 60
"""A colour of so many cells is an area that is looked at; of fewer, an edge."""
_TOLERANCE = 3 * 40**2
_STEPS = (0, 95, 135, 175, 215, 255)
_WAYS = (("1", "22"), ("3", "23"), ("4", "24"), ("9", "29"))
"""Codes that switch bold, italic, underlined and struck on and off."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What was to be seen from a moment on.

    Attributes:
        at_s: Since the beginning.
        caption: What is being shown.
    """

    at_s: float
    screen: Screen
    caption: str = ""


def to_cast(moments: Iterable[Moment], title: str) -> str:
    """Return the recording: a header, then a line a change, with a marker a caption."""
    lines: list[str] = []
    before: Screen | None = None
    caption = ""
    at_s = 0.0
    for moment in moments:
        at_s = moment.at_s
        if before is None:
            columns, rows = moment.screen.size
            header = {"version": 2, "width": columns, "height": rows, "title": title}
            lines.append(json.dumps({**header, "env": {"TERM": "xterm-256color"}}))
        if moment.caption != caption:
            caption = moment.caption
            lines.append(_event(at_s, "m", caption))
        output = changes(before, moment.screen)
        if before is None:
            output = f"\x1b[?25l\x1b[2J{output}"
        if output:
            lines.append(_event(at_s, "o", output))
        before = moment.screen
    lines.append(_event(at_s, "o", "\x1b[0m\x1b[2J\x1b[H\x1b[?25h"))
    return "\n".join(lines) + "\n"


def _event(at_s: float, kind: str, text: str) -> str:
    return json.dumps([round(at_s, 2), kind, text], ensure_ascii=False, separators=(",", ":"))


def changes(before: Screen | None, after: Screen) -> str:
    """Return what a terminal that shows `before` must be sent to show `after`."""
    pen = _Pen(_common(after))
    for y, row in enumerate(after.rows):
        old = before.rows[y] if before is not None else None
        if row == old:
            continue
        for start, end in _spans(old, row):
            pen.go(start, y)
            for cell in row[start:end]:
                pen.write(cell)
    return pen.text


def _spans(old: tuple[Cell, ...] | None, row: tuple[Cell, ...]) -> list[tuple[int, int]]:
    """Return where the row has changed, from and up to which column."""
    if old is None:
        return [(0, len(row))]
    spans: list[tuple[int, int]] = []
    for x in (x for x, cell in enumerate(row) if cell != old[x]):
        if spans and x - spans[-1][1] <= _NEAR:
            spans[-1] = spans[-1][0], x + 1
        else:
            spans.append((x, x + 1))
    return spans


def _common(screen: Screen) -> frozenset[Rgb]:
    """Return the colours of many blocks."""
    counts: Counter[Rgb] = Counter()
    for cell, number in Counter(cell for row in screen.rows for cell in row).items():
        if isinstance(shape_of(cell[0]), Boxes):
            counts[cell[1].color] += number
        counts[cell[1].ground] += number
    return frozenset(color for color, number in counts.items() if number >= _MANY)


class _Pen:
    """Write cells with as few codes as will do.

    Args:
        exact: Colours of blocks that are kept as they are; others, which are the mixed colours of
            edges, become the nearest of the 256 that take half as many characters.
    """

    def __init__(self, exact: frozenset[Rgb]) -> None:
        self._exact = exact
        self._parts: list[str] = []
        self._color: Rgb | None = None
        self._ground: Rgb | None = None
        self._ways: tuple[bool, ...] = (False,) * len(_WAYS)

    @property
    def text(self) -> str:
        """All that was written; it leaves no way of writing switched on."""
        end = "\x1b[m" if any(self._ways) else ""
        return "".join(self._parts) + end

    def go(self, x: int, y: int) -> None:
        """Go to a cell."""
        self._parts.append(f"\x1b[{y + 1};{x + 1}H")

    def write(self, cell: Cell) -> None:
        """Write a cell."""
        character, look = cell
        is_block = character == " " or isinstance(shape_of(character), Boxes)
        ways = (look.is_bold, look.is_italic, look.is_underlined, look.is_struck)
        codes = [
            on if is_on else off
            for (on, off), is_on, was_on in zip(_WAYS, ways, self._ways, strict=True)
            if is_on != was_on
        ]
        self._ways = ways
        if character != " " and self._is_new(self._color, look.color, is_block):
            self._color = look.color
            codes.append(f"38;{self._name(look.color, is_block)}")
        if character != "█" and self._is_new(self._ground, look.ground, is_block):
            self._ground = look.ground
            codes.append(f"48;{self._name(look.ground, is_block)}")
        self._parts.append(f"\x1b[{';'.join(codes)}m{character}" if codes else character)

    def _is_new(self, now: Rgb | None, wanted: Rgb, is_block: bool) -> bool:
        """Return whether a colour must be written: an edge may have one that is near enough."""
        if now is None or now == wanted:
            return now is None
        return not is_block or wanted in self._exact or _apart(now, wanted) > _TOLERANCE

    def _name(self, color: Rgb, is_block: bool) -> str:
        if is_block and color not in self._exact:
            return f"5;{_nearest(color)}"
        return ";".join(map(str, (2, *color)))


@lru_cache(maxsize=1 << 16)
def _nearest(color: Rgb) -> int:
    """Return the number of the nearest of the 256 colours: a cube of six steps, and greys."""
    steps = [min(range(6), key=lambda step: abs(_STEPS[step] - part)) for part in color]
    cube = tuple(_STEPS[step] for step in steps)
    grey = max(0, min(23, round((sum(color) / 3 - 8) / 10)))
    if _apart((8 + 10 * grey,) * 3, color) < _apart(cube, color):
        return 232 + grey
    red, green, blue = steps
    return 16 + 36 * red + 6 * green + blue


def _apart(one: Sequence[int], other: Sequence[int]) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))
