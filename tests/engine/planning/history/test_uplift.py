import contextlib
import math
import sqlite3
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.planning.history.decisions import DecisionHistoryAnalyzer, Uplift
from engine.planning_types import GoalOutcome, Outcome
from tests.engine.states import make_goal_outcome


def goal_outcome(outcome: Outcome = Outcome.FAILED, **changes: Any) -> GoalOutcome:
    values = {"made_progress": outcome is Outcome.REACHED, "goal_source": "small", **changes}
    return make_goal_outcome(outcome, **values)


def test_uplift_is_unknown_before_goals_were_followed_and_ignored():
    assert math.isnan(Uplift(5, 5).value)
    assert math.isnan(Uplift(0, 0, 5, 1).interval[0])


def test_the_interval_is_newcombes():
    # 56 of 70 against 48 of 80, worked out in Newcombe 1998, table II (a), method 10.
    uplift = Uplift(70, 56, 80, 48)
    assert uplift.value == pytest.approx(0.2)
    assert uplift.interval == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_the_chance_of_a_difference_follows_the_evidence():
    assert Uplift().chance_above(0.0) == pytest.approx(0.5)
    assert Uplift(300, 150, 300, 150).chance_above(0.0) == pytest.approx(0.5)
    assert Uplift(300, 150, 300, 150).chance_above(0.1) < 0.01
    assert Uplift(300, 240, 300, 150).chance_above(0.1) > 0.99
    few, many = Uplift(10, 6, 10, 4), Uplift(100, 60, 100, 40)
    assert 0.5 < few.chance_above(0.05) < many.chance_above(0.05)


counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


@given(counts, counts)
def test_the_interval_holds_the_difference_and_turns_with_it(followed, ignored):
    uplift, mirrored = Uplift(*followed, *ignored), Uplift(*ignored, *followed)
    low, high = uplift.interval
    assert -1.0 - 1e-9 <= low <= uplift.value + 1e-9
    assert uplift.value - 1e-9 <= high <= 1.0 + 1e-9
    assert mirrored.interval == pytest.approx((-high, -low))


def test_a_run_reads_its_own_uplift_from_the_file(path):
    with DecisionHistoryAnalyzer(path, run="one") as history:
        for _ in range(3):
            history.record_goal(goal_outcome(Outcome.REACHED))
        history.record_goal(goal_outcome(is_control=True))
        history.record_goal(goal_outcome(goal_source="other"))
        history.record_goal(goal_outcome(Outcome.REPLACED, made_progress=True))
    with DecisionHistoryAnalyzer(path, run="one") as history:
        assert history.planner_uplift() == Uplift(5, 4, 1, 0)
        assert history.planner_uplift("small") == Uplift(4, 4, 1, 0)
    with DecisionHistoryAnalyzer(path, run="two") as history:
        assert history.planner_uplift() == Uplift()


def test_old_goals_are_folded_and_still_count(path):
    with DecisionHistoryAnalyzer(path, run="one", max_rows=50) as history:
        for number in range(200):
            history.record_goal(
                goal_outcome(made_progress=number % 2 == 0, is_control=number % 5 == 0)
            )
            if number % 20 == 0:
                history.flush()
        assert history.planner_uplift() == Uplift(160, 80, 40, 20)
    with contextlib.closing(sqlite3.connect(path)) as database:
        (rows,) = database.execute("SELECT COUNT(*) FROM judged_goals").fetchone()
    assert rows < 100
