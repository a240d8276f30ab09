import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.config import PlannerConfig
from engine.planning.models.questions import Budget
from tests.engine.planning.models.fake_backends import Clock


def build(least_burst: int = 1, **settings: Any) -> tuple[Budget, Clock]:
    clock = Clock()
    return Budget(PlannerConfig(**settings), clock, least_burst=least_burst), clock


def test_a_burst_is_possible_and_then_the_minute_s_rate():
    budget, clock = build(calls_per_minute=60)
    assert [budget.take() for _ in range(5)] == [0] * 5
    assert budget.take() == pytest.approx(1, abs=0.01)
    clock.now += budget.take()
    assert budget.take() == 0
    assert budget.take() > 0


def test_a_slow_rate_has_no_burst():
    budget, _ = build(calls_per_minute=0.5)
    assert budget.take() == 0
    assert budget.take() == pytest.approx(120, abs=0.01)


def test_all_models_of_a_vote_can_be_asked_at_once():
    budget, clock = build(least_burst=3, calls_per_minute=1)
    assert budget.take(3) == 0
    clock.now += budget.take(3)
    assert budget.take(3) == 0


@given(st.floats(0.1, 600), st.integers(0, 1000))
def test_no_minute_has_more_than_its_rate_and_a_burst(rate, seed):
    budget, clock = build(calls_per_minute=rate)
    rng = random.Random(seed)
    sent = 0
    began = clock.now
    while clock.now < began + 60:
        sent += budget.take() == 0
        clock.now += rng.random()
    assert sent <= rate * (clock.now - began) / 60 + 5 + 1


def test_tokens_of_the_run_run_out():
    budget, _ = build(max_tokens_per_run=100)
    budget.spend(60, 39)
    assert not budget.exhausted
    budget.spend(1, 0)
    assert "max_tokens_per_run" in budget.exhausted


def test_dollars_of_the_run_run_out():
    budget, _ = build(max_cost_per_run=1.0, input_price=1.0, output_price=10.0)
    assert budget.spend(500_000, 0) == 0.5
    assert not budget.exhausted
    assert budget.spend(0, 50_000) == 0.5
    assert "max_cost_per_run" in budget.exhausted


@pytest.mark.parametrize("settings", [{}, {"max_cost_per_run": 0, "input_price": 100}])
def test_without_prices_or_bounds_nothing_runs_out(settings):
    budget, _ = build(**settings)
    budget.spend(10**9, 10**9)
    assert bool(budget.cost) is bool(settings)
    assert not budget.exhausted


def test_a_resumed_run_goes_on_counting():
    budget, _ = build(max_tokens_per_run=100, input_price=2)
    budget.spend(50, 20)
    resumed, _ = build(max_tokens_per_run=100, input_price=2)
    resumed.load(json.loads(json.dumps(budget.save())))
    assert (resumed.prompt_tokens, resumed.answer_tokens) == (50, 20)
    assert resumed.cost == budget.cost
    resumed.spend(30, 0)
    assert resumed.exhausted


@pytest.mark.parametrize(
    "change",
    [
        {"prompt_tokens": -1},
        {"answer_tokens": 1.5},
        {"prompt_tokens": True},
        {"cost": -0.1},
        {"cost": float("nan")},
        {"cost": None},
        {"cost": "1"},
    ],
)
def test_a_damaged_count_is_refused(change):
    budget, _ = build()
    with pytest.raises(ValueError, match="not"):
        budget.load(budget.save() | change)
