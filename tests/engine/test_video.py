import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.errors import VideoError
from engine.types import Frame
from engine.video import mp4_writer

needs_ffmpeg = pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="needs ffmpeg")


def frames(count: int, height: int = 9, width: int = 11) -> list[Frame]:
    """Return frames of one colour, each another."""
    return [np.full((height, width, 3), (at * 40, 200, 30), np.uint8) for at in range(count)]


def write(path: Path, some: Iterable[Frame], scale: int = 1) -> None:
    with mp4_writer(path, fps=30, scale=scale) as add:
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


@needs_ffmpeg
def test_interrupted_mp4_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        write(path, interrupted())
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@needs_ffmpeg
def test_mp4_without_a_frame_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VideoError, match="no frame"):
        write(tmp_path / "a.mp4", [])
    assert not list(tmp_path.iterdir())


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
