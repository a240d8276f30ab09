"""Measure whether the cockpit grows over an hour of events, and what an event costs."""

import os
import sys
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

from engine import events
from engine.bench.environment import Figure
from engine.config import RunConfig
from engine.events import Event
from engine.types import Action, Decision, EpisodeSummary, RewardBreakdown, Source
from tests.benchmarks.cockpit.child import options_of, run_program, write_down
from tests.benchmarks.cockpit.scripted import CURRICULUM, STATUS, ScriptedSession

GROWTH_TARGET = 0.05
_SIZE = (200, 60)
_BATCH = 2000
_VARIANTS = 500
_STEPS_BETWEEN = 7
_EVENTS_PER_WARNING = 200_000


def measure_memory(count: int) -> Iterator[Figure]:
    """Let so many events pass through the application, and draw what comes of them."""
    found, _ = run_program(__name__, _SIZE, 120 + count / 1000, count=count)
    early, late = found["early_mb"], found["late_mb"]
    growth = late / early - 1
    yield Figure(
        f"memory after {count:,} events against after a tenth of them",
        growth,
        f"{growth:+.1%} ({early:.0f} to {late:.0f} MB)",
        "at most +5 %",
        growth <= GROWTH_TARGET,
    )
    cost = found["event_us"]
    yield Figure("an event, with all that is drawn of it, CPU", cost, f"{cost:.1f} µs")


class _Script:
    """Post thousands of events with every poll; note the memory after a tenth and at the end."""

    def __init__(self, count: int) -> None:
        self.sizes_mb: list[float] = []
        self.cpu_s: list[float] = []
        self._count = count
        self._passed = 0
        self._source = cycle(_variety())

    def __call__(self, session: ScriptedSession) -> list[Event] | None:
        marks = (self._count // 10, self._count)
        if len(self.sizes_mb) < 2 and self._passed >= marks[len(self.sizes_mb)]:
            self.sizes_mb.append(_memory_mb())
            self.cpu_s.append(time.process_time())
        if self._passed >= self._count:
            return None
        numbers = range(self._passed, self._passed + _BATCH)
        self._passed += _BATCH
        new = [_renumber(next(self._source), number) for number in numbers]
        if self._passed % _EVENTS_PER_WARNING < _BATCH:  # more of them would cover the screen
            new.append(events.WarningRaised(f"Process {self._passed} was replaced."))
        return new

    @property
    def event_us(self) -> float:
        """The processor time of an event."""
        return 1e6 * (self.cpu_s[1] - self.cpu_s[0]) / (0.9 * self._count)


def _variety() -> list[Event]:
    """Return events in the proportions of a run, no two texts alike within some hundred."""
    found: list[Event] = []
    for number in range(_VARIANTS):
        text = f"{number} tiles to the east edge"
        decision = Decision(Action.RIGHT, Source.PLANNER, number / _VARIANTS, text)
        found += [
            events.DecisionMade(number, decision),
            events.ReasoningLogged(number, "planner", f"goal set: {text}"),
            events.PayoutMade(number, "exploration", 0.02, f"first visit to {number},8"),
            STATUS,
        ]
        if number % 5 == 0:
            found.append(_episode(number))
            found.append(events.PolicyUpdated(number, number, {"entropy": 2.0 / (1 + number)}))
            parts = (("milestone", 5.0), ("exploration", number / 100))
            found.append(events.RewardPaid(RewardBreakdown(parts), parts, parts))
        if number % 50 == 0:
            found += [
                CURRICULUM,
                events.CheckpointSaved(f"saves/{number}.zip", number),
            ]
    return found


def _episode(number: int) -> events.EpisodeEnded:
    summary = EpisodeSummary(0, float(number % 60), 1400, (), is_success=number % 3 == 0)
    return events.EpisodeEnded(number, number, summary)


def _renumber(event: Event, number: int) -> Event:
    """Let counts rise as they do in a run."""
    if isinstance(event, events.EpisodeEnded):
        return events.EpisodeEnded(number, number * _STEPS_BETWEEN, event.summary)
    if isinstance(event, events.PolicyUpdated):
        return events.PolicyUpdated(number, number * _STEPS_BETWEEN, event.figures)
    return event


def _memory_mb() -> float:
    """Return the memory of this process that is in use."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    """Run the application on the script and write down what it took."""
    from pokeTUI.app.cockpit import CockpitApp

    out, options = options_of(sys.argv)
    script = _Script(options["count"])
    app = CockpitApp(ScriptedSession(script), RunConfig())
    app.run()
    early, late = script.sizes_mb
    found = {"early_mb": early, "late_mb": late, "event_us": script.event_us}
    write_down(app, out, found)


if __name__ == "__main__":
    main()
