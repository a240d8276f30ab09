"""Write screens as an asciinema recording, version 2: https://docs.asciinema.org."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from docs.pictures.screen import Cell, Look, Screen

_NEAR = 6
"""So many equal cells between two changed ones are written again: that is shorter than a jump."""


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
    parts: list[str] = []
    look: Look | None = None
    for y, row in enumerate(after.rows):
        old = before.rows[y] if before is not None else None
        if row == old:
            continue
        for start, end in _spans(old, row):
            parts.append(f"\x1b[{y + 1};{start + 1}H")
            for character, wanted in row[start:end]:
                if wanted != look:
                    parts.append(_codes(look, wanted))
                    look = wanted
                parts.append(character)
    return "".join(parts)


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


def _codes(before: Look | None, look: Look) -> str:
    """Return the escape codes from one look to the next."""
    codes: list[str] = []
    for name, on, off in (
        ("is_bold", "1", "22"),
        ("is_italic", "3", "23"),
        ("is_underlined", "4", "24"),
        ("is_struck", "9", "29"),
    ):
        is_on = getattr(look, name)
        if is_on != (before is not None and getattr(before, name)):
            codes.append(on if is_on else off)
    for number, name in ((38, "color"), (48, "ground")):
        if before is None or getattr(before, name) != getattr(look, name):
            codes.append(";".join(map(str, (number, 2, *getattr(look, name)))))
    return f"\x1b[{';'.join(codes)}m"
