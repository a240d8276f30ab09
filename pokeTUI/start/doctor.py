"""What the doctor finds, as it finds it."""

import asyncio
import os
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from engine.quoting import printable
from pokeTUI.doctor.examination import Surroundings, examine
from pokeTUI.doctor.finding import NAME_WIDTH, Finding, Verdict
from pokeTUI.rendering.lines import wrap
from pokeTUI.screens.listing import LEAVE_KEYS
from pokeTUI.terminal.probe import Terminal

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
