"""Step environments for long and watch the memory: `python -m tests.benchmarks.soak`.

Random steps in worker processes, with all that training asks of them beside: looks at a watched
game, saves, advice. Prints the memory and the open files of the parent and of the workers; exits
with 1 if, after a warm-up, one of them grows by more than 5 %. A million steps take some minutes.
"""

import argparse
import os
import sys
import tempfile
import time
from dataclasses import dataclass

import numpy as np

from engine.config import EnvConfig, RunConfig
from engine.env.vector.world import VectorEnv
from tests.engine.processes import resident_mb

FACTORY = "engine.planning.goals.planned:make_env"
"""What training uses; its constant would bring torch and its memory along."""

GAMES_A_WORKER = 2
EPISODE_STEPS = 500
WARM_UP_EPISODES = 2
"""Every game has seen an episode end by then, and what is kept from one to the next is there."""
NUM_SAMPLES = 40
LOOK_EVERY = 50
LIMIT = 0.05


@dataclass(frozen=True, slots=True)
class Sample:
    """How large the processes are, the parent first.

    Attributes:
        steps: Environment steps so far.
        resident_mb: By process.
        open_files: By process.
    """

    steps: int
    resident_mb: tuple[float, ...]
    open_files: tuple[int, ...]

    @classmethod
    def of(cls, steps: int, pids: tuple[int, ...]) -> "Sample":
        return cls(
            steps,
            tuple(resident_mb(pid) for pid in pids),
            tuple(len(os.listdir(f"/proc/{pid}/fd")) for pid in pids),  # noqa: PTH208
        )

    def __str__(self) -> str:
        parent, *workers = self.resident_mb
        return (
            f"{self.steps:>9,} steps  parent {parent:6.1f} MB  workers {min(workers):6.1f} to "
            f"{max(workers):6.1f} MB, {sum(workers):7.1f} in all  files {sum(self.open_files)}"
        )


def soak(steps: int, num_workers: int) -> list[Sample]:
    """Step at random; return samples, the first from the end of the warm-up."""
    num_envs = num_workers * GAMES_A_WORKER
    rng = np.random.default_rng(0)
    first = max(steps // 10, WARM_UP_EPISODES * EPISODE_STEPS * num_envs)
    due = np.linspace(first, steps, NUM_SAMPLES)
    samples: list[Sample] = []
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        env = EnvConfig(max_steps=EPISODE_STEPS, progress_steps=0)
        config = RunConfig(save_dir=folder, env=env)
        with VectorEnv(FACTORY, config, num_envs, num_workers) as vector:
            batch = vector.reset(range(num_envs))
            vector.watch(0)
            pids = (os.getpid(), *vector.pids)
            for taken in range(num_envs, steps + num_envs, num_envs):
                batch = vector.step(
                    np.where(batch.mask, rng.random(batch.mask.shape), -1.0).argmax(1)
                )
                assert not batch.warnings, batch.warnings
                if taken % (LOOK_EVERY * num_envs) == 0:
                    vector.inspect()
                if len(samples) < NUM_SAMPLES and taken >= due[len(samples)]:
                    samples.append(Sample.of(taken, pids))
                    print(samples[-1], flush=True)
                    vector.save()
                    vector.watch(len(samples) % num_envs)
    print(f"{steps / (time.monotonic() - began_s):,.0f} steps/s")
    return samples


def growth(samples: list[Sample]) -> float:
    """Return by how much the process that grew most is larger than after the warm-up, as a share.

    Of the last samples the smallest counts: what goes down again is no leak.
    """
    start = np.array(samples[0].resident_mb)
    end = np.array([sample.resident_mb for sample in samples[-3:]]).min(0)
    return float((end / start - 1).max())


def has_more_files(samples: list[Sample]) -> bool:
    """Return whether a process has more files open than after the warm-up."""
    pairs = zip(samples[0].open_files, samples[-1].open_files, strict=True)
    return any(end > start for start, end in pairs)


def main() -> int:
    """Soak, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=8)
    options = parser.parse_args()
    least = 2 * WARM_UP_EPISODES * EPISODE_STEPS * GAMES_A_WORKER * options.workers
    if options.steps < least:
        parser.error(f"--steps must be at least {least:,} for {options.workers} workers")
    samples = soak(options.steps, options.workers)
    print(f"growth {growth(samples):+.1%} (limit {LIMIT:.0%})")
    return int(growth(samples) > LIMIT or has_more_files(samples))


if __name__ == "__main__":
    sys.exit(main())
