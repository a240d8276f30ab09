"""Keep a run's events that matter on disk, one JSON object a line, whole across restarts."""

import contextlib
import json
import math
import os
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import asdict
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
from engine.files import open_file, remedy
from engine.types import EpisodeSummary, Evaluation

_KEPT = (EpisodeEnded, EvaluationEnded, PolicyUpdated, CurriculumChanged, StrategySwitched)
_KINDS = {kind.__name__: kind for kind in _KEPT}
_BUFFER_SIZE = 1 << 16


class Journal:
    """Append events to a file.

    A checkpoint notes `position()`; on resume the file is cut back to it, so that what happened
    after the checkpoint, and happens again now, is not there twice. What a full disk does not take
    is kept in memory and tried again.

    Raises:
        CheckpointError: It cannot be written, or a link is in its place.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = open_file(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        except OSError as error:
            raise CheckpointError(
                f"Cannot write the journal {path}: {error.strerror or error}.",
                remedy(error, "Make it writable."),
            ) from None
        self._waiting = bytearray()

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
            raise CheckpointError(
                f"Cannot write the journal {self._path}: {error.strerror or error}.",
                "Free some disk space; the former checkpoint is untouched.",
            ) from None
        return os.fstat(self._file).st_size

    def cut(self, position: int) -> None:
        """Drop everything after `position`."""
        self._waiting.clear()
        if os.fstat(self._file).st_size > position:
            os.ftruncate(self._file, position)

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
        while self._waiting:
            count = os.write(file, self._waiting)
            del self._waiting[:count]


def read_journal(path: Path, newest: int | None = None) -> Iterator[Event]:
    """Yield the events of a journal in order; a broken last line ends it.

    Args:
        path: The file; a missing one holds nothing.
        newest: How many of the last lines to read; None for all.
    """
    if not path.is_file():
        return
    with path.open(encoding="utf-8") as file:
        for line in file if newest is None else deque(file, newest):
            try:
                yield _event(json.loads(line))
            except (ValueError, TypeError, KeyError):
                return


def _event(values: dict[str, Any]) -> Event:
    kind = values.pop("event")
    if kind == EpisodeEnded.__name__:
        return EpisodeEnded(summary=EpisodeSummary.from_json(values.pop("summary")), **values)
    if kind == EvaluationEnded.__name__:
        return EvaluationEnded(evaluation=Evaluation(**values.pop("evaluation")), **values)
    if kind == CurriculumChanged.__name__:
        for key in ("average_reward", "threshold"):
            values[key] = math.nan if values[key] is None else values[key]
        return CurriculumChanged(**values)
    if kind == PolicyUpdated.__name__:
        figures = values.pop("figures").items()
        known = {name: math.nan if value is None else value for name, value in figures}
        return PolicyUpdated(figures=known, **values)
    return _KINDS[kind](**values)


def plain(value: Any) -> Any:
    """Return a value that JSON knows; what is no finite number becomes null."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
