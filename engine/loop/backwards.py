"""Run a recorded game backwards for as long as a person holds a key."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from engine.loop.controls import Controls
from engine.loop.live import RealTimeLoop
from engine.loop.reporter import Reporter

_STEP_S = 1 / 15
_FRAMES = 8
"""Of real-time play in a step, so that it runs back twice as fast as it was played."""


class BackwardGame(Protocol):
    """A game whose demonstration can be taken back."""

    def step_back(self, frames: int) -> bool:
        """Take back the last action, or `frames` frames of real-time play; 0: about a second of it.

        Returns whether there was any.
        """


@dataclass(slots=True, eq=False)
class BackwardLoop:
    """Takes back what was recorded, one move after the other, while `is_on`."""

    game: BackwardGame
    controls: Controls
    live: RealTimeLoop
    reporter: Reporter
    clock: Callable[[], float] = time.monotonic
    is_on: bool = False
    _due_s: float = 0.0
    _work: tuple[str, float, float] = ("", 0.0, 0.0)

    def begin(self) -> None:
        """Run backwards from now on, with no button down."""
        if not self.is_on:
            self.is_on, self._due_s = True, self.clock()
            self._work, self.reporter.work = self.reporter.work, ("rewinding", 0.0, 0.0)
            self.live.let_go()

    def end(self) -> None:
        """Play on from where it is."""
        if self.is_on:
            self.is_on, self.reporter.work = False, self._work
            self.live.restart()

    def wait_s(self) -> float:
        """Return the seconds until the next move is due; 0 when it is."""
        return max(0.0, self._due_s - self.clock())

    def advance(self) -> bool:
        """Take back what is due; return whether the game runs backwards."""
        if self.is_on and not self.wait_s():
            self._due_s = self.clock() + _STEP_S
            # By turns it must stop where the game can be read; in real time it may stop anywhere.
            self.game.step_back(_FRAMES if self.controls.is_live else 0)
        return self.is_on
