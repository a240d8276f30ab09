import dataclasses
import json

import numpy as np
import pytest

from engine.agents.arbitration import calibrated
from engine.agents.base import Guidance
from engine.agents.calibration import Calibration
from engine.planning_types import GoalOutcome, Outcome
from engine.types import EpisodeSummary, GoalKind, GoalTally

KINDS = list(GoalKind)


def episode(planned: float, reached: int, failed: int, *, is_success=False, milestones=()):
    return EpisodeSummary(
        env_index=0,
        total_reward=0.0,
        length=100,
        components=(),
        steps_to_milestone=dict.fromkeys(milestones, 9),
        is_success=is_success,
        planner_share=planned,
        goals=(GoalTally("rules", GoalKind.REACH, reached, failed),),
    )


def test_reliability_is_one_half_at_first():
    calibration = Calibration()
    assert calibration.policy_reliability == 0.5
    np.testing.assert_array_equal(calibration.advice_reliability(np.arange(len(KINDS))), 0.5)


def test_goals_count_by_kind_and_goal_source_as_a_beta_mean():
    calibration = Calibration()
    calibration.count(episode(1.0, 3, 1))
    assert calibration.goal_reliability("rules", GoalKind.REACH) == 4 / 6
    assert calibration.goal_reliability("rules", GoalKind.HEAL) == 0.5
    assert calibration.goal_reliability("some model", GoalKind.REACH) == 0.5


def test_evidence_decays_with_every_episode():
    calibration = Calibration()
    calibration.count(episode(1.0, 2, 0))
    calibration.count(episode(1.0, 0, 1))
    expected = (1 + 2 * 0.98) / (2 + 2 * 0.98 + 1)
    assert calibration.goal_reliability("rules", GoalKind.REACH) == pytest.approx(expected)
    for _ in range(1000):
        calibration.count(episode(0.0, 0, 0, is_success=True))
    assert calibration.goal_reliability("rules", GoalKind.REACH) == pytest.approx(0.5, abs=1e-6)


def test_credit_goes_to_who_acted():
    calibration = Calibration()
    calibration.count(episode(1.0, 5, 0, is_success=True, milestones="abcde"))
    assert calibration.policy_reliability == 0.5
    calibration = Calibration()
    calibration.count(episode(0.0, 5, 0, is_success=True, milestones="abcde"))
    assert calibration.goal_reliability("rules", GoalKind.REACH) == 0.5
    assert calibration.policy_reliability == 6 / 7
    calibration = Calibration()
    calibration.count(episode(0.75, 4, 0, milestones="ab"))
    assert calibration.goal_reliability("rules", GoalKind.REACH) == 4 / 5
    assert calibration.policy_reliability == (1 + 2 / 4) / (2 + 3 / 4)


def test_a_policy_that_never_gets_there_loses_trust():
    calibration = Calibration()
    for _ in range(200):
        calibration.count(episode(0.0, 0, 1))
    assert calibration.policy_reliability < 0.03


def test_milestones_of_the_start_state_are_nobodys_credit():
    summary = EpisodeSummary(0, 0.0, 9, (), steps_to_milestone={"a": 0, "b": 0})
    calibration = Calibration()
    calibration.count(summary)
    assert calibration.policy_reliability == 1 / 3


def test_confidences_are_what_was_stated_times_what_it_was_worth():
    guidance = Guidance(
        0.8, 0.9, policy_reliability=0.25, advice_reliability=np.array([0.5, 1.0], np.float32)
    )
    stated, certainty = np.array([0.8, 1.0], np.float32), np.array([0.4, 0.8], np.float32)
    c_planner, c_policy = calibrated(stated, certainty, guidance)
    np.testing.assert_allclose(c_planner, [0.4, 0.9])
    np.testing.assert_allclose(c_policy, [0.1, 0.2])


def test_saved_calibration_is_the_same_to_the_last_bit():
    calibration, other = Calibration(), Calibration()
    for index in range(20):
        calibration.count(episode(index / 21, index % 4, index % 3, milestones="abc"[: index % 3]))
    other.load(json.loads(json.dumps(calibration.save())))
    assert other.policy_reliability == calibration.policy_reliability
    kinds = np.arange(len(KINDS))
    np.testing.assert_array_equal(
        other.advice_reliability(kinds), calibration.advice_reliability(kinds)
    )
    assert other.save() == calibration.save()


def goal_outcome(*, reached=True, progress=True, ignored=False, kind=GoalKind.REACH) -> GoalOutcome:
    outcome = Outcome.REACHED if reached else Outcome.FAILED
    return GoalOutcome(0, "k", "small", kind, "go", outcome, progress, 9, ignored)


def test_a_models_goal_counts_at_once_and_only_if_it_led_somewhere():
    calibration = Calibration()
    calibration.record_goal(goal_outcome(), ["small"])
    assert calibration.goal_reliability("small", GoalKind.REACH) == 2 / 3
    calibration.record_goal(goal_outcome(progress=False), ["small"])
    calibration.record_goal(goal_outcome(reached=False), ["small"])
    assert calibration.goal_reliability("small", GoalKind.REACH) == 2 / 5
    assert calibration.goal_reliability("small", GoalKind.HEAL) == 0.5
    assert calibration.goal_reliability("rules", GoalKind.REACH) == 0.5
    assert calibration.model_reliability("small") == 2 / 5


def test_ignored_goals_and_those_that_gave_way_to_better_ones_say_nothing_of_the_model():
    calibration = Calibration()
    calibration.record_goal(goal_outcome(ignored=True), ["small"])
    calibration.record_goal(
        dataclasses.replace(goal_outcome(), outcome=Outcome.REPLACED), ["small"]
    )
    assert calibration.goal_reliability("small", GoalKind.REACH) == 0.5


def test_goal_after_goal_without_any_progress_is_failure():
    calibration = Calibration()
    replaced = dataclasses.replace(goal_outcome(progress=False), outcome=Outcome.REPLACED)
    calibration.record_goal(replaced, ["small"])
    assert calibration.goal_reliability("small", GoalKind.REACH) == 1 / 3


def test_each_environment_is_advised_at_its_own_goal_sources_worth():
    calibration = Calibration()
    calibration.record_goal(goal_outcome(), ["small"])
    calibration.record_goal(goal_outcome(reached=False), ["large"])
    reach, heal = KINDS.index(GoalKind.REACH), KINDS.index(GoalKind.HEAL)
    trust = calibration.advice_reliability(
        np.array([reach, reach, reach, heal]),
        np.array([0, 1, 2, 1]),
        (("rules",), ("small",), ("small", "large")),
    )
    np.testing.assert_allclose(trust, [1 / 2, 2 / 3, (2 / 3 + 1 / 3) / 2, 1 / 2])
