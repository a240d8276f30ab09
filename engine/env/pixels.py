"""Turn frames into what a network sees: small, grey, the last three at once."""

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import CheckpointError

NUM_FRAMES = 3
"""Frames that are seen at once, oldest first, by half a screen's lines and columns.

Three frames show what moves and how a text continues. Half a screen is a whole fraction of it:
every pixel is the mean of 2 x 2, tile borders stay where they are, and letters (8 x 8) can still be
told apart, which at a quarter they cannot.
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
