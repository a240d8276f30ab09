"""Turn frames into what a network sees: the last three small and in grey, or one in colour."""

import functools
import math
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.config import EncoderKind
from engine.errors import CheckpointError
from engine.types import Frame

NUM_FRAMES = 3
"""Frames that are seen at once, oldest first, by half a screen's lines and columns.

Three frames show what moves and how a text continues. At half the size every pixel is the mean of
2 x 2, tile borders stay where they are, and letters (8 x 8) are still legible, which at a quarter
they are not.
"""

_GREY = (np.uint16(77), np.uint16(150), np.uint16(29))
"""ITU-R BT.601 luma weights times 256."""

SIDE = 84
SCREEN_SHAPE = (3, SIDE, SIDE)
"""What convolutional networks of the literature see, here in colour."""


class Sight(Protocol):
    """Keeps what the network of one environment sees.

    Attributes:
        shape: Of `pixels`.
    """

    shape: tuple[int, int, int]

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """Return what is seen now, `shape` uint8; it may change with the next frame."""
        ...

    def begin(self, frame: NDArray[np.uint8]) -> None:
        """See the first frame (H, W, 3) of an episode."""
        ...

    def push(self, frame: NDArray[np.uint8]) -> None:
        """See the next frame (H, W, 3)."""
        ...

    def restore(self, saved: bytes) -> None:
        """Put back the bytes of `pixels`.

        Raises:
            CheckpointError: They are none of this kind.
        """
        ...


def pixels_shape(frame_shape: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return the shape of what is seen of frames (H, W, 3): (3, H // 2, W // 2)."""
    height, width, _ = frame_shape
    return NUM_FRAMES, height // 2, width // 2


def pixels_of(saved: bytes, shape: tuple[int, int, int]) -> NDArray[np.uint8]:
    """Return saved bytes as pixels of a shape.

    Raises:
        CheckpointError: They are none.
    """
    if len(saved) != math.prod(shape):
        raise CheckpointError(
            "This saved environment has no pixels.",
            "Start a new run, or resume with the run's original encoder.",
        )
    return np.frombuffer(saved, np.uint8).reshape(shape)


class FrameStack:
    """Keep the last frames, (H, W, 3) each, of an episode as `pixels_shape` says, uint8."""

    def __init__(self, frame_shape: tuple[int, int, int]) -> None:
        self.shape = pixels_shape(frame_shape)
        self.pixels: NDArray[np.uint8] = np.zeros(self.shape, np.uint8)

    def begin(self, frame: NDArray[np.uint8]) -> None:
        """Start an episode: its first frame fills the stack."""
        self.pixels[:] = shrink(frame)

    def push(self, frame: NDArray[np.uint8]) -> None:
        """Append a frame (H, W, 3) and drop the oldest."""
        self.pixels[:-1] = self.pixels[1:]
        self.pixels[-1] = shrink(frame)

    def restore(self, saved: bytes) -> None:
        """Put back the bytes of `pixels`.

        Raises:
            CheckpointError: They are none.
        """
        self.pixels[:] = pixels_of(saved, self.shape)


def shrink(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a frame (H, W, 3) as (H // 2, W // 2) grey."""
    red, green, blue = (frame[..., index] * weight for index, weight in enumerate(_GREY))
    grey = (red + green + blue) >> 8
    height, width = (size - size % 2 for size in grey.shape)
    grey = grey[:height, :width]
    rows = grey[0::2] + grey[1::2]
    shrunk: NDArray[np.uint8] = ((rows[:, 0::2] + rows[:, 1::2] + 2) >> 2).astype(np.uint8)
    return shrunk


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


def sight_of(encoder: EncoderKind) -> MakeSight | None:
    """Return what such an encoder sees with; None where it sees no pixels."""
    if encoder == "features":
        return None
    return FrameStack if encoder in {"pixels", "both"} else ColourSight


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
