"""The measurements measure what they say; how fast this machine is, no test asserts."""

import math
from collections.abc import Callable, Iterator

import pytest

from engine.bench.environment import Figure
from tests.benchmarks.cockpit.memory import measure_memory
from tests.benchmarks.cockpit.overlay import measure_overlay
from tests.benchmarks.cockpit.play import measure_play
from tests.benchmarks.cockpit.start import measure_start
from tests.benchmarks.cockpit.throughput import measure_throughput


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "first"),
    [
        (lambda: measure_start(1), "first paint, 4 games, 1 worker"),
        (lambda: measure_play(6), "6 s of real play at 30 fps, 120x40"),
        (lambda: measure_overlay(2), "50 runs of 1,000 episodes, read"),
        (lambda: measure_throughput(2, 0.3), "training with the screen at 30 Hz"),
    ],
    ids=["start", "play", "overlay", "training"],
)
def test_measurement_of_the_cockpit_has_a_value_for_each_figure(
    measure: Callable[[], Iterator[Figure]], first: str
) -> None:
    figures = list(measure())
    assert figures[0].name.startswith(first)
    assert all(math.isfinite(figure.value) and figure.value > 0 for figure in figures)


@pytest.mark.slow
def test_measure_memory_shows_every_event_to_the_cockpit() -> None:
    growth, cost = measure_memory(20_000)
    assert growth.name.startswith("memory after 20,000 events")
    assert growth.value > -1
    assert cost.value > 0
