"""What is measured rather than asserted."""

from tests.benchmarks.training import (
    benchmark_decision_latency,
    benchmark_memory_usage,
    benchmark_training_speed,
)

__all__ = ["benchmark_decision_latency", "benchmark_memory_usage", "benchmark_training_speed"]
