"""Let a person play the watched game in real time, and run a recorded one backwards."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from engine.events import ButtonsHeld
from engine.loop.controls import Controls
from engine.loop.reporter import Reporter

FRAMES_PER_PICTURE = 2
FRAMES_PER_READING = 10
SHORTEST_HOLD_FRAMES = 4
"""The least duration of a press, so that the game sees it: parts of it poll every third frame."""
IDLE_S = 60.0
"""Paused for longer than this, the game is turn-based again."""

_STALL_S = 0.1
"""Longer delays are not made up for."""
_MAX_FRAMES_AT_ONCE = 3
_MAX_WAITING = 16


class LiveGame(Protocol):
    """A game that can run in real time."""

    @property
    def frames_per_s(self) -> float:
        """Return the frame rate on its own machine."""

    def run_frames(self, buttons: frozenset[int], frames: int, *, shows: bool) -> None:
        """Run frames with these buttons down; `shows`: render the last one."""

    def read_frames(self, *, is_over: bool) -> None:
        """Read the result of the frames; `is_over`: bring the game to rest before."""


@dataclass(slots=True, eq=False)
class RealTimeLoop:
    """Run the watched game at its own pace, with the buttons down that a person holds.

    It has the game read six times a second, for rewards, milestones and what is shown. While it
    runs, `controls.is_live` is set.
    """

    game: LiveGame
    controls: Controls
    reporter: Reporter
    clock: Callable[[], float] = time.monotonic
    _held: frozenset[int] = frozenset()
    _held_frames: int = 0
    _waiting: deque[frozenset[int]] = field(default_factory=lambda: deque(maxlen=_MAX_WAITING))
    _due_s: float = 0.0
    _since_picture: int = 0
    _since_reading: int = 0
    _is_stepped: bool = False

    def begin(self) -> None:
        """Let the game run from now on."""
        if not self.controls.is_live:
            self.restart()
            self.controls.is_live = True
            self.reporter.say("human", "the game runs in real time")
            self.reporter.status()

    def end(self) -> None:
        """Let go of all buttons, and bring the game to rest."""
        if self.controls.is_live:
            self.let_go()
            self.controls.is_live = False
            if self._is_stepped:
                self._is_stepped = self.controls.is_paused = False
            self.reporter.say("human", "the game is turn-based again")
            self._read(is_over=True)
            self.reporter.status()

    def rest(self) -> None:
        """Bring the game to rest, to save or act in it; held buttons stay held."""
        if self.controls.is_live:
            self._read(is_over=True)

    def restart(self) -> None:
        """Run from this moment on, with no button down."""
        self.let_go()
        self._due_s = self.clock()

    def let_go(self) -> None:
        """Let go of all buttons, also of those waiting to be held."""
        self._waiting.clear()
        self._press(frozenset())
        self._held_frames = SHORTEST_HOLD_FRAMES
        self._since_picture = self._since_reading = 0

    def hold(self, buttons: frozenset[int]) -> None:
        """Hold these buttons and no others, once earlier presses had their least duration."""
        newest = self._waiting[-1] if self._waiting else self._held
        if buttons != newest:
            self._waiting.append(buttons)

    def step(self) -> None:
        """Pause, and run one frame with the buttons that are held now."""
        self._is_stepped = self.controls.is_paused = True
        if self._waiting:
            self._held, self._held_frames = self._waiting[-1], 0
            self._waiting.clear()
        self.game.run_frames(self._held, 1, shows=True)
        self._held_frames += 1
        self._read(is_over=False)

    def wait_s(self) -> float:
        """Return the seconds until the next frame is due; 0 when it is."""
        return max(0.0, self._due_s - self.clock())

    def advance(self) -> None:
        """Run the frames that are due; after a long pause the game is turn-based again."""
        if self.controls.is_paused:
            if self.clock() - self._due_s > IDLE_S and not self._is_stepped:
                self.end()
            return
        self._is_stepped = False
        frames = self._due_frames(self.clock())
        while frames:
            frames -= self._run(frames)
        if self._since_reading >= FRAMES_PER_READING:
            self._read(is_over=False)

    def _due_frames(self, now: float) -> int:
        """Return how many frames to run now; a stall is forgotten, small delays are made up for."""
        late_s = now - self._due_s
        if late_s < 0:
            return 0
        if late_s > _STALL_S:
            self._due_s, late_s = now, 0.0
        frames = min(_MAX_FRAMES_AT_ONCE, 1 + int(late_s * self.game.frames_per_s))
        self._due_s += frames / self.game.frames_per_s
        return frames

    def _run(self, frames: int) -> int:
        """Run up to `frames` frames with the same buttons down; return how many."""
        if self._waiting and self._held_frames >= SHORTEST_HOLD_FRAMES:
            self._press(self._waiting.popleft())
            self._held_frames = 0
        if self._waiting:
            frames = min(frames, max(1, SHORTEST_HOLD_FRAMES - self._held_frames))
        shows = self._since_picture + frames >= FRAMES_PER_PICTURE
        self.game.run_frames(self._held, frames, shows=shows)
        self._held_frames += frames
        self._since_picture = 0 if shows else self._since_picture + frames
        self._since_reading += frames
        return frames

    def _press(self, buttons: frozenset[int]) -> None:
        self._held = buttons
        self.reporter.emit(ButtonsHeld(buttons))

    def _read(self, *, is_over: bool) -> None:
        self._since_reading = 0
        self.game.read_frames(is_over=is_over)


_STEP_S = 1 / 15
_FRAMES = 8
"""Frames of real-time play in a step back: it runs back twice as fast as it was played."""


@dataclass(slots=True, eq=False)
class BackwardLoop:
    """Run a game that is being recorded backwards, move by move, while `is_on`."""

    step_back: Callable[[int], bool]
    """Takes back the last action, or so many frames of real-time play, 0: about a second of it;
    returns whether there was any."""
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
        """Continue playing from here."""
        if self.is_on:
            self.is_on, self.reporter.work = False, self._work
            self.live.restart()

    def wait_s(self) -> float:
        """Return the seconds until the next move is due; 0 when it is."""
        return max(0.0, self._due_s - self.clock())

    def advance(self) -> bool:
        """Undo the moves that are due; return whether the game runs backwards."""
        if self.is_on and not self.wait_s():
            self._due_s = self.clock() + _STEP_S
            # Turn-based, it must stop where the game can be read; in real time, anywhere.
            self.step_back(_FRAMES if self.controls.is_live else 0)
        return self.is_on
