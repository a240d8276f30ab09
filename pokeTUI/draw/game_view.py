"""The game's picture, in cells or in the terminal's real pixels."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

import numpy as np
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual.geometry import Region
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from engine.types import Frame
from pokeTUI.draw.colors import ColorDepth
from pokeTUI.draw.encoders import FrameEncoder, FrameStrip, GameMode

# Frames that the terminal draws as pictures, in real pixels.


class Painter(Protocol):
    """A terminal's protocol for pictures."""

    @property
    def mode(self) -> GameMode:
        """Return the mode that it draws."""

    @property
    def is_erased_by_text(self) -> bool:
        """Return whether text in its cells takes the place of the picture, even spaces."""

    def place(self, frame: Frame, region: Region) -> str:
        """Return what puts `frame` over `region` with the cursor in its first cell."""

    def take_away(self) -> str:
        """Return what takes the picture off the screen, "" if text does that."""


class PictureEncoder:
    """Hold the frame that the terminal draws as a picture over blank cells.

    The strips are blank where the terminal shows them; as Segments (in screenshots) they are half
    blocks, and also in the terminal while something covers the picture.

    Attributes:
        is_erased: Blank cells were drawn where the picture was.
        on_erased: Called once when that happens.
    """

    def __init__(
        self, painter: Painter, columns: int, rows: int, depth: ColorDepth = ColorDepth.TRUECOLOR
    ) -> None:
        self.painter = painter
        self.mode = painter.mode
        self.depth = depth
        self.columns = columns
        self.rows = rows
        self.is_erased = False
        self.on_erased: Callable[[], object] | None = None
        self._frame: Frame | None = None
        self._cells = FrameEncoder(GameMode.HALF_BLOCKS, columns, rows, depth)
        self._blank = self._blank_rows()
        self._is_in_cells = False

    @property
    def strips(self) -> list[FrameStrip]:
        """The rows: blank, or cells."""
        return self._cells.strips if self._is_in_cells else self._blank

    def draw_cells(self, is_wanted: bool) -> None:
        """Draw in cells instead of leaving them blank, or no longer."""
        self._is_in_cells = is_wanted
        if is_wanted and self._frame is not None:
            self._cells.update(self._frame)

    def update(self, frame: Frame) -> list[int]:
        """Take a new frame, (h, w, 3) uint8, and return the rows whose cells changed."""
        self._frame = frame
        self._blank = self._blank_rows()
        return self._cells.update(frame) if self._is_in_cells else []

    def place(self, frame: Frame, region: Region) -> str:
        """Return what draws `frame` over `region`, and leaves the cursor where it is."""
        self.is_erased = False
        picture = self.painter.place(frame, region)
        return f"\x1b7\x1b[{region.y + 1};{region.x + 1}H{picture}\x1b8"

    def _blank_rows(self) -> list[FrameStrip]:
        return [
            _BlankStrip(self.columns, partial(self._segments, row), self._note_blank)
            for row in range(self.rows)
        ]

    def _note_blank(self) -> None:
        if self.painter.is_erased_by_text and not self.is_erased:
            self.is_erased = True
            if self.on_erased is not None:
                self.on_erased()

    def _segments(self, row: int) -> list[Segment]:
        if self._frame is None:
            return [Segment(" " * self.columns)]
        self._cells.update(self._frame)
        return list(self._cells.strips[row])


class _BlankStrip(FrameStrip):
    """A row below the picture that tells when it is written to the terminal."""

    __slots__ = ["_on_written"]

    def __init__(
        self,
        width: int,
        make_segments: Callable[[], list[Segment]],
        on_written: Callable[[], object],
    ) -> None:
        super().__init__(" " * width, width, make_segments)
        self._on_written = on_written

    def render(self, console: Console) -> str:
        """Return the row as text with escape codes."""
        self._on_written()
        return super().render(console)


_COVER_CHECK_S = 0.05


Encoder = FrameEncoder | PictureEncoder


class GameView(Widget):
    """Show frames in a fixed grid of cells; only rows that changed are sent.

    The strips are handed over as they are, so the widget has neither border nor padding: padding
    would force them back into Segments. Its container centres it.

    While nothing covers this widget changed rows go straight to the terminal: Textual's compositor
    would take four times as long to come to the same text. It still knows the strips, for whenever
    it draws this part of the screen itself.

    A terminal's picture lies above all cells. While anything else covers this widget the picture is
    taken away and the frames are drawn in cells instead. Where Textual has erased the picture by
    drawing the cells below it, it is drawn again.
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.encoder: Encoder | None = None
        self._frame: Frame | None = None
        self._placed: tuple[Frame, Region] | None = None
        self._is_covered = False
        self._cover_timer: Timer | None = None

    def configure(self, encoder: Encoder) -> None:
        """Draw with `encoder` from now on."""
        self._take_away()
        self.encoder = encoder
        self._is_covered = False
        self.styles.width = encoder.columns
        self.styles.height = encoder.rows
        if self._frame is not None:
            encoder.update(self._frame)
        if is_picture := isinstance(encoder, PictureEncoder):
            encoder.on_erased = partial(self.call_later, self._place)
        self._watch_covers(is_picture)
        self.refresh()

    def show(self, frame: Frame, *, at_once: bool) -> bool:
        """Show a frame, and return whether it is on its way to the terminal.

        `at_once` is before all that Textual draws next; else it takes its place among that.
        """
        self._frame = frame
        if self.encoder is None:
            return False
        rows = self.encoder.update(frame)
        is_sent = not rows or (at_once and self._draw(rows, self.encoder))
        if not is_sent:
            self.refresh(*_regions(rows, self.encoder.columns))
        self._place()
        return is_sent

    def _draw(self, rows: Sequence[int], encoder: Encoder) -> bool:
        """Draw rows past Textual, if the screen is as it believes; return whether that was done."""
        app = self.app
        is_laid_out = self.size == (encoder.columns, encoder.rows) and not self._layout_required
        if not is_laid_out or app.is_headless or app._batch_count or not self._is_uncovered():
            return False
        x, y = self.region.offset
        text = "".join(f"\x1b[{y + row + 1};{x + 1}H{encoder.strips[row].ansi}" for row in rows)
        self._write(f"{SYNC_START}{text}{SYNC_END}" if app._sync_available else text)
        return True

    def on_mount(self) -> None:
        """Draw everything again after the program was suspended."""
        self.app.app_resume_signal.subscribe(self, lambda _: self._take_away())

    def on_unmount(self) -> None:
        """Leave no picture behind."""
        self._take_away()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the strips of the rows in `crop`."""
        strips = self.encoder.strips if self.encoder is not None else []
        width = self.size.width
        is_whole = crop.x == 0 and crop.width == width
        # What is drawn here passes by Textual's filters.
        plain = Style.null() if self.app.no_color else self.visual_style.rich_style
        lines: list[Strip] = []
        for y in crop.line_range:
            if y >= len(strips) or strips[y].cell_length != width:
                lines.append(Strip.blank(crop.width, plain))
            elif is_whole:
                lines.append(strips[y])
            else:
                lines.append(strips[y].crop(crop.x, crop.right))
        return lines

    def render_line(self, y: int) -> Strip:
        """Return one row."""
        return self.render_lines(Region(0, y, self.size.width, 1))[0]

    # Pictures

    def _watch_covers(self, is_wanted: bool) -> None:
        """Check regularly what covers this widget: no event tells of it."""
        if self._cover_timer is None and is_wanted:
            self._cover_timer = self.set_interval(_COVER_CHECK_S, self._place)
        elif self._cover_timer is not None and not is_wanted:
            self._cover_timer.stop()
            self._cover_timer = None

    def _place(self) -> None:
        """Put the newest frame's picture in its place, or take it away while it is covered."""
        encoder = self.encoder
        if not isinstance(encoder, PictureEncoder) or self._frame is None:
            return
        is_covered = not self._is_uncovered()
        if is_covered != self._is_covered:
            self._is_covered = is_covered
            encoder.draw_cells(is_covered)
            self.refresh()
        if is_covered:
            self._take_away()
            return
        if self._placed is not None and not encoder.is_erased:
            frame, region = self._placed
            if region == self.region and np.array_equal(frame, self._frame):
                return
        self._placed = self._frame, self.region
        self._write(encoder.place(self._frame, self.region))

    def _is_uncovered(self) -> bool:
        """Return whether every cell of this widget is seen."""
        screen = self.screen
        if self.app.screen is not screen or not self.region.area:
            return False
        rows = screen._compositor.layers_visible  # ordered from the top down, a list a row
        region = self.region
        if region.y < 0 or region.bottom > len(rows):
            return False
        return all(self._is_topmost(rows[y], region) for y in region.line_range)

    def _is_topmost(self, row: list[tuple[Widget, Region, Region]], region: Region) -> bool:
        for widget, shown, _ in row:
            if widget is self:
                return shown == region
            if shown.overlaps(region):
                return False
        return False

    def _take_away(self) -> None:
        if self._placed is not None and isinstance(self.encoder, PictureEncoder):
            self._placed = None
            self._write(self.encoder.painter.take_away())

    def _write(self, text: str) -> None:
        """Write to the terminal past Textual."""
        driver = self.app._driver
        if driver is not None:
            driver.write(text)
            driver.flush()


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
