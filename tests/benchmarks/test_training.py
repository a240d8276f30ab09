from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import HybridLLMRLTrainer
from tests.benchmarks import (
    benchmark_decision_latency,
    benchmark_memory_usage,
    benchmark_training_speed,
)
from tests.utils import create_test_trainer


@pytest.fixture
def trainer(tmp_path: Path) -> Iterator[HybridLLMRLTrainer]:
    trainer = create_test_trainer(temp_dir=tmp_path)
    yield trainer
    trainer.close()


@pytest.mark.slow
def test_training_speed_counts_the_episodes_asked_for(trainer: HybridLLMRLTrainer) -> None:
    for _ in range(2):
        results = benchmark_training_speed(trainer, episodes=2, max_steps_per_episode=8)
        assert (results["episodes"], results["steps"]) == (2, 16)
        assert results["steps_per_s"] == pytest.approx(16 / results["seconds"])


@pytest.mark.slow
def test_memory_usage_is_sampled_until_the_time_is_over(trainer: HybridLLMRLTrainer) -> None:
    results = benchmark_memory_usage(trainer, duration=0.5)
    assert 0 < results["start_mb"] <= results["peak_mb"]
    assert results["growth_mb"] == pytest.approx(results["end_mb"] - results["start_mb"])


def test_decision_latency_orders_its_figures(trainer: HybridLLMRLTrainer) -> None:
    results = benchmark_decision_latency(trainer.parts.agent, samples=30)
    assert results["samples"] == 30
    assert 0 < results["median_ms"] <= results["p95_ms"] <= results["max_ms"]
