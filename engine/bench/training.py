"""Measure how much of the environments' speed is left when a policy learns from them."""

import statistics
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.bench.environment import Figure, print_table
from engine.bench.pace import choose
from engine.config import RunConfig, load_config
from engine.env.vector import PLAIN_FACTORY, VectorEnv
from engine.events import Event, PolicyUpdated
from engine.training.build import build_trainer, environment_seeds
from engine.training.controls import CommandQueue
from engine.training.runs import RunFolder

TARGET = 0.6


def measure_training(overrides: dict[str, Any], updates: int) -> tuple[Figure, ...]:
    """Print a table of medians and whether the target is met; return the lines.

    After every update of a training run as `poketui run --headless` makes it, the same number of
    random steps is taken in the same number of bare games: without planner, policy and trainer.
    Ratios are taken between neighbours, so that a busy machine slows both alike.

    Args:
        overrides: Settings by dotted key.
        updates: How often the policy learns.
    """
    with tempfile.TemporaryDirectory() as folder:
        fixed = {"agent": "ppo", "headless": True, "save_dir": folder}
        config = load_config(None, {**overrides, **fixed})
        return print_table(_figures(config, updates))


def _figures(config: RunConfig, updates: int) -> Iterator[Figure]:
    with VectorEnv(PLAIN_FACTORY, config, config.num_envs, config.worker_count()) as bare:
        pairs = _Pairs(config, bare)
        pairs.play(updates)
    steps = config.num_envs * config.ppo.rollout_steps
    alone = statistics.median(steps / seconds for _, seconds in pairs.seconds)
    training = statistics.median(steps / seconds for seconds, _ in pairs.seconds)
    share = statistics.median(alone / training for training, alone in pairs.seconds)
    games = f"{config.num_envs} games in {config.worker_count()} processes"
    yield Figure(f"environments alone, {games}", alone, f"{alone:,.0f} steps/s")
    yield Figure(f"training, {config.mode}", training, f"{training:,.0f} steps/s")
    yield Figure("share", share, f"{share:.2f}", f"at least {TARGET}", share >= TARGET)


class _Pairs:
    """Train and step bare games in turn.

    Attributes:
        seconds: Of the same number of steps, with and without training.
    """

    def __init__(self, config: RunConfig, bare: VectorEnv) -> None:
        self.seconds: list[tuple[float, float]] = []
        self._config = config
        self._bare = bare
        self._batch = bare.reset(environment_seeds(config))
        self._rng = np.random.default_rng(config.seed)
        self._began = 0.0

    def play(self, updates: int) -> None:
        """Train until the policy has been updated so often, and once before to warm up."""
        steps = (updates + 1) * self._config.num_envs * self._config.ppo.rollout_steps
        config = self._config.model_copy(update={"total_steps": steps})
        folder = RunFolder.create(config)
        trainer = build_trainer(config, folder, CommandQueue(), self._take, is_resumed=False)
        try:
            trainer.run()
        finally:
            trainer.journal.close()
            if trainer.recorder is not None:
                trainer.recorder.close()
            trainer.vector.close()
            folder.unlock()
        self.seconds = self.seconds[1:]

    def _take(self, event: Event) -> None:
        if isinstance(event, PolicyUpdated):
            trained = time.perf_counter() - self._began
            self.seconds.append((trained, self._step_bare()))
            self._began = time.perf_counter()

    def _step_bare(self) -> float:
        began = time.perf_counter()
        for _ in range(self._config.ppo.rollout_steps):
            self._batch = self._bare.step(choose(self._batch.mask, self._rng))
        return time.perf_counter() - began
