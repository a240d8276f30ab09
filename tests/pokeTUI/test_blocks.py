import unicodedata

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.types import GAME_BOY_ADVANCE_FRAME_SHAPE, GAME_BOY_FRAME_SHAPE
from pokeTUI.draw.blocks import (
    HALF_BLOCKS,
    OCTANTS,
    QUADRANTS,
    SEXTANTS,
    BlockShape,
    one_bit,
    two_colors,
)
from pokeTUI.draw.encoders import FrameEncoder, GameMode
from tests.pokeTUI.tiny_terminal import TinyTerminal

EXACT = [
    (GameMode.HALF_BLOCKS, HALF_BLOCKS, 160, 72),
    (GameMode.QUADRANTS, QUADRANTS, 80, 72),
    (GameMode.SEXTANTS, SEXTANTS, 80, 48),
    (GameMode.OCTANTS, OCTANTS, 80, 36),
    (GameMode.HALF_BLOCKS, HALF_BLOCKS, 240, 80),
    (GameMode.QUADRANTS, QUADRANTS, 120, 80),
    (GameMode.OCTANTS, OCTANTS, 120, 40),
]
"""Those of a Game Boy's frame, then those of a Game Boy Advance's."""
SHAPES = [QUADRANTS, SEXTANTS, OCTANTS]


def cells_of(image: NDArray[np.uint8], shape: BlockShape) -> NDArray[np.uint8]:
    """Return (rows, columns, pixels, 3)."""
    rows, columns = image.shape[0] // shape.height, image.shape[1] // shape.width
    split = image.reshape(rows, shape.height, columns, shape.width, 3)
    return split.transpose(0, 2, 1, 3, 4).reshape(rows, columns, -1, 3)


def image_of(cells: NDArray[np.uint8], shape: BlockShape) -> NDArray[np.uint8]:
    """Undo cells_of."""
    rows, columns = cells.shape[:2]
    split = cells.reshape(rows, columns, shape.height, shape.width, 3)
    return split.transpose(0, 2, 1, 3, 4).reshape(rows * shape.height, columns * shape.width, 3)


@pytest.mark.parametrize(("mode", "shape", "columns", "rows"), EXACT)
def test_cells_of_two_colours_are_shown_exactly(
    mode: GameMode, shape: BlockShape, columns: int, rows: int
) -> None:
    rng = np.random.default_rng(3)
    pair = rng.integers(0, 32, (rows, columns, 2, 3), dtype=np.uint8)
    pair = pair << 3 | pair >> 2
    choice = rng.integers(0, 2, (rows, columns, shape.width * shape.height))
    cells = np.take_along_axis(pair, choice[..., None], axis=2)
    frame = image_of(cells, shape)
    assert frame.shape in (GAME_BOY_FRAME_SHAPE, GAME_BOY_ADVANCE_FRAME_SHAPE)
    encoder, screen = FrameEncoder(mode, columns, rows), TinyTerminal(columns, rows)
    encoder.update(frame)
    screen.draw(encoder.strips)
    shown = np.zeros_like(cells)
    for y, line in enumerate(screen.cells):
        for x, cell in enumerate(line):
            pattern = shape.glyphs.index(cell.glyph)
            fore, back = cell.rgb
            for pixel in range(shape.width * shape.height):
                shown[y, x, pixel] = fore if pattern >> pixel & 1 else back
    assert np.array_equal(image_of(shown, shape), frame)


@pytest.mark.parametrize("shape", SHAPES)
def test_no_other_two_colours_come_nearer(shape: BlockShape) -> None:
    rng = np.random.default_rng(5)
    image = rng.integers(0, 256, (8 * shape.height, 6 * shape.width, 3), dtype=np.uint8)
    image[: 4 * shape.height] //= 64
    image[: 4 * shape.height] *= 64
    fitted = two_colors(image, shape)
    cells = cells_of(image, shape).astype(float)
    count = shape.width * shape.height
    for y, x in np.ndindex(8, 6):
        pixels = cells[y, x]
        is_second = fitted.mask[y, x] >> np.arange(count) & 1
        shown = np.where(is_second[:, None], fitted.second[y, x], fitted.first[y, x])
        error = ((shown - pixels) ** 2).sum()
        least = min(_error(pixels, pattern) for pattern in range(1 << (count - 1)))
        assert error <= least + 3 * count * 0.25 + 1e-3  # colours are whole numbers


def _error(pixels: NDArray[np.float64], pattern: int) -> float:
    is_second = (pattern >> np.arange(len(pixels)) & 1).astype(bool)
    parts = [part for part in (pixels[is_second], pixels[~is_second]) if len(part)]
    return float(sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts))


def test_sextants_are_those_of_unicode() -> None:
    for pattern, glyph in enumerate(SEXTANTS.glyphs):
        name = unicodedata.name(glyph)
        if name.startswith("BLOCK SEXTANT-"):
            places = {int(digit) - 1 for digit in name.removeprefix("BLOCK SEXTANT-")}
            assert sum(1 << place for place in places) == pattern
        else:
            assert glyph in " ▌▐█"


def test_quadrants_are_those_of_unicode() -> None:
    bits = {"UPPER LEFT": 1, "UPPER RIGHT": 2, "LOWER LEFT": 4, "LOWER RIGHT": 8}
    for pattern, glyph in enumerate(QUADRANTS.glyphs):
        name = unicodedata.name(glyph)
        if name.startswith("QUADRANT "):
            assert sum(bit for part, bit in bits.items() if part in name) == pattern
        else:
            assert glyph in " ▀▄▌▐█"


def test_octants_are_in_the_order_of_unicode() -> None:
    glyphs = OCTANTS.glyphs
    assert len(set(glyphs)) == len(glyphs) == 256
    assert glyphs[0b100] == "\U0001cd00"  # BLOCK OCTANT-3
    assert glyphs[0b11111110] == "\U0001cde5"  # BLOCK OCTANT-2345678
    assert glyphs[0b00001111] == "▀"
    assert glyphs[0b01010101] == "▌"
    assert glyphs[0b11111111] == "█"


def test_greys_are_dithered() -> None:
    grey = np.full((24, 24), 128)
    lit = one_bit(grey, OCTANTS)
    share = np.mean([int(pattern).bit_count() / 8 for pattern in lit.ravel()])
    assert 0.35 < share < 0.65
    assert not one_bit(grey * 0, OCTANTS).any()
    assert (one_bit(grey * 0 + 255, OCTANTS) == 255).all()
