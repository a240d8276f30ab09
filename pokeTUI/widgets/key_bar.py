"""The bottom line: the keys that matter now, clickable."""

from textual.events import Click

from pokeTUI.dashboard.state import DashboardState
from pokeTUI.keys.keymap import KeyHint, KeyTable, fitting
from pokeTUI.layout import GAME
from pokeTUI.rendering.lines import Line
from pokeTUI.theme import Ink
from pokeTUI.widgets.lines_widget import LinesWidget


class KeyBar(LinesWidget):
    """Show keys with a word for what they do; a click does the same as the key."""

    def __init__(self, table: KeyTable, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._table = table
        self._hints = table.footer(DashboardState(), GAME)
        self._spans: list[tuple[int, int, str]] = []

    def show(self, state: DashboardState, focused: str) -> None:
        """Show the keys for `state` while pane `focused` has the keyboard."""
        hints = self._table.footer(state, focused)
        if hints != self._hints:
            self._hints = hints
            self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the line; the least important hints are left out where there is no room."""
        hints: list[KeyHint] = fitting(self._hints, width)
        needed = sum(hint.width for hint in hints)
        gap = 2 if needed + 3 * len(hints) > width else 3
        line = Line(width).add(" ", Ink.dim)
        self._spans = []
        for hint in hints:
            if self._spans:
                line.add(" " * gap, Ink.dim)
            self._spans.append((line.used, line.used + hint.width, hint.action))
            line.add(hint.shown, Ink.key).add(f" {hint.label}", Ink.dim)
        return [line]

    async def on_click(self, event: Click) -> None:
        """Do what the key under the pointer does."""
        for start, end, action in self._spans:
            if start <= event.x < end:
                await self.app.run_action(action)
