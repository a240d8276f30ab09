"""Draw a picture in characters: each cell a pattern of two colours."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray
from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from pokeTUI.draw.colors import ColorTable

# Draw a cell as a pattern of two colours: glyph tables, and the best two colours of each cell.

_CELLS_AT_ONCE = 512
"""All patterns of so many cells fit into the processor's cache."""
_BAYER = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) * 12 + 38
"""Thresholds of ordered dithering: black stays black and white stays white."""


@dataclass(frozen=True, slots=True)
class BlockShape:
    """How a cell is divided into pixels, with a glyph for every pattern of them.

    In a pattern bit 0 is the upper left pixel, then in reading order; a set bit has the foreground
    colour. The first glyph is the space, the last the full block.
    """

    width: int
    height: int
    glyphs: str


@dataclass(frozen=True, slots=True)
class TwoColors:
    """Cells in two colours each.

    Attributes:
        mask: (rows, columns) uint8, bit i set where pixel i has `second`; 0 in one colour.
        first: (rows, columns, 3) uint8.
        second: Likewise; equal to `first` in one colour.
    """

    mask: NDArray[np.uint8]
    first: NDArray[np.uint8]
    second: NDArray[np.uint8]


def _in_order(count: int, older: dict[int, str], start: int) -> str:
    """Return a glyph a pattern: those that Unicode had before, and a block of new ones in order."""
    new = iter(range(start, start + count))
    return "".join(older[p] if p in older else chr(next(new)) for p in range(count))


def _doubled(quadrants_set: int) -> int:
    """Return the octants that a set of quadrants covers."""
    upper = (quadrants_set & 3) * 0b0101
    lower = (quadrants_set >> 2 & 3) * 0b0101
    return upper | lower << 4


HALF_BLOCKS = BlockShape(1, 2, " ▀▄█")
QUADRANTS = BlockShape(2, 2, " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")
SEXTANTS = BlockShape(
    2, 3, _in_order(64, {0: " ", 0b010101: "▌", 0b101010: "▐", 0b111111: "█"}, 0x1FB00)
)
"""Unicode 13: U+1FB00 to U+1FB3B."""
_OLDER_OCTANTS = {_doubled(pattern): glyph for pattern, glyph in enumerate(QUADRANTS.glyphs)} | {
    0b00000001: "\U0001cea8",
    0b00000010: "\U0001ceab",
    0b00000011: "\U0001fb82",
    0b00010100: "\U0001fbe6",
    0b00101000: "\U0001fbe7",
    0b00111111: "\U0001fb85",
    0b01000000: "\U0001cea3",
    0b10000000: "\U0001cea0",
    0b11000000: "▂",
    0b11111100: "▆",
}
OCTANTS = BlockShape(2, 4, _in_order(256, _OLDER_OCTANTS, 0x1CD00))
"""Unicode 16: U+1CD00 to U+1CDE5, and what there was before."""


def two_colors(image: NDArray[np.uint8], shape: BlockShape) -> TwoColors:
    """Return the two colours of each cell that come nearest to its pixels.

    Nearest is the least sum of squared differences over all ways to divide the pixels in two; a
    cell that has two colours keeps them exactly. The image is uint8, (rows * shape.height,
    columns * shape.width, 3).
    """
    rows, columns = image.shape[0] // shape.height, image.shape[1] // shape.width
    split = image.reshape(rows, shape.height, columns, shape.width, 3).transpose(0, 2, 1, 3, 4)
    pixels = split.reshape(rows * columns, shape.height * shape.width, 3)
    key = pixels[..., 0].astype(np.int32) << 16
    key |= pixels[..., 1].astype(np.int32) << 8
    key |= pixels[..., 2]
    is_first = key == key[:, :1]
    first = pixels[:, 0].copy()
    second = first.copy()
    mask = np.zeros(len(pixels), np.uint8)
    several = np.flatnonzero(~is_first.all(axis=1))
    if len(several):
        key, is_first = key[several], is_first[several]
        other = is_first.argmin(axis=1)
        is_other = key == key[np.arange(len(several)), other][:, None]
        mask[several] = is_other @ _bits(key.shape[1])
        second[several] = pixels[several, other]
        many = several[~(is_first | is_other).all(axis=1)]
        for start in range(0, len(many), _CELLS_AT_ONCE):
            part = many[start : start + _CELLS_AT_ONCE]
            mask[part], first[part], second[part] = _divide(pixels[part])
    return TwoColors(
        mask.reshape(rows, columns),
        first.reshape(rows, columns, 3),
        second.reshape(rows, columns, 3),
    )


def one_bit(brightness: NDArray[np.intp], shape: BlockShape) -> NDArray[np.uint8]:
    """Return the patterns of a picture without colour, (rows, columns) uint8, greys dithered.

    The brightness is (rows * shape.height, columns * shape.width), 0 to 255.
    """
    height, width = brightness.shape
    rows, columns = height // shape.height, width // shape.width
    thresholds = np.tile(_BAYER, (-(-height // 4), -(-width // 4)))[:height, :width]
    split = (brightness > thresholds).reshape(rows, shape.height, columns, shape.width)
    is_lit = split.transpose(0, 2, 1, 3).reshape(rows, columns, -1)
    return np.asarray(is_lit @ _bits(is_lit.shape[-1]), np.uint8)


def _divide(
    pixels: NDArray[np.uint8],
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return mask, first and second colour of (n, k, 3) cells of more than two colours.

    With the pixels taken from their mean, dividing them in two lowers the squared error by
    |sum of one part|^2 * (1 / its size + 1 / the other's size). Pixel 0 is always in the first
    part; the sums of all parts come from one another by adding a pixel.
    """
    cells, count, _ = pixels.shape
    centred = pixels.astype(np.float32)
    centred -= centred.mean(axis=1, keepdims=True)
    gain = np.zeros((1 << (count - 1), cells), np.float32)
    sums = np.zeros_like(gain)
    for channel in range(3):
        for pixel in range(1, count):
            half = 1 << (pixel - 1)
            np.add(sums[:half], centred[:, pixel, channel], out=sums[half : 2 * half])
        gain += sums * sums
    gain *= _part_weights(count)[:, None]
    mask = (gain.argmax(axis=0) << 1).astype(np.uint8)
    is_second = (mask[:, None] >> np.arange(count, dtype=np.uint8) & 1).astype(np.float32)
    return mask, _mean(pixels, 1 - is_second), _mean(pixels, is_second)


def _mean(pixels: NDArray[np.uint8], share: NDArray[np.float32]) -> NDArray[np.uint8]:
    total = (pixels * share[..., None]).sum(axis=1)
    return np.asarray(total / share.sum(axis=1)[:, None] + np.float32(0.5), np.uint8)


@lru_cache(maxsize=4)
def _part_weights(count: int) -> NDArray[np.float32]:
    """Return the factor of |sum|^2 for every part without pixel 0, in the order of the sums."""
    size = np.array([pattern.bit_count() for pattern in range(1 << (count - 1))])
    weights = 1 / np.maximum(size, 1) + 1 / (count - size)
    return np.where(size > 0, weights, 0).astype(np.float32)


@lru_cache(maxsize=4)
def _bits(count: int) -> NDArray[np.uint8]:
    return (1 << np.arange(count)).astype(np.uint8)


# Hold a picture as terminal cells and write rows of it as ANSI text.

BLANK = 0
"""Glyph 0 of every glyph set is the space: its foreground is not seen."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A picture in cells, each array (rows, columns).

    Glyphs are uint8 indices into the glyph set, colours uint16 entries of the table, or None for
    the terminal's own.
    """

    glyph: NDArray[np.uint8]
    foreground: NDArray[np.uint16] | None
    background: NDArray[np.uint16] | None

    def changed_rows(self, before: "Cells") -> NDArray[np.intp]:
        """Return the rows that differ from those of `before`."""
        differs = self.glyph != before.glyph
        if self.foreground is not None and before.foreground is not None:
            differs |= self.foreground != before.foreground
        if self.background is not None and before.background is not None:
            differs |= self.background != before.background
        return np.flatnonzero(differs.any(axis=1))


class RowWriter:
    """Write rows of cells as text with SGR codes only where a colour changes.

    The first of `glyphs` is the space; without colours there is no `table`.
    """

    def __init__(self, glyphs: str, table: ColorTable | None) -> None:
        self.glyphs = glyphs
        self._table = table
        self._glyph_bytes = np.zeros((len(glyphs), 4), np.uint8)
        for row, glyph in zip(self._glyph_bytes, glyphs, strict=True):
            encoded = glyph.encode()
            row[: len(encoded)] = np.frombuffer(encoded, np.uint8)

    def ansi(self, cells: Cells, rows: NDArray[np.intp]) -> list[str]:
        """Return each of `rows` as self-contained text (it ends with a reset)."""
        glyph = cells.glyph[rows]
        count, columns = glyph.shape
        parts: list[NDArray[np.uint8]] = []
        codes: list[tuple[NDArray[np.bool_], NDArray[np.uint8]]] = []
        if self._table is not None and cells.foreground is not None:
            color = _hold(cells.foreground[rows], glyph != BLANK)
            codes.append((_changes(color), self._table.foreground[color]))
        if self._table is not None and cells.background is not None:
            color = cells.background[rows].astype(np.intp)
            codes.append((_changes(color), self._table.background[color]))
        if codes:
            parts.extend(_sgr(codes, (count, columns)))
        parts.append(self._glyph_bytes[glyph])
        data = np.concatenate(parts, axis=2).reshape(count, -1)
        is_used = data != 0
        text = data[is_used].tobytes()
        ends = np.cumsum(is_used.sum(axis=1)).tolist()
        starts = [0, *ends[:-1]]
        reset = "\x1b[0m" if codes else ""
        return [text[start:end].decode() + reset for start, end in zip(starts, ends, strict=True)]

    def segments(self, cells: Cells, row: int) -> list[Segment]:
        """Return one row as Segments, for what cannot use ANSI text (overlays, screenshots)."""
        glyph = cells.glyph[row].tolist()
        unknown = [-1] * len(glyph)
        fore = unknown if cells.foreground is None else cells.foreground[row].tolist()
        back = unknown if cells.background is None else cells.background[row].tolist()
        segments: list[Segment] = []
        columns = zip(fore, back, glyph, strict=True)
        for (color, ground), run in groupby(columns, key=itemgetter(0, 1)):
            text = "".join(self.glyphs[index] for _, _, index in run)
            style = Style(color=self._color(color), bgcolor=self._color(ground))
            segments.append(Segment(text, style))
        return segments

    def _color(self, entry: int) -> Color | None:
        if entry < 0 or self._table is None:
            return None
        red, green, blue = self._table.rgb[entry].tolist()
        return Color.from_rgb(red, green, blue)


def _hold(color: NDArray[np.uint16], is_seen: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Let cells whose foreground is not seen keep the last seen one of their row."""
    columns = np.arange(color.shape[1])
    last = np.maximum.accumulate(np.where(is_seen, columns, 0), axis=1)
    return np.take_along_axis(color, last, axis=1).astype(np.intp)


def _changes(color: NDArray[np.intp]) -> NDArray[np.bool_]:
    is_changed = np.ones(color.shape, np.bool_)
    is_changed[:, 1:] = color[:, 1:] != color[:, :-1]
    return is_changed


def _sgr(
    codes: list[tuple[NDArray[np.bool_], NDArray[np.uint8]]], shape: tuple[int, int]
) -> list[NDArray[np.uint8]]:
    """Return the bytes of ESC [ parameters m for every cell, zero where nothing changes."""
    any_change = np.logical_or.reduce([is_changed for is_changed, _ in codes])
    parts = [_constant(b"\x1b[", any_change, shape)]
    is_open: NDArray[np.bool_] | None = None
    for is_changed, code in codes:
        if is_open is not None:
            parts.append(_constant(b";", is_open & is_changed, shape))
        parts.append(np.where(is_changed[..., None], code, np.uint8(0)))
        is_open = is_changed
    parts.append(_constant(b"m", any_change, shape))
    return parts


def _constant(text: bytes, where: NDArray[np.bool_], shape: tuple[int, int]) -> NDArray[np.uint8]:
    values = np.frombuffer(text, np.uint8)
    return np.broadcast_to(values, (*shape, len(text))) * where[..., None]
