"""The game's picture."""

from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from engine.types import Frame
from pokeTUI.rendering.encoders import FrameEncoder


class GameView(Widget):
    """Show frames in a fixed grid of cells; only rows that changed are sent.

    The strips are handed over as they are, so the widget has neither border nor padding: padding
    would force them back into Segments. Its container centres it.
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._encoder: FrameEncoder | None = None
        self._frame: Frame | None = None

    @property
    def encoder(self) -> FrameEncoder | None:
        """The encoder in use."""
        return self._encoder

    def configure(self, encoder: FrameEncoder) -> None:
        """Draw with `encoder` from now on."""
        self._encoder = encoder
        self.styles.width = encoder.columns
        self.styles.height = encoder.rows
        if self._frame is not None:
            encoder.update(self._frame)
        self.refresh()

    def show(self, frame: Frame) -> None:
        """Show `frame`, (144, 160, 3) uint8."""
        self._frame = frame
        if self._encoder is None:
            return
        rows = self._encoder.update(frame)
        if rows:
            self.refresh(*_regions(rows, self._encoder.columns))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the strips of the rows in `crop`."""
        strips = self._encoder.strips if self._encoder is not None else []
        width = self.size.width
        is_whole = crop.x == 0 and crop.width == width
        lines: list[Strip] = []
        for y in crop.line_range:
            if y >= len(strips) or strips[y].cell_length != width:
                lines.append(Strip.blank(crop.width, self.visual_style.rich_style))
            elif is_whole:
                lines.append(strips[y])
            else:
                lines.append(strips[y].crop(crop.x, crop.right))
        return lines

    def render_line(self, y: int) -> Strip:
        """Return one row."""
        return self.render_lines(Region(0, y, self.size.width, 1))[0]


def _regions(rows: list[int], width: int) -> list[Region]:
    """Join neighbouring rows into regions."""
    regions: list[Region] = []
    for row in rows:
        if regions and regions[-1].bottom == row:
            last = regions.pop()
            regions.append(Region(0, last.y, width, last.height + 1))
        else:
            regions.append(Region(0, row, width, 1))
    return regions
