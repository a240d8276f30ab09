"""The start screen with its entries, and the screen of what the doctor finds."""

import asyncio
import os
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from engine.ground.text import printable
from pokeTUI.app.doctor.machine import NAME_WIDTH, Finding, Verdict
from pokeTUI.draw.lines import Line, wrap
from pokeTUI.draw.lines_widget import LinesWidget
from pokeTUI.draw.menu import Column, Menu
from pokeTUI.draw.theme import Ink
from pokeTUI.screens.listing import LEAVE_KEYS
from pokeTUI.terminal.probe import Terminal

# The start screen: the program's name in large letters, the entries, and what each is for.

_LETTERS = {
    "P": ("#####.", "##..##", "##..##", "#####.", "##....", "##....", "##...."),
    "o": ("......", "......", ".####.", "##..##", "##..##", "##..##", ".####."),
    "k": ("##....", "##....", "##..##", "##.##.", "####..", "##.##.", "##..##"),
    "e": ("......", "......", ".####.", "##..##", "######", "##....", ".#####"),
    "T": ("######", "..##..", "..##..", "..##..", "..##..", "..##..", "..##.."),
    "U": ("##..##", "##..##", "##..##", "##..##", "##..##", "##..##", ".####."),
    "I": ("####", ".##.", ".##.", ".##.", ".##.", ".##.", "####"),
}
_NAME = (("Poke", Ink.accent), ("TUI", Ink.strong))
_ROWS = 7
_GAP = 2
_BLOCKS = {"..": " ", "#.": "▀", ".#": "▄", "##": "█"}
SMALL_ROWS, LARGE_ROWS = 4, 8
_LARGE = (130, 44)
"""Columns and rows of a terminal that the large letters fit into."""
_SUBTITLE = "a cockpit for agents that play Pokémon"


class Title(LinesWidget):
    """The name in the middle, twice as large where there is room, and a line below it."""

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the lines."""
        is_large = height > LARGE_ROWS
        letters = [(_LETTERS[letter], ink) for part, ink in _NAME for letter in part]
        total = sum(len(rows[0]) for rows, _ in letters) + _GAP * (len(letters) - 1)
        scale = 2 if is_large else 1
        indent = max(0, (width - total * scale) // 2)
        lines = []
        for row in range(LARGE_ROWS - 1 if is_large else SMALL_ROWS):
            line = Line(width).skip_to(indent)
            for rows, ink in letters:
                line.add(_large(rows, row) if is_large else _small(rows, row), ink)
                line.add(" " * _GAP * scale, ink)
            lines.append(line)
        lines += [Line(width)] * (height > len(lines) + 1)
        lines.append(
            Line(width).skip_to(max(0, (width - len(_SUBTITLE)) // 2)).add(_SUBTITLE, Ink.dim)
        )
        return lines[:height]


def _small(rows: tuple[str, ...], row: int) -> str:
    """Return a row of cells, each two pixels high."""
    upper = rows[2 * row]
    lower = rows[2 * row + 1] if 2 * row + 1 < _ROWS else "." * len(upper)
    return "".join(_BLOCKS[pair] for pair in map("".join, zip(upper, lower, strict=True)))


def _large(rows: tuple[str, ...], row: int) -> str:
    """Return a row of cells, two for each pixel."""
    return "".join("██" if pixel == "#" else "  " for pixel in rows[row])


class StartScreen(Screen[None], inherit_bindings=False):
    """The title, the entries, and a line of what the marked one is for."""

    DEFAULT_CSS = """
    StartScreen { align: center middle; background: $background; }
    #start_box { width: 74; max-width: 100%; height: auto; }
    #start_title { height: 6; margin-bottom: 1; }
    #start_menu { height: 11; }
    #start_notice { height: auto; min-height: 2; max-height: 4; padding-top: 1; color: $lichen; }
    #start_keys { height: 1; color: $stone; margin-top: 1; }
    StartScreen.-large #start_box { width: 124; }
    StartScreen.-large #start_title { height: 10; margin-bottom: 3; }
    StartScreen.-large #start_menu { margin-left: 25; width: 74; }
    StartScreen.-large #start_notice, StartScreen.-large #start_keys { margin-left: 25; width: 74; }
    """

    def __init__(self) -> None:
        super().__init__()
        columns = (Column("", 11), Column("", 0))
        self.menu = Menu(columns, id="start_menu", has_numbers=True)
        self._notice = Static(id="start_notice")

    def compose(self) -> ComposeResult:
        """Yield the parts."""
        with Vertical(id="start_box"):
            yield Title(id="start_title")
            yield self.menu
            yield self._notice
            yield Static(
                "↑↓ and enter, a number, a letter, or the mouse   q leaves", id="start_keys"
            )

    def on_resize(self, event: Resize) -> None:
        """Draw the title larger where there is room."""
        columns, rows = _LARGE
        self.set_class(event.size.width >= columns and event.size.height >= rows, "-large")

    def report(self, text: str) -> None:
        """Show a text below the entries."""
        self._notice.update(Content(text))


# What the doctor finds, as it finds it.

_INKS = {Verdict.GOOD: "$success", Verdict.WARNING: "$warning", Verdict.BAD: "$error"}

_MOST_LINES = 4
_CHECKING = "Checking this machine…"


class DoctorScreen(ModalScreen[None]):
    """Examine this machine for a run."""

    DEFAULT_CSS = """
    DoctorScreen { align: center middle; background: $background 70%; }
    #doctor_box {
        width: 112; max-width: 100%; height: 90%; padding: 0 1; background: $panel;
        border: round $primary; border-title-color: $lichen; border-title-style: bold;
        border-subtitle-color: $stone;
    }
    #doctor_scroll { height: 1fr; scrollbar-size-vertical: 1; background: $panel; }
    #doctor_text { height: auto; }
    """
    AUTO_FOCUS: ClassVar[str] = "#doctor_scroll"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(f"{LEAVE_KEYS},enter,d", "leave", show=False),
        Binding("j", "move(1)", show=False),
        Binding("k", "move(-1)", show=False),
    ]

    def __init__(self, terminal: Terminal) -> None:
        super().__init__()
        self._terminal = terminal
        self._is_left = False

    def compose(self) -> ComposeResult:
        """Yield the findings."""
        with Vertical(id="doctor_box") as box:
            box.border_title = "Doctor"
            box.border_subtitle = "↑↓ scroll   esc back"
            with VerticalScroll(id="doctor_scroll"):
                yield Static(_CHECKING, id="doctor_text")

    def on_mount(self) -> None:
        """Begin."""
        self.run_worker(self._examine())

    def on_unmount(self) -> None:
        """Examine no further."""
        self._is_left = True

    async def _examine(self) -> None:
        # Imported here: the start screen must be there before what is examined is loaded.
        from pokeTUI.app.doctor.examination import Surroundings, examine

        surroundings = Surroundings(self._terminal, self.app.size, os.environ)
        findings = examine(surroundings)
        found: list[Finding] = []
        while not self._is_left:
            one = await asyncio.to_thread(next, findings, None)
            if one is None:
                break
            found.append(one)
            self._show(found, _CHECKING)
        if not self._is_left:
            bad = sum(one.verdict is Verdict.BAD for one in found)
            self._show(found, f"{bad} would make a run fail." if bad else "Ready to run.")

    def _show(self, found: list[Finding], end: str) -> None:
        if not self.query("#doctor_text"):
            return  # left meanwhile: the boxes go before the screen does
        lines: list[Content] = []
        width = max(20, self.query_one("#doctor_scroll").content_size.width - NAME_WIDTH - 4)
        for one in found:
            head = f"{one.verdict.sign} {one.name:<{NAME_WIDTH}} "
            for part in wrap(printable(one.text), width, _MOST_LINES):
                lines.append(Content.assemble((head, _INKS[one.verdict]), part))
                head = " " * len(head)
            for part in wrap(printable(one.remedy), width, _MOST_LINES):
                lines.append(Content.styled(" " * (NAME_WIDTH + 3) + part, "$stone"))
        if end:
            lines += [Content(""), Content.styled(end, "bold $lichen")]
        self.query_one("#doctor_text", Static).update(Content("\n").join(lines))

    def action_move(self, rows: int) -> None:
        """Scroll."""
        self.query_one("#doctor_scroll").scroll_relative(y=rows, animate=False)

    def action_leave(self) -> None:
        """Go back."""
        self.dismiss(None)
