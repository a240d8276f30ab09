import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.planning.models.member import Breaker
from tests.engine.planning.models.fake_backends import Clock


def build(seed: int = 0) -> tuple[Breaker, Clock]:
    clock = Clock()
    return Breaker(random.Random(seed), clock), clock


def fail(breaker: Breaker, times: int = 1) -> None:
    for _ in range(times):
        assert breaker.admit()
        breaker.fail()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(random.Random(0), clock)


def test_three_failures_in_a_row_open_it(breaker):
    fail(breaker, 2)
    assert not breaker.is_open
    fail(breaker)
    assert breaker.is_open
    assert not breaker.admit()
    assert 4 <= breaker.retry_in_s <= 6


def test_a_success_between_failures_resets_their_count(breaker):
    fail(breaker, 2)
    breaker.succeed()
    fail(breaker, 2)
    assert not breaker.is_open


def test_a_permanent_failure_opens_at_once(breaker):
    breaker.fail(is_permanent=True)
    assert breaker.is_open


def test_after_the_wait_one_question_is_on_trial(breaker, clock):
    fail(breaker, 3)
    clock.now += breaker.retry_in_s
    assert breaker.admit()
    assert breaker.is_open
    assert not breaker.admit()
    breaker.succeed()
    assert breaker.admit()
    assert breaker.admit()


def test_one_failure_on_trial_opens_it_for_longer(breaker, clock):
    fail(breaker, 3)
    clock.now += breaker.retry_in_s
    fail(breaker)
    assert 8 <= breaker.retry_in_s <= 12


def test_an_abandoned_trial_may_be_repeated(breaker, clock):
    fail(breaker, 3)
    clock.now += breaker.retry_in_s
    assert breaker.admit()
    breaker.abandon()
    assert breaker.admit()


def test_a_failure_that_comes_late_adds_nothing(breaker):
    fail(breaker, 3)
    waits = breaker.retry_in_s
    breaker.fail()
    breaker.fail(is_permanent=True)
    assert breaker.retry_in_s == waits


def test_the_wait_never_exceeds_five_minutes(breaker, clock):
    for _ in range(2000):
        breaker.fail(is_permanent=True)
        assert 0 < breaker.retry_in_s <= 300
        clock.now += 300
    assert breaker.retry_in_s == 0


def test_a_failure_may_say_how_long_it_opens_at_most(breaker, clock):
    waits = []
    for _ in range(200):
        breaker.fail(is_permanent=True, longest_s=30)
        waits.append(breaker.retry_in_s)
        clock.now += 30
    assert 4 <= waits[0] <= 6
    assert all(24 <= wait <= 30 for wait in waits[4:])
    assert breaker.admit()
    breaker.fail()  # another kind of failure: it continues from there, not from 200 openings
    assert 30 < breaker.retry_in_s <= 50


def test_two_runs_do_not_come_back_in_step():
    first, second = build(1)[0], build(2)[0]
    for breaker in (first, second):
        fail(breaker, 3)
    assert first.retry_in_s != second.retry_in_s


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["admit", "succeed", "fail", "permanent", "abandon", "wait", "long"]),
        st.floats(0, 60),
    ),
    max_size=60,
)


@given(STEPS, st.integers(0, 100))
def test_while_half_open_there_is_never_more_than_one_question(steps, seed):
    breaker, clock = build(seed)
    has_opened, on_trial = False, 0
    for step, seconds in steps:
        match step:
            case "admit":
                was_open = breaker.is_open
                admitted = breaker.admit()
                assert admitted != was_open
                if admitted and has_opened:
                    on_trial += 1
                    assert on_trial == 1
            case "succeed":
                breaker.succeed()
                has_opened, on_trial = False, 0
                assert not breaker.is_open
            case "fail" | "permanent":
                breaker.fail(is_permanent=step == "permanent")
                if breaker.retry_in_s > 0:
                    has_opened, on_trial = True, 0
            case "abandon":
                breaker.abandon()
                on_trial = 0
            case _:
                clock.now += 400 if step == "long" else seconds
        assert 0 <= breaker.retry_in_s <= 300


@given(st.integers(0, 10_000))
def test_reopening_grows_until_the_longest_wait_and_success_resets_it(seed):
    breaker, clock = build(seed)
    fail(breaker, 3)
    waits = [breaker.retry_in_s]
    for _ in range(10):
        clock.now += breaker.retry_in_s
        fail(breaker)
        waits.append(breaker.retry_in_s)
    grown = [earlier < later or earlier >= 240 for earlier, later in itertools.pairwise(waits)]
    assert all(grown)
    clock.now += breaker.retry_in_s
    assert breaker.admit()
    breaker.succeed()
    fail(breaker, 3)
    assert 4 <= breaker.retry_in_s <= 6
