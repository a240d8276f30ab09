"""Compare the speed of training with that of its environments alone."""

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.bench.environment import Figure, print_table
from engine.config import RunConfig, load_config
from engine.env.batch import Batch
from engine.env.vector.world import ENV_FACTORY, PLAIN_FACTORY, VectorEnv
from engine.events import Event, PolicyUpdated
from engine.games.base import fit_run
from engine.games.catalog import load_game
from engine.ground.scratch import scratch_folder
from engine.ground.text import counted
from engine.loop.controls import CommandQueue
from engine.runs.folder import RunFolder
from engine.training.build import build_trainer, environment_seeds

TARGET = 0.6


def measure_training(overrides: dict[str, Any], updates: int) -> tuple[Figure, ...]:
    """Print a table of medians and whether the target is met; return the lines.

    A run trains as `poketui run --headless` does, with `overrides` by dotted key. After every
    update the same actions are taken in the same games once more, without planner, policy and
    trainer. Ratios are taken between neighbours, so that a busy machine slows both alike.
    """
    with scratch_folder() as folder:
        fixed = {"agent": "ppo", "headless": True, "save_dir": str(folder)}
        config = load_config(None, {**overrides, **fixed})
        config = fit_run(config, load_game(config.rom_path, config.allow_unknown_rom))
        return print_table(_figures(config, updates))


def _figures(config: RunConfig, updates: int) -> Iterator[Figure]:
    seconds = _compare(config, updates)
    steps = config.num_envs * config.ppo.rollout_steps
    training = statistics.median(steps / taken for taken, _ in seconds)
    alone = statistics.median(steps / taken for _, taken in seconds)
    share = statistics.median(bare / taken for taken, bare in seconds)
    games = (
        f"{counted(config.num_envs, 'game')} in "
        f"{counted(config.worker_count(), 'process', 'processes')}"
    )
    yield Figure(f"environments alone, {games}", alone, f"{alone:,.0f} steps/s")
    yield Figure(f"training, {config.mode}", training, f"{training:,.0f} steps/s")
    yield Figure("share", share, f"{share:.2f}", f"at least {TARGET}", share >= TARGET)


class _NotedVector(VectorEnv):
    """Appends the actions of every step to a list."""

    def __init__(self, config: RunConfig, taken: list[NDArray[np.int64]]) -> None:
        super().__init__(ENV_FACTORY, config, config.num_envs, config.worker_count())
        self._taken = taken

    def step(self, actions: NDArray[np.int64], *, shows: bool = True) -> Batch:
        self._taken.append(actions)
        return super().step(actions, shows=shows)


def _compare(config: RunConfig, updates: int) -> list[tuple[float, float]]:
    """Return the seconds of each update's steps with training, and without.

    There is one update more, which warms everything up and does not count.
    """
    per_update = config.num_envs * config.ppo.rollout_steps
    config = config.model_copy(update={"total_steps": (updates + 1) * per_update})
    taken: list[NDArray[np.int64]] = []
    seconds: list[tuple[float, float]] = []
    began_s = time.perf_counter()

    def take(event: Event) -> None:
        nonlocal began_s
        if isinstance(event, PolicyUpdated):
            updated_s = time.perf_counter()
            for actions in taken:
                bare.step(actions)
            taken.clear()
            repeated_s = time.perf_counter()
            seconds.append((updated_s - began_s, repeated_s - updated_s))
            began_s = repeated_s

    with VectorEnv(PLAIN_FACTORY, config, config.num_envs, config.worker_count()) as bare:
        bare.reset(environment_seeds(config))
        _train(config, take, taken)
    return seconds[1:]


def _train(
    config: RunConfig, emit: Callable[[Event], None], taken: list[NDArray[np.int64]]
) -> None:
    folder = RunFolder.create(config)
    trainer = build_trainer(
        config,
        folder,
        CommandQueue(),
        emit,
        is_resumed=False,
        make_vector=lambda config: _NotedVector(config, taken),
    )
    try:
        trainer.run()
    finally:
        trainer.close()
        folder.unlock()
