"""A list to choose from, by arrows, j and k, numbers, letters or the mouse."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from rich.segment import Segment
from textual.events import Click, Key, MouseScrollDown, MouseScrollUp
from textual.message import Message
from textual.strip import Strip
from textual.widgets import OptionList

from pokeTUI.draw.lines import Line
from pokeTUI.draw.lines_widget import LinesWidget
from pokeTUI.draw.theme import Ink

# A list that marks its chosen row by a sign, too: without colour nothing else shows it.

_MARK, _MARK_ELSEWHERE = "▸ ", "▹ "
"""While the keyboard is on the list, and while it is elsewhere."""


class MarkedList(OptionList):
    """An `OptionList` with a mark before the row that is chosen."""

    def _get_left_gutter_width(self) -> int:
        return len(_MARK)

    def render_line(self, y: int) -> Strip:
        """Return a row with its mark, or with as much room."""
        strip = super().render_line(y)
        at = self.scroll_offset.y + y
        row = self._lines[at][0] if at < len(self._lines) else None
        mark = " " * len(_MARK)
        if row is not None and row == self.highlighted:
            mark = _MARK if self.has_focus else _MARK_ELSEWHERE
        style = next((segment.style for segment in strip if segment.style), None)
        return Strip([Segment(mark, style), *strip], strip.cell_length + len(_MARK))


_GAP = 2
_MOVES = {"up": -1, "k": -1, "down": 1, "j": 1}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of so many cells; 0: what is left over."""

    title: str
    width: int
    is_right: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Something to choose, also by a letter, unless there is a reason why not.

    `inks` are those of the cells, where one is to look otherwise than the row.
    """

    key: str
    cells: tuple[str, ...]
    letter: str = ""
    why_not: str = ""
    inks: tuple[Ink, ...] = ()


class Menu(LinesWidget):
    """Show rows, one of them marked; titles of columns if there are any.

    With `has_numbers` the keys 1 to 9 choose the first rows, and stand before them. With
    `can_toggle` space reports the marked row as toggled, and moves on, instead of choosing it.
    """

    can_focus = True
    KEYS = frozenset({"enter", "space", "pageup", "pagedown", "home", "end", *_MOVES, *"123456789"})
    """What it takes for itself while it has the keyboard, letters of rows apart."""

    @dataclass
    class Marked(Message):
        """Another row is marked."""

        menu: "Menu"
        key: str

    @dataclass
    class Chosen(Message):
        """A row is chosen."""

        menu: "Menu"
        key: str

    @dataclass
    class Refused(Message):
        """A row that cannot be chosen was to be."""

        menu: "Menu"
        reason: str

    @dataclass
    class Toggled(Message):
        """A row is to be selected, or no longer."""

        menu: "Menu"
        key: str

    @dataclass
    class TitleClicked(Message):
        """The title of a column, by its place, was clicked."""

        menu: "Menu"
        column: int

    def __init__(
        self,
        columns: Sequence[Column],
        *,
        id: str,
        empty: str = "",
        has_numbers: bool = False,
        can_toggle: bool = False,
    ) -> None:
        super().__init__(id=id)
        self._columns = tuple(columns)
        self._has_numbers = has_numbers
        self._can_toggle = can_toggle
        self._empty = empty
        self._rows: tuple[Row, ...] = ()
        self._at = 0
        self._top = 0

    @property
    def rows(self) -> tuple[Row, ...]:
        """What there is to choose from."""
        return self._rows

    @property
    def marked(self) -> Row | None:
        """The marked row."""
        return self._rows[self._at] if self._rows else None

    def fill(
        self,
        rows: Sequence[Row],
        *,
        columns: Sequence[Column] | None = None,
        empty: str | None = None,
    ) -> None:
        """Show these rows, in other columns if some are given.

        The row that is marked stays so if it is among them.
        """
        key = self.marked.key if self.marked is not None else ""
        self._rows = tuple(rows)
        if columns is not None:
            self._columns = tuple(columns)
        if empty is not None:
            self._empty = empty
        self.mark(key)
        self.redraw()

    @property
    def _head(self) -> bool:
        return any(column.title for column in self._columns)

    def mark(self, key: str) -> None:
        """Mark a row; the first one if there is no such row."""
        self._move_to(next((i for i, row in enumerate(self._rows) if row.key == key), 0))

    def choose(self, key: str) -> None:
        """Mark and choose a row, unless it cannot be chosen."""
        self.mark(key)
        row = self.marked
        if row is None:
            return
        if row.why_not:
            self.post_message(self.Refused(self, row.why_not))
        else:
            self.post_message(self.Chosen(self, row.key))

    def on_key(self, event: Key) -> None:
        """Move, or choose."""
        page = max(1, self._room - 1)
        jumps = {"pageup": -page, "pagedown": page, "home": -len(self._rows)}
        jumps |= {"end": len(self._rows), **_MOVES}
        if event.key in jumps:
            self._move_to(self._at + jumps[event.key])
        elif event.key == "space" and self._can_toggle and self.marked is not None:
            self.post_message(self.Toggled(self, self.marked.key))
            self._move_to(self._at + 1)
        elif event.key in ("enter", "space") and self.marked is not None:
            self.choose(self.marked.key)
        elif (row := self._named(event)) is not None:
            self.choose(row.key)
        else:
            return
        event.stop()

    def on_click(self, event: Click) -> None:
        """Choose the row under the pointer, or report the title."""
        place = event.get_content_offset(self)
        if place is None:
            return
        if place.y < self._head:
            ends = accumulate(width + _GAP for width in self._widths(self.content_size.width))
            column = sum(end <= place.x - self._lead for end in ends)
            if column < len(self._columns):
                self.post_message(self.TitleClicked(self, column))
        else:
            index = self._index_at(place.y - self._head)
            if index < len(self._rows):
                self.choose(self._rows[index].key)

    def _index_at(self, y: int) -> int:
        """Return which row is on a line below the head."""
        return y + self._top

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Move down."""
        event.stop()
        self._move_to(self._at + 1)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Move up."""
        event.stop()
        self._move_to(self._at - 1)

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the head, and the rows around the marked one."""
        if not self._rows:
            return [Line(width).add(part, Ink.dim) for part in self._empty.split("\n")]
        self._top = max(0, min(self._top, len(self._rows) - self._room))
        self._top = min(self._at, max(self._top, self._at - self._room + 1))
        lines = [self._header(width)] if self._head else []
        shown = range(self._top, min(len(self._rows), self._top + self._room))
        return lines + [self._row(index, width) for index in shown]

    @property
    def _room(self) -> int:
        return max(1, self.content_size.height - self._head)

    def _move_to(self, index: int) -> None:
        former = self._at
        self._at = max(0, min(len(self._rows) - 1, index))
        if self._at != former or not self._rows:
            self.redraw()
        if self._rows:
            self.post_message(self.Marked(self, self._rows[self._at].key))

    def _named(self, event: Key) -> Row | None:
        """Return the row that a key stands for."""
        if self._has_numbers and (event.character or "").isdigit():
            number = int(event.character or "0")
            return self._rows[number - 1] if 0 < number <= len(self._rows) else None
        letters = (row for row in self._rows if row.letter and row.letter == event.character)
        return next(letters, None)

    @property
    def _lead(self) -> int:
        return 2 + (5 if self._has_numbers else 0)

    def _widths(self, width: int) -> list[int]:
        fixed = sum(column.width for column in self._columns) + _GAP * (len(self._columns) - 1)
        rest = max(1, width - self._lead - fixed)
        return [column.width or rest for column in self._columns]

    def _header(self, width: int) -> Line:
        line = Line(width).add("  ", Ink.dim)
        for column, cells in zip(self._columns, self._widths(width), strict=True):
            line.add(column.title, Ink.dim, cells, right=column.is_right).add(" " * _GAP, Ink.dim)
        return line

    def _row(self, index: int, width: int) -> Line:
        row, is_marked = self._rows[index], index == self._at
        line = Line(width).add("▸ " if is_marked else "  ", Ink.key)
        if self._has_numbers:
            line.add(f"{index + 1} " if index < 9 else "  ", Ink.dim)
            line.add(f"{row.letter or ' '}  ", Ink.dim if row.why_not else Ink.key)
        inks = [Ink.strong if is_marked else Ink.text, Ink.text if is_marked else Ink.dim]
        for number, (text, column, cells) in enumerate(
            zip(row.cells, self._columns, self._widths(width), strict=True)
        ):
            ink = Ink.dim if row.why_not else inks[min(number, 1)] if not self._head else inks[0]
            if row.inks and row.inks[number] is not Ink.text:
                ink = row.inks[number]
            line.add(text, ink, cells, right=column.is_right).add(" " * _GAP, Ink.dim)
        return line
