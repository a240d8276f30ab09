"""What is trained, and what comes of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from engine.config import DQNConfig, PPOConfig
from tests.benchmarks.against_sb3.games import Policy


@dataclass(frozen=True, slots=True)
class Case:
    """A game and an algorithm, with hyperparameters that both sides take from here.

    Attributes:
        title: In tables.
        game: Of `GAMES`.
        steps: Of all environments together.
        num_envs: Environments that step together.
        config: Hyperparameters; its class says which algorithm.
        has_schedule: Their learning rate and clipping fall to 0, as tuned for them; ours stay.
    """

    title: str
    game: str
    steps: int
    num_envs: int
    config: PPOConfig | DQNConfig
    has_schedule: bool = False


@dataclass(slots=True)
class Clock:
    """How long something took.

    Attributes:
        wall_s: By the clock on the wall.
        cpu_s: Of this process's threads.
    """

    wall_s: float = 0.0
    cpu_s: float = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        wall_s, cpu_s = time.perf_counter(), time.process_time()
        yield
        self.wall_s += time.perf_counter() - wall_s
        self.cpu_s += time.process_time() - cpu_s


@dataclass(frozen=True, slots=True)
class Run:
    """A training run that is over.

    Attributes:
        steps: Taken; a little more than asked for, where environments step together.
        clock: Of training alone.
        returns: Of its episodes in the order in which they ended.
        acting: Acts as in training: PPO draws, DQN is now and then random.
        greedy: Takes the best action.
    """

    steps: int
    clock: Clock
    returns: list[float] = field(repr=False)
    acting: Policy = field(repr=False)
    greedy: Policy = field(repr=False)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is kept of a run.

    Attributes:
        steps: Taken.
        clock: Of training alone.
        returns: As many by each way of measuring.
    """

    steps: int
    clock: Clock
    returns: dict[str, list[float]]
