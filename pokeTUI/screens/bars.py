"""Lines around the panes: keys, tabs, a replay's timeline, and what stands where nothing fits."""

from dataclasses import dataclass
from itertools import groupby

from textual.events import Click, MouseDown, MouseMove, MouseUp
from textual.message import Message

from engine.events import TimelineChanged
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.dashboard.status_report import story
from pokeTUI.draw.layout import MIN_COLUMNS, MIN_ROWS
from pokeTUI.draw.lines import Line, wrap
from pokeTUI.draw.lines_widget import LinesWidget
from pokeTUI.draw.theme import Ink
from pokeTUI.input.entry import KeyAction
from pokeTUI.input.keymap import KeyTable, fitting
from pokeTUI.panes.kinds import pane_infos

_MIN_NAME = 3
"""Letters of a tab's name below which numbers alone are clearer."""


class ActionBar(LinesWidget):
    """A line with parts that run an action of the application when they are clicked on."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._spans: list[tuple[int, int, str]] = []

    async def on_click(self, event: Click) -> None:
        """Run the action of the part under the pointer."""
        for start, end, action in self._spans:
            if start <= event.x < end:
                await self.app.run_action(action)


class SeekBar(LinesWidget):
    """A bar from place 0 to `_length`, `_columns` cells wide; a click or a drag seeks."""

    MARGIN = 1
    """Cells before the bar."""

    @dataclass
    class Sought(Message):
        """The user wants to go to a place."""

        place: int

    _sought: int | None = None

    @property
    def _columns(self) -> int:
        raise NotImplementedError

    @property
    def _length(self) -> int:
        raise NotImplementedError

    def place_at(self, x: int, y: int) -> int:
        """Return the place under the pointer; beside the bar it is its nearer end."""
        share = (x - self.MARGIN) / (self._columns - 1)
        return round(max(0.0, min(1.0, share)) * self._length)

    def on_mouse_down(self, event: MouseDown) -> None:
        """Go to the place under the pointer."""
        event.stop()
        if event.button == 1:
            self.capture_mouse()
            self._seek(self.place_at(event.x, event.y))

    def on_mouse_move(self, event: MouseMove) -> None:
        """Follow the pointer while its button is down."""
        if self._sought is None:
            return
        event.stop()
        if event.button == 1:
            self._seek(self.place_at(event.x, self.content_size.height - 1))
        else:
            self._let_go()

    def on_mouse_up(self, event: MouseUp) -> None:
        """Let go."""
        event.stop()
        self._let_go()

    def _let_go(self) -> None:
        self._sought = None
        self.release_mouse()

    def _seek(self, place: int) -> None:
        if place != self._sought:
            self._sought = place
            self.post_message(self.Sought(place))


class StoryLine(LinesWidget):
    """Say in plain words what is going on; the second sentence is left out where it has no room."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._sentences = ("", "")

    def show(self, state: DashboardState) -> None:
        """Show the sentences for `state`."""
        sentences = story(state)
        if sentences != self._sentences:
            self._sentences = sentences
            self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the line."""
        first, second = self._sentences
        line = Line(width).add(f" {first}", Ink.text)
        return [line.add_whole(f" {second}" if first else second, Ink.strong)]


class KeyBar(ActionBar):
    """Show keys with a word for what they do; a click does the same as the key.

    Between two are `widest_gap` cells, or 2 where there is less room.
    """

    def __init__(self, table: KeyTable, *, id: str, widest_gap: int = 3) -> None:
        super().__init__(id=id)
        self._table = table
        self._widest_gap = widest_gap
        self._hints: list[KeyAction] = []

    def show(self, state: DashboardState, focused: str) -> None:
        """Show the keys for `state` while pane `focused` has the keyboard."""
        hints = self._table.footer(state, focused)
        if hints != self._hints:
            self._hints = hints
            self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the line; the least important hints are left out where there is no room."""
        hints = fitting(self._hints, width)
        needed = sum(hint.width for hint in hints)
        gap = self._widest_gap if needed + 3 * len(hints) <= width else 2
        line = Line(width).add(" ", Ink.dim)
        self._spans = []
        for hint in hints:
            if self._spans:
                line.add(" " * gap, Ink.dim)
            self._spans.append((line.used, line.used + hint.width, hint.action))
            line.add(hint.shown, Ink.key).add(f" {hint.label}", Ink.dim)
        return [line]


class TabBar(ActionBar):
    """Show the panes' names with their keys; the shown one is marked, a click shows another."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._keys: tuple[str, ...] = ()
        self._front = ""

    def show(self, keys: tuple[str, ...], front: str) -> None:
        """Show the names of the panes `keys`, with pane `front` marked."""
        if (keys, front) != (self._keys, self._front):
            self._keys, self._front = keys, front
            self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the line, with whole titles where they fit, else cut, or only numbers."""
        infos = enumerate(pane_infos(), 1)
        panes = [(number, pane) for number, pane in infos if pane.key in self._keys]
        gap, space = 2, " "
        names = [pane.title for _, pane in panes]
        if _width(names, gap, space) > width:
            names = [pane.tab for _, pane in panes]
        if _width(names, gap, space) > width:
            gap, space = 1, ""
        while _width(names, gap, space) > width and max(map(len, names)) > _MIN_NAME:
            longest = max(range(len(names)), key=lambda at: (len(names[at]), at))
            names[longest] = names[longest][:-1]
        if _width(names, gap, space) > width + 1:
            names = [pane.tab if pane.key == self._front else "" for _, pane in panes]
        has_number = _width(names, gap, space) <= width  # the front one can do without
        line = Line(width)
        self._spans = []
        for (number, pane), name in zip(panes, names, strict=True):
            is_front = pane.key == self._front
            line.add(" " * gap if line.used else "", Ink.dim)
            start = line.used
            if has_number or not is_front:
                line.add(f"{number}{space}", Ink.badge if is_front else Ink.key)
            line.add(name, Ink.badge if is_front else Ink.dim)
            if not is_front:
                self._spans.append((start, line.used, f"show_pane('{pane.key}')"))
        return [line]


class TooSmall(LinesWidget):
    """Say how large the terminal is and has to be."""

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the message in the middle."""
        text = (
            f"The terminal is {width}x{height}, PokeTUI needs {MIN_COLUMNS}x{MIN_ROWS}: enlarge it."
        )
        message = wrap(text, max(1, width - 2), max(1, height))
        lines = [Line(width) for _ in range(max(0, (height - len(message)) // 2))]
        for part in message:
            lines.append(Line(width).skip_to((width - len(part)) // 2).add(part, Ink.warn))
        return lines


def _width(names: list[str], gap: int, space: str) -> int:
    return sum(1 + len(space) + len(name) + gap for name in names) - gap


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
