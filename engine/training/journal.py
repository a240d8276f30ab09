"""Keep a run's events that matter on disk, one JSON object a line, whole across restarts."""

import contextlib
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from engine.errors import CheckpointError
from engine.events import (
    CurriculumChanged,
    EpisodeEnded,
    EvaluationEnded,
    Event,
    PolicyUpdated,
    StrategySwitched,
)
from engine.files import is_named, open_file, read_lines, remedy, restore_file
from engine.training.journal_events import EventReader

_KEPT = (EpisodeEnded, EvaluationEnded, PolicyUpdated, CurriculumChanged, StrategySwitched)
_BUFFER_SIZE = 1 << 16


class Journal:
    """Append events to a file.

    A checkpoint notes `position()`; on resume the file is cut back to it, so that what happened
    after the checkpoint, and happens again now, is not there twice. What a full disk does not take
    is kept in memory and tried again.

    Args:
        path: The file; made if it is missing.
        may_write: Asked before each write; while it says no, everything waits in memory.

    Raises:
        CheckpointError: The file cannot be opened.
    """

    def __init__(self, path: Path, may_write: Callable[[], bool] = lambda: True) -> None:
        self._path = path
        self._may_write = may_write
        try:
            self._file = open_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        except OSError as error:
            raise self._unwritable(error, "Make it a file that can be written.") from None
        self._waiting = bytearray()
        self._end_line()

    def take(self, event: Event) -> None:
        """Write the event if it belongs into the journal."""
        is_move = not isinstance(event, CurriculumChanged) or event.has_moved
        if isinstance(event, _KEPT) and is_move:
            line = {"event": type(event).__name__, **plain(asdict(event))}
            self._waiting += json.dumps(line).encode() + b"\n"
            if len(self._waiting) >= _BUFFER_SIZE:
                with contextlib.suppress(OSError):
                    self._write(self._file)

    def position(self) -> int:
        """Flush to the disk and return the length in bytes.

        Raises:
            CheckpointError: The disk is full or broken; nothing is lost yet.
        """
        try:
            self._write(self._file)
            os.fsync(self._file)
        except OSError as error:
            raise self._unwritable(
                error, "Free some disk space; the former checkpoint is untouched."
            ) from None
        return os.fstat(self._file).st_size

    def truncate(self, position: int) -> int:
        """Drop everything after `position`; return how many bytes before it are missing."""
        size = os.fstat(self._file).st_size
        if size > position:
            os.ftruncate(self._file, position)
        self._waiting.clear()
        self._end_line()
        return max(0, position - size)

    def restore(self) -> bool:
        """Write the file again if it was deleted or replaced; return whether it was.

        Raises:
            CheckpointError: It cannot be written; nothing is lost yet.
        """
        if is_named(self._path, self._file):
            return False
        try:
            self._file = restore_file(self._path, self._file)
        except OSError as error:
            raise self._unwritable(error, "Its folder was deleted or replaced.") from None
        return True

    def close(self) -> None:
        """Flush and close the file; may be called again.

        What a full disk does not take is lost. It came after the last checkpoint, so a resumed run
        lives through it again.
        """
        if self._file < 0:
            return
        file, self._file = self._file, -1
        with contextlib.suppress(OSError):
            self._write(file)
        with contextlib.suppress(OSError):
            os.close(file)

    def _write(self, file: int) -> None:
        while self._waiting and self._may_write():
            count = os.write(file, self._waiting)
            del self._waiting[:count]

    def _end_line(self) -> None:
        """Let a line that a crash tore off spoil only itself, not the one that comes next."""
        size = os.fstat(self._file).st_size
        if size and os.pread(self._file, 1, size - 1) != b"\n":
            self._waiting += b"\n"

    def _unwritable(self, error: OSError, hint: str) -> CheckpointError:
        return CheckpointError(
            f"Cannot write the journal {self._path}: {error.strerror or error}.",
            remedy(error, hint),
        )


def read_journal(
    path: Path, newest: int | None = None, warn: Callable[[str], None] = lambda text: None
) -> Iterator[Event]:
    """Yield the events of a journal in order, and pass over damaged lines.

    Args:
        path: The file; a missing one holds nothing.
        newest: How many of the last lines to read; None for all.
        warn: Called at the end with how many lines are damaged, or why none can be read.
    """
    reader, damaged = _reader(), 0
    try:
        for line in read_lines(path, newest):
            try:
                yield reader.read(line)
            except (ValueError, TypeError, KeyError):
                damaged += line.endswith(b"\n")  # else it is being written just now
    except FileNotFoundError:
        return
    except OSError as error:
        warn(f"The journal {path} cannot be read: {error.strerror or error}.")
    if damaged:
        warn(skipped_lines(damaged, path))


def skipped_lines(count: int, path: Path) -> str:
    """Return the warning about damaged lines of a file."""
    lines, are = ("line", "is") if count == 1 else ("lines", "are")
    return f"{count:,} damaged {lines} of {path} {are} skipped."


@cache
def _reader() -> EventReader:
    return EventReader(_KEPT)


def plain(value: Any) -> Any:
    """Return a value that JSON knows; what is no finite number becomes null."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
