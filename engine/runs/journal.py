"""Keep a run's journal on disk: its lasting events, one JSON object a line, across restarts."""

import codecs
import contextlib
import dataclasses
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from pydantic_core import CoreSchema, SchemaValidator
from pydantic_core.core_schema import (
    bool_schema,
    dataclass_args_schema,
    dataclass_field,
    dataclass_schema,
    dict_schema,
    enum_schema,
    float_schema,
    int_schema,
    no_info_after_validator_function,
    none_schema,
    nullable_schema,
    str_schema,
    tagged_union_schema,
    tuple_schema,
    union_schema,
    with_default_schema,
)

from engine.errors import CheckpointError
from engine.events import (
    BattlesProgressed,
    CurriculumChanged,
    EpisodeEnded,
    EvaluationEnded,
    Event,
    PolicyUpdated,
    StrategySwitched,
)
from engine.ground.files import is_named, open_file, read_lines, remedy, restore_file
from engine.ground.numerals import MAX_INT, MAX_NUMBER, is_number

_KEPT = (
    EpisodeEnded,
    EvaluationEnded,
    PolicyUpdated,
    BattlesProgressed,
    CurriculumChanged,
    StrategySwitched,
)
_BUFFER_SIZE = 1 << 16


class Journal:
    """Append events to a file.

    A checkpoint notes `position()`; on resume the file is truncated to it, so that what happened
    after the checkpoint, and happens again now, is not there twice. What a full disk does not take
    is kept in memory and tried again.

    Args:
        path: The file; made if it is missing.
        may_write: Asked before each write; while it returns False, everything waits in memory.

    Raises:
        CheckpointError: The file cannot be opened.
    """

    def __init__(self, path: Path, may_write: Callable[[], bool] = lambda: True) -> None:
        self._path = path
        self._may_write = may_write
        try:
            self._file = open_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        except OSError as error:
            raise self._unwritable(error, "Make the file writable.") from None
        self._waiting = bytearray()
        self._end_line()

    def take(self, event: Event) -> None:
        """Write the event if it belongs into the journal."""
        is_move = not isinstance(event, CurriculumChanged) or event.has_moved
        if isinstance(event, _KEPT) and is_move:
            line = {"event": type(event).__name__, **plain(dataclasses.asdict(event))}
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
                error, "Free some disk space; the previous checkpoint is intact."
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

        What a full disk does not take is lost. It came after the last checkpoint, so it happens
        again in a resumed run.
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
        """End a line that a crash tore off, so that it does not spoil the next one."""
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
    """Yield the events of a journal in order, without damaged lines; a missing file has none.

    `newest` is how many of the last lines to read; None: all. `warn` is called at the end with the
    number of damaged lines, or why none can be read.
    """
    damaged = 0
    try:
        for line in read_lines(path, newest):
            event = parse_line(line)
            if event is not None:
                yield event
            else:
                damaged += line.endswith(b"\n")  # else it is being written just now
    except FileNotFoundError:
        return
    except OSError as error:
        warn(f"The journal {path} cannot be read: {error.strerror or error}.")
    if damaged:
        warn(skipped_lines(damaged, path))


def parse_line(line: bytes) -> Event | None:
    """Return the event of a journal's line; None if it is damaged."""
    try:
        # An editor may have put a byte order mark before the first line.
        event: Event = _validator().validate_json(line.removeprefix(codecs.BOM_UTF8))
    except (ValueError, TypeError, KeyError):
        return None
    return event


def skipped_lines(count: int, path: Path) -> str:
    """Return the warning about damaged lines of a file."""
    lines, are = ("line", "is") if count == 1 else ("lines", "are")
    return f"{count:,} damaged {lines} of {path} {are} skipped."


@cache
def _validator() -> SchemaValidator:
    """Return the validator of lines: a value that is not of its field's type is damage."""
    choices = {kind.__name__: _schema(kind, extra="ignore") for kind in _KEPT}
    return SchemaValidator(tagged_union_schema(choices, "event"))


def plain(value: Any) -> Any:
    """Return a value that JSON can hold; a number that is not finite or too large becomes null."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not is_number(value):
        return None
    return value


def _schema(hint: Any, extra: Any = "forbid") -> CoreSchema:
    """Return the schema of a type's values in JSON."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is tuple and arguments[1] is Ellipsis:
        return tuple_schema([_schema(arguments[0])], variadic_item_index=0)
    if origin is tuple:
        return tuple_schema([_schema(argument) for argument in arguments])
    if origin is Mapping:
        return dict_schema(*map(_schema, arguments))
    if origin is UnionType:  # with None
        return nullable_schema(_schema(arguments[0]))
    if issubclass(hint, Enum):
        return enum_schema(hint, list(hint), sub_type="str")
    hints = get_type_hints(hint)
    fields = [
        dataclass_field(field.name, _with_default(field, _schema(hints[field.name])), kw_only=True)
        for field in dataclasses.fields(hint)
    ]
    arguments_schema = dataclass_args_schema(hint.__name__, fields, extra_behavior=extra)
    names = [field.name for field in dataclasses.fields(hint)]
    return dataclass_schema(hint, arguments_schema, names, slots=True, frozen=True)


def _with_default(field: "dataclasses.Field[Any]", schema: CoreSchema) -> CoreSchema:
    if field.default is not dataclasses.MISSING:
        return with_default_schema(schema, default=field.default)
    if field.default_factory is not dataclasses.MISSING:
        return with_default_schema(schema, default_factory=field.default_factory)
    return schema


_PLAIN: Mapping[Any, CoreSchema] = {
    bool: bool_schema(strict=True),
    # All whole numbers in events are counts, places and indices.
    int: int_schema(strict=True, ge=0, lt=MAX_INT),
    # Null stands for a number that was not finite, or too large.
    float: union_schema(
        [
            float_schema(strict=True, ge=-MAX_NUMBER, le=MAX_NUMBER, allow_inf_nan=False),
            no_info_after_validator_function(lambda _: math.nan, none_schema()),
        ],
        mode="left_to_right",
    ),
    str: str_schema(strict=True),
}
