"""Keep a run's events that matter on disk, one JSON object a line, whole across restarts."""

import json
import math
import os
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.events import (
    CurriculumChanged,
    EpisodeEnded,
    Event,
    PolicyUpdated,
    StrategySwitched,
)
from engine.types import EpisodeSummary

_KEPT = (EpisodeEnded, PolicyUpdated, CurriculumChanged, StrategySwitched)


class Journal:
    """Append events to a file.

    A checkpoint notes `position()`; on resume the file is cut back to it, so that what happened
    after the checkpoint, and happens again now, is not there twice.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab")

    def take(self, event: Event) -> None:
        """Write the event if it belongs into the journal."""
        is_move = not isinstance(event, CurriculumChanged) or event.has_moved
        if isinstance(event, _KEPT) and is_move:
            line = {"event": type(event).__name__, **_plain(asdict(event))}
            self._file.write(json.dumps(line).encode() + b"\n")

    def position(self) -> int:
        """Flush to the disk and return the length in bytes."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return self._file.tell()

    def cut(self, position: int) -> None:
        """Drop everything after `position`."""
        self._file.flush()
        self._file.truncate(position)
        self._file.seek(0, os.SEEK_END)

    def close(self) -> None:
        """Flush and close the file."""
        self._file.close()


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
        summary = values.pop("summary")
        summary["components"] = tuple((name, value) for name, value in summary["components"])
        return EpisodeEnded(summary=EpisodeSummary(**summary), **values)
    if kind == CurriculumChanged.__name__:
        for key in ("average_reward", "threshold"):
            values[key] = math.nan if values[key] is None else values[key]
        return CurriculumChanged(**values)
    if kind == StrategySwitched.__name__:
        return StrategySwitched(**values)
    return PolicyUpdated(**values)


def _plain(value: Any) -> Any:
    """Return a value that JSON knows; nan becomes null."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and math.isnan(value):
        return None
    return value
