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
        self._keys: tuple[str, ...] = ()
        self._front = ""
        self._spans: list[tuple[int, int, str]] = []

    def show(self, keys: tuple[str, ...], front: str) -> None:
        """Show the names of the panes `keys`, with pane `front` marked."""
        if (keys, front) != (self._keys, self._front):
            self._keys, self._front = keys, front
            self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the line, with whole titles where they fit."""
        panes = [(number, pane) for number, pane in enumerate(PANES, 1) if pane.key in self._keys]
        gap, space = 2, " "
        names = [pane.title for _, pane in panes]
        if _width(names, gap, space) > width:
            names = [pane.tab for _, pane in panes]
        if _width(names, gap, space) > width:
            gap, space = 1, ""
        line = Line(width)
        self._spans = []
        for (number, pane), name in zip(panes, names, strict=True):
            is_front = pane.key == self._front
            start = line.used
            line.add(f"{number}{space}", Ink.badge if is_front else Ink.key)
            line.add(name, Ink.badge if is_front else Ink.dim)
            self._spans.append((start, line.used, pane.key))
            line.add(" " * gap, Ink.dim)
        return [line]

    async def on_click(self, event: Click) -> None:
        """Show the pane under the pointer."""
        for start, end, key in self._spans:
            if start <= event.x < end and key != self._front:
                await self.app.run_action(f"show_pane('{key}')")


def _width(names: list[str], gap: int, space: str) -> int:
    return sum(1 + len(space) + len(name) + gap for name in names) - gap
