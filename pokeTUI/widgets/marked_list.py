"""A list that marks its chosen row by a sign, too: without colour nothing else shows it."""

from rich.segment import Segment
from textual.strip import Strip
from textual.widgets import OptionList

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
