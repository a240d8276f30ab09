import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.types import EpisodeSummary
from pokeTUI.dashboard.event_lines import Backlog
from pokeTUI.dashboard.history import MAX_POINTS, EpisodeHistory, Record, smooth


def summary(total: float, **facts: object) -> EpisodeSummary:
    return EpisodeSummary(0, total, 10, (), is_success=total > 0, **facts)  # type: ignore[arg-type]


def add_all(values: list[float]) -> EpisodeHistory:
    history = EpisodeHistory()
    for number, value in enumerate(values, start=1):
        history = history.add(number, summary(value))
    return history


def record_of(values: list[float]) -> Record:
    record = Record()
    for number, value in enumerate(values, start=1):
        record = record.add(number, {"value": value})
    return record


def test_the_curve_of_a_long_run_stays_bounded_and_true() -> None:
    count = 3 * MAX_POINTS + 17
    record = record_of([float(number) for number in range(count)])
    places, values = record.points("value")
    assert record.count == count
    assert record.stride == 4
    assert len(values) <= MAX_POINTS
    assert values[0] == pytest.approx((record.stride - 1) / 2)
    assert np.all(np.diff(values[:-1]) == record.stride)
    assert places[-1] == count
    held = sum(map(len, record.blocks)) + 16 * len(record.tail)
    assert held <= 16 * MAX_POINTS


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=200), st.integers(1, 100))
def test_smoothing_stays_within_the_values(values: list[float], window: int) -> None:
    curve = smooth(np.array(values), window)
    assert len(curve) == len(values)
    assert curve.min() >= min(values) - 1e-6
    assert curve.max() <= max(values) + 1e-6


def test_an_empty_history_has_no_curve() -> None:
    assert len(EpisodeHistory().record.points("return")[1]) == 0
    assert EpisodeHistory().milestone_share("badge") == 0.0


def test_a_milestone_that_comes_late_was_never_reached_before() -> None:
    history = add_all([1.0] * 100)
    history = history.add(101, summary(1.0, steps_to_milestone={"badge": 7}))
    places, values = history.record.points("milestone/badge")
    assert places.tolist() == list(range(1, 102))
    assert values.tolist() == [0.0] * 100 + [1.0]
    assert history.milestone_share("badge") == pytest.approx(1 / 30)


def test_a_name_that_comes_when_points_are_merged_widens_the_unfinished_one() -> None:
    record = record_of([1.0] * (MAX_POINTS + 1))
    assert record.stride == 2
    record = record.add(MAX_POINTS + 2, {"value": 1.0, "late": 1.0})
    assert record.points("late")[1][-1] == 0.5
    assert record.points("value")[1][-1] == 1.0


def test_figures_that_are_missing_now_and_then_are_no_points_and_spoil_no_mean() -> None:
    record = Record(absent=math.nan)
    for number in range(MAX_POINTS + 600):
        figures = {"often": 2.0} | ({"seldom": 4.0} if number % 2 else {})
        record = record.add(number, figures)
    assert set(record.points("often")[1]) == {2.0}
    assert set(record.points("seldom")[1]) == {4.0}


def test_a_loss_that_is_no_number_is_left_out() -> None:
    record = Record(absent=math.nan).add(1, {"loss": 1.0}).add(2, {"loss": math.nan})
    assert record.points("loss")[1].tolist() == [1.0]


def test_adding_leaves_the_old_record_as_it_was() -> None:
    before = record_of([1.0] * (MAX_POINTS - 1))
    copy = record_of([1.0] * (MAX_POINTS - 1))
    before.add(MAX_POINTS, {"value": 5.0, "new": 1.0})
    assert before == copy


def test_history_keeps_the_pay_of_sixty_episodes() -> None:
    history = EpisodeHistory()
    for number in range(70):
        paid = EpisodeSummary(0, 1.0, 10, (("map", float(number)),))
        history = history.add(number, paid)
    assert history.component_values("map") == tuple(float(number) for number in range(10, 70))
    assert history.component_values("other") == (0.0,) * 60
    assert len(history.record.points("reward/map")[1]) == 70


@given(st.lists(st.integers(), max_size=600), st.integers(1, 200))
def test_the_last_items_are_kept_in_order(items: list[int], limit: int) -> None:
    backlog: Backlog[int] = Backlog(limit)
    for item in items:
        backlog = backlog.add(item)
    kept = tuple(backlog)
    assert len(backlog) == len(kept) >= min(limit, len(items))
    assert len(kept) < limit + 128
    assert kept == tuple(items[len(items) - len(kept) :])
    assert tuple(reversed(backlog)) == kept[::-1]
    assert backlog.end == len(items)
    assert [backlog[index] for index in range(-len(kept), len(kept))] == [*kept, *kept]
    assert backlog[1:3] == kept[1:3]


def test_an_older_backlog_stays_as_it_was() -> None:
    one = Backlog[str](10).add("a")
    two, other = one.add("b"), one.with_last("c")
    assert (tuple(one), tuple(two), tuple(other)) == (("a",), ("a", "b"), ("c",))
    assert one == Backlog[str](10).add("a")
    assert other.end == 1


def test_there_is_nothing_beyond_the_ends() -> None:
    with pytest.raises(IndexError):
        Backlog[int](5).add(1)[1]
    with pytest.raises(IndexError):
        Backlog[int](5).add(1)[-2]
