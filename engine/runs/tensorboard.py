"""Write metrics as TensorBoard event files; TensorBoard itself is needed only to look at them.

A file is a sequence of records: the length of the data in 8 bytes, a checksum of these, the data,
a checksum of it; little-endian, the checksums CRC-32C, masked. The data is a protocol buffer of
type Event (tensorflow/core/lib/io/record_writer.h, tensorflow/core/util/event.proto and
tensorflow/core/framework/summary.proto, which have stayed as they are since 2015). Texts are
tensors of the plugin "text"; settings are in the metadata of summaries that have no value of their
own (tensorboard/plugins/hparams/plugin_data.proto and api.proto).
"""

import contextlib
import json
import os
import struct
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from engine.ground.files import is_named, make_subfolder, open_file, restore_file

HPARAMS_METRICS = (
    "eval/success_rate",
    "eval/mean_reward",
    "rollout/ep_rew_mean",
    "rollout/ep_len_mean",
    "rollout/success_rate",
    "time/fps",
)
"""Metrics that TensorBoard's HPARAMS tab shows beside a run's settings."""
_FIRST_SETTINGS = frozenset({"agent", "seed"})
"""These, and settings that are not at their default, stand first in that tab, which takes the order
from one run alone."""

_FLUSH_INTERVAL_S = 2.0
_POLYNOMIAL = 0x82F63B78  # CRC-32C (Castagnoli), reflected
_MASK_DELTA = 0xA282EAD8
_DT_FLOAT, _DT_STRING = 1, 7
_CLASS_TENSOR = 2
_TYPE_STRING, _TYPE_BOOL, _TYPE_FLOAT64 = 1, 2, 3
_STATUS_SUCCESS, _STATUS_FAILURE = 1, 2


class TensorBoardFile:
    """One event file; a resumed run begins another one, which replaces what is repeated.

    The folder is made with the first metric; `step` is the number of environment steps so far,
    `clock` returns seconds since the epoch. `settings` (by dotted key, as their `defaults`) go into
    the HPARAMS tab, and as a table into the TEXT tab.
    """

    name = "TensorBoard"

    def __init__(
        self,
        folder: Path,
        step: int,
        clock: Callable[[], float] = time.time,
        settings: Mapping[str, Any] | None = None,
        defaults: Mapping[str, Any] | None = None,
    ) -> None:
        self._clock = clock
        self._has_session = bool(settings)
        self._file = -1
        self._path = folder / f"events.out.tfevents.{int(clock())}.{os.getpid()}"
        self._waiting = bytearray()
        self._flushed_s = clock()
        self._add(b"\x1a" + _sized(b"brain.Event:2"))
        # Readers drop what was written for later steps, before a crash.
        self._add(_varint_field(2, step) + b"\x3a" + _sized(_varint_field(1, 1)))
        if settings:
            start = _session_start(settings, defaults or settings, clock())
            self._add_values(step, [*start, _settings_table(settings)])

    def write(self, step: int, figures: Mapping[str, float | str]) -> None:
        """Add figures and Markdown texts; they reach the disk some seconds later.

        Raises:
            OSError: The disk is full or broken.
        """
        self._add_values(
            step,
            (
                _text(name, value) if isinstance(value, str) else _scalar(name, value)
                for name, value in figures.items()
            ),
        )
        if self._clock() - self._flushed_s >= _FLUSH_INTERVAL_S:
            self._flush()

    def close(self, *, is_failed: bool = False) -> None:
        """Write what is left, and how the run ended."""
        if self._has_session:
            self._has_session = False
            self._add_values(0, [_session_end(self._clock(), is_failed=is_failed)])
        with contextlib.suppress(OSError):
            self._flush()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _add_values(self, step: int, values: Iterable[bytes]) -> None:
        summary = b"".join(_field(1, value) for value in values)
        self._add(_varint_field(2, step) + _field(5, summary))

    def _add(self, fields: bytes) -> None:
        data = b"\x09" + struct.pack("<d", self._clock()) + fields
        length = struct.pack("<Q", len(data))
        self._waiting += length + _checksum(length) + data + _checksum(data)

    def _flush(self) -> None:
        self._flushed_s = self._clock()
        if not self._path.parent.parent.is_dir():
            return  # the run's folder was deleted: its next checkpoint makes it anew
        if self._file < 0:
            make_subfolder(self._path.parent)
            self._file = open_file(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        elif not is_named(self._path, self._file):
            self._file = restore_file(self._path, self._file)
        while self._waiting:
            del self._waiting[: os.write(self._file, self._waiting)]


def crc32c(data: bytes) -> int:
    """Return the CRC-32C (RFC 3720) of `data`."""
    table = _table()
    value = 0xFFFFFFFF
    for byte in data:
        value = table[(value ^ byte) & 0xFF] ^ (value >> 8)
    return value ^ 0xFFFFFFFF


@cache
def _table() -> tuple[int, ...]:
    rows = []
    for row in range(256):
        for _ in range(8):
            row = (row >> 1) ^ (_POLYNOMIAL if row & 1 else 0)
        rows.append(row)
    return tuple(rows)


def _checksum(data: bytes) -> bytes:
    value = crc32c(data)
    rotated = (value >> 15 | value << 17) & 0xFFFFFFFF
    return struct.pack("<I", (rotated + _MASK_DELTA) & 0xFFFFFFFF)


def _scalar(tag: str, value: float) -> bytes:
    return _field(1, tag.encode()) + b"\x15" + struct.pack("<f", value)


def _text(tag: str, text: str) -> bytes:
    tensor = (
        _varint_field(1, _DT_STRING) + _field(2, b"") + _field(8, text.encode(errors="replace"))
    )
    return _field(1, tag.encode()) + _field(8, tensor) + _field(9, _metadata(b"text"))


def _settings_table(settings: Mapping[str, Any]) -> bytes:
    rows = (
        f"| {name} | {_cell(value if isinstance(value, str) else json.dumps(value))} |"
        for name, value in settings.items()
    )
    return _text("settings", "\n".join(["| setting | value |", "|---|---|", *rows]))


def _cell(text: str) -> str:
    """Return a text as one cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")


def _session_start(
    settings: Mapping[str, Any], defaults: Mapping[str, Any], now_s: float
) -> list[bytes]:
    """Return the summaries that name settings and metrics, and say which values a run has.

    Lists and unset settings cannot be represented there: the table has them.
    """
    single = {
        name: value for name, value in settings.items() if isinstance(value, str | int | float)
    }
    infos = (
        _field(
            4,
            _field(1, name.encode())
            + _varint_field(4, _hparam(value)[0])
            + _varint_field(7, name in _FIRST_SETTINGS or defaults.get(name) != value),
        )
        for name, value in single.items()
    )
    metrics = (_field(5, _field(1, _field(2, tag.encode()))) for tag in HPARAMS_METRICS)
    values = (
        _field(1, _field(1, name.encode()) + _field(2, _hparam(value)[1]))
        for name, value in single.items()
    )
    return [
        _hparams_summary("experiment", 2, b"".join([*infos, *metrics])),
        _hparams_summary("session_start_info", 3, b"".join(values) + _double_field(5, now_s)),
    ]


def _session_end(now_s: float, *, is_failed: bool) -> bytes:
    status = _STATUS_FAILURE if is_failed else _STATUS_SUCCESS
    return _hparams_summary(
        "session_end_info", 4, _varint_field(1, status) + _double_field(2, now_s)
    )


def _hparam(value: str | float) -> tuple[int, bytes]:
    """Return a setting's type, and its value as a google.protobuf.Value."""
    if isinstance(value, bool):
        return _TYPE_BOOL, _varint_field(4, value)
    if isinstance(value, str):
        return _TYPE_STRING, _field(3, value.encode(errors="replace"))
    return _TYPE_FLOAT64, _double_field(2, value)


def _hparams_summary(tag: str, number: int, content: bytes) -> bytes:
    null = (
        _varint_field(1, _DT_FLOAT)
        + _field(2, _field(2, _varint_field(1, 1)))
        + b"\x2a\x04"
        + bytes(4)
    )
    return (
        _field(1, b"_hparams_/" + tag.encode())
        + _field(8, null)
        + _field(9, _metadata(b"hparams", _field(number, content)))
    )


def _metadata(plugin: bytes, content: bytes = b"") -> bytes:
    """Return the metadata of a tensor that a plugin shows."""
    data = _field(1, plugin) + (_field(2, content) if content else b"")
    return _field(1, data) + _varint_field(4, _CLASS_TENSOR)


def _varint(value: int) -> bytes:
    digits = bytearray()
    while value > 0x7F:
        digits.append(value & 0x7F | 0x80)
        value >>= 7
    digits.append(value)
    return bytes(digits)


def _varint_field(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _double_field(number: int, value: float) -> bytes:
    return _varint(number << 3 | 1) + struct.pack("<d", value)


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _sized(data)


def _sized(data: bytes) -> bytes:
    return _varint(len(data)) + data
