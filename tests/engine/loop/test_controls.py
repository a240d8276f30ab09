import pytest

from engine.loop.controls import CommandQueue, Pace
from tests.engine.training.helpers import Clock


def test_steps_are_spaced_by_the_limit():
    clock = Clock()
    pace = Pace(clock)
    pace.limit(4)
    pace.mark()
    assert pace.wait_s() == pytest.approx(0.25)
    clock.now_s += 0.1
    assert pace.wait_s() == pytest.approx(0.15)


def test_a_late_step_does_not_make_the_next_ones_hurry():
    clock = Clock()
    pace = Pace(clock)
    pace.limit(4)
    pace.mark()
    clock.now_s += 10
    pace.mark()
    assert pace.wait_s() == 0
    pace.mark()
    assert pace.wait_s() == pytest.approx(0.25)


def test_without_a_limit_nothing_waits():
    pace = Pace(Clock())
    pace.mark()
    assert pace.wait_s() == 0


def test_commands_come_in_order_and_an_empty_queue_yields_nothing():
    commands = CommandQueue()
    assert not list(commands.drain())
    commands.put("first")
    commands.put("second")
    assert list(commands.drain(wait_s=1)) == ["first", "second"]
