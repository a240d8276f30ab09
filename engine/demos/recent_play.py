"""Keep the last seconds that a person played, to save them though nothing was recorded."""

from collections import deque
from dataclasses import dataclass
from pathlib import Path

from engine.demos.demonstration import Demonstration
from engine.demos.live_recorder import LiveRecorder
from engine.env.choices import BY_HAND, DemoFacts
from engine.env.input_recording import short_moves
from engine.env.live import LiveStretch
from engine.env.stepping import SteppedEnv
from engine.errors import DemoError

KEPT = "kept from what you had just played"
"""Why such a demonstration ended."""
KEPT_S = 30
"""Seconds of the game's own time, and a few more back to a snapshot."""
SNAPSHOT_S = 3
"""Seconds between two snapshots: there are at most twelve, of 10 to 30 KB."""
_READ_FRAMES = 10
"""Frames between two counts of a replay of real-time play, as when it is played."""


@dataclass(frozen=True, slots=True)
class _Point:
    """A possible beginning: after so many steps, live frames after them, and frames run in all."""

    step: int
    live_frames: int
    played: int
    snapshot: bytes


@dataclass(frozen=True, slots=True)
class KeptPlay:
    """A demonstration that was made of recent play."""

    path: Path
    facts: DemoFacts
    demo: Demonstration


class RecentPlay:
    """What was played by hand in the last seconds; nothing is followed before `begin`."""

    def __init__(self, stepped: SteppedEnv) -> None:
        self._stepped = stepped
        self._env = stepped.env
        self._points: deque[_Point] = deque()

    def begin(self) -> None:
        """Forget what was played, and follow the game from here."""
        self.end()
        self._take_snapshot()

    def end(self) -> None:
        """Forget what was played, and follow no more."""
        self._points.clear()

    def follow(self) -> None:
        """Take in a step, or frames of real time, that a person has played."""
        if not self._points:
            return
        played, per_s = self._env.emulator.frames_run, self._env.game.frames_per_s
        is_due = played - self._points[-1].played >= SNAPSHOT_S * per_s
        if is_due and self._env.is_readable:
            self._take_snapshot()
            while self._points[1].played <= played - KEPT_S * per_s:
                self._points.popleft()

    def keep(self, folder: Path, *, task: str = "", tags: tuple[str, ...] = ()) -> KeptPlay:
        """Make a demonstration of it, by an exact replay from the first snapshot, and begin anew.

        Afterwards the game is as it was before.

        Raises:
            DemoError: Nothing was pressed, or it cannot be written.
        """
        if not self._points:
            raise DemoError("Nothing was played by hand yet.", "Play first.")
        stepped, first, now = self._stepped, self._points[0], self._stepped.save()
        played = self._env.recording().segments[-1].since(first.step, first.live_frames)
        recorder = LiveRecorder(stepped, folder, task=task, tags=tags, can_rewind=False)
        stepped.restore(first.snapshot)
        try:
            recorder.begin()
            for move in short_moves(played, _READ_FRAMES):
                _play(stepped, recorder, move)
            if recorder.is_empty:
                raise DemoError("Nothing was pressed in the last seconds.", "Play first.")
            facts = recorder.facts
            kept = KeptPlay(recorder.path, facts, recorder.finish()[1])
        finally:
            recorder.discard()
            if stepped.is_watched:
                stepped.inspect()  # what was paid again was shown the first time
            stepped.restore(now)
        self.begin()
        return kept

    def _take_snapshot(self) -> None:
        env, step = self._env, self._env.episode_steps
        live = env.last_live
        frames = live.frames if live is not None and live.after == step else 0
        self._points.append(_Point(step, frames, env.emulator.frames_run, self._stepped.save()))


def _play(stepped: SteppedEnv, recorder: LiveRecorder, move: int | LiveStretch) -> None:
    if not isinstance(move, LiveStretch):
        stepped.chosen_by(BY_HAND)
        reward, *ends = stepped.step(move)
        recorder.step(move, reward, done=any(ends), is_human=True)
        return
    for buttons, frames in move.spans():
        stepped.play_frames(buttons, frames, render=False)
    reward, *ends = stepped.count_frames(is_over=False)
    recorder.live(reward, done=any(ends))
