import re
from itertools import product

import numpy as np
import pytest

from pokeTUI.draw.colors import ColorDepth, color_table
from pokeTUI.draw.encoders import FrameEncoder, GameMode, fit, resample
from tests.pokeTUI.pane_app import Size
from tests.pokeTUI.scenery import draw_frame
from tests.pokeTUI.tiny_terminal import Cell, TinyTerminal

IN_CELLS = [mode for mode in GameMode if mode is not GameMode.AUTO and not mode.is_picture]
SGR = re.compile(r"\x1b\[([\d;]*)m")


def test_half_blocks_show_every_pixel_at_full_size() -> None:
    frame = draw_frame(33, has_text_box=True)
    encoder, screen = FrameEncoder(GameMode.HALF_BLOCKS, 160, 72), TinyTerminal(160, 72)
    assert encoder.update(frame) == list(range(72))
    screen.draw(encoder.strips)
    wanted = frame >> 3 << 3 | frame >> 5  # in five bits
    for row, column in product(range(72), range(0, 160, 7)):
        cell = screen.cells[row][column]
        fore, back = cell.rgb
        pair = {" ": (back, back), "▀": (fore, back), "▄": (back, fore)}[cell.glyph]
        assert pair == tuple(map(tuple, wanted[2 * row : 2 * row + 2, column].tolist()))


def test_only_changed_rows_are_replaced() -> None:
    encoder = FrameEncoder(GameMode.HALF_BLOCKS, 160, 72)
    frame = draw_frame(0)
    encoder.update(frame)
    before = list(encoder.strips)
    changed = frame.copy()
    changed[20, 80] = (255, 0, 0)
    assert encoder.update(changed) == [10]
    same = [new is old for new, old in zip(encoder.strips, before, strict=True)]
    assert same == [row != 10 for row in range(72)]


@pytest.mark.parametrize("mode", IN_CELLS)
def test_changed_rows_alone_make_the_same_picture(mode: GameMode) -> None:
    encoder, screen = FrameEncoder(mode, 60, 27), TinyTerminal(60, 27)
    for tick in (0, 1, 2, 60, 61, 300):
        frame = draw_frame(tick, has_text_box=tick > 50)
        changed = encoder.update(frame)
        screen.draw(encoder.strips, changed)
        anew, whole = FrameEncoder(mode, 60, 27), TinyTerminal(60, 27)
        anew.update(frame)
        whole.draw(anew.strips)
        assert screen.text == whole.text
        assert [_back_row(row) for row in screen.cells] == [_back_row(row) for row in whole.cells]


def _back_row(row: list[Cell]) -> list[tuple[str, str]]:
    """Return the colours that are seen: a space's foreground is not."""
    return [("" if cell.glyph == " " else cell.fore, cell.back) for cell in row]


@pytest.mark.parametrize("mode", IN_CELLS)
def test_an_identical_frame_changes_nothing(mode: GameMode) -> None:
    encoder = FrameEncoder(mode, 80, 36)
    encoder.update(draw_frame(0))
    assert encoder.update(draw_frame(0)) == []


@pytest.mark.parametrize("mode", IN_CELLS)
@pytest.mark.parametrize("depth", list(ColorDepth))
@pytest.mark.parametrize("size", [(160, 72), (57, 26), (3, 1)])
def test_rows_have_their_width_and_agree_with_their_segments(
    mode: GameMode, depth: ColorDepth, size: Size
) -> None:
    encoder = FrameEncoder(mode, *size, depth)
    encoder.update(draw_frame(12, has_text_box=True))
    assert len(encoder.strips) == size[1]
    for strip in encoder.strips:
        text = SGR.sub("", strip.ansi)
        assert len(text) == size[0]
        assert strip.text == text
        assert [part.text for part in strip.divide((1, size[0]))] == [text[:1], text[1:]]


def test_plain_ascii_has_no_escape_codes_and_grows_with_brightness() -> None:
    encoder = FrameEncoder(GameMode.ASCII, 16, 4)
    frame = np.repeat(np.arange(160, dtype=np.uint8)[None, :, None], 144, axis=0)
    encoder.update(np.repeat(frame + np.uint8(90), 3, axis=2))
    row = encoder.strips[0].ansi
    assert "\x1b" not in row
    densities = [" .:-=+*#%@".index(glyph) for glyph in row]
    assert densities == sorted(densities)
    assert densities[0] < densities[-1]


@pytest.mark.parametrize("mode", [mode for mode in IN_CELLS if mode is not GameMode.ASCII])
@pytest.mark.parametrize(
    ("depth", "pattern"),
    [
        (ColorDepth.TRUECOLOR, r"(;?[34]8;2;\d+;\d+;\d+)+"),
        (ColorDepth.EIGHT_BIT, r"(;?[34]8;5;\d+)+"),
        (ColorDepth.STANDARD, r"(;?([349]|10)\d)+"),
    ],
)
def test_codes_are_those_of_the_depth(depth: ColorDepth, pattern: str, mode: GameMode) -> None:
    encoder = FrameEncoder(mode, 80, 36, depth)
    encoder.update(draw_frame(50))
    codes = {code for strip in encoder.strips for code in SGR.findall(strip.ansi)} - {"0"}
    assert codes
    assert all(re.fullmatch(pattern, code) for code in codes)


@pytest.mark.parametrize("mode", IN_CELLS)
def test_without_colour_there_are_no_codes_and_the_brightness_remains(mode: GameMode) -> None:
    encoder = FrameEncoder(mode, 80, 36, ColorDepth.NONE)
    frame = np.zeros((144, 160, 3), np.uint8)
    frame[:, 80:] = 255
    encoder.update(frame)
    assert {strip.ansi[:40] for strip in encoder.strips} == {" " * 40}
    assert {strip.ansi[40:] for strip in encoder.strips} == {encoder.strips[0].ansi[-1] * 40}
    assert encoder.strips[0].ansi[-1] in "█@"


def test_256_colours_are_near() -> None:
    table = color_table(ColorDepth.EIGHT_BIT)
    image = np.array([[(255, 0, 0), (0, 0, 0), (255, 255, 255), (95, 135, 175)]], np.uint8)
    shown = table.rgb[table.entries(image)][0].astype(int)
    assert np.abs(shown - image[0]).max() <= 8


def test_averaging_keeps_the_mean() -> None:
    rng = np.random.default_rng(0)
    frame = rng.integers(0, 256, (144, 160, 3), dtype=np.uint8)
    for width, height in ((80, 72), (120, 108), (57, 52), (40, 36)):
        scaled = resample(frame, width, height)
        assert scaled.shape == (height, width, 3)
        assert abs(float(scaled.mean()) - float(frame.mean())) < 1.0
    halved = frame.reshape(72, 2, 80, 2, 3).mean(axis=(1, 3))
    assert np.abs(resample(frame, 80, 72) - halved).max() <= 1


def test_a_frame_in_its_own_size_is_not_touched() -> None:
    frame = draw_frame(0)
    assert resample(frame, 160, 144) is frame


@pytest.mark.parametrize(
    ("room", "size"),
    [
        ((300, 100), (160, 72)),
        ((160, 72), (160, 72)),
        ((122, 54), (120, 54)),
        ((40, 30), (40, 18)),
        ((200, 18), (40, 18)),
        ((1, 1), (1, 1)),
    ],
)
def test_the_picture_fits_with_its_shape(room: Size, size: Size) -> None:
    assert fit(*room) == size
