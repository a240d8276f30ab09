"""Read zip archives of arrays without trusting their headers.

Only what numpy and this project write is taken: members that are stored or deflated, each once,
and arrays of plain numbers or text behind numpy's own form of header. What a member would unpack to
is known, and checked against what the file can hold, before anything is unpacked.
"""

import io
import math
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from engine.ground.files import open_to_read

BROKEN = (
    OSError,
    EOFError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    OverflowError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    zlib.error,
    zipfile.BadZipFile,
)
"""What damaged archives and headers raise."""

_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What numpy writes. The other ways are unpacked whole, a million times what is in the file."""
_DEFLATE_RATIO = 1032
"""Bytes that one byte of deflated data can become: 258 for two bits."""
_CHUNK = 1 << 20
_NPY = b"\x93NUMPY"
_MAX_HEADER = 4096
_HEADER = re.compile(
    rb"\{'descr': '([<>|=]?[biufcmMOSUV][0-9]{0,4})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:[0-9]{1,15}, ?){0,7}(?:[0-9]{1,15})?)\), ?\} *\n?"
)
_DIRECTORY_ROW = 128
"""Bytes of an archive's list of members that each may have; ours have at most 100."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What an archive may be."""

    size: int
    """Bytes of the file."""
    unpacked: int
    """Bytes of all members together."""
    members: int


@dataclass(frozen=True, slots=True)
class Header:
    """What the beginning of an array says."""

    shape: tuple[int, ...]
    is_fortran: bool
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        """Return how many bytes of numbers follow."""
        return math.prod(self.shape) * self.dtype.itemsize


class _File(io.FileIO):
    """A file that refuses to be read in larger pieces than `max_read`, 0 for no limit.

    zipfile reads the whole list of members, and makes 500 bytes of each 50, before it can be
    checked.
    """

    max_read = 0

    def read(self, size: int | None = -1, /) -> bytes:
        if self.max_read and size is not None and size > self.max_read:
            raise ValueError("too many members")
        return super().read(-1 if size is None else size) or b""


class Archive:
    """A zip file whose list of members is checked.

    Attributes:
        members: By name.

    Raises:
        OSError, ValueError, zipfile.BadZipFile, ...: One of `BROKEN`: it is no archive, or too
            large.
    """

    def __init__(self, path: Path, limits: Limits) -> None:
        self.file = _File(open_to_read(path, limits.size), "rb")
        try:
            # The end of the list, which may have a comment of 64 kB, is read before the list.
            self.file.max_read = max(limits.members * _DIRECTORY_ROW, 1 << 17)
            self._zip = zipfile.ZipFile(self.file)
            self.file.max_read = 0
            self.members = self._check(limits)
        except BaseException:  # whatever failed, the file must not stay open; it is raised again
            self.file.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._zip.close()
        self.file.close()

    def open(self, name: str) -> IO[bytes]:
        """Open a member."""
        return self._zip.open(self.members[name])

    def read(self, name: str, limit: int) -> bytes:
        """Return a member's bytes, its sum checked.

        Raises:
            ValueError, ...: One of `BROKEN`: it is larger than `limit`, or damaged.
        """
        info = self.members[name]
        if info.file_size > limit:
            raise ValueError(f"{name!r} is larger than {limit:,} bytes")
        return self._zip.read(info)

    def array(self, name: str) -> NDArray[Any]:
        """Return an array of plain numbers, its sum checked.

        Raises:
            ValueError, ...: One of `BROKEN`: it is another kind of array, or damaged.
        """
        with self.open(name) as file:
            header = read_header(file)
            if header.dtype.kind not in "biuf":
                raise ValueError(f"{name!r} contains NaN or infinity")
            if header.size != self.members[name].file_size - file.tell():
                raise ValueError(f"{name!r} does not have the declared size")
            values = np.empty(header.shape, header.dtype, order="F" if header.is_fortran else "C")
            read_into(file, values.reshape(-1, order="A").view(np.uint8).data)
        return values

    def _check(self, limits: Limits) -> Mapping[str, zipfile.ZipInfo]:
        infos = self._zip.infolist()
        members = {info.filename: info for info in infos}
        if len(infos) > limits.members:
            raise ValueError(f"more than {limits.members:,} members")
        if len(members) != len(infos):
            raise ValueError("duplicate member names")
        if not all(info.compress_type in _PACKED for info in infos):
            raise ValueError("unsupported compression")
        if any(info.file_size > info.compress_size * _DEFLATE_RATIO for info in infos):
            raise ValueError("a member declares an impossible size")
        # Members that lie over each other would be unpacked once each.
        if sum(info.compress_size for info in infos) > self.file.seek(0, io.SEEK_END):
            raise ValueError("its members exceed the file size")
        if sum(info.file_size for info in infos) > limits.unpacked:
            raise ValueError(f"it unpacks to more than {limits.unpacked:,} bytes")
        return members


def write_array(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    """Write an array of plain numbers as the member `name`.npy."""
    with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
        np.lib.format.write_array(file, array, allow_pickle=False)


def read_header(file: IO[bytes]) -> Header:
    """Return what an array's header says.

    What numpy writes has one form. Its own reader takes any Python literal, and more than that.

    Raises:
        ValueError, TypeError, KeyError: It is damaged, or an array of records.
    """
    if file.read(len(_NPY)) != _NPY:
        raise ValueError("not an array")
    width = {b"\x01\x00": 2, b"\x02\x00": 4}[file.read(2)]
    size = int.from_bytes(file.read(width), "little")
    if size > _MAX_HEADER:
        raise ValueError("header too large")
    found = _HEADER.fullmatch(file.read(size))
    if found is None:
        raise ValueError("invalid numpy header")
    kind, order, sides = found.groups()
    shape = tuple(int(side) for side in sides.split(b",") if side.strip())
    return Header(shape, order == b"True", np.dtype(kind.decode()))


def read_into(file: IO[bytes], room: memoryview) -> None:
    """Fill `room` with all that is left of a member, whose sum is checked.

    Raises:
        ValueError: There is more or less of it.
        zipfile.BadZipFile, zlib.error, EOFError: It is damaged.
    """
    at = 0
    while data := file.read(_CHUNK):
        if at + len(data) > len(room):
            raise ValueError("trailing data")
        room[at : at + len(data)] = data
        at += len(data)
    if at != len(room):
        raise ValueError("truncated")
