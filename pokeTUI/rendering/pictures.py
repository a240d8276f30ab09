"""Hold frames that the terminal draws as pictures, in real pixels."""

from collections.abc import Callable
from functools import partial
from typing import Protocol

from rich.console import Console
from rich.segment import Segment
from textual.geometry import Region

from engine.types import Frame
from pokeTUI.rendering.colors import ColorDepth
from pokeTUI.rendering.encoders import FrameEncoder, GameMode
from pokeTUI.rendering.strips import FrameStrip


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
