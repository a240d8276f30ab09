"""Measure what training loses to the screen: both in the same run, one after the other."""

import asyncio
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from math import exp, log
from typing import Any

from engine.bench.environment import Figure
from engine.commands import PauseRendering, Stop, Watch
from engine.config import load_config
from engine.events import Event, PolicyUpdated
from engine.ground.scratch import scratch_folder
from engine.sessions.threaded import Mailbox
from engine.sessions.train import EngineSession
from engine.training import reporter
from pokeTUI.app import cockpit
from pokeTUI.terminal import output
from tests.benchmarks.cockpit.child import options_of, run_program, write_down
from tests.benchmarks.cockpit.measured import MeasuredApp

TARGETS = {30: 0.95, 10: 0.98}
"""Of training without a screen, by pictures a second."""
STALL_TARGET_S = 0.1
SIZE = (120, 40)
_GAMES = 4
_WARM_UPDATES = 2


def measure_throughput(pairs: int, segment_s: float) -> Iterator[Figure]:
    """Train with the screen open and with nobody looking, in turns."""
    for rate, target in TARGETS.items():
        timeout_s = 180 + 8 * pairs * (segment_s + 10)
        found, _ = run_program(
            __name__, SIZE, timeout_s, pairs=pairs, segment_s=segment_s, rate=rate
        )
        speeds = found["speeds"]
        share, low, high = _compare(speeds)
        alone = statistics.median(speed for is_open, speed in speeds if not is_open)
        yield Figure(
            f"training with the screen at {rate} Hz, {_GAMES} games, vs. no viewer",
            share,
            f"{share:.1%} ({low:.1%} to {high:.1%}) of {alone:,.0f} steps/s",
            f"at least {target:.0%}",
            share >= target,
        )
        stall = found["stall_s"]
        yield Figure(
            f"longest event-loop stall while training, {rate} Hz",
            stall,
            f"{1000 * stall:.0f} ms",
            "at most 100 ms",
            stall <= STALL_TARGET_S,
        )


def _compare(speeds: Sequence[tuple[bool, float]]) -> tuple[float, float, float]:
    """Return what is left of the speed when the screen is open, and its 95 % interval.

    `speeds` are (whether it was open, steps a second), pair after pair, in changing order.
    """
    logs = [
        log(one / other) if is_open else log(other / one)
        for (is_open, one), (_, other) in zip(speeds[::2], speeds[1::2], strict=True)
    ]
    mean, error = statistics.fmean(logs), statistics.stdev(logs) / len(logs) ** 0.5
    return exp(mean), exp(mean - 1.96 * error), exp(mean + 1.96 * error)


class _NotingMailbox(Mailbox):
    """Notes when the policy learned, at how many steps."""

    def __init__(self) -> None:
        super().__init__()
        self.updates: list[tuple[float, int]] = []

    def post(self, event: Event) -> None:
        if isinstance(event, PolicyUpdated):
            self.updates.append((time.perf_counter(), event.total_steps))
        super().post(event)


class _InTurns(MeasuredApp):
    """Shows the run for a while, then does nothing for a while, and so on."""

    def __init__(self, session: EngineSession, pairs: int, segment_s: float) -> None:
        super().__init__(session, session.config)
        self.speeds: list[tuple[bool, float]] = []
        self._engine = session
        self._noting = _NotingMailbox()
        session.mailbox = self._noting
        self._plan = [True, False, False, True] * ((pairs + 1) // 2)
        self._segment_s = segment_s
        self._is_away = False

    def on_mount(self) -> None:  # besides that of the class above: Textual calls both
        self.run_worker(self._drive())

    def _poll(self) -> None:
        if not self._is_away:
            super()._poll()

    async def _drive(self) -> None:
        await self._updates(_WARM_UPDATES)
        self.run_worker(self.feel())
        for is_open in self._plan:
            self._is_away = not is_open
            self._engine.send(Watch(0) if is_open else PauseRendering())
            await self._updates(1)  # the steps in which it changed do not count
            first = len(self._noting.updates) - 1
            begun = time.monotonic()
            while time.monotonic() - begun < self._segment_s:
                await self._updates(1)
            (start_s, start), (end_s, end) = self._noting.updates[first], self._noting.updates[-1]
            self.speeds.append((is_open, (end - start) / (end_s - start_s)))
        self._is_away = False
        self._engine.send(Stop("measured"))

    async def _updates(self, count: int) -> None:
        wanted = len(self._noting.updates) + count
        while len(self._noting.updates) < wanted and self._engine.is_alive:
            await asyncio.sleep(0.01)


def main() -> None:
    """Train, show and look away in turns, and write down the speeds."""
    out, options = options_of(sys.argv)
    interval_s = 1 / options["rate"]
    cockpit.FRAME_INTERVAL_S = output.PLAIN_INTERVAL_S = interval_s
    reporter.FAST_FRAME_INTERVAL_S = interval_s
    with scratch_folder() as folder:
        given: dict[str, Any] = {"num_envs": _GAMES, "save_dir": str(folder)}
        session = EngineSession(load_config(None, given))
        app = _InTurns(session, options["pairs"], options["segment_s"])
        app.run()
        session.join(30)
    write_down(app, out, {"speeds": app.speeds, "stall_s": app.worst_stall_s})


if __name__ == "__main__":
    main()
