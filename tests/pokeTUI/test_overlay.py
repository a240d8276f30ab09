"""Groups of runs, bands over seeds, and what of a curve a plot needs."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import PolicyUpdated
from pokeTUI.dashboard.curves import ALONE, LENGTH, RETURN, Curve, shared_curves
from pokeTUI.dashboard.history import Points
from pokeTUI.dashboard.overlay import (
    EACH_RUN,
    Group,
    Overlay,
    View,
    band_of,
    figures_of,
    grouping_settings,
    load_run,
    make_groups,
    thin,
)
from tests.pokeTUI.saved_runs import LENGTH as EPISODE_STEPS
from tests.pokeTUI.saved_runs import episode, learn, write_run, write_seeds

FLAT = View(RETURN, window=1)


def line(*values: float, start: float = 0.0) -> Points:
    return start + np.arange(len(values), dtype=float), np.array(values, float)


def test_runs_that_differ_only_in_the_seed_are_a_group(tmp_path: Path) -> None:
    runs = [load_run(str(tmp_path), name) for name in write_seeds(tmp_path, seeds=2)]
    assert grouping_settings(runs) == ["agent"]
    groups = make_groups(runs)
    assert {group.label: len(group.runs) for group in groups} == {"agent=ppo": 2, "agent=dqn": 2}
    assert make_groups(runs, "agent") == groups
    each = [group.label for group in make_groups(runs, EACH_RUN)]
    assert each == ["ppo-1", "ppo-2", "dqn-1", "dqn-2"]


def test_a_run_without_its_like_is_called_by_its_name(tmp_path: Path) -> None:
    write_run(tmp_path, "one", [], agent="ppo", ppo={"epochs": 3})
    write_run(tmp_path, "two", [], agent="ppo", ppo={"epochs": 4})
    runs = [load_run(str(tmp_path), name) for name in ("one", "two")]
    assert [group.label for group in make_groups(runs)] == ["one", "two"]
    assert [group.label for group in make_groups(runs, "ppo.epochs")] == ["epochs=3", "epochs=4"]
    assert [group.label for group in make_groups(runs[:1] * 2)] == ["same settings"]


def test_a_band_reaches_from_the_lowest_to_the_highest_curve() -> None:
    band = band_of([line(0, 0), line(2, 4), line(4, 5)])
    assert (band.places[0], band.places[-1]) == (0.0, 1.0)
    assert (band.low[-1], band.mean[-1], band.high[-1]) == (0.0, 3.0, 5.0)


def test_quartiles_leave_the_outliers_out() -> None:
    lines = [line(value, value) for value in (0.0, 10.0, 20.0, 30.0, 1000.0)]
    band = band_of(lines, is_quartiles=True)
    assert (band.low[0], band.high[0]) == (10.0, 30.0)
    assert band.low.tolist() == pytest.approx(np.full(len(band.low), 10.0).tolist())


def test_where_a_curve_has_ended_the_others_make_the_band() -> None:
    band = band_of([line(0, 0, 0), line(10, 10, 10, 10, 10)])
    assert (band.low[0], band.high[0], band.mean[0]) == (0.0, 10.0, 5.0)
    assert (band.low[-1], band.high[-1], band.mean[-1]) == (10.0, 10.0, 10.0)


def test_a_band_ends_where_fewer_than_half_of_its_curves_go_on() -> None:
    band = band_of([line(0, 0), line(1, 1), line(10, 10, 10)])
    assert band.places[-1] == pytest.approx(1.0, abs=0.01)
    assert (band.high[-1], len(band.mean)) == (10.0, len(band.places))


def test_a_stretch_that_no_curve_has_is_left_out_of_the_band() -> None:
    band = band_of([line(1, 1), line(3, 3, start=9)])
    assert not np.any((band.places > 1) & (band.places < 9))
    assert len(band_of([]).places) == 0
    assert band_of([line(2.0)]).mean.tolist() == [2.0]


@given(
    st.lists(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30), min_size=1, max_size=5),
    st.booleans(),
)
def test_a_mean_lies_within_its_band(curves: list[list[float]], is_quartiles: bool) -> None:
    band = band_of([line(*values) for values in curves], is_quartiles=is_quartiles)
    assert np.all(band.low <= band.high + 1e-9)
    if not is_quartiles:
        assert np.all(band.low <= band.mean + 1e-9)
        assert np.all(band.mean <= band.high + 1e-9)


@given(st.integers(1, 5000))
def test_a_thin_curve_keeps_its_ends_and_extremes_in_order(count: int) -> None:
    values = np.random.default_rng(count).normal(size=count)
    places, kept = thin(line(*values))
    assert len(kept) <= 1000
    assert (kept[0], kept[-1]) == (values[0], values[-1])
    assert (kept.min(), kept.max()) == (values.min(), values.max())
    assert np.all(np.diff(places) > 0)


def test_the_best_is_the_lowest_of_what_should_be_low() -> None:
    points = line(5, 1, 9, 4)
    best = figures_of(RETURN, points)
    assert (best.last, best.best, best.best_at) == (4.0, 9.0, 2.0)
    least = figures_of(LENGTH, points)
    assert (least.best, least.best_at) == (1.0, 1.0)
    assert figures_of(RETURN, line()) is None


def test_the_best_mean_is_one_over_its_whole_window() -> None:
    found = figures_of(RETURN, line(9, 5, 6, 4), window=2)
    assert (found.best, found.best_at) == (6.0, 2.0)
    young = figures_of(RETURN, line(9, 5), window=30)
    assert young.best == 5.0


def test_curves_stand_at_the_steps_of_their_run_or_at_their_episodes(tmp_path: Path) -> None:
    events = [*learn("ppo", 1, episodes=40), PolicyUpdated(7, 4_500, {"entropy": 0.5})]
    run = load_run(str(tmp_path), write_run(tmp_path, "one", events))
    overlay = Overlay([run])
    places, _ = overlay.line(run, FLAT)
    assert places.tolist() == [EPISODE_STEPS * number for number in range(1, 41)]
    assert overlay.line(run, View(ALONE))[0].tolist() == [2_000, 4_000]
    entropy = Curve("updates", "entropy", "entropy")
    assert entropy in shared_curves([run.state])
    assert overlay.line(run, View(entropy))[0].tolist() == [4_500]
    assert overlay.line(run, View(entropy, is_by_steps=False))[0].tolist() == [7]
    assert overlay.line(run, View(RETURN, is_by_steps=False))[0].tolist() == list(range(1, 41))


def test_a_run_without_a_milestone_counts_as_none_of_its_episodes(tmp_path: Path) -> None:
    write_run(tmp_path, "one", [episode(1, 1.0, "badge"), episode(2, 1.0, "badge")])
    write_run(tmp_path, "two", [episode(1, 1.0), episode(2, 1.0)], seed=1)
    runs = tuple(load_run(str(tmp_path), name) for name in ("one", "two"))
    (badge,) = [
        curve for curve in shared_curves([run.state for run in runs]) if curve.title == "badge"
    ]
    band = Overlay().band(Group("", runs), View(badge, window=1), is_quartiles=False)
    assert (band.low[0], band.mean[0], band.high[0]) == (0.0, 0.5, 1.0)


def test_a_group_in_figures_is_the_mean_of_its_runs_and_the_best_of_any(tmp_path: Path) -> None:
    for name, values in (("one", (1.0, 5.0, 3.0)), ("two", (1.0, 2.0, 7.0))):
        write_run(tmp_path, name, [episode(n, value) for n, value in enumerate(values, 1)])
    runs = tuple(load_run(str(tmp_path), name) for name in ("one", "two"))
    found = Overlay().summary(Group("", runs), FLAT)
    assert (found.last, found.low, found.high) == (5.0, 3.0, 7.0)
    assert (found.best, found.best_at) == (7.0, 300.0)
    assert Overlay().summary(Group("", runs), View(ALONE)) is None


def test_what_was_worked_out_of_a_curve_is_kept(tmp_path: Path) -> None:
    run = load_run(str(tmp_path), write_run(tmp_path, "one", [episode(1, 1.0)]))
    overlay = Overlay([run])
    assert overlay.thin_line(run, FLAT) is overlay.thin_line(run, FLAT)
    assert overlay.line(run, FLAT) is not overlay.line(run, View(RETURN, window=10))
