"""Measure how fast environments step on the practice game, against the emulator alone."""

import statistics
import tempfile
import time

import numpy as np
from numpy.typing import NDArray

from engine.config import RunConfig
from engine.env.crystal_env import EnhancedPyBoyPokemonCrystalEnv
from engine.env.vector import PLAIN_FACTORY, VectorEnv
from engine.types import Action

NUM_ENVS = 16


def measure_environment(*, steps: int = 2000, repeats: int = 7) -> float:
    """Print medians of frames and steps a second; return the ratio of the two loops.

    A whole step presses a button, emulates 20 frames, reads RAM to a GameState, pays, masks and
    encodes features; the bare loop makes the same presses and frames and nothing else. Both play
    the same masked random actions, and each repetition measures both, so that a busy machine
    slows both alike.
    """
    env = EnhancedPyBoyPokemonCrystalEnv(observation_type="state")
    pairs = []
    for seed in range(repeats):
        stepping, actions = _step_seconds(env, steps, seed)
        pairs.append((stepping, _tick_seconds(env, actions, seed)))
    env.close()
    stepping = statistics.median(pair[0] for pair in pairs)
    ticking = statistics.median(pair[1] for pair in pairs)
    ratio = statistics.median(bare / whole for whole, bare in pairs)
    frames = env.config.hold_frames + env.config.wait_frames
    print(f"bare ticks       {steps * frames / ticking:>8,.0f} frames/s ({frames} an action)")
    print(f"env.step         {steps / stepping:>8,.0f} steps/s, {ratio:.2f} of the bare loop")
    for num_workers in (1, 2):
        rate = statistics.median(_vector_rate(steps, num_workers) for _ in range(3))
        print(f"{NUM_ENVS} games, {num_workers} proc. {rate:>8,.0f} steps/s")
    return ratio


def _choose(mask: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw one allowed action a row."""
    return np.asarray(np.where(mask, rng.random(mask.shape), -1.0).argmax(-1), np.int64)


def _begin(env: EnhancedPyBoyPokemonCrystalEnv, seed: int) -> None:
    env.seed_random(seed)
    env.begin_episode()


def _step_seconds(
    env: EnhancedPyBoyPokemonCrystalEnv, steps: int, seed: int
) -> tuple[float, list[Action]]:
    """Return the seconds of `steps` masked random steps, and the actions."""
    rng = np.random.default_rng(seed)
    _begin(env, seed)
    actions = []
    seconds = 0.0
    for _ in range(steps):
        start = time.perf_counter()
        mask = env.action_mask()
        env.features()
        seconds += time.perf_counter() - start
        action = Action(int(_choose(mask, rng)))
        actions.append(action)
        start = time.perf_counter()
        env.advance(action)
        seconds += time.perf_counter() - start
    return seconds, actions


def _tick_seconds(env: EnhancedPyBoyPokemonCrystalEnv, actions: list[Action], seed: int) -> float:
    """Return the seconds of the same presses and frames and nothing else."""
    _begin(env, seed)
    emulator, hold, wait = env.emulator, env.config.hold_frames, env.config.wait_frames
    start = time.perf_counter()
    for action in actions:
        emulator.press(action)
        emulator.tick(hold)
        emulator.release(action)
        emulator.tick(wait)
    return time.perf_counter() - start


def _vector_rate(steps: int, num_workers: int) -> float:
    """Return the steps a second of `NUM_ENVS` games in `num_workers` processes."""
    rng = np.random.default_rng(0)
    rounds = max(1, steps // NUM_ENVS)
    with (
        tempfile.TemporaryDirectory() as folder,
        VectorEnv(PLAIN_FACTORY, RunConfig(save_dir=folder), NUM_ENVS, num_workers) as vector,
    ):
        batch = vector.reset(range(NUM_ENVS))
        start = time.perf_counter()
        for _ in range(rounds):
            batch = vector.step(_choose(batch.mask, rng))
        return rounds * NUM_ENVS / (time.perf_counter() - start)
