"""Write figures as TensorBoard event files; TensorBoard itself is needed only to look at them.

A file is a sequence of records: the length of the data in 8 bytes, a checksum of these, the data,
a checksum of it; little-endian, the checksums CRC-32C, masked. The data is a protocol buffer of
type Event (tensorflow/core/lib/io/record_writer.h, tensorflow/core/util/event.proto and
tensorflow/core/framework/summary.proto, which have stayed as they are since 2015).
"""

import contextlib
import os
import struct
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from engine.files import is_named, make_subfolder, open_file, restore_file

_FLUSH_INTERVAL_S = 2.0
_POLYNOMIAL = 0x82F63B78  # CRC-32C (Castagnoli), reflected
_MASK_DELTA = 0xA282EAD8


class TensorBoardFile:
    """One event file; a resumed run begins another one, which takes the place of what it repeats.

    The folder is made with the first figure; `step` is how many environment steps are taken so far,
    `clock` returns seconds since the epoch.
    """

    name = "TensorBoard"

    def __init__(self, folder: Path, step: int, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._file = -1
        self._path = folder / f"events.out.tfevents.{int(clock())}.{os.getpid()}"
        self._waiting = bytearray()
        self._flushed_s = clock()
        self._add(b"\x1a" + _sized(b"brain.Event:2"))
        # What was written for later steps, before a crash, is dropped by readers here.
        self._add(_varint_field(2, step) + b"\x3a" + _sized(_varint_field(1, 1)))

    def write(self, step: int, figures: Mapping[str, float]) -> None:
        """Add figures; they reach the disk some seconds later.

        Raises:
            OSError: The disk is full or broken.
        """
        values = (
            b"\x0a" + _sized(b"\x0a" + _sized(name.encode()) + b"\x15" + struct.pack("<f", value))
            for name, value in figures.items()
        )
        self._add(_varint_field(2, step) + b"\x2a" + _sized(b"".join(values)))
        if self._clock() - self._flushed_s >= _FLUSH_INTERVAL_S:
            self._flush()

    def close(self) -> None:
        """Write what is left."""
        with contextlib.suppress(OSError):
            self._flush()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

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


def _varint(value: int) -> bytes:
    digits = bytearray()
    while value > 0x7F:
        digits.append(value & 0x7F | 0x80)
        value >>= 7
    digits.append(value)
    return bytes(digits)


def _varint_field(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _sized(data: bytes) -> bytes:
    return _varint(len(data)) + data
