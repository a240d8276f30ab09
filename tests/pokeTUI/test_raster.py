"""Screens drawn as pictures: shapes by pixels, words in a font."""

import numpy as np
import pytest

from engine.errors import VideoError
from pokeTUI.draw.blocks import HALF_BLOCKS, OCTANTS, QUADRANTS, SEXTANTS, BlockShape
from pokeTUI.draw.raster import Dots, Look, Raster, Screen, coverage, shape_of

DARK, LIGHT = (16, 20, 15), (240, 240, 240)
WIDTH, HEIGHT = 8, 16


def cover(character: str, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    shape = shape_of(character)
    return coverage(shape, width, height)


@pytest.mark.parametrize("shape", [HALF_BLOCKS, QUADRANTS, SEXTANTS, OCTANTS])
def test_a_pattern_is_drawn_pixel_by_pixel(shape: BlockShape) -> None:
    for mask, glyph in enumerate(shape.glyphs):
        if not mask:
            continue
        drawn = cover(glyph, 24, 48)
        pixels = drawn.reshape(shape.height, 48 // shape.height, shape.width, 24 // shape.width)
        lit = pixels.mean(axis=(1, 3)).ravel()
        assert lit.tolist() == [mask >> bit & 1 for bit in range(shape.width * shape.height)]


def test_bars_grow_by_eighths() -> None:
    assert [cover(bar).mean() for bar in "▁▂▃▄▅▆▇█"] == [eighth / 8 for eighth in range(1, 9)]
    assert [cover(bar).mean() for bar in "▏▎▍▌▋▊▉█"] == [eighth / 8 for eighth in range(1, 9)]
    assert cover("▔")[0].all()
    assert cover("▕")[:, -1].all()


@pytest.mark.parametrize(
    ("character", "arms"),
    [("─", (0, 1, 0, 1)), ("│", (1, 0, 1, 0)), ("╭", (0, 1, 1, 0)), ("┤", (1, 0, 1, 1)),
     ("┏", (0, 2, 2, 0)), ("╵", (1, 0, 0, 0)), ("┅", (0, 2, 0, 2))],
)  # fmt: skip
def test_a_line_reaches_its_edges(character: str, arms: tuple[int, int, int, int]) -> None:
    shape = shape_of(character)
    assert shape.arms == arms
    drawn = cover(character)
    edges = drawn[0], drawn[:, -1], drawn[-1], drawn[:, 0]
    if not shape.dashes:
        assert [bool(edge.any()) for edge in edges] == [bool(arm) for arm in arms]


def test_every_dot_of_braille_is_drawn_apart() -> None:
    seen = np.zeros((HEIGHT, WIDTH))
    for bit in range(8):
        shape = shape_of(chr(0x2800 + (1 << bit)))
        assert isinstance(shape, Dots)
        seen += coverage(shape, WIDTH, HEIGHT)
    assert seen.max() == 1
    assert seen.sum() == 8 * (WIDTH // 4) ** 2


def test_letters_are_left_to_the_font() -> None:
    assert all(shape_of(character) is None for character in "aZ0 ☻◆▲╳")


def test_words_are_drawn_in_their_cells() -> None:
    try:
        raster = Raster(WIDTH)
    except VideoError as error:
        pytest.skip(str(error))
    drawn = raster.draw(Screen((tuple((sign, Look(LIGHT, DARK)) for sign in "M █"),), DARK))
    assert drawn.shape == (HEIGHT, 3 * WIDTH, 3)
    letter, gap, block = (drawn[:, start : start + WIDTH] for start in (0, WIDTH, 2 * WIDTH))
    assert len(np.unique(letter)) > 2
    assert (gap == DARK).all()
    assert (block == LIGHT).all()
