"""Keep pictures of what runs between two steps, which show only where they end."""

from typing import Any

from engine.emulator.base import Emulator
from engine.types import Frame


class Camera:
    """Runs another emulator, for which it can stand, and keeps its pictures.

    Args:
        emulator: Does all that is asked of this one.
        every: Frames from one picture to the next.
    """

    def __init__(self, emulator: Emulator, every: int) -> None:
        self._emulator, self._every = emulator, every
        self._left = every
        self._frames: list[Frame] = []

    def tick(self, frames: int, render: bool = False) -> None:
        """Emulate `frames` frames, and draw those that are kept besides the last."""
        while frames > 0:
            count = min(frames, self._left)
            frames -= count
            self._left -= count
            self._emulator.tick(count, not self._left or (render and not frames))
            if not self._left:
                self._left = self._every
                self._frames.append(self._emulator.frame())

    def take(self) -> list[Frame]:
        """Return the pictures kept since the last call."""
        frames, self._frames = self._frames, []
        return frames

    def __getattr__(self, name: str) -> Any:
        return getattr(self._emulator, name)
