import json
import math

import pytest

from engine.config import CurriculumConfig
from engine.curriculum.scheduler import Curriculum, build_stages

DOCUMENTED = 500.0
"""Reward of the goal at which the documented thresholds hold as they are written."""


def given(*thresholds: float, **stage) -> tuple[dict, ...]:
    """Return stages as a user writes them."""
    return tuple({"reward_threshold": t, "llm_confidence": 0.5} | stage for t in thresholds)


def curriculum(**settings) -> Curriculum:
    """Return a curriculum whose planner share needs no time to settle."""
    settings = {"confidence_decay_rate": 1e-9} | settings
    return Curriculum(CurriculumConfig(**settings), DOCUMENTED)


def feed(subject: Curriculum, rewards, *, is_success: bool = True) -> list:
    return [subject.record(reward, is_success=is_success) for reward in rewards]


@pytest.fixture
def subject() -> Curriculum:
    return curriculum()


def test_the_documented_thresholds_confidences_and_shares_are_the_default():
    stages = build_stages(CurriculumConfig(), DOCUMENTED, "llm_heavy")
    assert [stage.threshold for stage in stages[:-1]] == [50, 100, 200, 500]
    assert math.isnan(stages[-1].threshold)
    assert [stage.needed_confidence for stage in stages[:4]] == [0.9, 0.7, 0.5, 0.3]
    assert [stage.planner_share for stage in stages] == [0.8, 0.5, 0.2, 0.05, 0.0]


@pytest.mark.parametrize(
    ("settings", "thresholds"),
    [
        ({}, [8, 16, 32, 80]),
        ({"reward_scale": 1.0}, [50, 100, 200, 500]),
        ({"stages": given(50, 100, 200, 500)}, [50, 100, 200, 500]),
    ],
    ids=["shares of what the goal pays", "a given scale", "given thresholds"],
)
def test_thresholds_are_shares_of_what_the_goal_pays_unless_they_are_given(settings, thresholds):
    first, *_, last = stages = build_stages(CurriculumConfig(**settings), 80.0, "rule_heavy")
    assert [stage.threshold for stage in stages[:-1]] == pytest.approx(thresholds)
    assert math.isnan(last.threshold)
    assert "stages" in settings or first.planner_share == 0.2


def test_ten_steady_episodes_at_the_threshold_advance():
    changes = feed(curriculum(), [50.0] * 10)
    assert [change.has_moved for change in changes] == [False] * 9 + [True]
    assert changes[-1].stage == 2
    assert changes[8].missing == "after 1 more episode"


@pytest.mark.parametrize(
    ("rewards", "missing"),
    [
        ([49.9] * 30, "when mean reward >= 50.0 (now 49.9)"),
        ([30.0, 90.0] * 10, "(now 50%)"),
    ],
    ids=["below the threshold", "too much variation"],
)
def test_an_advance_is_held_back(subject, rewards, missing):
    changes = feed(subject, rewards)
    assert not any(change.has_moved for change in changes)
    assert changes[-1].missing.endswith(missing)


def test_a_stage_that_holds_stays_and_one_that_stops_holding_goes_back(subject):
    feed(subject, [60.0] * 10)
    assert {change.stage for change in feed(subject, [60.0] * 100)} == {2}
    changes = feed(subject, [10.0] * 20)
    assert sum(change.has_moved for change in changes) == 1
    assert changes[-1].stage == 1


def test_the_last_stage_is_never_left_upwards(subject):
    changes = feed(subject, [600.0] * 100)
    assert changes[-1].stage == changes[-1].num_stages == 5
    assert changes[-1].missing == ""


def test_only_a_policy_that_reaches_the_goal_gets_into_the_last_stage(subject):
    changes = feed(subject, [600.0] * 60, is_success=False)
    assert changes[-1].stage == 4
    assert changes[-1].missing == "when 8 of 10 reach the goal (now 0)"
    assert feed(subject, [600.0] * 8)[-1].stage == 5


def test_the_last_stage_is_left_when_the_goal_is_missed_half_the_time(subject):
    feed(subject, [600.0] * 40)
    changes = feed(subject, [600.0] * 20, is_success=False)
    assert changes[-1].has_moved
    assert changes[-1].stage == 4


def test_the_planners_share_glides_after_a_move():
    subject = curriculum(confidence_decay_rate=0.98)
    feed(subject, [60.0] * 10)
    assert subject.planner_share == pytest.approx(0.8)
    subject.record(60.0, is_success=True)
    assert subject.planner_share == pytest.approx(0.5 + 0.3 * 0.98)
    feed(subject, [60.0] * 300)
    assert subject.planner_share == pytest.approx(0.5, abs=0.01)


def test_a_stage_is_not_left_while_the_former_ones_planner_still_helps():
    subject = curriculum(confidence_decay_rate=0.98)
    feed(subject, [600.0] * 10)
    changes = feed(subject, [600.0] * 100)
    assert {change.stage for change in changes} == {2}
    assert "planner weight <= 50%" in changes[-1].missing
    assert feed(subject, [600.0] * 40)[-1].stage == 3


def test_a_fixed_share_holds_in_every_stage():
    subject = Curriculum(CurriculumConfig(), DOCUMENTED, fixed_share=0.0)
    assert {change.planner_share for change in feed(subject, [600.0] * 50)} == {0.0}


def test_a_loaded_curriculum_goes_on_as_the_saved_one(subject):
    feed(subject, [60.0] * 17)
    other = curriculum()
    other.load(json.loads(json.dumps(subject.save())))
    # By their texts: a NaN equals nothing.
    assert repr(feed(subject, [120.0] * 20)) == repr(feed(other, [120.0] * 20))


def test_the_strategy_preference_of_the_last_given_stage_counts():
    config = CurriculumConfig(stages=given(1, 2, strategy_preference="rule_heavy"))
    *_, own, last = build_stages(config, 80.0, "llm_heavy")
    assert (own.preference, own.planner_share) == ("rule_heavy", 0.2)
    assert (last.preference, last.planner_share) == (None, 0.0)


def test_an_autonomous_stage_is_left_to_the_policy_wherever_it_stands():
    config = CurriculumConfig(stages=given(1, 2, strategy_preference="autonomous"))
    stages = build_stages(config, 80.0, "balanced")
    assert [stage.planner_share for stage in stages] == [0.05, 0.05, 0.0]


@pytest.mark.parametrize("needed", [1, 3, 9, 25])
def test_a_given_stage_is_left_after_its_min_episodes(needed):
    subject = curriculum(stages=given(50, 500, min_episodes=needed))
    changes = feed(subject, [60.0] * needed, is_success=False)
    assert [change.has_moved for change in changes] == [False] * (needed - 1) + [True]
    assert {change.min_episodes for change in changes} == {needed}


def test_no_stage_is_left_before_the_advancement_patience_is_over():
    subject = curriculum(stages=given(50, 500, min_episodes=3), advancement_patience=15)
    changes = feed(subject, [60.0] * 15)
    assert [change.has_moved for change in changes] == [False] * 14 + [True]
    assert changes[0].missing == "after 14 more episodes"


@pytest.mark.parametrize("held_over", [4, 30])
def test_a_stage_comes_back_after_the_episodes_over_which_the_next_must_hold(held_over):
    subject = curriculum(hold_episodes=held_over)
    feed(subject, [60.0] * 10)
    changes = feed(subject, [10.0] * held_over)
    assert [change.has_moved for change in changes] == [False] * (held_over - 1) + [True]


def test_given_thresholds_alone_lead_into_the_last_stage():
    subject = curriculum(stages=given(50, 100, min_episodes=2))
    assert feed(subject, [110.0] * 4, is_success=False)[-1].stage == 3
    assert feed(subject, [110.0] * 40, is_success=False)[-1].stage == 3
    subject = curriculum(stages=given(50, min_episodes=5), needed_success=0.8)
    last = feed(subject, [60.0] * 5, is_success=False)[-1]
    assert last.missing == "when 4 of 5 reach the goal (now 0)"
