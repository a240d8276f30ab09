"""Write frames as a video, one at a time and in constant memory.

    with mp4_writer(path, fps=30) as add:
        for frame in frames:
            add(frame)

The file is there at the end of all this, whole, and not at all if anything is raised.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import numpy as np

from engine.errors import VideoError
from engine.files import EXPORT_MODE, open_file, temporary_path
from engine.types import Frame

AddFrame = Callable[[Frame], None]
"""Write the next frame; all have the size of the first."""

_END_S = 10.0
_SCALED = (
    "scale=ceil(iw*{0}/2)*2:ceil(ih*{0}/2)*2:flags=neighbor:out_color_matrix=bt709:out_range=tv"
)
"""H.264 as all players know it, with colours at half the resolution, has no odd sizes."""


@contextmanager
def mp4_writer(path: Path, fps: float, scale: int = 1) -> Iterator[AddFrame]:
    """Write an MP4 file (H.264, yuv420p) with the user's own ffmpeg.

    Args:
        path: Replaced if it is there.
        fps: Frames a second.
        scale: Each pixel becomes a square of so many; an odd width or height gets one more.

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
        ffmpeg = _Ffmpeg(program, beside, fps, scale, said)
        try:
            yield ffmpeg.add
            ffmpeg.finish()
        finally:
            ffmpeg.kill()


@contextmanager
def _file_beside(path: Path) -> Iterator[Path]:
    """Yield an empty file, which is given the name `path` at the end."""
    beside = temporary_path(path)
    try:
        if path.is_dir():
            raise IsADirectoryError(None, "it is a folder")
        os.close(open_file(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, EXPORT_MODE))
    except OSError as error:
        raise VideoError(
            f"Cannot write {path}: {error.strerror or error}.", "Give another file."
        ) from None
    try:
        yield beside
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


class _Ffmpeg:
    """The process, which starts with the first frame: only that tells its size."""

    def __init__(self, program: str, path: Path, fps: float, scale: int, said: IO[bytes]) -> None:
        self._program, self._path, self._fps, self._scale = program, path, fps, scale
        self._said = said
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
                "-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p",
                "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
                "-color_range", "tv", "-movflags", "+faststart",
                "-f", "mp4", f"file:{self._path.absolute()}",
            ],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._said,
            process_group=0,  # Ctrl-C is for us to answer
        )  # fmt: skip

    def finish(self) -> None:
        """Wait until all of it is written."""
        if self._process is None or self._input is None:
            raise VideoError("There is no frame to write.", "Choose other steps.")
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
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        reason = lines[0].rstrip(".") if lines else f"exit status {self._process.returncode}"
        return VideoError(
            f"ffmpeg failed: {reason}.", "It needs room on the disk, and libx264 built in."
        )
