"""Say how block, line and braille characters look, so that they are drawn without a font."""

import unicodedata
from dataclasses import dataclass
from functools import cache

from pokeTUI.rendering.blocks import OCTANTS, QUADRANTS, SEXTANTS, BlockShape

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
