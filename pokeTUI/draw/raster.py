"""Draw a screen with Pillow: shapes pixel by pixel, words in a monospace font of this machine."""

import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len
from rich.color import Color
from rich.style import Style
from textual.app import App

from engine.demos.video import check_pillow
from engine.errors import VideoError
from pokeTUI.draw.blocks import OCTANTS, QUADRANTS, SEXTANTS, BlockShape

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont


# Read what the application shows: a grid of cells, each a character with a look.

Rgb = tuple[int, int, int]

_DIM = 0.5


@dataclass(frozen=True, slots=True)
class Look:
    """How a character is written."""

    color: Rgb
    ground: Rgb
    is_bold: bool = False
    is_italic: bool = False
    is_underlined: bool = False
    is_struck: bool = False


Cell = tuple[str, Look]


@dataclass(frozen=True, slots=True)
class Screen:
    """What is shown at one moment.

    Attributes:
        rows: Of equal length.
        ground: The colour of most cells' ground.
    """

    rows: tuple[tuple[Cell, ...], ...]
    ground: Rgb

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return len(self.rows[0]), len(self.rows)


def read_screen(app: App[Any]) -> Screen:
    """Return what `app` shows now: the cells that `App.export_screenshot` draws too."""
    columns, rows = app.size
    update: Any = app.screen._compositor.render_update(
        full=True, screen_stack=app._background_screens, simplify=True
    )
    ground = app.screen.styles.background.rgb
    default = Look((200, 200, 200), ground)
    grid: list[tuple[Cell, ...]] = []
    for strips in update.strips:
        cells: list[Cell] = []
        for segment in (segment for strip in strips for segment in strip):
            if segment.control:
                continue
            look = _look(segment.style, default) if segment.style else default
            for character in segment.text:
                # What is wide takes two cells, what has no width none.
                cells += [(character, look), (" ", look)][: cell_len(character)]
        cells += [(" ", default)] * (columns - len(cells))
        grid.append(tuple(cells[:columns]))
    empty = ((" ", default),) * columns  # before the first layout there is nothing
    return Screen(tuple((grid + [empty] * rows)[:rows]), ground)


@lru_cache(maxsize=4096)
def _look(style: Style, default: Look) -> Look:
    color = _rgb(style.color, default.color)
    ground = _rgb(style.bgcolor, default.ground)
    if style.reverse:
        color, ground = ground, color
    if style.dim:
        color = mix(ground, color, _DIM)
    return Look(
        color,
        ground,
        bool(style.bold),
        bool(style.italic),
        bool(style.underline),
        bool(style.strike),
    )


def _rgb(color: Color | None, default: Rgb) -> Rgb:
    if color is None or color.is_default:
        return default
    red, green, blue = color.get_truecolor()
    return red, green, blue


def mix(ground: Rgb, color: Rgb, share: float) -> Rgb:
    """Return `ground` with `share` of it covered by `color`."""
    red, green, blue = (
        round(low + (high - low) * share) for low, high in zip(ground, color, strict=True)
    )
    return red, green, blue


# Say how block, line and braille characters look, so that they are drawn without a font.

ACROSS, DOWN = 8, 24
"""A cell is measured in eighths of its width and in 24ths of its height."""

Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in those units."""

_ARMS = {"UP": 0, "RIGHT": 1, "DOWN": 2, "LEFT": 3, "VERTICAL": (0, 2), "HORIZONTAL": (1, 3)}
_WEIGHTS = {"LIGHT": 1, "HEAVY": 2}
_SHADES = {"░": 0.25, "▒": 0.5, "▓": 0.75}
_BRAILLE = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))


@dataclass(frozen=True, slots=True)
class Boxes:
    """Filled rectangles.

    Attributes:
        share: How much of the ground they cover.
    """

    boxes: tuple[Box, ...]
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines from the middle of the cell to its edges.

    Attributes:
        arms: Weight of the line up, right, down and left: 0 none, 1 light, 2 heavy.
        is_arc: They meet in a round corner.
        dashes: Into how many each is broken; 0: it is whole.
    """

    arms: tuple[int, int, int, int]
    is_arc: bool = False
    dashes: int = 0


@dataclass(frozen=True, slots=True)
class Dots:
    """Braille: column 0 or 1 and row 0 to 3 of each dot."""

    dots: tuple[tuple[int, int], ...]


Shape = Boxes | Lines | Dots


@cache
def shape_of(character: str) -> Shape | None:
    """Return how to draw `character`; None: it is written in a font."""
    code = ord(character)
    if 0x2800 <= code <= 0x28FF:
        bits = code - 0x2800
        return Dots(tuple(dot for bit, dot in enumerate(_BRAILLE) if bits >> bit & 1))
    if 0x2500 <= code <= 0x257F:
        return _lines(unicodedata.name(character))
    if character in _SHADES:
        return Boxes(((0, 0, ACROSS, DOWN),), _SHADES[character])
    boxes = _eighths(code) or _patterns().get(character)
    return Boxes(boxes) if boxes else None


def _eighths(code: int) -> tuple[Box, ...]:
    """Return bars of some eighths, by their code points."""
    if 0x2581 <= code <= 0x2588:
        return ((0, DOWN - 3 * (code - 0x2580), ACROSS, DOWN),)
    if 0x2589 <= code <= 0x258F:
        return ((0, 0, 0x2590 - code, DOWN),)
    return {
        0x2590: ((4, 0, ACROSS, DOWN),),
        0x2594: ((0, 0, ACROSS, 3),),
        0x2595: ((ACROSS - 1, 0, ACROSS, DOWN),),
        0x25A0: ((1, 8, 7, 18),),
    }.get(code, ())


@cache
def _patterns() -> dict[str, tuple[Box, ...]]:
    """Return the boxes of all quadrants, sextants and octants."""
    found: dict[str, tuple[Box, ...]] = {}
    for shape in (OCTANTS, SEXTANTS, QUADRANTS):
        found |= {glyph: _boxes(mask, shape) for mask, glyph in enumerate(shape.glyphs) if mask}
    return found


def _boxes(mask: int, shape: BlockShape) -> tuple[Box, ...]:
    """Return a box for each row of a pattern's lit pixels."""
    boxes = []
    for row in range(shape.height):
        top, bottom = DOWN * row // shape.height, DOWN * (row + 1) // shape.height
        lit = [column for column in range(shape.width) if mask >> row * shape.width + column & 1]
        if lit:
            wide = ACROSS // shape.width
            boxes.append((lit[0] * wide, top, (lit[-1] + 1) * wide, bottom))
    return tuple(boxes)


def _lines(name: str) -> Lines | None:
    """Read a line's arms from its name, e.g. "BOX DRAWINGS LIGHT DOWN AND RIGHT"."""
    words = name.removeprefix("BOX DRAWINGS ").replace(" AND ", " ").split()
    weight = _WEIGHTS.get(words.pop(0))
    is_arc = "ARC" in words
    dashes = {"DOUBLE": 2, "TRIPLE": 3, "QUADRUPLE": 4}.get(words[0], 0)
    words = [word for word in words if word not in ("ARC", "DASH", "DOUBLE", "TRIPLE", "QUADRUPLE")]
    if weight is None or not all(word in _ARMS for word in words):
        return None  # double, diagonal, or of two weights
    arms = [0, 0, 0, 0]
    for word in words:
        directions = _ARMS[word]
        for direction in directions if isinstance(directions, tuple) else (directions,):
            arms[direction] = weight
    up, right, down, left = arms
    return Lines((up, right, down, left), is_arc, dashes)


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
