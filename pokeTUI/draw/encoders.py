"""Turn frames into strips of a fixed number of cells: blocks in two colours, or characters."""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray
from rich.segment import Segment
from textual.cache import FIFOCache
from textual.strip import Strip

from engine.types import GAME_BOY_FRAME_SHAPE, Frame
from pokeTUI.draw.blocks import (
    BLANK,
    HALF_BLOCKS,
    OCTANTS,
    QUADRANTS,
    SEXTANTS,
    BlockShape,
    Cells,
    RowWriter,
    one_bit,
    two_colors,
)
from pokeTUI.draw.colors import ColorDepth, color_table, luminance

# Give Textual strips whose ANSI text is already rendered.

_CACHES = frozenset(
    {
        "_divide_cache",
        "_crop_cache",
        "_style_cache",
        "_filter_cache",
        "_line_length_cache",
        "_crop_extend_cache",
        "_offsets_cache",
    }
)


class FrameStrip(Strip):
    """A strip that knows its ANSI text and makes Segments, once, when something asks for them.

    Overlays, screenshots and tests ask; a plain repaint does not, and costs a quarter of the time.
    """

    __slots__ = ["_made", "_make_segments"]

    def __init__(self, ansi: str, width: int, make_segments: Callable[[], list[Segment]]) -> None:
        # Strip.__init__ is not called: it needs the Segments and builds seven caches a row.
        self._make_segments = make_segments
        self._made: list[Segment] | None = None
        self._cell_length = width
        self._render_cache = ansi
        self._link_ids = None
        self._cell_count = width

    @classmethod
    def blank_row(cls, width: int) -> "FrameStrip":
        """Return an empty row."""
        return cls(" " * width, width, lambda: [Segment(" " * width)])

    @property
    def ansi(self) -> str:
        """The row as text with escape codes."""
        return self._render_cache or ""

    @property
    def _segments(self) -> list[Segment]:  # type: ignore[override]  # a slot in Strip
        if self._made is None:
            self._made = self._make_segments()
        return self._made

    def __getattr__(self, name: str) -> FIFOCache[object, object]:
        if name in _CACHES:
            cache: FIFOCache[object, object] = FIFOCache(4)
            setattr(self, name, cache)
            return cache
        raise AttributeError(name)

    def __bool__(self) -> bool:
        return True

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        """Return the strip itself when it is not really cut."""
        within = [cut for cut in cuts if cut <= (self._cell_length or 0)]
        if within == [self._cell_length]:
            return [self]
        return super().divide(within)


_RAMP = BlockShape(1, 1, " .:-=+*#%@")
"""Denser characters for brighter spots."""
_Taps = tuple[tuple[NDArray[np.intp], NDArray[np.float32]], ...]


class GameMode(Enum):
    """How the game is drawn, in the order in which a key cycles through them."""

    AUTO = "best fit"
    HALF_BLOCKS = "half blocks"
    QUADRANTS = "quadrants"
    SEXTANTS = "sextants"
    OCTANTS = "octants"
    ASCII_COLOR = "ASCII in colour"
    ASCII = "plain ASCII"
    SIXEL = "sixel"
    ITERM = "iTerm2 images"
    KITTY = "Kitty graphics"

    @property
    def is_picture(self) -> bool:
        """Return whether the terminal draws it in real pixels, not in cells."""
        return self in (GameMode.SIXEL, GameMode.ITERM, GameMode.KITTY)


_SHAPES = {
    GameMode.HALF_BLOCKS: HALF_BLOCKS,
    GameMode.QUADRANTS: QUADRANTS,
    GameMode.SEXTANTS: SEXTANTS,
    GameMode.OCTANTS: OCTANTS,
    GameMode.ASCII_COLOR: _RAMP,
    GameMode.ASCII: _RAMP,
}


class FrameEncoder:
    """Keep the strips of the latest frame and tell which rows changed with each new one.

    The mode is one of those in cells; plain ASCII has no colour at any depth.
    """

    def __init__(
        self, mode: GameMode, columns: int, rows: int, depth: ColorDepth = ColorDepth.TRUECOLOR
    ) -> None:
        self.mode = mode
        self.depth = depth
        self.columns = columns
        self.rows = rows
        self.strips: list[FrameStrip] = []
        self._shape = _SHAPES[mode]
        has_color = depth is not ColorDepth.NONE and mode is not GameMode.ASCII
        self._table = color_table(depth) if has_color else None
        self._writer = RowWriter(self._shape.glyphs, self._table)
        self._frame: Frame | None = None
        self._cells: Cells | None = None

    def update(self, frame: Frame) -> list[int]:
        """Take a new frame, (h, w, 3) uint8, and return the rows whose strips were replaced."""
        if self._frame is not None and np.array_equal(frame, self._frame):
            return []
        self._frame = frame
        shape = self._shape
        image = resample(frame, self.columns * shape.width, self.rows * shape.height)
        cells = self._encode(image)
        if self._cells is None:
            rows = np.arange(self.rows)
            self.strips = [FrameStrip.blank_row(self.columns)] * self.rows
        else:
            rows = cells.changed_rows(self._cells)
        self._cells = cells
        changed: list[int] = rows.tolist()
        written = self._writer.ansi(cells, rows) if changed else []
        for row, ansi in zip(changed, written, strict=True):
            segments = partial(self._writer.segments, cells, row)
            self.strips[row] = FrameStrip(ansi, self.columns, segments)
        return changed

    def _encode(self, image: NDArray[np.uint8]) -> Cells:
        """Return the cells of a picture in their pixels; its commoner colours are backgrounds."""
        shape, table = self._shape, self._table
        if shape is _RAMP:
            glyph = (luminance(image) * len(shape.glyphs) // 256).astype(np.uint8)
            return Cells(glyph, None if table is None else table.entries(_brighten(image)), None)
        if table is None:
            return Cells(one_bit(luminance(image), shape), None, None)
        if shape is HALF_BLOCKS:  # nothing is lost, so there is no search
            entries = table.entries(image)
            mask, first, second = np.asarray(2, np.uint8), entries[0::2], entries[1::2]
        else:
            fitted = two_colors(image, shape)
            entries = table.entries(np.stack([fitted.first, fitted.second]))
            mask, (first, second) = fitted.mask, entries
        frequency = np.bincount(entries.ravel(), minlength=len(table.rgb))
        is_first_back = frequency[first] >= frequency[second]
        glyph = np.where(is_first_back, mask, len(shape.glyphs) - 1 - mask).astype(np.uint8)
        glyph[first == second] = BLANK
        return Cells(
            glyph,
            foreground=np.where(is_first_back, second, first),
            background=np.where(is_first_back, first, second),
        )


def pixels_per_cell(mode: GameMode) -> tuple[int, int]:
    """Return how many columns and rows of pixels one cell shows in a mode in cells."""
    return _SHAPES[mode].width, _SHAPES[mode].height


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
        max_rows: No higher than this; None: than the frame's own size, for cells show no more.
    """
    per_row = cell_shape * shape[1] / shape[0]
    if max_rows is None:
        max_rows = exact_size(shape)[1]
    height = max(1, min(rows, max_rows, int((columns + 0.5) / per_row)))
    width = min(columns, round(height * per_row))
    return max(1, width), height


_LEGIBLE = 0.75
"""Share of a frame's columns and rows from which its letters, 8 pixels wide, can be read."""


def is_legible(
    mode: GameMode,
    columns: int,
    rows: int,
    cell_size_px: tuple[int, int] | None = None,
    shape: tuple[int, ...] = GAME_BOY_FRAME_SHAPE,
) -> bool:
    """Return whether the text in a frame can be read where it is drawn in `columns` x `rows` cells.

    Pictures in real pixels need `cell_size_px`; those of unknown cells can be read.
    """
    height, width = shape[:2]
    wide, high = cell_size_px or (width, height)
    if mode in _SHAPES:
        wide, high = _SHAPES[mode].width, _SHAPES[mode].height
    return min(columns * wide / width, rows * high / height) >= _LEGIBLE


def _brighten(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Raise dark colours: the character already tells how bright the spot is."""
    peak = image.max(axis=-1, keepdims=True).astype(np.float32)
    gain = np.minimum(3.0, 230.0 / np.maximum(peak, 1.0))
    return np.asarray(np.minimum(image * np.maximum(gain, 1.0), 255), np.uint8)


def resample(frame: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """Scale `frame`, (rows, columns, 3) uint8: each new pixel is the mean of those below it.

    Without BLAS, whose threads would steal cores from training. A frame in its own size is returned
    as it is.
    """
    rows, columns, _ = frame.shape
    if (rows, columns) == (height, width):
        return frame
    image = _shrink_rows(frame, height)
    image = _shrink_rows(image.swapaxes(0, 1), width).swapaxes(0, 1)
    return np.asarray(image + np.float32(0.5), dtype=np.uint8)


def _shrink_rows(image: NDArray[np.uint8 | np.float32], size: int) -> NDArray[np.float32]:
    total: NDArray[np.float32] | None = None
    for index, weight in _taps(image.shape[0], size):
        part = image[index] * weight[:, None, None]
        total = part if total is None else total + part
    assert total is not None
    return total


@lru_cache(maxsize=16)
def _taps(source: int, target: int) -> _Taps:
    """Return, for each tap, which source row every target row takes and its share of it."""
    scale = source / target
    starts = np.arange(target) * scale
    ends = starts + scale
    first = np.floor(starts + 1e-9).astype(np.intp)
    taps = []
    for tap in range(int(np.ceil(scale)) + 1):
        index = first + tap
        overlap = np.minimum(ends, index + 1) - np.maximum(starts, index)
        weight = np.clip(overlap, 0, None) / scale
        if weight.max() > 1e-6:
            taps.append((np.minimum(index, source - 1), weight.astype(np.float32)))
    return tuple(taps)
