"""Carry messages and arrays between the trainer and its worker processes."""

import mmap
import os
import socket
import struct
import tempfile
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.env.pixels import PIXELS_SHAPE
from engine.types import NUM_ACTIONS

_HEADER = struct.Struct("<cI")
_CHUNK = 1 << 20


class Channel:
    """Messages of one letter and a payload over a socket; its end is the peer's end.

    Args:
        connection: A connected stream socket.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection

    def send(self, kind: bytes, payload: bytes = b"") -> None:
        """Send a message.

        Raises:
            OSError: The peer is gone.
        """
        self._socket.sendall(_HEADER.pack(kind, len(payload)) + payload)

    def receive(self, timeout_s: float | None = None) -> tuple[bytes, bytes]:
        """Wait for a message: its letter and payload.

        Raises:
            EOFError: The peer is gone.
            TimeoutError: It says nothing for `timeout_s`.
        """
        self._socket.settimeout(timeout_s)
        kind, size = _HEADER.unpack(self._exactly(_HEADER.size))
        return kind, self._exactly(size)

    def close(self) -> None:
        """End the connection."""
        self._socket.close()

    def _exactly(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size:
            try:
                part = self._socket.recv(min(size, _CHUNK))
            except ConnectionError:
                part = b""
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


@dataclass(frozen=True, slots=True)
class SharedArrays:
    """Views into the memory that trainer and workers share; N environments, F features.

    Attributes:
        actions: (N,) int64.
        features: (N, F) float32.
        final_features: (N, F) float32, of the episode that just ended.
        mask: (N, 9) bool.
        prior: (N, 9) float32.
        confidence: (N,) float32.
        nearness: (N,) float32, of the goal; nan where that is not known.
        goal_kind: (N,) int64, place in `GoalKind`.
        setters: (N,) int64, place in `Directions.setters`.
        wants_plan: (N,) bool.
        is_walking: (N,) bool.
        rewards: (N,) float32.
        terminated: (N,) bool.
        truncated: (N,) bool.
        pixels: (N, *PIXELS_SHAPE) uint8; no rows where no pixels are wanted.
        final_pixels: As `final_features`, of pixels.
    """

    actions: NDArray[np.int64]
    features: NDArray[np.float32]
    final_features: NDArray[np.float32]
    mask: NDArray[np.bool_]
    prior: NDArray[np.float32]
    confidence: NDArray[np.float32]
    nearness: NDArray[np.float32]
    goal_kind: NDArray[np.int64]
    setters: NDArray[np.int64]
    wants_plan: NDArray[np.bool_]
    is_walking: NDArray[np.bool_]
    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    pixels: NDArray[np.uint8]
    final_pixels: NDArray[np.uint8]

    @classmethod
    def over(
        cls, file: BinaryIO, num_envs: int, feature_size: int, *, has_pixels: bool = False
    ) -> "SharedArrays":
        """Lay the arrays over a file, which is made large enough."""
        pixels_shape = (num_envs if has_pixels else 0, *PIXELS_SHAPE)
        parts: tuple[tuple[type[np.generic], tuple[int, ...]], ...] = (
            (np.int64, (num_envs,)),
            (np.float32, (num_envs, feature_size)),
            (np.float32, (num_envs, feature_size)),
            (np.bool_, (num_envs, NUM_ACTIONS)),
            (np.float32, (num_envs, NUM_ACTIONS)),
            (np.float32, (num_envs,)),
            (np.float32, (num_envs,)),
            (np.int64, (num_envs,)),
            (np.int64, (num_envs,)),
            (np.bool_, (num_envs,)),
            (np.bool_, (num_envs,)),
            (np.float32, (num_envs,)),
            (np.bool_, (num_envs,)),
            (np.bool_, (num_envs,)),
            (np.uint8, pixels_shape),
            (np.uint8, pixels_shape),
        )
        starts, end = [], 0
        for kind, shape in parts:
            starts.append(end)
            size = int(np.prod(shape)) * np.dtype(kind).itemsize
            end += -(-size // 64) * 64
        if os.fstat(file.fileno()).st_size < end:
            os.ftruncate(file.fileno(), end)
        memory = mmap.mmap(file.fileno(), end)
        views: list[Any] = [
            np.frombuffer(memory, kind, int(np.prod(shape)), start).reshape(shape)
            for (kind, shape), start in zip(parts, starts, strict=True)
        ]
        return cls(*views)


def shared_file() -> BinaryIO:
    """Open a file without a name: it is gone with the last process that holds it, however it ends.

    multiprocessing.shared_memory is not used because its segments outlive a killed process.
    """
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("poketui-envs"), "r+b")
    return tempfile.TemporaryFile()
