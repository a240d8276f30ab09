"""Know how each colour depth names a colour: one table from a Game Boy colour to SGR bytes.

A Game Boy Color pixel has 15 bits (RGB555), so every table has 32,768 rows and is built at once.
"""

from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_RGB555 = np.arange(32768)
_CUBE_LEVELS = np.array([0, 95, 135, 175, 215, 255])
_ANSI_16 = np.array(
    [
        (0, 0, 0),
        (205, 0, 0),
        (0, 205, 0),
        (205, 205, 0),
        (0, 0, 238),
        (205, 0, 205),
        (0, 205, 205),
        (229, 229, 229),
        (127, 127, 127),
        (255, 0, 0),
        (0, 255, 0),
        (255, 255, 0),
        (92, 92, 255),
        (255, 0, 255),
        (0, 255, 255),
        (255, 255, 255),
    ]
)


class ColorDepth(StrEnum):
    """How many colours the terminal shows; the values are what people write after --color."""

    TRUECOLOR = "truecolor"
    EIGHT_BIT = "256"
    STANDARD = "16"
    NONE = "none"

    @property
    def rich_name(self) -> str:
        """Rich's name; without colour it is truecolor, so that bold and reverse still come out."""
        return {"16": "standard", "none": "truecolor"}.get(self.value, self.value)


class ColorTable:
    """Map RGB555 colours to what the terminal can show; not for `ColorDepth.NONE`.

    Attributes:
        index: (32768,) uint16, RGB555 -> entry; colours that look alike share one entry.
        rgb: (entries, 3) uint8.
        foreground: (entries, w) uint8, SGR parameters as ASCII, holes are zero bytes.
        background: Likewise.
    """

    def __init__(self, depth: ColorDepth) -> None:
        colors = np.stack([_widen(_RGB555 >> shift & 31) for shift in (10, 5, 0)], axis=-1)
        if depth is ColorDepth.TRUECOLOR:
            self.index = _RGB555.astype(np.uint16)
            self.rgb = colors.astype(np.uint8)
            self.foreground = _direct_codes("38;2;", self.rgb)
            self.background = _direct_codes("48;2;", self.rgb)
        elif depth is ColorDepth.EIGHT_BIT:
            self.index = _nearest_256(colors)
            self.rgb = _palette_256().astype(np.uint8)
            self.foreground = _as_table([f"38;5;{entry}" for entry in range(256)])
            self.background = _as_table([f"48;5;{entry}" for entry in range(256)])
        else:
            distances = _distance(_vivid(colors)[:, None, :], _ANSI_16[None])
            self.index = distances.argmin(axis=1).astype(np.uint16)
            self.rgb = _ANSI_16.astype(np.uint8)
            codes = [*range(30, 38), *range(90, 98)]
            self.foreground = _as_table([str(code) for code in codes])
            self.background = _as_table([str(code + 10) for code in codes])

    def entries(self, image: NDArray[np.uint8]) -> NDArray[np.uint16]:
        """Map (h, w, 3) uint8 colours to entries, (h, w) uint16."""
        key = image[..., 0].astype(np.uint16) >> 3
        key <<= 5
        key |= image[..., 1] >> 3
        key <<= 5
        key |= image[..., 2] >> 3
        return np.asarray(self.index[key], np.uint16)


color_table = lru_cache(maxsize=8)(ColorTable)
"""Return the table of a colour depth."""


def luminance(colors: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return the luma (0-255) of (..., 3) colours, ITU-R BT.601 weights."""
    wide = colors.astype(np.intp)
    return (wide[..., 0] * 299 + wide[..., 1] * 587 + wide[..., 2] * 114) // 1000


def _widen(five_bits: NDArray[np.intp]) -> NDArray[np.intp]:
    return (five_bits << 3) | (five_bits >> 2)


def _palette_256() -> NDArray[np.intp]:
    cube = [(r, g, b) for r in _CUBE_LEVELS for g in _CUBE_LEVELS for b in _CUBE_LEVELS]
    greys = [(8 + 10 * step,) * 3 for step in range(24)]
    return np.concatenate([_ANSI_16, np.array(cube), np.array(greys)]).astype(np.intp)


def _nearest_256(colors: NDArray[np.intp]) -> NDArray[np.uint16]:
    """Pick from the colour cube or the grey ramp; the first 16 depend on the user's theme."""
    steps = np.abs(colors[..., None] - _CUBE_LEVELS).argmin(axis=-1)
    cube = 16 + steps @ np.array([36, 6, 1])
    grey = 232 + np.clip((colors.mean(axis=-1) - 3) // 10, 0, 23).astype(np.intp)
    palette = _palette_256()
    is_grey_nearer = _distance(colors, palette[grey]) < _distance(colors, palette[cube])
    return np.asarray(np.where(is_grey_nearer, grey, cube), np.uint16)


def _distance(a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.asarray(((a - b) ** 2).sum(axis=-1))


def _vivid(colors: NDArray[np.intp]) -> NDArray[np.intp]:
    """Double the distance from grey: among 16 colours the pale ones would all become grey."""
    grey = colors.mean(axis=-1, keepdims=True).astype(np.intp)
    return np.asarray(np.clip(grey + 2 * (colors - grey), 0, 255))


def _as_table(codes: list[str]) -> NDArray[np.uint8]:
    width = max(len(code) for code in codes)
    table = np.zeros((len(codes), width), np.uint8)
    for row, code in zip(table, codes, strict=True):
        row[: len(code)] = np.frombuffer(code.encode(), np.uint8)
    return table


def _direct_codes(prefix: str, rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
    numbers = _as_table([str(value) for value in range(256)])
    count = len(rgb)
    start = np.tile(np.frombuffer(prefix.encode(), np.uint8), (count, 1))
    semicolon = np.full((count, 1), ord(";"), np.uint8)
    red, green, blue = (numbers[rgb[:, channel]] for channel in range(3))
    return np.concatenate([start, red, semicolon, green, semicolon, blue], axis=1)
