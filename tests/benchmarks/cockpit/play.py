"""Measure what the screen costs while a game is played at its own pace."""

import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import cast

import numpy as np

from engine.bench.environment import Figure
from engine.config import RunConfig
from engine.emulator.base import Camera, Emulator
from engine.env.stepping import SteppedEnv
from engine.events import Event, FrameRendered, GameObserved, RewardPaid
from engine.ground.scratch import scratch_folder
from engine.planning.goals.planned import make_env
from engine.types import Frame
from tests.benchmarks.cockpit.child import options_of, run_program, write_down
from tests.benchmarks.cockpit.measured import Mark, MeasuredApp
from tests.benchmarks.cockpit.scripted import ScriptedSession

TARGET = 0.15
SIZES = ((120, 40), (240, 78))
_START_S = 3.0
_PART_S = 5.0
_STEPS_PER_S = 3
FRAMES_PER_S = 30
_FRAMES_PER_PICTURE = 2
"""The game draws 60 a second."""
_SEED = 1


def measure_play(seconds: float) -> Iterator[Figure]:
    """Show a filmed play of so many seconds at several sizes."""
    for size in SIZES:
        found, _ = run_program(__name__, size, 120 + 3 * seconds, seconds=seconds)
        marks = [Mark(**mark) for mark in found["marks"]]
        share = statistics.median(
            (after.cpu_s - before.cpu_s) / (after.at_s - before.at_s)
            for before, after in pairwise(marks)
        )
        lasted = marks[-1].at_s - marks[0].at_s
        drawn = (marks[-1].frames - marks[0].frames) / lasted
        changed = 1 - found["unchanged"]
        yield Figure(
            f"{lasted:.0f} s of real play at 30 fps, {size[0]}x{size[1]}, {found['view']}",
            share,
            f"{100 * share:.1f} % of a core; {drawn:.0f} frames/s, {changed:.0%} of them changed",
            "at most 15 %",
            share <= TARGET,
        )


@dataclass(frozen=True, slots=True)
class Film:
    """What was seen.

    Attributes:
        frames: FRAMES_PER_S a second of the game; an unchanged one is the one before itself.
        observed: For each frame, what was known of the game then.
        paid: For each frame, what had been paid then.
    """

    frames: tuple[Frame, ...]
    observed: tuple[GameObserved, ...]
    paid: tuple[RewardPaid, ...]

    @property
    def unchanged(self) -> float:
        """The share of frames that equal the one before."""
        pairs = zip(self.frames, self.frames[1:], strict=False)
        return sum(a is b for a, b in pairs) / max(1, len(self.frames) - 1)


class _Script:
    """Post the film frame by frame, and the figures as often as the trainer does."""

    def __init__(self, film: Film) -> None:
        self.app: MeasuredApp | None = None
        self.marks: list[Mark] = []
        self._film = film
        self._begun = time.monotonic() + _START_S
        self._at = -1
        self._mark_due_s = self._begun

    def __call__(self, session: ScriptedSession) -> list[Event] | None:
        assert self.app is not None
        now = time.monotonic()
        at = max(0, int((now - self._begun) * FRAMES_PER_S))
        if now >= self._mark_due_s or at >= len(self._film.frames):
            self.marks.append(self.app.mark())
            self._mark_due_s += _PART_S
        if at >= len(self._film.frames):
            return None
        if at == self._at:
            return []
        events: list[Event] = [FrameRendered(self._film.frames[at], 0)]
        if at * _STEPS_PER_S // FRAMES_PER_S != self._at * _STEPS_PER_S // FRAMES_PER_S:
            events += [self._film.observed[at], self._film.paid[at]]
        if at // 3 != self._at // 3:
            steps = session.status.total_steps + 1
            session.change(total_steps=steps, episode_steps=at * _STEPS_PER_S // FRAMES_PER_S)
        self._at = at
        return events


def film(seconds: float) -> Film:
    """Play for so many seconds of the game's own time from the start of an episode."""
    with scratch_folder() as folder:
        config = RunConfig(agent="rules", num_envs=1, save_dir=str(folder), seed=_SEED)
        env = make_env(config, 0)
        try:
            return _film(env, round(seconds * FRAMES_PER_S))
        finally:
            env.close()


def _film(env: SteppedEnv, count: int) -> Film:
    env.begin(_SEED)  # it makes the state that episodes start from, which is not filmed
    camera = Camera(env.env.emulator, _FRAMES_PER_PICTURE)
    env.env.emulator = cast(Emulator, camera)
    env.watch(True)
    env.begin(_SEED)
    camera.take()
    frames: list[Frame] = []
    observed: list[GameObserved] = []
    paid: list[RewardPaid] = []
    while len(frames) < count:
        action = np.where(env.mask, env.prior + 1e-6, 0.0).argmax()
        if sum(env.step(int(action))[1:]):
            env.begin()
        for frame in camera.take():
            is_same = frames and np.array_equal(frame, frames[-1])
            frames.append(frames[-1] if is_same else frame)
        seen = env.inspect()
        missing = len(frames) - len(observed)
        observed += missing * [
            GameObserved(seen.state, seen.goal, seen.milestones, seen.path, seen.visited)
        ]
        paid += [RewardPaid(seen.breakdown, seen.episode, seen.episode)] * missing
    return Film(tuple(frames[:count]), tuple(observed[:count]), tuple(paid[:count]))


def main() -> None:
    """Film a play, show it, and write down what it cost."""
    out, options = options_of(sys.argv)
    seen = film(options["seconds"])
    script = _Script(seen)
    app = script.app = MeasuredApp(ScriptedSession(script), RunConfig())
    app.run()
    encoder = app.board.game._view.encoder
    view = f"{encoder.mode.value} {encoder.columns}x{encoder.rows}" if encoder else ""
    found = {"marks": list(map(asdict, script.marks)), "unchanged": seen.unchanged, "view": view}
    write_down(app, out, found)


if __name__ == "__main__":
    main()
