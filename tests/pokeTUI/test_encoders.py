import re

import numpy as np
import pytest

from pokeTUI.draw.colors import ColorDepth, color_table
from pokeTUI.draw.encoders import FrameEncoder, GameMode, fit, resample
from tests.pokeTUI.scenery import draw_frame
from tests.pokeTUI.tiny_terminal import Cell, TinyTerminal

IN_CELLS = [mode for mode in GameMode if mode is not GameMode.AUTO and not mode.is_picture]
SGR = re.compile(r"\x1b\[([\d;]*)m")


def parse_row(ansi: str) -> list[tuple[str, str, str]]:
    """Return (glyph, foreground, background) of every cell of a row."""
    cells, fore, back = [], "", ""
    for part in re.findall(r"\x1b\[[\d;]*m|.", ansi):
        match = SGR.fullmatch(part)
        if match is None:
            cells.append((part, fore, back))
            continue
        codes = match[1].split(";")
        while codes:
            code = codes.pop(0)
            size = {"2": 4, "5": 2}.get(codes[0], 0) if code in ("38", "48") else 0
            value = ";".join([code, *codes[:size]])
            codes = codes[size:]
            if code in ("0", ""):
                fore = back = ""
            elif code == "38" or (code[0] in "39" and len(code) == 2):
                fore = value
            else:
                back = value
    return cells


def pixels_of(cells: list[tuple[str, str, str]]) -> list[tuple[str, str]]:
    """Return the colour codes (upper, lower) of half-block cells."""
    pairs = []
    for glyph, fore, back in cells:
        fore, back = fore.removeprefix("38;"), back.removeprefix("48;")
        pairs.append({" ": (back, back), "▀": (fore, back), "▄": (back, fore)}[glyph])
    return pairs


def test_half_blocks_show_every_pixel_at_full_size() -> None:
    frame = draw_frame(33, has_text_box=True)
    encoder = FrameEncoder(GameMode.HALF_BLOCKS, 160, 72)
    assert encoder.update(frame) == list(range(72))
    for row, strip in enumerate(encoder.strips):
        pairs = pixels_of(parse_row(strip.ansi))
        assert len(pairs) == 160
        for column in range(0, 160, 7):
            for half in (0, 1):
                wide = frame[2 * row + half, column].astype(int) >> 3
                expected = ";".join(str(v << 3 | v >> 2) for v in wide)
                assert pairs[column][half] == f"2;{expected}"


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
        for row in encoder.update(draw_frame(tick, has_text_box=tick > 50)):
            screen.feed(f"\x1b[{row + 1};1H{encoder.strips[row].ansi}")
        anew = FrameEncoder(mode, 60, 27)
        anew.update(draw_frame(tick, has_text_box=tick > 50))
        whole = TinyTerminal(60, 27)
        for row, strip in enumerate(anew.strips):
            whole.feed(f"\x1b[{row + 1};1H{strip.ansi}")
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
@pytest.mark.parametrize("size", [(160, 72), (120, 54), (57, 26), (40, 18), (3, 1)])
def test_rows_have_their_width_and_agree_with_their_segments(
    mode: GameMode, depth: ColorDepth, size: tuple[int, int]
) -> None:
    encoder = FrameEncoder(mode, *size, depth)
    encoder.update(draw_frame(12, has_text_box=True))
    assert len(encoder.strips) == size[1]
    for strip in encoder.strips:
        text = SGR.sub("", strip.ansi)
        assert len(text) == size[0]
        assert strip.text == text


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
def test_codes_are_those_of_the_terminals_depth(
    depth: ColorDepth, pattern: str, mode: GameMode
) -> None:
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
def test_the_picture_fits_with_its_shape(room: tuple[int, int], size: tuple[int, int]) -> None:
    assert fit(*room) == size
