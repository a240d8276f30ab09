"""Turn frames into what a cloned network sees: the agents' grey stack, or small colour pictures."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.env.pixels import PIXELS_SHAPE, FrameStack
from engine.imitation.settings import CloningConfig
from engine.types import Frame

COLOUR_SHAPE = (3, 84, 84)
"""Red, green and blue; the documented size."""


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

    shape = COLOUR_SHAPE

    def __init__(self) -> None:
        self.pixels: NDArray[np.uint8] = np.zeros(COLOUR_SHAPE, np.uint8)

    def begin(self, frame: Frame) -> None:
        """See the first frame."""
        self.push(frame)

    def push(self, frame: Frame) -> None:
        """See the next frame."""
        self.pixels = colour(frame)


def make_sight(config: CloningConfig) -> Sight | None:
    """Return what a network of these settings sees with; None where it sees no pixels."""
    if config.inputs == "features":
        return None
    return GreySight() if config.network in {"ppo", "dqn"} else ColourSight()


def colour(frame: Frame) -> NDArray[np.uint8]:
    """Return a frame (144, 160, 3) as `COLOUR_SHAPE`: each pixel the mean of what it covers."""
    _, height, width = COLOUR_SHAPE
    planes = np.ascontiguousarray(frame.transpose(2, 0, 1))
    rows = _means(planes, height, axis=1)
    shrunk = _means(rows, width, axis=2)
    return (shrunk + 0.5).astype(np.uint8)


def _means(planes: NDArray[Any], wanted: int, axis: int) -> NDArray[np.float32]:
    """Return the means of `wanted` equal parts of an axis.

    By sums up to each edge, not by matrices: on a busy machine those wait for threads of their own.
    """
    size = planes.shape[axis]
    sums = np.zeros([n + (place == axis) for place, n in enumerate(planes.shape)], np.float32)
    inner = tuple(slice(int(place == axis), None) for place in range(planes.ndim))
    np.cumsum(planes, axis=axis, dtype=np.float32, out=sums[inner])
    edges = np.arange(wanted + 1) * (size / wanted)
    low = np.minimum(edges.astype(np.int64), size - 1)
    shape = [-1 if place == axis else 1 for place in range(planes.ndim)]
    part = (edges - low).astype(np.float32).reshape(shape)
    below = sums.take(low, axis)
    at_edges = below + part * (sums.take(low + 1, axis) - below)
    means: NDArray[np.float32] = np.diff(at_edges, axis=axis) * np.float32(wanted / size)
    return means
