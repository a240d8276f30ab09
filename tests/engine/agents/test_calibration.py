import json

import numpy as np
import pytest

from engine.agents.arbitration import calibrated
from engine.agents.base import Guidance
from engine.agents.calibration import Calibration
from engine.planning_types import GoalOutcome, Outcome
from engine.types import EpisodeSummary, GoalKind, GoalTally
from tests.engine.states import make_goal_outcome

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


@pytest.fixture
def calibration() -> Calibration:
    return Calibration()


def test_reliability_is_one_half_at_first(calibration):
    assert calibration.policy_reliability == 0.5
    np.testing.assert_array_equal(calibration.advice_reliability(np.arange(len(KINDS))), 0.5)


def test_goals_count_by_kind_and_goal_source_as_a_beta_mean(calibration):
    calibration.count(episode(1.0, 3, 1))
    assert calibration.goal_reliability("rules", GoalKind.REACH) == 4 / 6
    assert calibration.goal_reliability("rules", GoalKind.HEAL) == 0.5
    assert calibration.goal_reliability("some model", GoalKind.REACH) == 0.5


def test_evidence_decays_with_every_episode(calibration):
    calibration.count(episode(1.0, 2, 0))
    calibration.count(episode(1.0, 0, 1))
    expected = (1 + 2 * 0.98) / (2 + 2 * 0.98 + 1)
    assert calibration.goal_reliability("rules", GoalKind.REACH) == pytest.approx(expected)
    for _ in range(1000):
        calibration.count(episode(0.0, 0, 0, is_success=True))
    assert calibration.goal_reliability("rules", GoalKind.REACH) == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(
    ("planned", "reached", "facts", "rules", "policy"),
    [
        (1.0, 5, {"is_success": True, "milestones": "abcde"}, 6 / 7, 1 / 2),
        (0.0, 5, {"is_success": True, "milestones": "abcde"}, 1 / 2, 6 / 7),
        (0.75, 4, {"milestones": "ab"}, 4 / 5, (1 + 2 / 4) / (2 + 3 / 4)),
    ],
)
def test_credit_goes_to_who_acted(calibration, planned, reached, facts, rules, policy):
    calibration.count(episode(planned, reached, 0, **facts))
    assert calibration.goal_reliability("rules", GoalKind.REACH) == rules
    assert calibration.policy_reliability == policy


def test_a_policy_that_never_gets_there_loses_trust_as_does_one_that_began_there(calibration):
    """Milestones of the start state are nobody's credit."""
    calibration.count(EpisodeSummary(0, 0.0, 9, (), steps_to_milestone={"a": 0, "b": 0}))
    assert calibration.policy_reliability == 1 / 3
    for _ in range(200):
        calibration.count(episode(0.0, 0, 1))
    assert calibration.policy_reliability < 0.03


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


def goal_outcome(outcome: Outcome = Outcome.REACHED, **changes) -> GoalOutcome:
    return make_goal_outcome(outcome, **{"made_progress": True, **changes})


def test_a_models_goal_counts_at_once_and_only_if_it_led_somewhere(calibration):
    calibration.record_goal(goal_outcome(), ["small"])
    assert calibration.goal_reliability("small", GoalKind.REACH) == 2 / 3
    calibration.record_goal(goal_outcome(made_progress=False), ["small"])
    calibration.record_goal(goal_outcome(Outcome.FAILED), ["small"])
    assert calibration.goal_reliability("small", GoalKind.REACH) == 2 / 5
    assert calibration.goal_reliability("small", GoalKind.HEAL) == 0.5
    assert calibration.goal_reliability("rules", GoalKind.REACH) == 0.5
    assert calibration.model_reliability("small") == 2 / 5


@pytest.mark.parametrize(
    ("outcome", "changes", "reliability"),
    [
        (Outcome.REACHED, {"is_control": True}, 1 / 2),
        (Outcome.REPLACED, {}, 1 / 2),
        (Outcome.REPLACED, {"made_progress": False}, 1 / 3),
    ],
    ids=["ignored", "gave way to a better one", "goal after goal without progress"],
)
def test_only_a_goal_that_was_replaced_without_progress_is_a_failure(
    calibration, outcome, changes, reliability
):
    calibration.record_goal(goal_outcome(outcome, **changes), ["small"])
    assert calibration.goal_reliability("small", GoalKind.REACH) == reliability


def test_each_environment_is_advised_at_its_own_goal_sources_worth(calibration):
    calibration.record_goal(goal_outcome(), ["small"])
    calibration.record_goal(goal_outcome(Outcome.FAILED), ["large"])
    reach, heal = KINDS.index(GoalKind.REACH), KINDS.index(GoalKind.HEAL)
    trust = calibration.advice_reliability(
        np.array([reach, reach, reach, heal]),
        np.array([0, 1, 2, 1]),
        (("rules",), ("small",), ("small", "large")),
    )
    np.testing.assert_allclose(trust, [1 / 2, 2 / 3, (2 / 3 + 1 / 3) / 2, 1 / 2])
