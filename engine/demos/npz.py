"""Read and write NPZ files row by row, without pickles and without trusting their headers."""

import contextlib
import math
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from engine.demos.layout import cannot_write
from engine.errors import DemoError
from engine.ground.archives import BROKEN, Archive, Header, Limits, read_header
from engine.ground.files import temporary_path
from engine.ground.text import printable

LIMITS = Limits(size=1 << 34, unpacked=1 << 40, members=64)
"""Frames are read one at a time, so their total size does not matter."""
_MAX_NUMBER_SIZE = 16
_ANOTHER = "Use another file."


class NpzReader:
    """Read arrays of an NPZ file, whose sizes, types and shapes are checked first.

    An array that is missing, of another type or damaged raises a DemoError.

    Attributes:
        names: Of the arrays.

    Raises:
        DemoError: It is no NPZ file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._archive = Archive(path, LIMITS)
        except OSError as error:
            reason = error.strerror or error
            raise DemoError(f"Cannot read {path}: {reason}.", _ANOTHER) from None
        except BROKEN as error:
            raise DemoError(f"{path} is damaged or not an NPZ file: {error}.", _ANOTHER) from None
        self._members = {name.removesuffix(".npy"): name for name in self._archive.members}
        self.names = frozenset(self._members)
        if len(self._members) != len(self._archive.members):
            self._archive.close()
            raise DemoError(f"{path} is not an NPZ file of an episode.", _ANOTHER)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._archive.close()

    def check_headers(self) -> None:
        """Read the header of every array; one of Python objects is refused."""
        for name in self._members:
            with self._opened(name):
                pass

    def row(self, name: str, kinds: str, length: int) -> NDArray[Any]:
        """Return an array of `length` numbers in one dimension, or of one number for a length of 0.

        `kinds` are the allowed letters of `numpy.dtype.kind`, e.g. "iuf".
        """
        with self._opened(name) as (file, header):
            shape, found = header.shape, header.dtype
            if found.kind not in kinds or math.prod(shape) != (length or 1) or len(shape) > 1:
                how_many = f"{length:,} numbers" if length else "one number"
                raise self._refusal(name, f"is not {how_many} of the right type")
            values = self._read(file, name, header, length or 1)
            if not np.isfinite(values).all():
                raise self._refusal(name, "contains NaN or infinity")
            return values.reshape(-1)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return an array's shape as its header says."""
        with self._opened(name) as (_, header):
            return header.shape

    def array(self, name: str, most: int, *dtypes: type[np.generic]) -> NDArray[Any]:
        """Return a whole array of one of these types, of at most `most` elements."""
        with self._opened(name) as (file, header):
            if header.dtype not in dtypes:
                raise self._refusal(name, f"is {header.dtype}, expected {np.dtype(dtypes[-1])}")
            return self._read(file, name, header, most)

    def whole_numbers(self, name: str, most: int) -> NDArray[np.int64]:
        """Return a one-dimensional array of at most `most` integers of whatever size."""
        with self._opened(name) as (file, header):
            if header.dtype.kind not in "iu" or len(header.shape) != 1:
                raise self._refusal(name, "is not a row of integers")
            values = self._read(file, name, header, most)
            if len(values) and (values.min() < -1 or values.max() > 1 << 30):
                raise self._refusal(name, "is out of range")
            return values.astype(np.int64)

    def frames(self, name: str) -> Iterator[NDArray[np.uint8]]:
        """Yield the rows of an array of uint8, one in memory at a time."""
        with self._opened(name) as (file, header):
            shape, size = header.shape, math.prod(header.shape[1:])
            if header.dtype != np.uint8 or len(shape) < 2 or size > 1 << 24:
                raise self._refusal(name, "are not frames")
            for _ in range(shape[0]):
                data = file.read(size)
                if len(data) != size:
                    raise ValueError("truncated")
                yield np.frombuffer(data, np.uint8).reshape(shape[1:])

    @contextlib.contextmanager
    def _opened(self, name: str) -> Iterator[tuple[IO[bytes], Header]]:
        """Open an array, and read its header."""
        if name not in self._members:
            raise DemoError(f"{self._path} has no '{name}'.", _ANOTHER)
        try:
            with self._archive.open(self._members[name]) as file:
                header = read_header(file)
                if header.dtype.hasobject:
                    raise DemoError(
                        f"'{name}' in {self._path} contains Python objects, which could run code.",
                        "Save it with numbers only.",
                    )
                if header.is_fortran and len(header.shape) > 1:
                    raise ValueError("Fortran order is not supported")
                yield file, header
        except DemoError:
            raise
        except BROKEN as error:
            raise self._refusal(name, f"is damaged: {type(error).__name__}") from None

    def _read(self, file: IO[bytes], name: str, header: Header, most: int) -> NDArray[Any]:
        if math.prod(header.shape) > most or header.dtype.itemsize > _MAX_NUMBER_SIZE:
            raise self._refusal(name, "is too large")
        data = file.read(header.size + 1)  # reading to the end checks the sum, too
        if len(data) != header.size:
            raise ValueError("wrong size")
        return np.frombuffer(data, header.dtype).reshape(header.shape)

    def _refusal(self, name: str, what: str) -> DemoError:
        return DemoError(f"'{printable(name)}' in {self._path} {what}.", _ANOTHER)


@contextlib.contextmanager
def writing_npz(path: Path) -> Iterator[zipfile.ZipFile]:
    """Write an NPZ file beside its place, and rename it when all went well.

    Raises:
        DemoError: It cannot be written.
    """
    beside = temporary_path(path)
    try:
        with zipfile.ZipFile(beside, "x", zipfile.ZIP_DEFLATED) as file:
            yield file
        beside.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from None
    finally:
        beside.unlink(missing_ok=True)


@contextlib.contextmanager
def writing_rows(
    file: zipfile.ZipFile, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> Iterator[Callable[[bytes], Any]]:
    """Yield a function that writes the next bytes of an array."""
    header = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    with file.open(f"{name}.npy", "w", force_zip64=True) as member:
        npy.write_array_header_1_0(member, header)
        yield member.write


def write_array(file: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    """Write a whole array."""
    with file.open(f"{name}.npy", "w", force_zip64=True) as member:
        npy.write_array(member, array, allow_pickle=False)
