"""Turn frames into what a network sees: small, grey, the last three at once."""

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import CheckpointError

PIXELS_SHAPE = (3, 72, 80)
"""Frames, oldest first, by half a screen's lines and columns.

Three frames show what moves and how a text goes on. Half a screen is a whole fraction of it: every
pixel is the mean of 2 x 2, tile borders stay where they are, and letters (8 x 8) can still be told
apart, which at a quarter they cannot.
"""

_GREY = (np.uint16(77), np.uint16(150), np.uint16(29))
"""ITU-R BT.601 luma weights times 256."""


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
        """See the first frame (144, 160, 3) of an episode."""
        ...

    def push(self, frame: NDArray[np.uint8]) -> None:
        """See the next frame (144, 160, 3)."""
        ...

    def restore(self, saved: bytes) -> None:
        """Put back the bytes of `pixels`.

        Raises:
            CheckpointError: They are none of this kind.
        """
        ...


def pixels_of(saved: bytes, shape: tuple[int, int, int]) -> NDArray[np.uint8]:
    """Return saved bytes as pixels of a shape.

    Raises:
        CheckpointError: They are none.
    """
    if len(saved) != math.prod(shape):
        raise CheckpointError(
            "This saved environment has no pixels.",
            "Start a new run, or resume with the encoder that the run began with.",
        )
    return np.frombuffer(saved, np.uint8).reshape(shape)


class FrameStack:
    """Keep the last frames of an episode as `PIXELS_SHAPE` uint8."""

    shape = PIXELS_SHAPE

    def __init__(self) -> None:
        self.pixels: NDArray[np.uint8] = np.zeros(PIXELS_SHAPE, np.uint8)

    def begin(self, frame: NDArray[np.uint8]) -> None:
        """Start an episode: its first frame fills the stack."""
        self.pixels[:] = shrink(frame)

    def push(self, frame: NDArray[np.uint8]) -> None:
        """Append a frame (144, 160, 3) and drop the oldest."""
        self.pixels[:-1] = self.pixels[1:]
        self.pixels[-1] = shrink(frame)

    def restore(self, saved: bytes) -> None:
        """Put back the bytes of `pixels`.

        Raises:
            CheckpointError: They are none.
        """
        self.pixels[:] = pixels_of(saved, self.shape)


def shrink(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a frame (144, 160, 3) as (72, 80) grey."""
    red, green, blue = (frame[..., index] * weight for index, weight in enumerate(_GREY))
    grey = (red + green + blue) >> 8
    rows = grey[0::2] + grey[1::2]
    shrunk: NDArray[np.uint8] = ((rows[:, 0::2] + rows[:, 1::2] + 2) >> 2).astype(np.uint8)
    return shrunk
