"""Let a person play the watched game in real time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.training.live_pace import LivePace
from engine.types import Action

if TYPE_CHECKING:
    from engine.training.trainer import Trainer


class LivePlay:
    """Run the watched game at its own pace, with the buttons down that a person holds.

    Args:
        clock: Seconds that only rise.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._pace = LivePace(clock)

    def begin(self, trainer: Trainer) -> None:
        """Let the game run from now on."""
        self._pace.start()
        trainer.controls.is_live = True
        trainer.reporter.say("human", "the game runs in real time")
        trainer.reporter.status()

    def end(self, trainer: Trainer) -> None:
        """Let go of all buttons, and let what has begun come to its end."""
        if not trainer.controls.is_live:
            return
        self._pace.let_go()
        trainer.controls.is_live = False
        trainer.reporter.say("human", "the game waits for each press again")
        self.come_to_rest(trainer)
        trainer.reporter.status()

    def come_to_rest(self, trainer: Trainer) -> None:
        """Bring the game to where it can be saved, or acted in; what is held is held on after."""
        self._pace.rest(_WatchedGame(trainer))

    def hold(self, buttons: frozenset[Action]) -> None:
        """Hold these buttons and no others, from the next frame on that is free for it."""
        self._pace.hold(buttons)

    def wait_s(self) -> float:
        """Return the seconds until the next frame is due; 0 when it is."""
        return self._pace.wait_s()

    def advance(self, trainer: Trainer) -> None:
        """Run the frames that are due."""
        if not trainer.controls.is_paused:
            self._pace.run_due(_WatchedGame(trainer))
        elif self._pace.is_forgotten:
            self.end(trainer)


@dataclass(frozen=True, slots=True)
class _WatchedGame:
    """The game that is watched in a run."""

    trainer: Trainer

    def run_frames(self, buttons: frozenset[Action], frames: int, *, shows: bool) -> None:
        """Run frames; the episode is a person's from now on."""
        trainer = self.trainer
        index = trainer.controls.watched_env
        trainer.tally.is_touched[index] = True
        picture = trainer.vector.play_frames(index, buttons, frames, shows=shows)
        if picture is not None:
            trainer.reporter.show(picture)

    def read_frames(self, *, is_over: bool) -> None:
        """Read what came of them, and show it."""
        trainer = self.trainer
        index = trainer.controls.watched_env
        batch = trainer.vector.count_frames(index, is_over=is_over)
        trainer.reporter.played(trainer.vector, int(trainer.tally.steps[index]))
        trainer.accept(batch)
