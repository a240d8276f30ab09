"""Measure how long many runs over each other take to be read, and to be drawn again."""

import asyncio
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from textual.app import App

from engine.bench.environment import Figure
from engine.config import PPOConfig, RunConfig
from engine.events import EpisodeEnded
from engine.ground.scratch import scratch_folder
from engine.runs.folder import RunFolder, list_runs
from engine.runs.journal import Journal
from engine.types import EpisodeSummary
from pokeTUI.dashboard.overlay import ALL_BUT_SEED, EACH_RUN
from pokeTUI.draw.theme import THEMES
from pokeTUI.screens.comparison import CompareScreen
from tests.benchmarks.cockpit.child import options_of, run_program, write_down

RUNS, SIZE = 50, (200, 60)
TARGET_S = 0.05
_SEEDS = 5
_EPISODES = 1000


def measure_overlay(repeats: int) -> Iterator[Figure]:
    """Overlay 50 runs of 1,000 episodes each, as lines and as bands of five seeds."""
    with scratch_folder() as folder:
        for number in range(RUNS):
            _write_run(folder, number)
        found, _ = run_program(__name__, SIZE, 120 + repeats, save_dir=str(folder), repeats=repeats)
    read_s = found.pop("read")
    yield Figure(f"{RUNS} runs of {_EPISODES:,} episodes, read", read_s, f"{read_s:.1f} s")
    for name, times in found.items():
        seconds, cpu = zip(*times, strict=True)
        median = statistics.median(seconds)
        yield Figure(
            f"{RUNS} runs redrawn, {name}, {SIZE[0]}x{SIZE[1]}",
            median,
            f"{1000 * median:.0f} ms, worst {1000 * max(seconds):.0f}; "
            f"{1000 * statistics.median(cpu):.0f} ms of a core",
            f"at most {1000 * TARGET_S:.0f} ms",
            median <= TARGET_S,
        )


def _write_run(save_dir: Path, number: int) -> None:
    """Write the journal of a run that learns, with much noise."""
    kind, seed = divmod(number, _SEEDS)
    ppo = PPOConfig(gamma=0.9 + kind / 200)
    config = RunConfig(save_dir=str(save_dir), seed=seed, ppo=ppo)
    folder = RunFolder.create(config)
    folder.unlock()
    journal, rng, steps = Journal(folder.journal_path), np.random.default_rng(number), 0
    for episode in range(1, _EPISODES + 1):
        share = 1 - np.exp(-(kind + 1) * episode / _EPISODES)
        length = int(400 - 250 * share + rng.normal(0, 30))
        steps += length
        summary = EpisodeSummary(
            0,
            float(110 * share + rng.normal(0, 20)),
            length,
            (("goal", float(share)), ("tiles", 1.0)),
            is_success=bool(rng.random() < share),
            planner_share=float(0.8 - 0.8 * share),
        )
        journal.take(EpisodeEnded(episode, steps, summary))
    journal.close()


class _App(App[None]):
    """Shows the runs, and notes how long each change takes to be on the screen."""

    def __init__(self, save_dir: str, repeats: int) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.found: dict[str, float | list[tuple[float, float]]] = {}
        self._save_dir = save_dir
        self._repeats = repeats

    def on_mount(self) -> None:
        """Begin."""
        self.run_worker(self._measure())

    async def _measure(self) -> None:
        screen = CompareScreen(self._save_dir, [info.run_id for info in list_runs(self._save_dir)])
        begun = time.perf_counter()
        await self.push_screen(screen)
        await self.workers.wait_for_complete([w for w in self.workers if w.node is screen])
        self.found["read"] = time.perf_counter() - begun
        for name, by, spread in (
            ("a line each", EACH_RUN, "runs"),
            ("lines in 10 colours", ALL_BUT_SEED, "runs"),
            ("10 bands", ALL_BUT_SEED, "range"),
        ):
            screen.lines.group_by(by)
            screen.lines.spread = spread
            for what, act in (
                ("another curve", lambda number: screen.action_curve(1)),
                ("marked, and not", lambda number: screen.action_mark(-1 if number % 2 else 1)),
            ):
                self.found[f"{name}, {what}"] = [
                    await self._time(partial(act, number)) for number in range(self._repeats)
                ]
        self.exit()

    async def _time(self, act: Callable[[], None]) -> tuple[float, float]:
        """Return seconds until what an action changed is sent, and the processor time of them."""
        drawn = asyncio.Event()
        begun, used = time.perf_counter(), time.process_time()
        act()
        self.call_after_refresh(drawn.set)
        await drawn.wait()
        return time.perf_counter() - begun, time.process_time() - used


def main() -> None:
    """Show the runs and write down how long it took."""
    out, options = options_of(sys.argv)
    app = _App(**options)
    app.run()
    write_down(app, out, app.found)


if __name__ == "__main__":
    main()
