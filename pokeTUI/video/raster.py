"""Draw a screen with Pillow: shapes pixel by pixel, words in a monospace font of this machine."""

from functools import cache
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import VideoError
from engine.video import check_pillow
from pokeTUI.video.screen import Cell, Look, Rgb, Screen, mix
from pokeTUI.video.shapes import ACROSS, DOWN, Boxes, Dots, Lines, Shape, shape_of

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

Image = NDArray[np.uint8]
"""(height, width, 3)."""

_FONTS = {
    (False, False): ("DejaVuSansMono", "LiberationMono-Regular", "NotoSansMono-Regular", "Menlo"),
    (True, False): ("DejaVuSansMono-Bold", "LiberationMono-Bold", "NotoSansMono-Bold", "Menlo"),
    (False, True): ("DejaVuSansMono-Oblique", "LiberationMono-Italic"),
    (True, True): ("DejaVuSansMono-BoldOblique", "LiberationMono-BoldItalic"),
}
_ENDINGS = (".ttf", ".ttc")
_LEVELS = 6
"""Shades of a letter's edge: fewer shades are fewer colours in a GIF."""


class Raster:
    """Draw screens with cells of a fixed size, each different cell once.

    Args:
        width: Pixels of a cell; its height is twice that.
    """

    def __init__(self, width: int = 8) -> None:
        self.width, self.height = width, 2 * width
        self._tiles: dict[Cell, Image] = {}
        self._size = _font_size(width, self.height)

    def draw(self, screen: Screen) -> Image:
        """Return the picture of `screen`."""
        columns, rows = screen.size
        picture = np.empty((rows * self.height, columns * self.width, 3), np.uint8)
        for y, row in enumerate(screen.rows):
            picture[y * self.height : (y + 1) * self.height] = self.draw_row(row)
        return picture

    def draw_row(self, row: tuple[Cell, ...]) -> Image:
        """Return the picture of a row of cells."""
        return np.concatenate([self._tile(cell) for cell in row], axis=1)

    def _tile(self, cell: Cell) -> Image:
        tile = self._tiles.get(cell)
        if tile is None:
            tile = self._tiles[cell] = self._draw(*cell)
        return tile

    def _draw(self, character: str, look: Look) -> Image:
        shape = shape_of(character)
        if shape is None:
            cover = self._letter(character, look)
        else:
            cover = coverage(shape, self.width, self.height)
        if look.is_underlined:
            cover[-2] = 1
        if look.is_struck:
            cover[self.height // 2] = 1
        shades: dict[float, Rgb] = {
            share: mix(look.ground, look.color, share) for share in np.unique(cover).tolist()
        }
        tile = np.empty((self.height, self.width, 3), np.uint8)
        for share, color in shades.items():
            tile[cover == share] = color
        return tile

    def _letter(self, character: str, look: Look) -> NDArray[np.float32]:
        """Return how much of each pixel a letter covers, in few levels."""
        if character == " ":
            return np.zeros((self.height, self.width), np.float32)
        from PIL import Image as Picture
        from PIL import ImageDraw

        font = find_font(look.is_bold, look.is_italic, self._size)
        picture = Picture.new("L", (self.width, self.height), 0)
        ascent, descent = font.getmetrics()
        baseline = (self.height - ascent - descent) // 2 + ascent
        # Anchored at its middle, a sign that is too wide loses as much on both sides.
        middle = (self.width / 2, baseline)
        ImageDraw.Draw(picture).text(middle, character, fill=255, font=font, anchor="ms")
        cover = np.asarray(picture, np.float32) / 255
        levels = np.float32(_LEVELS - 1)
        return np.asarray(np.round(cover * levels) / levels, np.float32)


def coverage(shape: Shape, width: int, height: int) -> NDArray[np.float32]:
    """Return how much of each pixel of a cell a shape covers, 0 to 1: (height, width)."""
    cover = np.zeros((height, width), np.float32)
    match shape:
        case Boxes():
            for left, top, right, bottom in shape.boxes:
                across = slice(round(left * width / ACROSS), ceil(right * width / ACROSS))
                cover[round(top * height / DOWN) : round(bottom * height / DOWN), across] = (
                    shape.share
                )
        case Dots():
            size = max(1, width // 4)
            for column, row in shape.dots:
                x = round((column + 0.5) * width / 2 - size / 2)
                y = round((row + 0.5) * height / 4 - size / 2)
                cover[y : y + size, x : x + size] = 1
        case Lines():
            _draw_lines(cover, shape)
    return cover


def _draw_lines(cover: NDArray[np.float32], shape: Lines) -> None:
    height, width = cover.shape
    up, right, down, left = shape.arms
    thin = max(1, width // 8)
    x, y = (width - thin) // 2, (height - thin) // 2
    corner = thin if shape.is_arc else 0  # its pixel is left out: that makes it round
    for weight, is_down, start, end in (
        (up, True, 0, y + thin - corner),
        (down, True, y + corner, height),
        (left, False, 0, x + thin - corner),
        (right, False, x + corner, width),
    ):
        thick = thin * weight
        if weight and is_down:
            cover[start:end, x : x + thick] = 1
        elif weight:
            cover[y : y + thick, start:end] = 1
    for dash in range(shape.dashes):
        is_down = bool(up or down)
        extent = height if is_down else width
        gap = slice(extent * dash // shape.dashes, extent * dash // shape.dashes + thin)
        if is_down:
            cover[gap] = 0
        else:
            cover[:, gap] = 0


def check_tools() -> None:
    """Make sure that there is something to draw with.

    Raises:
        VideoError: There is not.
    """
    check_pillow()
    find_font(False, False, 12)


@cache
def find_font(is_bold: bool, is_italic: bool, size: int) -> "FreeTypeFont":
    """Return a monospace font of `size` pixels.

    Raises:
        VideoError: There is none; says what to install.
    """
    from PIL import ImageFont

    for name in (*_FONTS[is_bold, is_italic], *_FONTS[False, False]):
        for ending in _ENDINGS:
            try:
                return ImageFont.truetype(name + ending, size)
            except OSError:
                continue
    raise VideoError(
        "The cockpit's letters need a monospace font, and none was found.",
        "Install DejaVu Sans Mono: apt install fonts-dejavu-core, dnf install "
        "dejavu-sans-mono-fonts, or brew install --cask font-dejavu.",
    )


def _font_size(width: int, height: int) -> int:
    """Return the largest size whose letters fit into a cell."""
    size = 4
    while find_font(False, False, size + 1).getlength("M") <= width + 0.35 and size < height:
        size += 1
    return size
