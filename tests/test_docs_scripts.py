import asyncio
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from docs import recording, screenshots
from docs.pictures.cast import Moment, changes, to_cast
from docs.pictures.raster import coverage
from docs.pictures.screen import Cell, Look, Screen
from docs.pictures.shapes import DOWN, Dots, Lines, shape_of
from docs.pictures.svg import to_svg
from pokeTUI.rendering.blocks import HALF_BLOCKS, OCTANTS, QUADRANTS, SEXTANTS, BlockShape

DARK, LIGHT, RED = (16, 20, 15), (240, 240, 240), (200, 30, 30)
PLAIN = Look(LIGHT, DARK)
WIDTH, HEIGHT = 8, 16
LARGEST_SVG, LARGEST_CAST, LARGEST_GIF = 150_000, 1_000_000, 2_500_000


def row(text: str, look: Look = PLAIN) -> tuple[Cell, ...]:
    return tuple((character, look) for character in text)


def screen(*rows: tuple[Cell, ...]) -> Screen:
    return Screen(rows, DARK)


def cover(character: str, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    shape = shape_of(character)
    assert shape is not None
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
def test_a_line_reaches_the_edges_that_it_joins(
    character: str, arms: tuple[int, int, int, int]
) -> None:
    shape = shape_of(character)
    assert isinstance(shape, Lines)
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


def test_an_svg_is_sound_and_asks_nobody() -> None:
    picture = to_svg(screen(row("<a & b>  ▀▄╭─⠿"), row("█" * 14, Look(RED, DARK))), "poketui run")
    root = ET.fromstring(picture)
    words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert words == ["poketui run", "<a & b>"]
    assert not re.search(r"url\(|href|@import|@font-face|<script", picture)


def test_equal_cells_of_an_svg_are_one_stroke() -> None:
    picture = to_svg(screen(*[row("█" * 40, Look(RED, DARK))] * 10), "")
    path = '<path stroke="#c81e1e" d="M0 30h80"/>'
    assert f'<g stroke-width="{10 * DOWN // 4}">{path}</g>' in picture


def replayed(output: str, columns: int, rows: int) -> list[str]:
    """Return what a terminal shows that knows how to go, to write and to take colours."""
    grid = [[" "] * columns for _ in range(rows)]
    x = y = 0
    for escape, end, character in re.findall(r"\x1b\[([?\d;]*)([A-Za-z])|(.)", output):
        if end == "H":
            y, x = (int(part) - 1 for part in (escape or "1;1").split(";"))
        elif end == "J":
            grid = [[" "] * columns for _ in range(rows)]
        elif character:
            grid[y][x] = character
            x += 1
    return ["".join(line) for line in grid]


def test_a_cast_shows_what_the_screens_showed() -> None:
    first = screen(row("one two three four"), row("▀" * 18))
    second = screen(row("one 2w0 three f0ur"), row("▀" * 17 + "x"))
    lines = to_cast([Moment(0, first, "a"), Moment(0.1, first), Moment(0.2, second)], "t")
    header, *events = map(json.loads, lines.splitlines())
    assert (header["version"], header["width"], header["height"]) == (2, 18, 2)
    output = "".join(text for _, kind, text in events[:-1] if kind == "o")
    assert replayed(output, 18, 2) == ["one 2w0 three f0ur", "▀" * 17 + "x"]
    assert [(at, text) for at, kind, text in events if kind == "m"] == [(0, "a"), (0.1, "")]
    assert changes(first, first) == ""


def test_a_gif_shows_the_pictures_again(tmp_path: Path) -> None:
    picture = pytest.importorskip("PIL.Image")
    gif = pytest.importorskip("docs.pictures.gif")
    frames = [np.full((20, 30, 3), 10, np.uint8) for _ in range(4)]
    frames[1][5:8, 5:8] = RED
    frames[2][5:8, 5:8] = RED
    frames[3][2:4, 2:20] = LIGHT
    gif.write_gif(tmp_path / "a.gif", frames, 0.1, 1.0)
    with picture.open(tmp_path / "a.gif") as animation:
        durations = []
        for index, frame in enumerate((0, 1, 3)):
            animation.seek(index)
            durations.append(animation.info["duration"])
            assert np.array_equal(np.asarray(animation.convert("RGB")), frames[frame])
        assert animation.n_frames == 3
    assert durations == [100, 200, 1000]


def test_words_are_drawn_in_their_cells() -> None:
    pytest.importorskip("PIL")
    from docs.pictures.raster import Raster, ToolMissingError

    try:
        raster = Raster(WIDTH)
    except ToolMissingError as error:
        pytest.skip(str(error))
    drawn = raster.draw(screen(row("M █")))
    assert drawn.shape == (HEIGHT, 3 * WIDTH, 3)
    letter, gap, block = (drawn[:, start : start + WIDTH] for start in (0, WIDTH, 2 * WIDTH))
    assert len(np.unique(letter)) > 2
    assert (gap == DARK).all()
    assert (block == LIGHT).all()


@pytest.mark.slow
def test_screenshots_are_made(tmp_path: Path) -> None:
    screenshots.main(["--to", str(tmp_path), "--train", "5", "--scene", "2", "--no-game"])
    pictures = sorted(tmp_path.glob("*.svg"))
    assert {picture.stem for picture in pictures} == {
        "cockpit",
        "cockpit-80x24",
        "start",
    }
    for picture in pictures:
        assert picture.stat().st_size < LARGEST_SVG
        ET.parse(picture)


@pytest.mark.slow
def test_a_recording_is_made(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    moments = asyncio.run(recording.record(train_s=2, scene_s=20))
    recording.write(moments, tmp_path, cell=4)
    assert len({moment.caption for moment in moments}) > 5
    assert len({moment.screen.size for moment in moments}) == 1
    assert 0 < (tmp_path / "cockpit.gif").stat().st_size < LARGEST_GIF
    assert (
        tmp_path / "cockpit.cast"
    ).stat().st_size < LARGEST_CAST * 2  # a scene may be a busy one
