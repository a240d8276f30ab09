"""Read and write NPZ files a row at a time, without pickles and without trusting what they say."""

import contextlib
import io
import lzma
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from engine.demos.writing import cannot_write, temporary_path
from engine.errors import DemoError

_BROKEN = (
    OSError,
    EOFError,
    ValueError,
    TypeError,
    KeyError,
    SyntaxError,
    IndexError,
    OverflowError,
    RecursionError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
)
"""What damaged archives and headers raise."""
_MAX_FILE, _MAX_MEMBERS, _MAX_HEADER = 1 << 34, 64, 4096
_MAX_NUMBER_SIZE = 16
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What numpy writes. The other ways are unpacked whole, a million times what is in the file."""
_NPY = b"\x93NUMPY"
_HEADER = re.compile(
    rb"\{'descr': '([<>|=]?[biufcmMOSUV][0-9]{0,4})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:[0-9]{1,15}, ?){0,7}(?:[0-9]{1,15})?)\), ?\} *\n?"
)
_ANOTHER = "Use another file."
_MAX_DIRECTORY = 1 << 18
"""Bytes of an archive's list of members: zipfile makes 500 bytes of 50 before anyone can look."""


class _Directory(io.FileIO):
    """A file of which no more than a short list of members is read at once while it is opened."""

    is_open = False

    def read(self, size: int | None = -1, /) -> bytes:
        if not self.is_open and size is not None and size > _MAX_DIRECTORY:
            raise ValueError("its list of members is too long")
        return super().read(-1 if size is None else size) or b""


class NpzReader:
    """Reads arrays of an NPZ file whose sizes, kinds and shapes are checked first.

    Args:
        path: The file.

    Attributes:
        names: Of the arrays.

    Raises:
        DemoError: It is no NPZ file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            if path.stat().st_size > _MAX_FILE:
                raise DemoError(f"{path} is too large.", _ANOTHER)
            self._file = _Directory(path)
            try:
                self._zip = zipfile.ZipFile(self._file)
            except (
                BaseException
            ):  # whatever failed, the file must not stay open; it is raised again
                self._file.close()
                raise
            self._file.is_open = True
        except DemoError:
            raise
        except _BROKEN as error:
            reason = getattr(error, "strerror", None) or "it is damaged or no NPZ file"
            raise DemoError(f"Cannot read {path}: {reason}.", _ANOTHER) from None
        members = self._zip.infolist()
        self._members = {info.filename.removesuffix(".npy"): info for info in members}
        self.names = frozenset(self._members)
        is_known = all(info.compress_type in _PACKED for info in members)
        if len(members) > _MAX_MEMBERS or len(self._members) != len(members) or not is_known:
            self._close()
            raise DemoError(f"{path} is no NPZ file of an episode.", _ANOTHER)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    def _close(self) -> None:
        self._zip.close()
        self._file.close()

    def check_headers(self) -> None:
        """Read what every array is, and none of them.

        Raises:
            DemoError: One is damaged, or holds Python objects.
        """
        for name in self._members:
            with self._opened(name):
                pass

    def row(self, name: str, kinds: str, length: int) -> NDArray[Any]:
        """Return an array with `length` numbers in one dimension, or with one for a length of 0.

        Args:
            name: Of the array.
            kinds: The letters of numpy for what its numbers may be, e.g. "iuf".
            length: How many there must be.

        Raises:
            DemoError: It is not there, of another kind or length, or damaged.
        """
        with self._opened(name) as (file, shape, found):
            if found.kind not in kinds or math.prod(shape) != (length or 1) or len(shape) > 1:
                how_many = f"{length:,} numbers" if length else "one number"
                raise DemoError(
                    f"'{name}' in {self._path} is not {how_many} of its kind.", _ANOTHER
                )
            values = self._read(file, name, shape, found, length or 1)
            if not np.isfinite(values).all():
                raise DemoError(f"'{name}' in {self._path} holds what is no number.", _ANOTHER)
            return values.reshape(-1)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return an array's shape as its header says.

        Raises:
            DemoError: It is not there, or damaged.
        """
        with self._opened(name) as (_, shape, _):
            return shape

    def array(self, name: str, dtype: np.dtype[Any], most: int) -> NDArray[Any]:
        """Return a whole array of at most `most` elements.

        Raises:
            DemoError: It is not there, of another kind, or damaged.
        """
        with self._opened(name) as (file, shape, found):
            if found != dtype:
                raise DemoError(f"'{name}' in {self._path} is {found}, not {dtype}.", _ANOTHER)
            return self._read(file, name, shape, found, most)

    def whole_numbers(self, name: str, most: int) -> NDArray[np.int64]:
        """Return a one-dimensional array of integers of whatever size.

        Raises:
            DemoError: It is not there, of another kind, or damaged.
        """
        with self._opened(name) as (file, shape, found):
            if found.kind not in "iu" or len(shape) != 1:
                raise DemoError(f"'{name}' in {self._path} is no row of integers.", _ANOTHER)
            values = self._read(file, name, shape, found, most)
            if len(values) and (values.min() < -1 or values.max() > 1 << 30):
                raise DemoError(f"'{name}' in {self._path} is out of range.", _ANOTHER)
            return values.astype(np.int64)

    def frames(self, name: str) -> Iterator[NDArray[np.uint8]]:
        """Yield the rows of an array of uint8, one in memory at a time.

        Raises:
            DemoError: It is not there, of another kind, or damaged.
        """
        with self._opened(name) as (file, shape, found):
            if found != np.uint8 or len(shape) < 2 or math.prod(shape[1:]) > 1 << 24:
                raise DemoError(f"'{name}' in {self._path} are no pictures.", _ANOTHER)
            size = math.prod(shape[1:])
            for _ in range(shape[0]):
                data = file.read(size)
                if len(data) != size:
                    raise ValueError("it ends too early")
                yield np.frombuffer(data, np.uint8).reshape(shape[1:])

    @contextlib.contextmanager
    def _opened(self, name: str) -> Iterator[tuple[IO[bytes], tuple[int, ...], np.dtype[Any]]]:
        """Open an array behind its header."""
        if name not in self._members:
            raise DemoError(f"{self._path} has no '{name}'.", _ANOTHER)
        try:
            with self._zip.open(self._members[name]) as file:
                shape, is_fortran, dtype = _read_header(file)
                if dtype.hasobject:
                    raise DemoError(
                        f"'{name}' in {self._path} holds Python objects, which could run code.",
                        "Save it with numbers only.",
                    )
                if is_fortran and len(shape) > 1:
                    raise ValueError("it lies in another order")
                yield file, shape, dtype
        except DemoError:
            raise
        except _BROKEN as error:
            raise DemoError(
                f"'{name}' in {self._path} is damaged: {type(error).__name__}.", _ANOTHER
            ) from None

    def _read(
        self, file: IO[bytes], name: str, shape: tuple[int, ...], dtype: np.dtype[Any], most: int
    ) -> NDArray[Any]:
        count = math.prod(shape)
        if count > most or dtype.itemsize > _MAX_NUMBER_SIZE:
            raise DemoError(f"'{name}' in {self._path} is too large.", _ANOTHER)
        size = count * dtype.itemsize
        data = file.read(size + 1)  # reading to the end checks the sum, too
        if len(data) != size:
            raise ValueError("it has another size")
        return np.frombuffer(data, dtype).reshape(shape)


class NpzWriter:
    """Writes an NPZ file beside its place, and renames it when all went well.

    Args:
        path: The file.

    Raises:
        DemoError: It cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._beside = temporary_path(path)

    def __enter__(self) -> Self:
        try:
            self._zip = zipfile.ZipFile(self._beside, "x", zipfile.ZIP_DEFLATED)
        except OSError as error:
            raise cannot_write(self._path, error) from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._zip.close()
            if kind is None:
                self._beside.replace(self._path)
        except OSError as failure:
            raise cannot_write(self._path, failure) from None
        finally:
            self._beside.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise cannot_write(self._path, error) from None

    @contextlib.contextmanager
    def rows(
        self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> Iterator[Callable[[bytes], Any]]:
        """Let an array be written bit by bit."""
        header = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
        with self._zip.open(f"{name}.npy", "w", force_zip64=True) as file:
            npy.write_array_header_1_0(file, header)
            yield file.write

    def put(self, name: str, array: NDArray[Any]) -> None:
        """Write a whole array."""
        with self._zip.open(f"{name}.npy", "w", force_zip64=True) as file:
            npy.write_array(file, np.asanyarray(array), allow_pickle=False)


def _read_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return shape, order and kind.

    What numpy writes has one form. Its own reader takes any Python literal, and more than that.

    Raises:
        ValueError: It is damaged, or an array of records.
    """
    if file.read(len(_NPY)) != _NPY:
        raise ValueError("it is no array")
    width = {b"\x01\x00": 2, b"\x02\x00": 4}[file.read(2)]
    size = int.from_bytes(file.read(width), "little")
    if size > _MAX_HEADER:
        raise ValueError("its header is too large")
    found = _HEADER.fullmatch(file.read(size))
    if found is None:
        raise ValueError("its header is none")
    kind, order, sides = found.groups()
    shape = tuple(int(side) for side in sides.split(b",") if side.strip())
    return shape, order == b"True", np.dtype(kind.decode())
