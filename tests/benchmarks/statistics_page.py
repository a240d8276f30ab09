"""Measure what an open statistics page costs the training.

`python -m tests.benchmarks.statistics_page [--pairs N] [--seconds S]`

One run trains on the practice game and serves its page. In turn, nobody looks, and another process
does what the page does: it follows the events, takes each new picture and, every five seconds, the
curves. Ratios are taken between neighbouring stretches, which go first in turn: of the steps by the
clock, and of the steps by CPU time of the run's processes. Where other load leaves the run little
of the machine, only the third figure tells: the CPU time that the page takes in a second.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import aiohttp

from engine.config import load_config
from engine.ground.processes import python_command, python_environment
from engine.sessions.train import EngineSession
from pokeTUI.app.headless import HeadlessRunner
from pokeTUI.serve.background import RunPage, listen_for_page
from tests.engine.processes import children

SETTLE_S = 3.0
HISTORY_S = 5.0
WARM_UP_STEPS = 4_000


async def look(address: str) -> None:
    """Do what the page does, until this process is ended."""
    base, _, token = address.partition("?token=")
    due = 0.0
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as client:

        async def take(path: str) -> None:
            async with client.get(f"{base}{path}") as response:
                await response.read()

        async with client.get(f"{base}api/events", timeout=aiohttp.ClientTimeout()) as events:
            async for line in events.content:
                if not line.startswith(b"data: "):
                    continue
                json.loads(line[6:])
                await take("screenshot.png")
                if time.monotonic() >= due:
                    due = time.monotonic() + HISTORY_S
                    await take("api/history?points=240")


class Stretch:
    """What is counted from `begin` to `end`: steps by the clock and by CPU time."""

    def __init__(self, steps: Callable[[], int], pids: list[int]) -> None:
        self._steps, self._pids = steps, pids
        self._before = self._now()

    def _now(self) -> tuple[float, float, float]:
        cpu = time.process_time() + sum(map(cpu_s, self._pids))
        return float(self._steps()), time.monotonic(), cpu

    def speeds(self) -> tuple[float, float]:
        """Return steps a second by the clock and by CPU time."""
        steps, clock, cpu = (b - a for a, b in zip(self._before, self._now(), strict=True))
        return steps / clock, steps / cpu


def measure(pairs: int, seconds: float) -> None:
    """Print a line a pair, and the medians."""
    with tempfile.TemporaryDirectory() as folder, listen_for_page(0) as listener:
        config = load_config(
            None,
            {
                "headless": True,
                "save_dir": folder,
                "num_envs": 8,
                "workers": 1,
                "checkpoint_interval_s": 1e6,
                "ppo.rollout_steps": 16,  # so that each stretch has many updates
            },
        )
        session = EngineSession(config)
        page = RunPage(listener, session, draws=True)
        runner = HeadlessRunner(session, is_quiet=True)
        page.source = lambda: runner.state

        def wait(duration_s: float) -> int:
            """Do as `HeadlessRunner` does, and return the steps of the run."""
            end = time.monotonic() + duration_s
            while time.monotonic() < end:
                time.sleep(0.2)
                runner.poll()
            status = runner.state.status
            return status.total_steps if status is not None else 0

        with page:
            session.start()
            while wait(1.0) < WARM_UP_STEPS:
                pass
            workers = children(os.getpid())
            ratios = []
            for number in range(pairs):
                speeds = {}
                for is_open in (False, True) if number % 2 else (True, False):
                    viewer = None
                    if is_open:
                        command = python_command(
                            "tests.benchmarks.statistics_page", "--look", page.address
                        )
                        viewer = subprocess.Popen(command, env=python_environment())
                    wait(SETTLE_S)
                    stretch = Stretch(lambda: wait(0.3), workers)
                    wait(seconds)
                    speeds[is_open] = stretch.speeds()
                    if viewer is not None:
                        viewer.kill()
                        viewer.wait()
                        wait(11.0)  # so long the game is drawn after the last request
                ratio = [a / b for a, b in zip(speeds[True], speeds[False], strict=True)]
                rate, per_cpu_s = speeds[True]
                ratio.append(1000 * rate * (1 / per_cpu_s - 1 / speeds[False][1]))
                ratios.append(ratio)
                print(*(f"{speed:7.1f}" for both in speeds.values() for speed in both), ratio)
            session.stop()
    for name, values in zip(
        ("clock", "CPU", "ms of CPU a second"), zip(*ratios, strict=True), strict=True
    ):
        low, middle, high = statistics.quantiles(values, n=4)
        print(f"{name}: {middle:.3f} ({low:.3f} to {high:.3f})")


def cpu_s(pid: int) -> float:
    """Return how long a process has computed."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure, or be the one who looks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--look", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.look:
        asyncio.run(look(asked.look))
    else:
        measure(asked.pairs, asked.seconds)


if __name__ == "__main__":
    main()
