"""Lay arrays over memory that processes share."""

import mmap
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

_ALIGNMENT = 64
"""Bytes; an array begins at a multiple of them."""


def shared_file(folder: Path | None = None) -> BinaryIO:
    """Open a file without a name, in memory or in a folder.

    It is gone with the last process that holds it, however that ends. multiprocessing.shared_memory
    is not used because its segments outlive a killed process.
    """
    if folder is None and hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("poketui"), "r+b")
    return tempfile.TemporaryFile(dir=folder)


def map_arrays(
    layout: Sequence[tuple[DTypeLike, tuple[int, ...]]], file: BinaryIO | None
) -> list[NDArray[Any]]:
    """Lay arrays one after the other over a file, which is made large enough.

    Args:
        layout: Type and shape of each.
        file: None: they lie in memory of this process alone.
    """
    starts, end = [], 0
    for dtype, shape in layout:
        starts.append(end)
        length = int(np.prod(shape)) * np.dtype(dtype).itemsize
        end += -(-length // _ALIGNMENT) * _ALIGNMENT
    if file is not None and os.fstat(file.fileno()).st_size < end:
        os.ftruncate(file.fileno(), end)
    memory = mmap.mmap(-1 if file is None else file.fileno(), end)
    return [
        np.ndarray(shape, dtype, memory, start)
        for (dtype, shape), start in zip(layout, starts, strict=True)
    ]
