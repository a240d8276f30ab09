"""Measure what drawing a frame costs when all of it moves, and what a real play costs."""

import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from engine.bench.environment import Figure
from engine.events import Event, FrameRendered
from engine.types import Frame
from pokeTUI.draw.encoders import GameMode
from tests.benchmarks.cockpit.child import options_of, run_program, write_down
from tests.benchmarks.cockpit.measured import Mark, MeasuredApp
from tests.benchmarks.cockpit.scripted import ScriptedSession

SIZE = (240, 78)
CPU_TARGET_MS, BYTES_TARGET_KB = 6.0, 70.0
_MODES = tuple(mode for mode in GameMode if mode is not GameMode.AUTO)
_FRAMES_PER_S = 30
_SETTLE_S = 0.7
_START_S = 2.0
_WORLD = 384
"""Ticks after which the scenery is where it was."""


def measure_frames(repeats: int, segment_s: float) -> Iterator[Figure]:
    """Compare seconds in which everything scrolls with seconds of one and the same picture."""
    timeout_s = 60 + 4 * repeats * len(_MODES) * (segment_s + _SETTLE_S)
    found, terminal = run_program(
        __name__, SIZE, timeout_s, has_pictures=True, repeats=repeats, segment_s=segment_s
    )
    for mode in _MODES:
        costs: list[float] = []
        sizes: list[float] = []
        for still, moving in found["pairs"][mode.value]:
            ends = [(Mark(**start), Mark(**end)) for start, end in (still, moving)]
            idle, busy = (
                (end.cpu_s - start.cpu_s) / (end.at_s - start.at_s) for start, end in ends
            )
            start, end = ends[1]
            frames = max(1, end.frames - start.frames)
            lasted = end.at_s - start.at_s
            quiet = terminal.bytes_between(ends[0][0].at_s, ends[0][1].at_s)
            quiet_bytes = quiet / (ends[0][1].at_s - ends[0][0].at_s) * lasted
            sent = terminal.bytes_between(start.at_s, end.at_s) - quiet_bytes
            costs.append(1000 * (busy - idle) * lasted / frames)
            sizes.append(sent / frames / 1000)
        yield from _figures(mode, found["grids"][mode.value], costs, sizes)


def _figures(
    mode: GameMode, grid: list[int], costs: list[float], sizes: list[float]
) -> Iterator[Figure]:
    name = f"scrolling frame, {mode.value} {grid[0]}x{grid[1]}"
    cpu, size = statistics.median(costs), statistics.median(sizes)
    is_target = mode is GameMode.HALF_BLOCKS
    if is_target:
        yield Figure(f"{name}, CPU", cpu, f"{cpu:.1f} ms", "at most 6 ms", cpu <= CPU_TARGET_MS)
        yield Figure(
            f"{name}, sent", size, f"{size:.0f} KB", "at most 70 KB", size <= BYTES_TARGET_KB
        )
    else:
        yield Figure(name, cpu, f"{cpu:.1f} ms, {size:.1f} KB")


class _Script:
    """Post a still picture, then a moving one, in every mode, again and again."""

    def __init__(self, repeats: int, segment_s: float) -> None:
        from tests.pokeTUI.scenery import scrolled_frames

        self.app: MeasuredApp | None = None
        self.pairs: dict[str, list[Any]] = {mode.value: [] for mode in _MODES}
        self.grids: dict[str, tuple[int, int]] = {}
        self._plan = [
            (mode, moves) for _ in range(repeats) for mode in _MODES for moves in (False, True)
        ]
        self._segment_s = segment_s
        self._frames: list[Frame] = scrolled_frames(_WORLD)
        self._begun = time.monotonic()
        self._next_s = self._begun + _START_S
        self._start: Mark | None = None
        self._at = -1
        self._waits = False

    def __call__(self, session: ScriptedSession) -> list[Event] | None:
        now = time.monotonic()
        if now >= self._next_s and not self._go_on(now):
            return None
        moves = self._at >= 0 and self._plan[self._at][1]
        tick = int((now - self._begun) * _FRAMES_PER_S) if moves else 0
        frame = self._frames[tick % _WORLD]
        return [FrameRendered(frame if moves else frame.copy(), 0), session.status]

    def _go_on(self, now: float) -> bool:
        """Settle, measure, note, and so on; False at the end."""
        assert self.app is not None
        if self._waits:  # it has settled
            self._start = self.app.mark()
            self._waits, self._next_s = False, now + self._segment_s
            return True
        if self._start is not None:
            self._note(asdict(self._start), asdict(self.app.mark()))
        self._at += 1
        if self._at >= len(self._plan):
            return False
        mode, moves = self._plan[self._at]
        if not moves:
            self.app.board.game.set_mode(mode)
        self._waits, self._next_s = True, now + _SETTLE_S
        return True

    def _note(self, start: dict[str, Any], end: dict[str, Any]) -> None:
        assert self.app is not None
        mode, moves = self._plan[self._at]
        pairs = self.pairs[mode.value]
        if moves:
            pairs[-1].append((start, end))
        else:
            pairs.append([(start, end)])
        encoder = self.app.board.game._view.encoder
        if encoder is not None:
            self.grids[mode.value] = (encoder.columns, encoder.rows)


def main() -> None:
    """Run the application on the script and write down what it cost."""
    from engine.config import RunConfig

    out, options = options_of(sys.argv)
    script = _Script(options["repeats"], options["segment_s"])
    app = script.app = MeasuredApp(ScriptedSession(script), RunConfig())
    app.run()
    write_down(app, out, {"pairs": script.pairs, "grids": script.grids})


if __name__ == "__main__":
    main()
