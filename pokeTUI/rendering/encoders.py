"""Turn frames into strips of a fixed number of cells, in half blocks or as plain ASCII."""

from enum import Enum
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.types import Frame
from pokeTUI.rendering.cells import Cells, RowWriter
from pokeTUI.rendering.colors import ColorDepth, color_table, luminance
from pokeTUI.rendering.resample import resample
from pokeTUI.rendering.strips import FrameStrip

FRAME_COLUMNS = 160
FRAME_ROWS = 144
_HALF_BLOCKS = " ▀▄"
_INK_GROUND = np.array([16, 20, 15], np.uint8)
_RAMP = " .:-=+*#%@"


class GameMode(Enum):
    """How the game is drawn, in the order in which a key cycles through them."""

    HALF_BLOCKS = "half blocks"
    ASCII_COLOR = "ASCII in colour"
    ASCII = "plain ASCII"


class CellSource(Protocol):
    """Encode a frame as cells of a fixed grid."""

    glyphs: str

    def cells(self, frame: Frame) -> Cells:
        """Return the cells of `frame`."""
        ...


class HalfBlockSource:
    """Two pixels a cell, one above the other."""

    glyphs = _HALF_BLOCKS

    def __init__(self, columns: int, rows: int, depth: ColorDepth, *, is_grey: bool) -> None:
        self._size = (columns, 2 * rows)
        self._table = color_table(depth, is_grey=is_grey)

    def cells(self, frame: Frame) -> Cells:
        """Return the cells of `frame`; the frame's more frequent colour becomes background."""
        entries = self._table.entries(resample(frame, *self._size))
        upper, lower = entries[0::2], entries[1::2]
        frequency = np.bincount(entries.ravel(), minlength=len(self._table.rgb))
        is_upper_back = frequency[upper] >= frequency[lower]
        glyph = np.where(is_upper_back, np.uint8(2), np.uint8(1))
        glyph[upper == lower] = 0
        return Cells(
            glyph=glyph,
            foreground=np.where(is_upper_back, lower, upper),
            background=np.where(is_upper_back, upper, lower),
        )


class AsciiSource:
    """One character a cell, denser where the picture is brighter."""

    glyphs = _RAMP

    def __init__(
        self, columns: int, rows: int, depth: ColorDepth, *, is_colored: bool, is_grey: bool
    ) -> None:
        self._size = (columns, rows)
        self._table = color_table(depth, is_grey=is_grey)
        self._is_colored = is_colored

    def cells(self, frame: Frame) -> Cells:
        """Return the cells of `frame`."""
        image = resample(frame, *self._size)
        glyph = (luminance(image) * len(_RAMP) // 256).astype(np.uint8)
        if not self._is_colored:
            return Cells(glyph=glyph, foreground=None, background=None)
        return Cells(glyph=glyph, foreground=self._table.entries(_brighten(image)), background=None)


class FrameEncoder:
    """Keep the strips of the latest frame and tell which rows changed with each new one."""

    def __init__(
        self,
        mode: GameMode,
        columns: int,
        rows: int,
        depth: ColorDepth = ColorDepth.TRUECOLOR,
        *,
        is_grey: bool = False,
    ) -> None:
        self.mode = mode
        self.columns = columns
        self.rows = rows
        self.strips: list[FrameStrip] = []
        self._source: CellSource
        if mode is GameMode.HALF_BLOCKS:
            self._source = HalfBlockSource(columns, rows, depth, is_grey=is_grey)
        else:
            self._source = AsciiSource(
                columns, rows, depth, is_colored=mode is GameMode.ASCII_COLOR, is_grey=is_grey
            )
        self._writer = RowWriter(self._source.glyphs, color_table(depth, is_grey=is_grey))
        self._frame: Frame | None = None
        self._cells: Cells | None = None

    def update(self, frame: Frame) -> list[int]:
        """Take a new frame, (144, 160, 3) uint8, and return the rows whose strips were replaced."""
        if self._frame is not None and np.array_equal(frame, self._frame):
            return []
        self._frame = frame
        cells = self._source.cells(frame)
        rows = np.arange(self.rows) if self._cells is None else cells.changed_rows(self._cells)
        if self._cells is None:
            self.strips = [FrameStrip.blank_row(self.columns)] * self.rows
        self._cells = cells
        self._replace(cells, rows)
        return [int(row) for row in rows]

    def _replace(self, cells: Cells, rows: NDArray[np.intp]) -> None:
        if not len(rows):
            return
        for row, ansi in zip(rows.tolist(), self._writer.ansi(cells, rows), strict=True):
            self.strips[row] = FrameStrip(
                ansi, self.columns, partial(self._writer.segments, cells, row)
            )


def fit(columns: int, rows: int) -> tuple[int, int]:
    """Return the largest grid of at most `columns` x `rows` cells with the frame's shape.

    A cell is taken as twice as high as wide, so the whole frame in its own size is 160 x 72.
    """
    height = max(1, min(rows, FRAME_ROWS // 2, columns * FRAME_ROWS // (2 * FRAME_COLUMNS)))
    width = min(columns, round(height * 2 * FRAME_COLUMNS / FRAME_ROWS))
    return max(1, width), height


def _brighten(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Raise dark colours: the character already tells how bright the spot is."""
    peak = image.max(axis=-1, keepdims=True).astype(np.float32)
    gain = np.minimum(3.0, 230.0 / np.maximum(peak, 1.0))
    return np.asarray(np.minimum(image * np.maximum(gain, 1.0), 255), np.uint8)
