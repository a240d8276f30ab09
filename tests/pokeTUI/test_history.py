import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokeTUI.history import MAX_POINTS, EpisodeHistory


def add_all(values: list[float]) -> EpisodeHistory:
    history = EpisodeHistory()
    for value in values:
        history = history.add(value, value > 0)
    return history


def test_success_counts_the_last_thirty_episodes() -> None:
    history = add_all([-1.0] * 50 + [1.0] * 15)
    assert history.success_rate == 0.5
    assert history.mean_return == 0.0


def test_the_curve_of_a_long_run_stays_bounded_and_true() -> None:
    count = 3 * MAX_POINTS + 17
    history = add_all([float(number) for number in range(count)])
    assert history.count == count
    assert len(history.returns) <= MAX_POINTS
    covered = len(history.returns) * history.stride + len(history.pending)
    assert covered == count
    assert history.returns[0] == pytest.approx((history.stride - 1) / 2)
    assert np.all(np.diff(history.returns) == history.stride)
    assert len(history.success_rates) == len(history.returns)


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=200))
def test_smoothing_stays_within_the_values(values: list[float]) -> None:
    curve = add_all(values).smooth_returns()
    assert len(curve) == len(values)
    assert curve.min() >= min(values) - 1e-6
    assert curve.max() <= max(values) + 1e-6


def test_an_empty_history_has_no_curve() -> None:
    assert len(EpisodeHistory().smooth_returns()) == 0
    assert EpisodeHistory().success_rate == 0.0
