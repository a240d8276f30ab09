"""The whole of a replay on one line, to seek in with the mouse."""

from itertools import groupby

from engine.events import TimelineChanged
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.lines import Line
from pokeTUI.draw.theme import Ink
from pokeTUI.screens.bars import SeekBar

_HERE, _MILESTONE, _UNKNOWN = "┃", "◆", "┈"
_AHEAD, _BEHIND = "─", "━"
_PAID, _COST, _PERSON = ("┴", "┻"), ("┬", "┳"), ("╌", "╍")
"""Each thin while it is ahead, thick once it is behind."""


class Timeline(SeekBar):
    """Show place, milestones, rewards and what a person played; a click or a drag seeks."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._known: TimelineChanged | None = None
        self._texts: dict[str, str] = {}
        self._place = 0
        self._names: list[tuple[int, int, int]] = []

    def show(self, state: DashboardState) -> None:
        """Show the replay's place."""
        if state.run is not None and not self._texts:
            self._texts = dict(state.run.milestones)
        place = int(state.status.done) if state.status is not None else 0
        if (state.timeline, place) != (self._known, self._place):
            self._known, self._place = state.timeline, place
            self.redraw()

    # Drawing

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the milestones' names, where there are two lines, and the bar."""
        known = self._known
        if known is None:
            return []
        bar = Line(width).add(" " * self.MARGIN, Ink.text)
        for (sign, ink), cells in groupby(self._cells(known)):
            bar.add(sign * len(list(cells)), ink)
        bar.add(f" {self._place:,}/{known.length:,}", Ink.strong)
        return [self._named(known, width), bar] if height > 1 else [bar]

    def _cells(self, known: TimelineChanged) -> list[tuple[str, Ink]]:
        """Return what stands in each cell of the bar; the more it matters, the later it is put."""
        here, end = self._column(self._place), self._column(known.known)
        cells = [
            (_BEHIND, Ink.accent) if x <= here else (_AHEAD, Ink.dim) if x <= end
            else (_UNKNOWN, Ink.faint)
            for x in range(self._columns)
        ]  # fmt: skip
        if known.by_person != ((0, known.length),):  # else it would say nothing
            for first, last in known.by_person:
                for x in range(self._column(first), self._column(last) + 1):
                    cells[x] = _PERSON[x <= here], Ink.warn
        paid: dict[int, float] = {}
        for place, reward in known.rewards:
            x = self._column(place)
            paid[x] = paid.get(x, 0.0) + reward
        for x, reward in paid.items():
            signs, ink = (_PAID, Ink.good) if reward > 0 else (_COST, Ink.bad)
            cells[x] = signs[x <= here], ink
        for place, _ in known.milestones:
            cells[self._column(place)] = _MILESTONE, Ink.info
        cells[here] = _HERE, Ink.badge
        return cells

    def _named(self, known: TimelineChanged, width: int) -> Line:
        """Return the names of the milestones, each from its mark on if there is room."""
        line = Line(width)
        self._names = []
        for place, key in known.milestones:
            text = self._texts.get(key, key)
            start = min(self.MARGIN + self._column(place), width - len(text))
            if start >= line.used + bool(self._names):
                line.skip_to(start)
                line.add(text, Ink.text if place <= self._place else Ink.dim)
                self._names.append((start, line.used, place))
        return line

    @property
    def _columns(self) -> int:
        """The cells of the bar."""
        label = 2 * len(f"{self._length:,}") + 2
        return max(2, self.content_size.width - self.MARGIN - label - self.MARGIN)

    @property
    def _length(self) -> int:
        return max(1, self._known.length) if self._known is not None else 1

    def _column(self, place: int) -> int:
        return round(min(place, self._length) * (self._columns - 1) / self._length)

    # Seeking

    def place_at(self, x: int, y: int) -> int:
        """Return the place under the pointer, or that of the milestone."""
        if y < self.content_size.height - 1:
            for start, end, place in self._names:
                if start <= x < end:
                    return place
        return super().place_at(x, y)
