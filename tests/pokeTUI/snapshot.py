"""Write a screen down as text and styles, and compare it with what was written down before.

UPDATE_SNAPSHOTS=1 writes the files anew; look at what `git diff` says then.
"""

import difflib
import os
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.strip import Strip
from textual.widgets import Input

FOLDER = Path(__file__).parent / "snapshots"
UPDATE_VARIABLE = "UPDATE_SNAPSHOTS"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!$%&*+=?@^~"


def draw(app: App[Any]) -> str:
    """Return the rows of the screen, then the styles as runs, each named by a letter."""
    for field in app.screen.query(Input):
        field._pause_blink(visible=True)
    strips = [Strip(list(strip)) for strip in app.screen._compositor.render_strips()]
    names: dict[str, str] = {}
    runs = [_runs(strip, names) for strip in strips]
    rows = [f"{strip.text.rstrip()}" for strip in strips]
    legend = [f"{name} {style}" for style, name in names.items()]
    return "\n".join([*rows, "--- styles", *legend, "--- runs", *_counted(runs), ""])


def compare(name: str, drawn: str) -> None:
    """Fail with the difference to the snapshot, or write it when that is wanted."""
    path = FOLDER / f"{name}.txt"
    if os.environ.get(UPDATE_VARIABLE):
        path.parent.mkdir(exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
        return
    assert path.exists(), f"there is no {path.name}: write it with {UPDATE_VARIABLE}=1"
    before = path.read_text(encoding="utf-8")
    difference = "\n".join(
        difflib.unified_diff(before.splitlines(), drawn.splitlines(), "before", "now", lineterm="")
    )
    assert drawn == before, f"{path.name}: if this is meant, {UPDATE_VARIABLE}=1\n{difference}"


def _runs(strip: Strip, names: dict[str, str]) -> str:
    cells = [(_style(segment.style), segment.cell_length) for segment in _visible(strip)]
    parts = []
    for style, group in groupby(cells, key=lambda cell: cell[0]):
        name = names.setdefault(style, _name(len(names)))
        parts.append(f"{name}{sum(length for _, length in group)}")
    return " ".join(parts)


def _visible(strip: Iterable[Segment]) -> Iterable[Segment]:
    return (segment for segment in strip if not segment.control and segment.text)


def _style(style: Style | None) -> str:
    """Return colours and attributes without what is not seen."""
    return str(style.without_color + style.from_color(style.color, style.bgcolor)) if style else "-"


def _name(number: int) -> str:
    letter = _LETTERS[number % len(_LETTERS)]
    return letter if number < len(_LETTERS) else f"{letter}{number // len(_LETTERS)}:"


def _counted(rows: list[str]) -> list[str]:
    """Write equal neighbours once."""
    written = []
    for row, group in groupby(rows):
        count = len(list(group))
        written.append(row if count == 1 else f"{row} x{count}")
    return written
