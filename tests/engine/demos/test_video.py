import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from engine.demos import video
from engine.demos.video import gif_writer, mp4_writer
from engine.errors import VideoError
from engine.types import Frame

needs_ffmpeg = pytest.mark.tool("ffmpeg")


def frames(count: int, height: int = 9, width: int = 11) -> list[Frame]:
    """Return frames of one colour, each another."""
    return [np.full((height, width, 3), (at * 40, 200, 30), np.uint8) for at in range(count)]


def write(path: Path, some: Iterable[Frame], scale: int = 1) -> None:
    """Write 30 frames a second."""
    writer = gif_writer if path.suffix == ".gif" else mp4_writer
    with writer(path, 30, scale) as add:
        for frame in some:
            add(frame)


def interrupted() -> Iterator[Frame]:
    yield from frames(1)
    raise KeyboardInterrupt


def decoded(path: Path, height: int, width: int) -> Frame:
    """Return what ffmpeg reads of a file: (frames, height, width, 3)."""
    raw = subprocess.run(
        ["ffmpeg", "-loglevel", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        capture_output=True,
        check=True,
    ).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, height, width, 3)


@needs_ffmpeg
def test_mp4_holds_every_frame_scaled_and_of_even_size(tmp_path: Path) -> None:
    path = tmp_path / "-a b%d.mp4"
    write(path, frames(5), scale=3)
    found = decoded(path, 28, 34)
    assert len(found) == 5
    for at, picture in enumerate(found):
        assert np.abs(picture.astype(int) - (at * 40, 200, 30)).max() <= 6
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["a.gif", pytest.param("a.mp4", marks=needs_ffmpeg)])
def test_interrupted_writer_leaves_the_old_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        write(path, interrupted())
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["a.gif", pytest.param("a.mp4", marks=needs_ffmpeg)])
def test_video_without_a_frame_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(VideoError, match="no frame"):
        write(tmp_path / name, [])
    assert not list(tmp_path.iterdir())


def pictures(path: Path) -> list[tuple[int, Frame]]:
    """Return what Pillow reads of a GIF: milliseconds and what is to be seen for so long."""
    with Image.open(path) as file:
        return [
            (each.info["duration"], np.array(each.convert("RGB")))
            for each in ImageSequence.Iterator(file)
        ]


def test_gif_holds_every_frame_exactly_and_scaled(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    film = list(rng.integers(0, 256, (3, 8, 9, 3)).astype(np.uint8))
    film.append(film[-1].copy())
    film[-1][2:4, 5] = (1, 2, 3)
    write(tmp_path / "a.gif", film, scale=2)
    found = [picture for _, picture in pictures(tmp_path / "a.gif")]
    assert len(found) == len(film)
    for picture, frame in zip(found, film, strict=True):
        np.testing.assert_array_equal(picture, frame.repeat(2, 0).repeat(2, 1))


def test_gif_shows_an_unchanged_frame_longer_and_keeps_the_time(tmp_path: Path) -> None:
    one, other = frames(2)
    write(tmp_path / "a.gif", [one] * 31 + [other, one] * 30)
    durations = [duration for duration, _ in pictures(tmp_path / "a.gif")]
    assert durations[0] == 1030
    assert sum(durations) == pytest.approx(1000 * 91 / 30, abs=10)


def test_gif_reduces_more_colors_than_it_can_hold(tmp_path: Path) -> None:
    ramp = np.zeros((32, 32, 3), np.uint8)
    ramp[..., 0], ramp[..., 1] = np.mgrid[0:256:8, 0:256:8]
    write(tmp_path / "a.gif", [ramp])
    ((_, picture),) = pictures(tmp_path / "a.gif")
    assert np.abs(picture.astype(int) - ramp).max() <= 24


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_gif_on_a_full_disk_is_refused_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    monkeypatch.setattr(video, "write_all", lambda _, content: os.write(full, content))
    with pytest.raises(VideoError, match=r"Cannot write .*a\.gif: No space left"):
        write(tmp_path / "a.gif", frames(3))
    os.close(full)
    assert not list(tmp_path.iterdir())


def test_missing_pillow_is_named_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(VideoError, match=r"pip install 'poketui\[gif\]'"):
        write(tmp_path / "a.gif", [])


def test_failing_ffmpeg_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\necho \"Unknown encoder 'libx264'\" >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    film = tmp_path / "film"
    film.mkdir()
    with pytest.raises(VideoError, match="ffmpeg failed: Unknown encoder 'libx264'"):
        write(film / "a.mp4", frames(9, 200, 200))
    assert not list(film.iterdir())


def test_missing_ffmpeg_is_named_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(VideoError, match="apt install ffmpeg"):
        write(tmp_path / "a.mp4", [])


def test_folder_that_is_not_there_is_refused_before_any_frame(tmp_path: Path) -> None:
    with pytest.raises(VideoError, match=r"No such file|not installed"):
        write(tmp_path / "no" / "a.mp4", frames(1))
