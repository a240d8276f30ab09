"""Write frames as a video, one at a time and in constant memory.

    with mp4_writer(path, fps=30) as add:
        for frame in frames:
            add(frame)

The file is there after the block, whole; if anything is raised in it, what was there stays.
"""

import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import RawIOBase
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from engine.errors import VideoError
from engine.ground.files import EXPORT_MODE, open_file, os_errors_as, temporary_path, write_all
from engine.ground.processes import foreign_environment, lines_in
from engine.types import Frame

AddFrame = Callable[[Frame], None]
"""Write the next frame; all have the size of the first."""

GIF_MAX_FPS = 50.0
"""Players show a frame of less than two hundredths of a second for ten of them."""
_TICKS_PER_S = 100
_CLEAR, _MAX_COLORS = 0, 255
"""The palette's entry for unchanged pixels, and how many others there are."""
_STAYS = 1
"""GIF disposal method: the next picture is drawn over this one."""
_END_S = 10.0
_NO_FRAME = ("There is no frame to write.", "Choose other steps.")
_SCALED = (
    "scale=ceil(iw*{0}/2)*2:ceil(ih*{0}/2)*2:flags=neighbor:out_color_matrix=bt709:out_range=tv"
)
"""The H.264 that all players know, with colours at half the resolution, has no odd sizes."""


@contextmanager
def mp4_writer(
    path: Path, fps: float, scale: int = 1, *, pixels: str = "yuv420p", keyframe_every: int = 250
) -> Iterator[AddFrame]:
    """Write an MP4 file (H.264) with the user's own ffmpeg.

    Args:
        path: Replaced if it is there.
        fps: Frames a second.
        scale: Each pixel becomes a square of so many; an odd width or height becomes even.
        pixels: "yuv444p" keeps the colour of each pixel, which not all players support.
        keyframe_every: Frames from one key frame to the next.

    Raises:
        VideoError: ffmpeg is not installed or fails, the file cannot be written, or there was
            no frame.
    """
    program = shutil.which("ffmpeg")
    if program is None:
        raise VideoError(
            "MP4 is written by ffmpeg, which is not installed.",
            "Install it: apt install ffmpeg, dnf install ffmpeg, or brew install ffmpeg.",
        )
    with _file_beside(path) as beside, tempfile.TemporaryFile() as said:
        options = ("-pix_fmt", pixels, "-g", f"{keyframe_every}")
        ffmpeg = _Ffmpeg(program, beside, fps, scale, options, said)
        try:
            yield ffmpeg.add
            ffmpeg.finish()
        finally:
            ffmpeg.kill()


@contextmanager
def gif_writer(path: Path, fps: float, scale: int = 1) -> Iterator[AddFrame]:
    """Write a GIF file that repeats for ever, with all colours of the frames.

    Only what has changed is written. Each frame has its own palette; more than 255 new colours are
    reduced to 255.

    Args:
        path: Replaced if it is there.
        fps: Frames a second, at most `GIF_MAX_FPS`.
        scale: Each pixel becomes a square of so many.

    Raises:
        VideoError: Pillow is not installed, the file cannot be written, or there was no frame.
    """
    check_pillow()
    with _file_beside(path) as beside, beside.open("wb", buffering=0) as file:
        gif = _Gif(path, file, fps, scale)
        yield gif.add
        gif.finish()


def check_pillow() -> None:
    """Refuse what needs Pillow where it is not installed.

    Raises:
        VideoError: It is not.
    """
    try:
        import PIL  # noqa: F401  # whether it is there
    except ImportError:
        raise VideoError(
            "GIFs and the cockpit are drawn by Pillow, which is not installed.",
            "Install it: pip install 'poketui[gif]'.",
        ) from None


@contextmanager
def _file_beside(path: Path) -> Iterator[Path]:
    """Yield an empty file, which is given the name `path` at the end."""
    beside = temporary_path(path)
    with os_errors_as(VideoError, f"Cannot write {path}", "Use another file."):
        if path.is_dir():
            raise IsADirectoryError(None, "it is a folder")
        os.close(open_file(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, EXPORT_MODE))
    try:
        yield beside
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


class _Ffmpeg:
    """The ffmpeg process, started by the first frame, which gives the size."""

    def __init__(
        self,
        program: str,
        path: Path,
        fps: float,
        scale: int,
        options: Sequence[str],
        said: IO[bytes],
    ) -> None:
        self._program, self._path, self._fps, self._scale = program, path, fps, scale
        self._options, self._said = options, said
        self._shape: tuple[int, ...] = ()
        self._process: subprocess.Popen[bytes] | None = None
        self._input: IO[bytes] | None = None

    def add(self, frame: Frame) -> None:
        if self._input is None:
            self._shape = frame.shape
            self._process = self._start()
            self._input = self._process.stdin
            assert self._input is not None
        if frame.shape != self._shape:
            raise ValueError(f"a frame of {frame.shape} follows those of {self._shape}")
        try:
            self._input.write(np.ascontiguousarray(frame, np.uint8).data)
        except OSError:  # it has ended
            raise self._failure() from None

    def _start(self) -> subprocess.Popen[bytes]:
        height, width, _ = self._shape
        return subprocess.Popen(
            [
                self._program, "-y", "-loglevel", "error",
                "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}",
                "-r", f"{self._fps:.9g}", "-i", "pipe:0",
                "-vf", _SCALED.format(self._scale),
                "-c:v", "libx264", "-crf", "18", *self._options,
                "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
                "-color_range", "tv", "-movflags", "+faststart",
                "-f", "mp4", f"file:{self._path.absolute()}",
            ],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._said,
            env=foreign_environment(),
            process_group=0,  # Ctrl-C is for us to answer
        )  # fmt: skip

    def finish(self) -> None:
        """Wait until all of it is written."""
        if self._process is None or self._input is None:
            raise VideoError(*_NO_FRAME)
        with suppress(OSError):  # it has ended, which its exit status says
            self._input.close()
        if self._process.wait():
            raise self._failure()

    def kill(self) -> None:
        """End it, if it has not ended."""
        if self._process is not None and self._input is not None:
            self._process.kill()
            with suppress(OSError):  # what it has not read
                self._input.close()
            self._process.wait()

    def _failure(self) -> VideoError:
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
        lines = lines_in(self._said)
        reason = lines[0].rstrip(".") if lines else f"exit status {self._process.returncode}"
        return VideoError(
            f"ffmpeg failed: {reason}.", "It needs room on the disk, and libx264 built in."
        )


class _Gif:
    """The GIF as far as it is written: all but the last picture, whose duration is still open."""

    def __init__(self, path: Path, file: RawIOBase, fps: float, scale: int) -> None:
        self._path, self._file, self._fps, self._scale = path, file, fps, scale
        self._count = self._written_until = 0
        self._shown: Frame | None = None
        self._last: _Picture | None = None

    def add(self, frame: Frame) -> None:
        if self._shown is None:
            self._write_header(frame)
            self._last = _Picture.of(frame, np.ones(frame.shape[:2], np.bool_))
        else:
            is_changed = (frame != self._shown).any(axis=2)
            if is_changed.any():
                self._write_last()
                self._last = _Picture.of(frame, is_changed)
        self._shown = frame.copy()
        self._count += 1

    def finish(self) -> None:
        if self._last is None:
            raise VideoError(*_NO_FRAME)
        self._write_last()
        self._write(b";")

    def _write_header(self, frame: Frame) -> None:
        height, width = (self._scale * size for size in frame.shape[:2])
        # No palette for all, 8 bits a colour, repeated for ever: https://www.w3.org/Graphics/GIF
        self._write(struct.pack("<6sHHBBB", b"GIF89a", width, height, 0x70, 0, 0))
        self._write(b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0")

    def _write_last(self) -> None:
        from PIL import GifImagePlugin, Image

        assert self._last is not None
        until = round(self._count * _TICKS_PER_S / self._fps)
        ticks, self._written_until = until - self._written_until, until
        wide = self._last.entries.repeat(self._scale, 0).repeat(self._scale, 1)
        image = Image.frombytes("P", wide.shape[::-1], wide.tobytes())
        image.putpalette(self._last.palette.tobytes())
        offset = (self._last.x * self._scale, self._last.y * self._scale)
        parts = GifImagePlugin.getdata(
            image,
            offset,
            duration=ticks * 1000 // _TICKS_PER_S,
            disposal=_STAYS,
            transparency=_CLEAR,
            include_color_table=True,
        )
        self._write(b"".join(parts))

    def _write(self, content: bytes) -> None:
        try:
            write_all(self._file.fileno(), content)
        except OSError as error:
            raise VideoError(f"Cannot write {self._path}: {error.strerror or error}.") from None


@dataclass(frozen=True, slots=True)
class _Picture:
    """What changes of a frame.

    Attributes:
        entries: Of the palette, `_CLEAR` for what stays: (height, width) uint8.
        palette: (colours, 3) uint8.
    """

    x: int
    y: int
    entries: NDArray[np.uint8]
    palette: NDArray[np.uint8]

    @classmethod
    def of(cls, frame: Frame, is_changed: NDArray[np.bool_]) -> "_Picture":
        rows, columns = (np.flatnonzero(is_changed.any(axis=axis)) for axis in (1, 0))
        box = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        entries = np.full(is_changed[box].shape, _CLEAR, np.uint8)
        colors = frame[box][is_changed[box]].astype(np.uint32) @ (1 << 16, 1 << 8, 1)
        packed, of_pixel = np.unique(colors, return_inverse=True)
        palette = np.stack([packed >> 16, packed >> 8 & 255, packed & 255], -1).astype(np.uint8)
        if len(palette) > _MAX_COLORS:
            fewer, palette = _reduced(palette)
            of_pixel = fewer[of_pixel]
        entries[is_changed[box]] = of_pixel + 1
        return cls(int(columns[0]), int(rows[0]), entries, np.insert(palette, _CLEAR, 0, axis=0))


def _reduced(colors: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return for each color, (colours, 3), which of fewer it becomes, and those fewer."""
    from PIL import Image

    row = Image.frombytes("RGB", (len(colors), 1), colors.tobytes()).quantize(_MAX_COLORS)
    palette = np.array(row.getpalette(), np.uint8).reshape(-1, 3)
    return np.frombuffer(row.tobytes(), np.uint8), palette
