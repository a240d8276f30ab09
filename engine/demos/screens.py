"""Shrink pictures to what convolutional networks of the literature see: 84 x 84, in colour."""

import functools

import numpy as np
from numpy.typing import NDArray

from engine.types import Frame

SIDE = 84
SCREEN_SHAPE = (3, SIDE, SIDE)


def shrink_screen(frame: Frame) -> NDArray[np.uint8]:
    """Return a frame (144, 160, 3) as (3, 84, 84) uint8: each pixel the mean of its area.

    All sums are whole numbers below 2 ** 24, so that float32 adds them exactly on any machine.
    """
    rows, columns = _weights(frame.shape[0]), _weights(frame.shape[1])
    channels = np.ascontiguousarray(frame.transpose(2, 0, 1), dtype=np.float32)
    total = rows[0].sum() * columns[0].sum()
    shrunk: NDArray[np.float32] = (rows @ channels @ columns.T) / total
    return np.rint(shrunk).astype(np.uint8)


@functools.cache
def _weights(size: int) -> NDArray[np.float32]:
    """Return (84, size): how many of a line's parts lie in each line of the small picture.

    A line is cut into 84 parts; each small line takes `size` of all the parts in a row.
    """
    part = np.arange(size * SIDE)
    weights = np.zeros((SIDE, size), np.float32)
    np.add.at(weights, (part // size, part // SIDE), 1.0)
    weights /= np.gcd(size, SIDE)
    weights.setflags(write=False)
    return weights
