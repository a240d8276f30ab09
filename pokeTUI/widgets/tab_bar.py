"""The names of the panes that share a place."""

from textual.events import Click

from pokeTUI.layout import PANES
from pokeTUI.rendering.lines import Line
from pokeTUI.theme import Ink
from pokeTUI.widgets.lines_widget import LinesWidget


class TabBar(LinesWidget):
    """Show the panes' names with their keys; the shown one is marked."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._active = PANES[0].key
        self._spans: list[tuple[int, int, str]] = []

    def activate(self, key: str) -> None:
        """Mark pane `key`."""
        self._active = key
        self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the line, with whole titles where they fit."""
        titles = [f"{number} {pane.title}" for number, pane in enumerate(PANES, start=1)]
        gap = 2
        if sum(len(title) + gap for title in titles) > width:
            titles = [f"{number} {pane.tab}" for number, pane in enumerate(PANES, start=1)]
            gap = 1
        line = Line(width)
        self._spans = []
        for pane, title in zip(PANES, titles, strict=True):
            is_active = pane.key == self._active
            self._spans.append((line.used, line.used + len(title), pane.key))
            line.add(title, Ink.badge if is_active else Ink.dim).add(" " * gap, Ink.dim)
        return [line]

    async def on_click(self, event: Click) -> None:
        """Show the pane under the pointer."""
        for start, end, key in self._spans:
            if start <= event.x < end:
                await self.app.run_action(f"show_pane('{key}')")
