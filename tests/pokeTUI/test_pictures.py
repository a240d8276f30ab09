"""What terminals are sent to draw frames in real pixels."""

import base64
import os
import re
import struct
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from textual.geometry import Region

from engine.types import Frame
from pokeTUI.draw import graphics as shared_memory
from pokeTUI.draw.game_view import GameView, Painter, PictureEncoder
from pokeTUI.draw.graphics import (
    DELETE,
    ItermPainter,
    KittyPainter,
    SharedPictures,
    SixelPainter,
    encode,
)
from pokeTUI.terminal.probe import Terminal
from tests.pokeTUI.conftest import open_cockpit, settle
from tests.pokeTUI.pane_app import Size
from tests.pokeTUI.says import assert_has
from tests.pokeTUI.scenery import draw_frame
from tests.pokeTUI.sixels import decode
from tests.pokeTUI.test_start import until

REGION = Region(3, 5, 80, 36)
NOISE = np.random.default_rng(2).integers(0, 256, (144, 160, 3), dtype=np.uint8)
WIDE = np.random.default_rng(3).integers(0, 256, (160, 240, 3), dtype=np.uint8)
FRAMES = pytest.mark.parametrize("frame", [NOISE, WIDE], ids=["160x144", "240x160"])
SIXEL = Terminal(sixel_colors=256, cell_size_px=(10, 20))


def percent(frame: Frame) -> np.ndarray[Any, Any]:
    return (frame * 100.0 / 255).round().astype(int)


@pytest.mark.parametrize("painter", [KittyPainter(), ItermPainter(), SixelPainter((10, 20))])
def test_a_picture_is_drawn_in_its_place_and_the_cursor_stays(painter: Painter) -> None:
    text = PictureEncoder(painter, *REGION.size).place(NOISE, REGION)
    assert text.startswith("\x1b7\x1b[6;4H")
    assert text.endswith("\x1b8")


@FRAMES
def test_kitty_gets_the_frame_in_small_pieces(frame: Frame) -> None:
    pieces = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", KittyPainter().place(frame, REGION))
    assert pieces[0][0].startswith(f"a=T,f=24,s={frame.shape[1]},v={frame.shape[0]},")
    assert_has(pieces[0][0], "c=80,r=36", ",o=z,")
    assert all(len(data) <= 4096 for _, data in pieces)
    assert [control.endswith("m=1") for control, _ in pieces] == [True] * (len(pieces) - 1) + [
        False
    ]
    data = zlib.decompress(base64.b64decode("".join(data for _, data in pieces)))
    assert np.array_equal(np.frombuffer(data, np.uint8).reshape(frame.shape), frame)


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="needs shared memory")
def test_kitty_on_this_machine_gets_a_name_and_reads_the_frame_itself() -> None:
    painter = KittyPainter(SharedPictures())
    text = painter.place(NOISE, REGION)
    (data,) = re.findall(r"\x1b_Ga=T,[^;]*,t=s,m=0;([^\x1b]*)\x1b\\", text)
    path = Path("/dev/shm", base64.b64decode(data).decode().lstrip("/"))
    assert path.read_bytes() == NOISE.tobytes()
    assert path.stat().st_mode & 0o77 == 0
    assert painter.take_away() == DELETE
    assert not path.exists()


def test_unread_pictures_do_not_pile_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_memory, "_FOLDER", tmp_path)
    memory = SharedPictures()
    for _ in range(100):
        assert memory.write(b"pixels")
    assert len(list(tmp_path.iterdir())) <= 8
    memory.clear()
    assert list(tmp_path.iterdir()) == []


def test_without_shared_memory_frames_are_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_memory, "_FOLDER", tmp_path / "none")
    text = KittyPainter(SharedPictures()).place(NOISE, REGION)
    assert text == KittyPainter().place(NOISE, REGION)


@FRAMES
def test_iterm2_gets_a_png_file_over_its_cells(frame: Frame) -> None:
    text = ItermPainter().place(frame, REGION)
    found = re.fullmatch(r"\x1b\]1337;File=([^:]*):([^\x07]*)\x07", text)
    assert {"inline=1", "width=80", "height=36"} <= set(found[1].split(";"))
    data = base64.b64decode(found[2])
    chunks = {}
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at = 8
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", data, at + 8 + size) == (zlib.crc32(kind + body),)
        chunks[kind], at = body, at + 12 + size
    height, width, _ = frame.shape
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (width, height, 8, 2, 0, 0, 0)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, -1)
    assert not rows[:, 0].any()
    assert np.array_equal(rows[:, 1:].reshape(frame.shape), frame)


@pytest.mark.parametrize(
    ("frame", "size"),
    [
        *((draw_frame(33, has_text_box=True), size) for size in ((160, 144), (400, 360))),
        *((draw_frame(33, has_text_box=True), size) for size in ((333, 301), (1200, 1080))),
        *((WIDE // 64 * 64, size) for size in ((240, 160), (500, 333))),
    ],
    ids=["160x144", "400x360", "333x301", "1200x1080", "wide 240x160", "wide 500x333"],
)
def test_sixels_show_every_pixel_as_often_as_it_fits(frame: Frame, size: Size) -> None:
    width, height = size
    tall, wide, _ = frame.shape
    rows, columns = np.arange(height) * tall // height, np.arange(wide + 1) * width // wide
    wanted = np.repeat(percent(frame)[rows], np.diff(columns), axis=1)
    assert np.array_equal(decode(encode(frame, *size, 256)), wanted)


@pytest.mark.parametrize("size", [(100, 90), (30, 13), (1, 1), (200, 40)])
def test_sixels_fill_rooms_that_are_smaller_than_the_frame(size: Size) -> None:
    picture = decode(encode(draw_frame(33), *size, 256))
    assert picture.shape == (size[1], size[0], 3)
    assert (picture >= 0).all()


@pytest.mark.parametrize("limit", [8, 16, 64, 256])
def test_sixels_keep_to_the_terminals_colours(limit: int) -> None:
    picture = decode(encode(NOISE, 160, 144, limit))
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) <= limit
    assert (picture >= 0).all()
    assert np.abs(picture - percent(NOISE)).max() <= 50


async def test_a_picture_that_is_drawn_over_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_cockpit(80, 24) as (pilot, _):
        app: Any = pilot.app
        written: list[str] = []
        monkeypatch.setattr(app._driver, "write", written.append)
        monkeypatch.setattr(type(app), "is_headless", False)

        def is_whole() -> bool:
            """Return whether after the last blank row below the picture the picture came."""
            text = "".join(written)
            last = text.rfind(" " * view.size.width)
            return 0 <= last < text.rfind("\x1bP0;1q")

        app.board.game.use_terminal(SIXEL)
        view = app.query_one(GameView)
        await until(pilot, is_whole)
        for change in (view.refresh, lambda: app.screen.refresh(layout=True), app.refresh):
            written.clear()
            change()
            await until(pilot, is_whole)
        for size in ((120, 40), (80, 24)):
            written.clear()
            await pilot.resize_terminal(*size)
            await until(pilot, is_whole)
        await pilot.press("question_mark")
        await until(pilot, lambda: not view._placed)
        written.clear()
        await settle(pilot)
        assert "\x1bP" not in "".join(written)  # nothing is drawn over the help
        await pilot.press("escape")
        await until(pilot, is_whole)
        written.clear()
        await settle(pilot)
        assert "\x1bP" not in "".join(written)  # an unchanged picture is not sent again


async def test_a_picture_is_no_larger_than_the_terminal_takes() -> None:
    async with open_cockpit(200, 60) as (pilot, _):
        app: Any = pilot.app
        view = app.query_one(GameView)
        app.board.game.use_terminal(replace(SIXEL, sixel_size_px=(1000, 800)))
        await until(pilot, lambda: view.size.height == 800 // 20)
        assert view.size.width * 10 <= 1000


async def test_a_new_frame_replaces_the_picture_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_cockpit(80, 24) as (pilot, _):
        app: Any = pilot.app
        written: list[str] = []
        monkeypatch.setattr(app._driver, "write", written.append)
        app.board.game.use_terminal(SIXEL)
        view = app.query_one(GameView)
        await until(pilot, lambda: view._placed)
        width, height = view.size
        written.clear()
        frame = draw_frame(77)
        view.show(frame, at_once=True)
        (text,) = written
        sent = re.fullmatch(r"\x1b7\x1b\[\d+;\d+H(\x1bP.*\x1b\\)\x1b8", text, re.DOTALL)
        assert decode(sent[1]).shape == (height * 20, width * 10, 3)


def test_pictures_of_a_cockpit_that_was_killed_are_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_memory, "_FOLDER", tmp_path)
    fresh, old = tmp_path / SharedPictures().write(b"new")[1:], tmp_path / "poketui-0123-0"
    for path in (old, tmp_path / "another"):
        path.touch()
        os.utime(path, (0, 0))
    SharedPictures()
    assert sorted(tmp_path.iterdir()) == sorted((fresh, tmp_path / "another"))
