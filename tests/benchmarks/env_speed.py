"""Measure how fast environments step: `python -m tests.benchmarks.env_speed`."""

from engine.bench.environment import measure_environment

if __name__ == "__main__":
    measure_environment()
