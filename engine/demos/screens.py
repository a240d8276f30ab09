"""Shrink pictures to what convolutional networks of the literature see: 84 x 84, in colour."""

import functools

import numpy as np
from numpy.typing import NDArray

from engine.types import Frame

SIDE = 84
SCREEN_SHAPE = (3, SIDE, SIDE)


def shrink_screen(frame: Frame) -> NDArray[np.uint8]:
    """Return a frame (H, W, 3) as (3, 84, 84) uint8: each pixel the mean of its area.

    Counted in whole numbers, so that it is the same on any machine; and without matrix products,
    whose threads get in each other's way where all cores are busy.
    """
    rows, row_parts = _touched(frame.shape[0])
    columns, column_parts = _touched(frame.shape[1])
    lines = sum(
        frame[rows[place]] * row_parts[place, :, None, None] for place in range(len(rows))
    ) + np.zeros((), np.uint32)
    total = sum(
        lines[:, columns[place]] * column_parts[place, None, :, None]
        for place in range(len(columns))
    ) + np.zeros((), np.uint32)
    area = np.uint32(row_parts[:, 0].sum() * column_parts[:, 0].sum())
    return np.ascontiguousarray(((total + area // 2) // area).transpose(2, 0, 1), np.uint8)


@functools.cache
def _touched(size: int) -> tuple[NDArray[np.intp], NDArray[np.uint32]]:
    """Return (T, 84) lines that each small line touches, and how many parts of each it takes.

    A line is cut into 84 parts; a small line takes `size` of all the parts in a row, from T lines
    at most.
    """
    most = size // SIDE + 2
    part = np.arange(size * SIDE)
    parts = np.zeros((SIDE, size), np.uint32)
    np.add.at(parts, (part // size, part // SIDE), 1)
    first = (np.arange(SIDE) * size) // SIDE
    lines = np.minimum(first[None] + np.arange(most)[:, None], size - 1)
    taken = parts[np.arange(SIDE)[None], lines] // np.gcd(size, SIDE)
    taken[lines != first[None] + np.arange(most)[:, None]] = 0
    return lines, taken.astype(np.uint32)
