"""Share experience and weights between the learner and the processes that play.

Both lie in anonymous files, which are gone with the last process that holds them: in memory, or in
a folder where memory is small (file-backed sharing). Each process that plays has two buffers: it
fills one while the learner learns from the other, and waits when neither is free.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.battles.policy import NUM_WEIGHTS, FloatArray
from engine.battles.sim.observation import LEGAL, SIZE
from engine.ground.shared_arrays import map_arrays

BUFFERS = 2
_FIELDS: Mapping[str, tuple[DTypeLike, tuple[int, ...]]] = MappingProxyType(
    {
        "observations": (np.float32, (SIZE,)),
        "codes": (np.int64, ()),
        "log_probs": (np.float32, ()),
        "values": (np.float32, ()),
        "advantages": (np.float32, ()),
        "legal": (np.bool_, (LEGAL,)),
        "is_preview": (np.bool_, ()),
        "is_complete": (np.bool_, ()),
    }
)


class Experience(NamedTuple):
    """n decisions, as views of shared memory or as copies.

    Attributes:
        observations: (n, 1560) float32.
        codes: (n,) int64: what was chosen.
        log_probs: (n,) float32: of the policy that chose.
        values: (n,) float32: that policy's estimate, -1 to 1.
        advantages: (n,) float32.
        legal: (n, 90) bool.
        is_preview: (n,) bool.
        is_complete: (n,) bool, has advantages; the others' future is unknown, or in the next
            buffer.
    """

    observations: FloatArray
    codes: NDArray[np.int64]
    log_probs: FloatArray
    values: FloatArray
    advantages: FloatArray
    legal: NDArray[np.bool_]
    is_preview: NDArray[np.bool_]
    is_complete: NDArray[np.bool_]

    def complete(self, count: int) -> "Experience":
        """Return copies of the complete ones among the first `count`."""
        return self.rows(self.is_complete[:count].nonzero()[0])

    def rows(self, rows: NDArray[np.int64] | list[int]) -> "Experience":
        """Return copies of some rows."""
        arrays: list[NDArray[Any]] = [array[rows] for array in self]
        return Experience(*arrays)


def joined(parts: list[Experience]) -> Experience:
    """Concatenate several."""
    arrays: list[NDArray[Any]] = [np.concatenate(each) for each in zip(*parts, strict=True)]
    return Experience(*arrays)


def map_buffers(file: BinaryIO, rows: int) -> tuple[Experience, ...]:
    """Map a worker's buffers, each of `rows` decisions; the file is made large enough."""
    layout = [(dtype, (rows, *shape)) for dtype, shape in _FIELDS.values()]
    arrays, size = map_arrays(BUFFERS * layout, file), len(layout)
    return tuple(Experience(*arrays[size * i : size * (i + 1)]) for i in range(BUFFERS))


class SharedWeights:
    """A network's weights, which one process publishes and others read without waiting.

    Two copies alternate: what is being written is never what is read, unless two versions are
    published during one read, which is then repeated.
    """

    def __init__(self, file: BinaryIO) -> None:
        layout = [(np.int64, (1,)), (np.float32, (2, NUM_WEIGHTS))]
        self._version: NDArray[np.int64]
        self._copies: FloatArray
        self._version, self._copies = map_arrays(layout, file)

    @property
    def version(self) -> int:
        """Return the number of the newest weights; 0 before there are any."""
        return int(self._version[0])

    def publish(self, weights: FloatArray) -> int:
        """Publish weights and return their number, one more than the last."""
        version = self.version + 1
        self._copies[version % 2] = weights
        self._version[0] = version
        return version

    def read(self, into: FloatArray) -> int:
        """Copy the newest weights and return their number."""
        while True:
            version = self.version
            into[:] = self._copies[version % 2]
            if self.version == version:
                return version
