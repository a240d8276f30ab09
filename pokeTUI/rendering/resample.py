"""Scale a frame by area averaging, without BLAS (its threads would steal cores from training)."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_Taps = tuple[tuple[NDArray[np.intp], NDArray[np.float32]], ...]


def resample(frame: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """Return `frame` scaled to `width` x `height`: the mean of the pixels under each new one.

    Args:
        frame: (rows, columns, 3) uint8.
        width: New columns; the frame itself is returned when nothing changes.
        height: New rows.

    Returns:
        (height, width, 3) uint8.
    """
    rows, columns, _ = frame.shape
    if (rows, columns) == (height, width):
        return frame
    image = _shrink_rows(frame, height)
    image = _shrink_rows(image.swapaxes(0, 1), width).swapaxes(0, 1)
    return np.asarray(image + np.float32(0.5), dtype=np.uint8)


def _shrink_rows(image: NDArray[np.uint8 | np.float32], size: int) -> NDArray[np.float32]:
    total: NDArray[np.float32] | None = None
    for index, weight in _taps(image.shape[0], size):
        part = image[index] * weight[:, None, None]
        total = part if total is None else total + part
    assert total is not None
    return total


@lru_cache(maxsize=16)
def _taps(source: int, target: int) -> _Taps:
    """Return, for each tap, which source row every target row takes and its share of it."""
    scale = source / target
    starts = np.arange(target) * scale
    ends = starts + scale
    first = np.floor(starts + 1e-9).astype(np.intp)
    taps = []
    for tap in range(int(np.ceil(scale)) + 1):
        index = first + tap
        overlap = np.minimum(ends, index + 1) - np.maximum(starts, index)
        weight = np.clip(overlap, 0, None) / scale
        if weight.max() > 1e-6:
            taps.append((np.minimum(index, source - 1), weight.astype(np.float32)))
    return tuple(taps)
