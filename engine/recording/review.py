"""Show a demonstration again before it is kept."""

from dataclasses import dataclass, field

from engine.env.live import LiveStretch
from engine.loop.controls import FIRST_SPEED, Pace
from engine.recording.game import RecordedGame
from engine.recording.reporter import RecordingReporter


@dataclass(slots=True, eq=False)
class Rerun:
    """Plays what is recorded again in its own game, which is then as it was before.

    Nothing is recorded of it. Whoever wants anything else of the game ends it first.
    """

    game: RecordedGame
    reporter: RecordingReporter
    pace: Pace = field(default_factory=Pace)
    _end: bytes = b""
    _moves: list[int | LiveStretch] = field(default_factory=list)
    _done: int = 0

    @property
    def is_on(self) -> bool:
        """Return whether it is being shown."""
        return bool(self._end)

    def begin(self) -> None:
        """Show it from its beginning."""
        self.end()
        self._end, self._moves, self._done = self.game.save(), self.game.recorder.moves(), 0
        self.game.restore(self.game.recorder.start)
        self.pace.limit(FIRST_SPEED)
        self._show()

    def advance(self) -> None:
        """Play the next move if it is due; after the last one, end."""
        if self.pace.wait_s():
            return
        if self._done == len(self._moves):
            self.end()
            return
        self.pace.mark()
        move = self._moves[self._done]
        if isinstance(move, LiveStretch):
            for buttons, frames in move.spans():
                self.game.play_frames(buttons, frames, render=True)
            self.game.count_frames(is_over=False)
        else:
            self.game.step(move)
        self._done += 1
        self._show()

    def end(self) -> None:
        """Bring the game back to where the demonstration ends."""
        if self._end:
            self.game.restore(self._end)
            self.game.inspect()  # what was paid again was shown the first time
            self._end = b""
            self.reporter.work = "reviewing", 0.0, 0.0
            self.reporter.show_game()

    def _show(self) -> None:
        self.reporter.work = "reviewing", self._done, len(self._moves)
        self.reporter.show_game()
