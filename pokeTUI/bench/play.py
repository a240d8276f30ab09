"""Measure what the screen costs while a game is played at its own pace."""

import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from itertools import pairwise

from engine.bench.environment import Figure
from engine.bench.film import FRAMES_PER_S, Film
from engine.events import Event, FrameRendered
from pokeTUI.bench.child import options_of, run_program, write_down
from pokeTUI.bench.measured import Mark, MeasuredApp
from pokeTUI.bench.scripted import ScriptedSession

TARGET = 0.15
SIZES = ((120, 40), (240, 78))
_START_S = 3.0
_PART_S = 5.0
_STEPS_PER_S = 3


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


def main() -> None:
    """Film a play, show it, and write down what it cost."""
    from engine.bench.film import film
    from engine.config import RunConfig

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
