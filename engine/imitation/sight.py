"""Turn frames into what a cloned network sees: the agents' grey stack, or small colour pictures."""

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.env.pixels import FrameStack, Sight, pixels_of
from engine.imitation.settings import CloningConfig
from engine.types import Frame

SIDE = 84
SCREEN_SHAPE = (3, SIDE, SIDE)
"""What convolutional networks of the literature see, here in colour."""


class ColourSight:
    """One frame in colour, 84 x 84, whatever the size of the game's."""

    shape: tuple[int, int, int] = SCREEN_SHAPE

    def __init__(self, frame_shape: tuple[int, int, int]) -> None:
        self.pixels: NDArray[np.uint8] = np.zeros(SCREEN_SHAPE, np.uint8)

    def begin(self, frame: Frame) -> None:
        """See the first frame."""
        self.push(frame)

    def push(self, frame: Frame) -> None:
        """See the next frame."""
        self.pixels = shrink_screen(frame)

    def restore(self, saved: bytes) -> None:
        """Put back the bytes of `pixels`.

        Raises:
            CheckpointError: They are none of this kind.
        """
        self.pixels = pixels_of(saved, self.shape)


MakeSight = Callable[[tuple[int, int, int]], Sight]
"""Makes what is seen of frames of a shape (H, W, 3)."""


def sight_of(config: CloningConfig) -> MakeSight | None:
    """Return what a network of these settings sees with; None where it sees no pixels."""
    if config.inputs == "features":
        return None
    return FrameStack if config.network in {"ppo", "dqn"} else ColourSight


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
