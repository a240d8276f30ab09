"""Measure training from Python; the documented names. Results are figures, never assertions."""

from __future__ import annotations

import os
import statistics
import threading
import time
from typing import TYPE_CHECKING

from engine.commands import Stop
from tests.engine.processes import resident_mb

if TYPE_CHECKING:
    from engine import HybridAgent, HybridLLMRLTrainer

_SAMPLE_INTERVAL_S = 0.1
_ENDLESS = 10**9


def benchmark_training_speed(
    trainer: HybridLLMRLTrainer, episodes: int = 100, max_steps_per_episode: int = 10_000
) -> dict[str, float]:
    """Train for some episodes more, from where the trainer stands.

    Returns:
        episodes, steps, seconds, steps_per_s, episodes_per_hour.
    """
    ends_s: list[float] = []
    lengths: list[int] = []

    def note(_: object, __: int, metrics: dict[str, float]) -> None:
        ends_s.append(time.perf_counter())
        lengths.append(int(metrics["length"]))

    trainer.register_callback("episode_end", note)
    done = trainer.episodes
    began_s = time.perf_counter()
    trainer.train(
        total_episodes=done + episodes,
        max_steps_per_episode=max_steps_per_episode,
        eval_interval=0,
    )
    seconds, steps = ends_s[-1] - began_s, sum(lengths)
    return {
        "episodes": len(lengths),
        "steps": steps,
        "seconds": seconds,
        "steps_per_s": steps / seconds,
        "episodes_per_hour": 3600 * len(lengths) / seconds,
    }


def benchmark_memory_usage(trainer: HybridLLMRLTrainer, duration: float = 60) -> dict[str, float]:
    """Train for `duration` seconds, and look at this process's memory meanwhile.

    Returns:
        start_mb, peak_mb, end_mb, growth_mb.
    """
    sizes = [resident_mb(os.getpid())]
    is_over = threading.Event()

    def sample() -> None:
        while not is_over.wait(_SAMPLE_INTERVAL_S):
            sizes.append(resident_mb(os.getpid()))

    sampler = threading.Thread(target=sample)
    clock = threading.Timer(duration, trainer.send, [Stop()])
    sampler.start()
    clock.start()
    try:
        trainer.train(total_episodes=_ENDLESS)
    finally:
        clock.cancel()
        is_over.set()
        sampler.join()
        clock.join()
    sizes.append(resident_mb(os.getpid()))
    return {
        "start_mb": sizes[0],
        "peak_mb": max(sizes),
        "end_mb": sizes[-1],
        "growth_mb": sizes[-1] - sizes[0],
    }


def benchmark_decision_latency(agent: HybridAgent, samples: int = 1000) -> dict[str, float]:
    """Let an agent decide in the practice game, without learning.

    Returns:
        samples, mean_ms, median_ms, p95_ms, max_ms.
    """
    # Here, not above: it brings torch along, which the soak test of the workers must not weigh.
    from tests.utils import create_mock_environment

    env = create_mock_environment()
    taken_ms = []
    try:
        observation, info = env.reset(seed=0)
        for _ in range(samples):
            began_s = time.perf_counter()
            action = agent.get_action(observation, info)
            taken_ms.append(1000 * (time.perf_counter() - began_s))
            observation, _, is_terminated, is_truncated, info = env.step(action)
            if is_terminated or is_truncated:
                observation, info = env.reset()
    finally:
        env.close()
    ordered = sorted(taken_ms)
    return {
        "samples": samples,
        "mean_ms": statistics.fmean(ordered),
        "median_ms": statistics.median(ordered),
        "p95_ms": ordered[int(0.95 * (samples - 1))],
        "max_ms": ordered[-1],
    }
