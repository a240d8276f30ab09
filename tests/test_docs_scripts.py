import asyncio
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from docs import recording, screenshots
from docs.pictures.cast import Moment, changes, to_cast
from docs.pictures.svg import to_svg
from pokeTUI.draw.raster import DOWN, Cell, Look, Screen

DARK, LIGHT, RED = (16, 20, 15), (240, 240, 240), (200, 30, 30)
PLAIN = Look(LIGHT, DARK)
WIDTH, HEIGHT = 8, 16
LARGEST_SVG, LARGEST_CAST, LARGEST_GIF = 150_000, 1_000_000, 2_500_000


def row(text: str, look: Look = PLAIN) -> tuple[Cell, ...]:
    return tuple((character, look) for character in text)


def screen(*rows: tuple[Cell, ...]) -> Screen:
    return Screen(rows, DARK)


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
