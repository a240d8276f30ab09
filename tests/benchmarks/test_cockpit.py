"""The measurements measure what they say; how fast this machine is, no test asserts."""

import pytest

from tests.benchmarks.cockpit.memory import measure_memory


@pytest.mark.slow
def test_measure_memory_shows_every_event_to_the_cockpit() -> None:
    growth, cost = measure_memory(20_000)
    assert growth.name.startswith("memory after 20,000 events")
    assert growth.value > -1
    assert cost.value > 0
