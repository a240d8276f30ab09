"""Turn frames into strips of a fixed number of cells: blocks in two colours, or characters."""

from enum import Enum
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.types import GAME_BOY_FRAME_SHAPE, Frame
from pokeTUI.rendering.blocks import (
    BlockShape,
    half_blocks,
    octants,
    one_bit,
    quadrants,
    sextants,
    two_colors,
)
from pokeTUI.rendering.cells import BLANK, Cells, RowWriter
from pokeTUI.rendering.colors import ColorDepth, color_table, luminance
from pokeTUI.rendering.resample import resample
from pokeTUI.rendering.strips import FrameStrip

_RAMP = " .:-=+*#%@"


class GameMode(Enum):
    """How the game is drawn, in the order in which a key cycles through them."""

    AUTO = "best fit"
    HALF_BLOCKS = "half blocks"
    QUADRANTS = "quadrants"
    SEXTANTS = "sextants"
    OCTANTS = "octants"
    ASCII_COLOR = "ASCII in colour"
    ASCII = "plain ASCII"
    KITTY = "Kitty graphics"


class CellSource(Protocol):
    """Encode a frame as cells of a fixed grid."""

    glyphs: str

    def cells(self, frame: Frame) -> Cells:
        """Return the cells of `frame`."""
        ...


class HalfBlockSource:
    """Two pixels a cell, one above the other: nothing is lost, so there is no search."""

    def __init__(self, columns: int, rows: int, depth: ColorDepth) -> None:
        self.glyphs = half_blocks().glyphs
        self._size = (columns, 2 * rows)
        self._table = color_table(depth)

    def cells(self, frame: Frame) -> Cells:
        """Return the cells of `frame`; the frame's more frequent colour becomes background."""
        entries = self._table.entries(resample(frame, *self._size))
        upper, lower = entries[0::2], entries[1::2]
        frequency = np.bincount(entries.ravel(), minlength=len(self._table.rgb))
        is_upper_back = frequency[upper] >= frequency[lower]
        glyph = np.where(is_upper_back, np.uint8(2), np.uint8(1))
        glyph[upper == lower] = BLANK
        return Cells(
            glyph=glyph,
            foreground=np.where(is_upper_back, lower, upper),
            background=np.where(is_upper_back, upper, lower),
        )


class BlockSource:
    """Several pixels a cell in its best two colours."""

    def __init__(self, shape: BlockShape, columns: int, rows: int, depth: ColorDepth) -> None:
        self.glyphs = shape.glyphs
        self._shape = shape
        self._size = (columns * shape.width, rows * shape.height)
        self._table = color_table(depth)

    def cells(self, frame: Frame) -> Cells:
        """Return the cells of `frame`; the frame's more frequent colour becomes background."""
        fitted = two_colors(resample(frame, *self._size), self._shape)
        first, second = self._table.entries(fitted.first), self._table.entries(fitted.second)
        frequency = np.bincount(first.ravel(), minlength=len(self._table.rgb))
        frequency += np.bincount(second.ravel(), minlength=len(frequency))
        is_first_back = frequency[first] >= frequency[second]
        glyph = np.where(is_first_back, fitted.mask, len(self.glyphs) - 1 - fitted.mask)
        glyph[first == second] = BLANK
        return Cells(
            glyph=glyph.astype(np.uint8),
            foreground=np.where(is_first_back, second, first),
            background=np.where(is_first_back, first, second),
        )


class OneBitSource:
    """Several pixels a cell, lit or not, for terminals without colour."""

    def __init__(self, shape: BlockShape, columns: int, rows: int) -> None:
        self.glyphs = shape.glyphs
        self._shape = shape
        self._size = (columns * shape.width, rows * shape.height)

    def cells(self, frame: Frame) -> Cells:
        """Return the cells of `frame`."""
        glyph = one_bit(luminance(resample(frame, *self._size)), self._shape)
        return Cells(glyph=glyph, foreground=None, background=None)


class AsciiSource:
    """One character a cell, denser where the picture is brighter."""

    glyphs = _RAMP

    def __init__(self, columns: int, rows: int, depth: ColorDepth) -> None:
        self._size = (columns, rows)
        self._table = None if depth is ColorDepth.NONE else color_table(depth)

    def cells(self, frame: Frame) -> Cells:
        """Return the cells of `frame`."""
        image = resample(frame, *self._size)
        glyph = (luminance(image) * len(_RAMP) // 256).astype(np.uint8)
        color = None if self._table is None else self._table.entries(_brighten(image))
        return Cells(glyph=glyph, foreground=color, background=None)


_SHAPES = {
    GameMode.HALF_BLOCKS: half_blocks,
    GameMode.QUADRANTS: quadrants,
    GameMode.SEXTANTS: sextants,
    GameMode.OCTANTS: octants,
}


def make_source(mode: GameMode, columns: int, rows: int, depth: ColorDepth) -> CellSource:
    """Return what draws in `mode`, which is one of those in cells."""
    if mode is GameMode.ASCII:
        return AsciiSource(columns, rows, ColorDepth.NONE)
    if mode is GameMode.ASCII_COLOR:
        return AsciiSource(columns, rows, depth)
    shape = _SHAPES[mode]()
    if depth is ColorDepth.NONE:
        return OneBitSource(shape, columns, rows)
    if mode is GameMode.HALF_BLOCKS:
        return HalfBlockSource(columns, rows, depth)
    return BlockSource(shape, columns, rows, depth)


class FrameEncoder:
    """Keep the strips of the latest frame and tell which rows changed with each new one."""

    def __init__(
        self,
        mode: GameMode,
        columns: int,
        rows: int,
        depth: ColorDepth = ColorDepth.TRUECOLOR,
    ) -> None:
        self.mode = mode
        self.depth = depth
        self.columns = columns
        self.rows = rows
        self.strips: list[FrameStrip] = []
        self._source = make_source(mode, columns, rows, depth)
        table = None if depth is ColorDepth.NONE else color_table(depth)
        self._writer = RowWriter(self._source.glyphs, table)
        self._frame: Frame | None = None
        self._cells: Cells | None = None

    def update(self, frame: Frame) -> list[int]:
        """Take a new frame, (h, w, 3) uint8, and return the rows whose strips were replaced."""
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


def exact_size(shape: tuple[int, ...] = GAME_BOY_FRAME_SHAPE) -> tuple[int, int]:
    """Return the columns and rows of half blocks that show every pixel of a frame of a shape."""
    return shape[1], (shape[0] + 1) // 2


def fit(
    columns: int,
    rows: int,
    shape: tuple[int, ...] = GAME_BOY_FRAME_SHAPE,
    *,
    cell_shape: float = 2.0,
    max_rows: int | None = None,
) -> tuple[int, int]:
    """Return the largest grid of at most `columns` x `rows` cells with the frame's proportions.

    Args:
        columns: The room's width.
        rows: The room's height.
        shape: The frame's: (rows, columns, 3).
        cell_shape: A cell's height by its width; with 2 a frame of 144 x 160 fits into 160 x 72.
        max_rows: No higher than this; None: than the frame's own size, for more shows nothing more
            in cells.
    """
    per_row = cell_shape * shape[1] / shape[0]
    if max_rows is None:
        max_rows = exact_size(shape)[1]
    height = max(1, min(rows, max_rows, int(columns / per_row)))
    width = min(columns, round(height * per_row))
    return max(1, width), height


_PIXELS = {
    GameMode.HALF_BLOCKS: (1, 2),
    GameMode.QUADRANTS: (2, 2),
    GameMode.SEXTANTS: (2, 3),
    GameMode.OCTANTS: (2, 4),
    GameMode.ASCII_COLOR: (1, 1),
    GameMode.ASCII: (1, 1),
}
"""Columns and rows of pixels in a cell."""

_LEGIBLE = 0.75
"""Share of a frame's columns and rows from which its letters, 8 pixels wide, can be read."""


def is_legible(
    mode: GameMode,
    columns: int,
    rows: int,
    cell_size_px: tuple[int, int] | None = None,
    shape: tuple[int, ...] = GAME_BOY_FRAME_SHAPE,
) -> bool:
    """Return whether the text in a frame can be read where it is drawn in so many cells.

    Args:
        mode: How it is drawn, not `AUTO`.
        columns: Cells of the picture.
        rows: Cells of the picture.
        cell_size_px: Of a cell, for pictures in real pixels; those of unknown cells can be read.
        shape: The frame's: (rows, columns, 3).
    """
    height, width = shape[:2]
    wide, high = _PIXELS.get(mode) or cell_size_px or (width, height)
    shown = min(columns * wide / width, rows * high / height)
    return shown >= _LEGIBLE


def _brighten(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Raise dark colours: the character already tells how bright the spot is."""
    peak = image.max(axis=-1, keepdims=True).astype(np.float32)
    gain = np.minimum(3.0, 230.0 / np.maximum(peak, 1.0))
    return np.asarray(np.minimum(image * np.maximum(gain, 1.0), 255), np.uint8)
