"""Hold what panes with a log share: follow, freeze, scroll, choose, search, filter, copy, open."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Generic, TypeVar

from rich.cells import cell_len
from textual import events as ui

from engine.ground.text import counted
from pokeTUI.dashboard.event_lines import EventLine
from pokeTUI.dashboard.state import DashboardState, LogLine
from pokeTUI.draw.lines import Line, shorten, wrap
from pokeTUI.draw.theme import Ink
from pokeTUI.panes.dialogs import DetailScreen, Passage, PromptScreen
from pokeTUI.panes.pane import Pane, PaneKey

# Which part of a growing log is shown: pure functions of the numbers of its entries.


@dataclass(frozen=True, slots=True)
class LogCursor:
    """Which entry is chosen, and which is the last that is shown.

    Attributes:
        frozen_at: Number of the newest entry when the log was frozen; newer ones stay below. None:
            the log is followed.
        chosen: Number of the chosen entry, if any.
        bottom: Number of the last entry that is shown while frozen; None: `frozen_at`.
    """

    frozen_at: int | None = None
    chosen: int | None = None
    bottom: int | None = None

    @property
    def is_frozen(self) -> bool:
        """Return whether new entries stay below."""
        return self.frozen_at is not None

    def freeze(self, numbers: Sequence[int]) -> "LogCursor":
        """Stay with what is shown now."""
        if self.is_frozen:
            return self
        return replace(self, frozen_at=numbers[-1] if numbers else -1)

    def move(self, numbers: Sequence[int], step: int) -> "LogCursor":
        """Choose the entry `step` further down; the last shown one if none was chosen."""
        if not numbers:
            return self
        if self.chosen is None:
            return self.choose(numbers, numbers[self.freeze(numbers).stop(numbers) - 1])
        index = _nearest(numbers, self.chosen) + step
        return self.choose(numbers, numbers[max(0, min(len(numbers) - 1, index))])

    def choose(self, numbers: Sequence[int], number: int) -> "LogCursor":
        """Choose an entry by its number."""
        frozen = self.freeze(numbers)
        return replace(frozen, chosen=number, frozen_at=max(frozen.frozen_at or 0, number))

    def scroll(self, numbers: Sequence[int], step: int) -> "LogCursor":
        """Move what is shown `step` entries down, without choosing; at the end, follow again."""
        if not numbers:
            return self
        frozen = self.freeze(numbers)
        stop = frozen.stop(numbers) + step
        if step > 0 and stop >= len(numbers):
            return LogCursor()
        bottom = numbers[max(0, min(len(numbers), stop) - 1)]
        return LogCursor(max(frozen.frozen_at or 0, bottom), None, bottom)

    def stop(self, numbers: Sequence[int]) -> int:
        """Return the index after the last entry that is shown, at least 1."""
        if not self.is_frozen:
            return len(numbers)
        last = self.frozen_at if self.bottom is None else self.bottom
        return max(1, min(len(numbers), bisect_right(numbers, last or 0)))

    def num_new(self, numbers: Sequence[int]) -> int:
        """Count the entries that came since the log was frozen."""
        return 0 if self.frozen_at is None else len(numbers) - bisect_right(numbers, self.frozen_at)

    def window(
        self, numbers: Sequence[int], height_of: Callable[[int], int], room: int
    ) -> tuple[int, int]:
        """Return start and stop of the entries to show in `room` rows: the chosen one is there."""
        if not numbers or room <= 0:
            return 0, 0
        stop = self.stop(numbers)
        chosen = None if self.chosen is None else _nearest(numbers, self.chosen)
        if chosen is not None and chosen >= stop:
            stop = chosen + 1
        start = _fit_up(stop, height_of, room)
        if chosen is not None and chosen < start:
            start, stop = chosen, _fit_down(chosen, len(numbers), height_of, room)
        if start == 0:  # at the top there may be room below
            known = len(numbers) - self.num_new(numbers)
            stop = max(stop, _fit_down(0, known, height_of, room))
        return start, stop


def match_from(matches: Sequence[int], chosen: int | None, step: int) -> int | None:
    """Return the next (1) or previous (-1) match from the chosen entry, wrapping around."""
    if not matches:
        return None
    if chosen is None:
        return matches[-1] if step < 0 else matches[0]
    if step < 0:
        return matches[bisect_left(matches, chosen) - 1]
    return matches[bisect_right(matches, chosen) % len(matches)]


def _nearest(numbers: Sequence[int], number: int) -> int:
    """Return the index of `number`, or of the next one where it is gone or filtered out."""
    return min(bisect_left(numbers, number), len(numbers) - 1)


def _fit_up(stop: int, height_of: Callable[[int], int], room: int) -> int:
    """Return the start of as many entries before `stop` as fit, at least one."""
    start, used = stop - 1, height_of(stop - 1)
    while start > 0 and used + height_of(start - 1) <= room:
        start -= 1
        used += height_of(start)
    return start


def _fit_down(start: int, count: int, height_of: Callable[[int], int], room: int) -> int:
    """Return the stop of as many entries from `start` as fit, at least one."""
    stop, used = start + 1, height_of(start)
    while stop < count and used + height_of(stop) <= room:
        used += height_of(stop)
        stop += 1
    return stop


_WHEEL_ENTRIES = 3
_ABOUT_FORMS = 3
"""Wordings of the line below the log, each shorter than the one before."""
_MIN_HEIGHT = 3
"""Rows of a log from which a line below it shows search, freeze and filter."""


_Entry = TypeVar("_Entry", bound=LogLine | EventLine)

SCROLL_KEYS = (
    PaneKey(("up", "k"), "up", "↑/k", "", "Select the line above; the log stops scrolling."),
    PaneKey(("down", "j"), "down", "↓/j", "", "Select the line below."),
    PaneKey(("pageup", "ctrl+u"), "page_up", "pgup", "", "Previous page (ctrl+u)."),
    PaneKey(("pagedown", "ctrl+d"), "page_down", "pgdn", "", "Next page (ctrl+d)."),
    PaneKey(("home", "g"), "first", "home/g", "", "Go to the oldest line."),
    PaneKey(("end",), "follow", "end", "", "Follow the newest lines."),
    PaneKey(("F",), "freeze", "F", "freeze", "Freeze or follow the log."),
    PaneKey(("slash",), "search", "/", "search", "Search; an empty search ends it."),
    PaneKey(("n",), "match_before", "n", "", "Previous (older) match."),
    PaneKey(("N",), "match_after", "N", "", "Next (newer) match."),
    PaneKey(("f",), "filter", "f", "filter", "Filter the lines."),
    PaneKey(("y",), "copy", "y", "copy", "Copy the selected line, or the last one."),
    PaneKey(("enter",), "open", "enter", "", "Show the selected line in full."),
)


class ScrollLogPane(Pane, Generic[_Entry]):
    """A pane with a log, newest last.

    Subclasses say what the entries are (`entries`), how one is drawn (`head`, `body`), searched and
    copied (`text_of`), filtered (`filters`, `is_in`) and shown in full (`passages`).
    """

    KEYS: ClassVar[tuple[PaneKey, ...]] = SCROLL_KEYS

    def __init__(self) -> None:
        super().__init__()
        self._cursor = LogCursor()
        self._held: tuple[_Entry, ...] = ()
        self._query = ""
        self._filter = ""
        self._rows: list[int] = []
        self._top = 0
        self._page = 1

    def entries(self, state: DashboardState) -> Sequence[_Entry]:
        """Return the log, oldest first."""
        raise NotImplementedError

    def head(self, entry: _Entry, width: int) -> tuple[Line, Ink]:
        """Return the beginning of an entry's first line, and the ink of its text."""
        raise NotImplementedError

    def body(self, entry: _Entry) -> str:
        """Return an entry's text, which is wrapped behind its head."""
        return entry.text

    def text_of(self, entry: _Entry) -> str:
        """Return an entry as it is searched and copied."""
        raise NotImplementedError

    def filters(self, state: DashboardState) -> list[str]:
        """Return what can be shown alone, in words."""
        raise NotImplementedError

    def is_in(self, entry: _Entry, shown: str) -> bool:
        """Return whether an entry is among those that a filter shows."""
        raise NotImplementedError

    def passages(self, entry: _Entry, state: DashboardState) -> tuple[str, list[Passage]]:
        """Return title and text of an entry as it is shown in full."""
        raise NotImplementedError

    def copied(self, state: DashboardState) -> tuple[str, str]:
        """Return what is copied while nothing is chosen, and what it is called."""
        shown = self._shown(state)
        return (self.text_of(shown[-1]), "the last line") if shown else ("", "")

    # Drawing

    def log_lines(
        self, state: DashboardState, width: int, height: int, *, max_lines: int = 1, top: int = 0
    ) -> list[Line]:
        """Draw the log; if it is searched, frozen or filtered, a line below it says so.

        An entry has at most `max_lines`; `top` counts the rows of the pane above, for clicks.
        """
        shown = self._shown(state)
        about = self._about(shown, width) if height >= _MIN_HEIGHT else None
        room = height - (about is not None)
        numbers = [entry.number for entry in shown]
        is_marked = bool(self._query or self._cursor.chosen is not None)
        blocks: dict[int, list[Line]] = {}

        def block_at(index: int) -> list[Line]:
            if index not in blocks:
                blocks[index] = self._block(shown[index], width - is_marked, max_lines)
            return blocks[index]

        start, stop = self._cursor.window(numbers, lambda index: len(block_at(index)), room)
        lines: list[Line] = []
        rows: list[int] = []
        left = room - sum(len(block_at(index)) for index in range(start, stop))
        if left > 0 and start > 0 and numbers[start] != self._cursor.chosen:
            start -= 1  # the end of the entry above fills what is left
            blocks[start] = block_at(start)[-left:]
        for index in range(start, stop):
            for line in block_at(index):
                is_first = not rows or rows[-1] != numbers[index]
                marked = self._marked(line, shown[index], width, is_first=is_first)
                lines.append(marked if is_marked else line)
                rows.append(numbers[index])
        self._rows, self._top, self._page = rows[:room], top, max(1, stop - start)
        if not lines and not (shown or len(self.entries(state)) == 0):
            lines = [Line(width).add("no such line", Ink.dim)]
        if about is None:
            return lines[:room]
        return [*lines[:room], *[Line(width)] * (room - len(lines)), about]

    def _block(self, entry: _Entry, width: int, max_lines: int) -> list[Line]:
        """Draw an entry in 1 to `max_lines` lines."""
        first, ink = self.head(entry, width)
        indent = first.used
        repeat = f" ×{entry.count}" if entry.count > 1 else ""
        parts = wrap(self.body(entry), width - indent - len(repeat), max_lines) or [""]
        lines = [first, *(Line(width).skip_to(indent) for _ in parts[1:])]
        for line, part in zip(lines, parts, strict=True):
            _add_found(line, part, ink, self._query.casefold())
        lines[-1].add(repeat, Ink.dim)
        return lines

    def _marked(self, line: Line, entry: _Entry, width: int, *, is_first: bool) -> Line:
        """Put a mark before a line: chosen, or a match."""
        marked = Line(width)
        if entry.number == self._cursor.chosen:
            marked.add("›" if is_first else "│", Ink.key)
        elif is_first and self._is_match(entry):
            marked.add("/", Ink.warn)
        else:
            marked.add(" ", Ink.text)
        return marked.append(line)

    def _about(self, shown: Sequence[_Entry], width: int) -> Line | None:
        """Return the line below the log, None if it would be empty."""
        forms = [self._about_parts(shown, form) for form in range(_ABOUT_FORMS)]
        if not forms[0]:
            return None
        gaps = 2 * (len(forms[0]) - 1)
        fitting = (one for one in forms if sum(cell_len(text) for text, _ in one) + gaps <= width)
        line = Line(width)
        for text, ink in next(fitting, forms[-1]):
            line.add("  " if line.used else "", Ink.text).add(text, ink)
        return line

    def _about_parts(self, shown: Sequence[_Entry], form: int) -> list[tuple[str, Ink]]:
        """Return the parts of the line below the log; `form` 0 is the longest, 2 the shortest.

        The search comes first: the user has just asked for it.
        """
        parts: list[tuple[str, Ink]] = []
        if self._query:
            matches = self._matches(shown)
            place = ""
            if self._cursor.chosen in matches:
                place = f"{matches.index(self._cursor.chosen) + 1:,} of "
            count = f"{place}{len(matches):,}" if matches else "not found"
            parts.append((f"/{shorten(self._query, 8 if form > 1 else 16)} {count}", Ink.key))
            hidden = 0
            if self._filter:
                hidden = len(self._matches(self._all(self._state))) - len(matches)
            if hidden:
                hits = f"{counted(hidden, 'hit')} hidden by the filter"
                parts.append((hits if form < 2 else f"{hidden:,} hidden", Ink.warn))
        if self._cursor.is_frozen:
            below = self._cursor.num_new([entry.number for entry in shown])
            new = (f", {below:,} new below", f" +{below:,}", "")[form] if below else ""
            parts.append(("end follows" if form > 1 else f"frozen{new}: end follows", Ink.warn))
        if self._filter:
            parts.append((f"showing {self._filter}" if form == 0 else self._filter, Ink.info))
        return parts

    # What is shown

    def _shown(self, state: DashboardState) -> list[_Entry]:
        """Return the entries that pass the filter, with those that were there when it froze."""
        entries = self._all(state)
        if not self._filter:
            return entries
        return [entry for entry in entries if self.is_in(entry, self._filter)]

    def _all(self, state: DashboardState) -> list[_Entry]:
        """Return all entries, with those that were there when it froze."""
        live = self.entries(state)
        entries: Sequence[_Entry] = live
        if self._held and live and self._held[0].number < live[0].number:
            first = live[0].number
            entries = [*(old for old in self._held if old.number < first), *live]
        return list(entries)

    def _is_match(self, entry: _Entry) -> bool:
        return bool(self._query) and self._query.casefold() in self.text_of(entry).casefold()

    def _matches(self, shown: Sequence[_Entry]) -> list[int]:
        return [entry.number for entry in shown if self._is_match(entry)]

    def _chosen(self) -> _Entry | None:
        number = self._cursor.chosen
        entries = self._shown(self._state)
        return next((entry for entry in entries if entry.number == number), None)

    # Keys and mouse

    def act(self, name: str) -> None:
        """Do what a key stands for."""
        match name:
            case "search":
                hint = "n and N go from match to match; an empty search ends it."
                self.ask(PromptScreen("Search", self._query, hint=hint), self.search)
            case "copy":
                self._copy()
            case "open":
                self._open()
            case "filter":
                self._next_filter()
            case _:
                self._look(name)
        self.redraw()

    def _look(self, name: str) -> None:
        shown = self._shown(self._state)
        numbers = [entry.number for entry in shown]
        cursor = self._cursor
        match name:
            case "up" | "down":
                cursor = cursor.move(numbers, -1 if name == "up" else 1)
            case "page_up" | "page_down":
                pages = -self._page if name == "page_up" else self._page
                cursor = cursor.scroll(numbers, pages)
            case "wheel_up" | "wheel_down":
                step = -_WHEEL_ENTRIES if name == "wheel_up" else _WHEEL_ENTRIES
                cursor = cursor.scroll(numbers, step)
            case "first" if numbers:
                cursor = cursor.choose(numbers, numbers[0])
            case "follow":
                cursor = LogCursor()
            case "freeze":
                cursor = LogCursor() if cursor.is_frozen else cursor.freeze(numbers)
            case "match_before" | "match_after":
                step = -1 if name == "match_before" else 1
                found = match_from(self._matches(shown), cursor.chosen, step)
                cursor = cursor if found is None else cursor.choose(numbers, found)
        self._set_cursor(cursor)

    def _set_cursor(self, cursor: LogCursor) -> None:
        if cursor.is_frozen and not self._cursor.is_frozen:
            self._held = tuple(self.entries(self._state))
        elif not cursor.is_frozen:
            self._held = ()
        self._cursor = cursor

    def search(self, text: str) -> None:
        """Search for a text and go to its newest match; "" ends the search."""
        self._query = text.strip()
        shown = self._shown(self._state)
        matches = self._matches(shown)
        if matches:
            numbers = [entry.number for entry in shown]
            self._set_cursor(self._cursor.choose(numbers, matches[-1]))
        self.redraw()

    def _next_filter(self) -> None:
        choices = ["", *self.filters(self._state)]
        index = choices.index(self._filter) if self._filter in choices else 0
        self._filter = choices[(index + 1) % len(choices)]

    def _copy(self) -> None:
        entry = self._chosen()
        if entry is not None:
            text, name = self.text_of(entry), "the selected line"
        else:
            text, name = self.copied(self._state)
        if not text:
            self.app.notify("Nothing to copy yet", timeout=2)
            return
        self.app.copy_to_clipboard(text)
        self.app.notify(f"Copied {name}", timeout=2, markup=False)

    def _open(self) -> None:
        entry = self._chosen() or next(reversed(self._shown(self._state)), None)
        if entry is not None:
            self.app.push_screen(DetailScreen(*self.passages(entry, self._state)))

    def on_click(self, event: ui.Click) -> None:
        """Choose a line; a double click shows it in full."""
        offset = event.get_content_offset(self)
        row = -1 if offset is None else offset.y - self._top
        if 0 <= row < len(self._rows):
            number = self._rows[row]
            numbers = [entry.number for entry in self._shown(self._state)]
            self._set_cursor(self._cursor.choose(numbers, number))
            if event.chain == 2:
                self._open()
            self.redraw()

    def wheel(self, name: str, event: ui.MouseEvent) -> None:
        """Scroll by some lines, without choosing one."""
        self.act(f"wheel_{name}")


def _add_found(line: Line, text: str, ink: Ink, query: str) -> None:
    """Add text with every place that matches `query` (lower case) marked."""
    folded, begin = text.casefold(), 0
    if query and len(folded) == len(text):
        while (at := folded.find(query, begin)) >= 0:
            line.add(text[begin:at], ink).add(text[at : at + len(query)], Ink.badge)
            begin = at + len(query)
    line.add(text[begin:], ink)
