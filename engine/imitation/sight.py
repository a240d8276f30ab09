"""Turn frames into what a cloned network sees: the agents' grey stack, or small colour pictures."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.demos.screens import SCREEN_SHAPE, shrink_screen
from engine.env.pixels import FrameStack, Sight, pixels_of
from engine.imitation.settings import CloningConfig
from engine.types import Frame


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
