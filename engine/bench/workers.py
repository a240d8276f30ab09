"""Time environments in worker processes, and weigh a worker."""

import os
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.bench.pace import choose
from engine.config import RunConfig
from engine.env.vector import PLAIN_FACTORY, VectorEnv

_OWN = ("Private_Clean", "Private_Dirty")


@dataclass(frozen=True, slots=True)
class Crew:
    """How some workers did.

    Attributes:
        rate: Steps a second of wall time, all together.
        share: `rate` in shares of as many times one worker's, each pair measured in turn.
        weight_mb: Memory of the heaviest worker: all of it, and what it shares with no other; None
            where the system does not report it.
    """

    size: int
    rate: float
    share: float
    weight_mb: tuple[float, float] | None


def measure_crews(config: RunConfig, steps: int, repeats: int, games: int) -> Iterator[Crew]:
    """Yield medians of wall time for one worker, two, four and so on, up to one a core.

    Each worker plays `games` games.
    """
    with _start(config, 1, games) as one:
        for size in crew_sizes(os.cpu_count() or 1):
            with _start(config, size, games) as crew:
                pairs = [
                    (_rate(one, steps // games, seed), _rate(crew, steps // games, seed))
                    for seed in range(repeats)
                ]
                weights = [weight for pid in crew.pids if (weight := _weigh(pid))]
            yield Crew(
                size,
                statistics.median(rate for _, rate in pairs),
                statistics.median(rate / (size * single) for single, rate in pairs),
                max(weights, default=None),
            )


def crew_sizes(cores: int) -> list[int]:
    """Return 1, 2, 4 and so on up to `cores`, which is the last."""
    return sorted({cores, *(1 << power for power in range(cores.bit_length()))})


def _start(config: RunConfig, size: int, games: int) -> VectorEnv:
    return VectorEnv(PLAIN_FACTORY, config, games * size, size)


def _rate(vector: VectorEnv, rounds: int, seed: int) -> float:
    """Return the steps a second of `rounds` steps in each game, at least one."""
    rng = np.random.default_rng(seed)
    rounds = max(1, rounds)
    batch = vector.reset(range(seed, seed + vector.num_envs))
    start = time.perf_counter()
    for _ in range(rounds):
        batch = vector.step(choose(batch.mask, rng))
    return rounds * vector.num_envs / (time.perf_counter() - start)


def _weigh(pid: int) -> tuple[float, float] | None:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    except OSError:  # not Linux
        return None
    kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return kilobytes["Rss"] / 1024, sum(kilobytes[name] for name in _OWN) / 1024
