"""Write frames as sixels: six rows of pixels in a row of characters, one colour after another.

Source: https://vt100.net/docs/vt3xx-gp/chapter14.html
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from textual.geometry import Region

from engine.types import Frame
from pokeTUI.rendering.encoders import GameMode, resample

_BAND = 6
_NO_PIXEL = ord("?")
"""Plus 1 for the uppermost of six pixels, 2 for the next, and so on."""
_COLOR_BITS = 5
"""Of red, green and blue: those of a Game Boy Color."""
_TOKEN = 12
"""Bytes of a run: "$" or "-", "#" and a colour, "!" and a length, the sixel."""
MAX_COLORS = 256


@dataclass(frozen=True, slots=True)
class SixelPainter:
    """See `pokeTUI.rendering.pictures.Painter`.

    Attributes:
        cell_size_px: Width and height of the terminal's cells.
        max_colors: How many colours it shows in a picture.
    """

    cell_size_px: tuple[int, int]
    max_colors: int = MAX_COLORS
    mode = GameMode.SIXEL
    is_erased_by_text = True

    def place(self, frame: Frame, region: Region) -> str:
        """Return what puts `frame` over `region`."""
        width, height = self.cell_size_px
        return encode(frame, region.width * width, region.height * height, self.max_colors)

    def take_away(self) -> str:
        """Return nothing: cells that are written take its place."""
        return ""


def encode(frame: Frame, width: int, height: int, max_colors: int) -> str:
    """Return a frame, (h, w, 3) uint8, as a picture of `width` x `height` pixels.

    Where it has more colours than `max_colors`, 8 to 256, those that are alike become one.
    """
    frame = resample(frame, min(width, frame.shape[1]), min(height, frame.shape[0]))
    index, colors = _indexed(frame, max_colors)
    rows = np.arange(height) * index.shape[0] // height
    edges = np.arange(index.shape[1] + 1) * width // index.shape[1]
    palette = "".join(
        f"#{number};2;{red};{green};{blue}"
        for number, (red, green, blue) in enumerate((colors * 100.0 / 255).round().astype(int))
    )
    sixels = _written(_bands(index, len(colors), rows), edges)
    return f'\x1bP0;1q"1;1;{width};{height}{palette}{sixels}\x1b\\'


def _indexed(frame: Frame, max_colors: int) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
    """Return the number of each pixel's colour, (h, w), and the colours, (n, 3)."""
    for bits in range(_COLOR_BITS, 0, -1):
        parts = (frame >> (8 - bits)).astype(np.intp)
        key = parts[..., 0] << 2 * bits | parts[..., 1] << bits | parts[..., 2]
        example = np.full(1 << 3 * bits, -1, np.intp)
        example[key.ravel()] = np.arange(key.size)
        used = np.flatnonzero(example >= 0)
        if len(used) <= max_colors:
            break
    colors = frame.reshape(-1, 3)[example[used]]
    example[used] = np.arange(len(used))
    return example[key], colors


def _bands(index: NDArray[np.intp], colors: int, rows: NDArray[np.intp]) -> NDArray[np.uint8]:
    """Return six rows of pixels each as bits, (bands, colours, w): where a colour is.

    `rows` has the row of `index` for each row of pixels; those of a band that are the same are
    done at once.
    """
    pixel_rows = np.arange(len(rows))
    band, first, width = pixel_rows // _BAND, rows[::_BAND], index.shape[1]
    nth = rows - first[band]
    bits = np.zeros((nth.max() + 1, len(first)), np.uint8)
    np.add.at(bits, (nth, band), 1 << pixel_rows % _BAND)
    bands = np.zeros((len(first), colors, width), np.uint8)
    flat = bands.reshape(-1)
    start = np.arange(len(first))[:, None] * (colors * width) + np.arange(width)
    for number, bit in enumerate(bits):
        row = np.minimum(first + number, len(index) - 1)
        flat[start + index[row] * width] |= bit[:, None]
    return bands


def _written(bands: NDArray[np.uint8], edges: NDArray[np.intp]) -> str:
    """Return the colours of all bands, run by run; column x is `edges[x]` to `edges[x + 1]`."""
    band, color = np.nonzero(bands.any(axis=2))
    rows = bands[band, color]
    width = rows.shape[1]
    is_start = np.ones(rows.shape, bool)
    np.not_equal(rows[:, 1:], rows[:, :-1], out=is_start[:, 1:])
    start = np.flatnonzero(is_start)
    row, column = np.divmod(start, width)
    end = np.append(start[1:], rows.size) - row * width
    sixel = rows.reshape(-1)[start]
    is_needed = (sixel > 0) | (end < width)  # after the last pixel of a colour comes nothing
    row, column, end, sixel = (each[is_needed] for each in (row, column, end, sixel))
    tokens = np.zeros((len(row), _TOKEN), np.uint8)
    is_first = column == 0
    tokens[is_first, 0] = np.where(np.diff(band, prepend=0) > 0, ord("-"), ord("$"))
    tokens[is_first, 1:5] = _numbers("#", MAX_COLORS)[color]
    length = edges[end] - edges[column]
    tokens[:, 5:11] = _numbers("!", int(edges[-1]))[length]
    tokens[length == 1, 5:11] = 0
    tokens[:, 11] = _NO_PIXEL + sixel
    return tokens.tobytes().translate(None, b"\0").decode()


@lru_cache(maxsize=8)
def _numbers(sign: str, last: int) -> NDArray[np.uint8]:
    """Return the numbers 0 to `last` behind a sign, a row of ASCII each, zero bytes at its end."""
    texts = np.array([f"{sign}{number}".encode() for number in range(last + 1)])
    width = {"#": 4, "!": 6}[sign]
    return texts.astype(f"S{width}").view(np.uint8).reshape(-1, width)
