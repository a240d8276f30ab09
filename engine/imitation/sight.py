"""Turn frames into what a cloned network sees: the agents' grey stack, or small colour pictures."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.demos.screens import SCREEN_SHAPE, shrink_screen
from engine.env.pixels import PIXELS_SHAPE, FrameStack
from engine.imitation.settings import CloningConfig
from engine.types import Frame


class Sight(Protocol):
    """Keeps what one environment's network sees.

    Attributes:
        shape: Of `pixels`.
    """

    shape: tuple[int, int, int]

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """Return what is seen now, `shape` uint8; it may change with the next frame."""
        ...

    def begin(self, frame: Frame) -> None:
        """See the first frame (144, 160, 3) of an episode."""
        ...

    def push(self, frame: Frame) -> None:
        """See the next frame (144, 160, 3)."""
        ...


class GreySight(FrameStack):
    """The agents' three grey frames."""

    shape = PIXELS_SHAPE


class ColourSight:
    """One frame in colour, 84 x 84."""

    shape = SCREEN_SHAPE

    def __init__(self) -> None:
        self.pixels: NDArray[np.uint8] = np.zeros(SCREEN_SHAPE, np.uint8)

    def begin(self, frame: Frame) -> None:
        """See the first frame."""
        self.push(frame)

    def push(self, frame: Frame) -> None:
        """See the next frame."""
        self.pixels = shrink_screen(frame)


def make_sight(config: CloningConfig) -> Sight | None:
    """Return what a network of these settings sees with; None where it sees no pixels."""
    if config.inputs == "features":
        return None
    return GreySight() if config.network in {"ppo", "dqn"} else ColourSight()
