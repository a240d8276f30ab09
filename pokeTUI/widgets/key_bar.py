"""The bottom line: the keys that matter now, clickable."""

from textual.events import Click

from pokeTUI.actions import footer_hints
from pokeTUI.rendering.lines import Line
from pokeTUI.state import DashboardState
from pokeTUI.theme import Ink
from pokeTUI.widgets.lines_widget import LinesWidget


class KeyBar(LinesWidget):
    """Show keys with a word for what they do; a click does the same as the key."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._hints = footer_hints(DashboardState())
        self._spans: list[tuple[int, int, str]] = []

    def show(self, state: DashboardState) -> None:
        """Show the keys for `state`."""
        hints = footer_hints(state)
        if hints != self._hints:
            self._hints = hints
            self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the line; hints that do not fit as a whole are left out."""
        needed = sum(len(hint.shown) + 1 + len(hint.label) for hint in self._hints)
        gap = 2 if needed + 3 * len(self._hints) > width else 3
        line = Line(width).add(" ", Ink.dim)
        self._spans = []
        for hint in self._hints:
            size = len(hint.shown) + 1 + len(hint.label)
            if size > line.room:
                break
            self._spans.append((line.used, line.used + size, hint.action))
            line.add(hint.shown, Ink.key).add(f" {hint.label}", Ink.dim)
            line.add(" " * gap, Ink.dim)
        return [line]

    async def on_click(self, event: Click) -> None:
        """Do what the key under the pointer does."""
        for start, end, action in self._spans:
            if start <= event.x < end:
                await self.app.run_action(action)
