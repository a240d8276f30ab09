"""Time `env.step` against the emulator alone, and environments in worker processes."""

import os
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from engine.config import RunConfig
from engine.emulator.base import Emulator
from engine.env.game_env import GameEnv
from engine.env.vector.world import PLAIN_FACTORY, VectorEnv

_RESETS = _SNAPSHOTS = 10
_TURN = 20
"""Steps before the next one's turn."""
_OWN_MEMORY = ("Private_Clean", "Private_Dirty")


@dataclass(slots=True)
class Press:
    """An action and its frames as the emulator saw them; walking and doors count as waiting."""

    action: int
    held: int = 0
    waited: int = 0


class _Scribe:
    """Wraps an emulator and records what is pressed, and for how many frames."""

    def __init__(self, emulator: Emulator) -> None:
        self._emulator = emulator
        self.script: list[Press] = []
        self._is_held = False

    def press(self, action: int) -> None:
        self._emulator.press(action)
        self.script.append(Press(action))
        self._is_held = True

    def release(self, action: int) -> None:
        self._emulator.release(action)
        self._is_held = False

    def tick(self, frames: int, render: bool = False) -> None:
        self._emulator.tick(frames, render)
        if self._is_held:
            self.script[-1].held += frames
        elif self.script:
            self.script[-1].waited += frames

    def __getattr__(self, name: str) -> Any:
        return getattr(self._emulator, name)


def write_script(env: GameEnv, steps: int, seed: int) -> list[Press]:
    """Return what the emulator gets of `steps` random allowed actions from the start."""
    rng = np.random.default_rng(seed)
    emulator, scribe = env.emulator, _Scribe(env.emulator)
    env.emulator = cast(Emulator, scribe)
    try:
        _begin(env, seed)
        for _ in range(steps):
            env.advance(int(choose(env.action_mask(), rng)))
    finally:
        env.emulator = emulator
    return scribe.script


def play_bare(env: GameEnv, script: Sequence[Press], seed: int) -> float:
    """Press and tick as in the script and do nothing else; return the CPU time in ms."""
    _begin(env, seed)
    return _run_bare(env, script)


def play_steps(env: GameEnv, script: Sequence[Press], seed: int) -> float:
    """Step the environment through the same actions; return the CPU time in ms."""
    _begin(env, seed)
    return _run_steps(env, script)


def play_in_turn(
    bare: Sequence[GameEnv], envs: Sequence[GameEnv], script: Sequence[Press], seed: int
) -> list[float]:
    """Run bare loops and steps in turn, every few steps, so that a busy machine slows all alike.

    Args:
        bare: Environments for bare loops, which draw each step's last frame if their
            environment does.
        envs: Environments that are stepped.
        script: What is pressed.
        seed: Random seed.

    Returns:
        The CPU time in ms of each of `bare`, then of each of `envs`.
    """
    runs = [*((env, _run_bare) for env in bare), *((env, _run_steps) for env in envs)]
    for env, _ in runs:
        _begin(env, seed)
    costs = [0.0] * len(runs)
    for start in range(0, len(script), _TURN):
        for index, (env, run) in enumerate(runs):
            costs[index] += run(env, script[start : start + _TURN])
    return costs


def _run_bare(env: GameEnv, script: Sequence[Press]) -> float:
    emulator, is_drawn = env.emulator, env.is_rendering
    start = time.process_time()
    for press in script:
        emulator.press(press.action)
        emulator.tick(press.held)
        emulator.release(press.action)
        emulator.tick(press.waited, is_drawn)
    return _ms_since(start)


def _run_steps(env: GameEnv, script: Sequence[Press]) -> float:
    start = time.process_time()
    for press in script:
        env.step(press.action)
    return _ms_since(start)


def reset_ms(env: GameEnv) -> float:
    """Return the CPU time of a reset in ms."""
    start = time.process_time()
    for _ in range(_RESETS):
        env.reset()
    return _ms_since(start) / _RESETS


def snapshot_ms(env: GameEnv) -> float:
    """Return the CPU time of saving the machine in ms."""
    start = time.process_time()
    for _ in range(_SNAPSHOTS):
        env.emulator.save_state()
    return _ms_since(start) / _SNAPSHOTS


def choose(mask: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw one allowed action a row."""
    return np.asarray(np.where(mask, rng.random(mask.shape), -1.0).argmax(-1), np.int64)


def _begin(env: GameEnv, seed: int) -> None:
    env.seed_random(seed)
    env.begin_episode()


def _ms_since(start: float) -> float:
    return 1000.0 * (time.process_time() - start)


@dataclass(frozen=True, slots=True)
class Crew:
    """Speed and memory of some workers.

    Attributes:
        rate: Steps a second of all workers together, by the clock.
        share: `rate` as a share of `size` times one worker's, both measured in turn.
        weight_mb: Memory of the largest worker, resident and private; None where the system does
            not report it.
    """

    size: int
    rate: float
    share: float
    weight_mb: tuple[float, float] | None


def measure_crews(config: RunConfig, steps: int, repeats: int, games: int) -> Iterator[Crew]:
    """Yield medians for 1, 2, 4 and so on up to one worker a core, each with `games` games."""
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
    return kilobytes["Rss"] / 1024, sum(kilobytes[name] for name in _OWN_MEMORY) / 1024
