"""A widget that shows lines of text and repaints only those that changed."""

from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from pokeTUI.draw.lines import Line
from pokeTUI.draw.theme import palette


class LinesWidget(Widget):
    """Show the lines that `draw` returns for the widget's size.

    Subclasses implement `draw`; they call `redraw` when what it depends on has changed.
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._lines: list[Line] = []

    def draw(self, width: int, height: int) -> list[Line]:
        """Return at most `height` lines of `width` cells."""
        raise NotImplementedError

    def redraw(self) -> None:
        """Draw again and repaint the lines that differ."""
        width, height = self.content_size
        if not width or not height:
            return
        lines = self.draw(width, height)[:height]
        before, self._lines = self._lines, lines
        blank = Line(width)
        dirty = [
            Region(0, y, width, 1)
            for y in range(height)
            if (lines[y] if y < len(lines) else blank) != (before[y] if y < len(before) else blank)
        ]
        if dirty:
            self.refresh(*dirty)

    def on_resize(self) -> None:
        """Draw for the new size."""
        self._lines = []
        self.redraw()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return one line of the content."""
        base = self.visual_style.rich_style
        if y < len(self._lines):
            inks = palette(self.app.current_theme, is_plain=self.app.no_color)
            return self._lines[y].strip(base, inks)
        return Strip.blank(self.content_size.width, base)
