"""What a person changes of a run while it continues, on the toy."""

import math

import pytest

from engine.agents.rules import RandomAgent, RulesAgent
from engine.commands import Instruct, SetGoal, SetMode, SetStrategy, SetWeight
from engine.events import (
    CurriculumChanged,
    DecisionMade,
    ReasoningLogged,
    SteeringChanged,
    StrategySwitched,
)
from engine.types import Source
from tests.engine.training.helpers import Clock, Run, played


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


def steer(run: Run, *commands) -> SteeringChanged:
    run.obey(*commands)
    assert not run.refusals
    return run.of(SteeringChanged)[-1]


def test_a_run_tells_its_course_when_it_begins(tmp_path):
    run = played(tmp_path, total_steps=8, strategy="balanced")
    assert run.of(SteeringChanged) == [
        SteeringChanged("adaptive", "balanced", "", "", (("goal", 1.0), ("step", 1.0)))
    ]


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (SetMode("fast"), "Unknown mode 'fast'; allowed values: adaptive, rl_only, llm_only."),
        (SetMode("adaptive"), "The mode is already adaptive."),
        (SetStrategy("lazy"), "Unknown strategy 'lazy'; allowed values: adaptive, llm_heavy, bal"),
        (SetGoal("moon"), "There is no milestone 'moon'."),
        (SetGoal(""), "You have not set a goal."),
        (Instruct("win"), "No language model is asked in this run. Resume it with --llm-model"),
        (SetWeight("beauty", 1.0), "Unknown reward component 'beauty'; known: goal, step."),
        (SetWeight("goal", math.nan), "A weight must be a finite number, of at most 1e15."),
        (SetWeight("goal", math.inf), "A weight must be a finite number, of at most 1e15."),
    ],
)
def test_run_override_that_cannot_be_done_is_refused_with_a_reason(run, command, reason):
    run.obey(command)
    (told,) = run.refusals
    assert told.startswith(reason)
    assert not run.of(SteeringChanged)


@pytest.mark.parametrize(
    ("agent", "command", "reason"),
    [
        (RandomAgent(0), SetMode("rl_only"), "plays at random in any mode"),
        (RandomAgent(0), SetGoal("goal"), "plays at random and follows no goal"),
        (RulesAgent(0), SetMode("rl_only"), "no learning policy"),
    ],
)
def test_baselines_cannot_be_steered_otherwise(tmp_path, agent, command, reason):
    run = Run(tmp_path, agent=agent)
    run.obey(command)
    assert reason in run.refusals[0]


def test_the_policy_alone_is_not_advised_until_the_mode_is_adaptive_again(run):
    run.steps(5)
    curriculum, tally = run.trainer.learning.curriculum, run.trainer.state.tally
    share = curriculum.planner_share
    assert steer(run, SetMode("rl_only")).mode == "rl_only"
    assert run.vector.overrides.is_advised is False
    assert curriculum.planner_share == run.of(CurriculumChanged)[-1].planner_share == 0
    planned = tally.planned_steps.sum()
    run.steps(8)
    assert tally.planned_steps.sum() <= planned
    steer(run, SetMode("adaptive"))
    assert curriculum.planner_share == share
    assert run.vector.overrides.is_advised is None
    run.obey(SetMode("rl_only"), SetGoal("goal"), SetStrategy("balanced"))
    assert ["ode rl_only" in reason for reason in run.refusals] == [True, True]


def test_the_planner_alone_acts_and_nothing_is_learnt(tmp_path):
    run = Run(tmp_path, headless=False, clock=Clock(tick_s=0.05))
    run.trainer.reporter.watch(0)
    run.steps(5)
    rollout = run.trainer.learning.agent.ppo.rollout
    steer(run, SetMode("llm_only"))
    assert rollout.boundaries[4].all()
    before = len(run.of(DecisionMade))
    run.steps(30)
    assert rollout.length == 5
    assert {event.decision.source for event in run.of(DecisionMade)[before:]} == {Source.PLANNER}
    steer(run, SetMode("adaptive"))
    run.steps(3)
    assert rollout.length == 8


@pytest.mark.parametrize(
    ("known", "reached", "command", "reason"),
    [
        ({"other"}, set(), SetGoal("goal"), "The rules cannot reach this goal: The corner."),
        ({"goal"}, {"goal"}, SetGoal("goal"), "Already reached"),
        (set(), set(), SetMode("llm_only"), "has no rules"),
    ],
)
def test_what_the_rules_cannot_reach_or_have_reached_is_refused(
    run, known, reached, command, reason
):
    run.trainer.state.known_goals = frozenset(known)
    run.trainer.reporter.milestones = frozenset(reached)
    run.obey(command)
    assert reason in run.refusals[0]


def test_a_strategy_is_held_and_let_go(run):
    run.steps(3)
    learning = run.trainer.learning
    for strategy, forced in (("rule_heavy", "rule_heavy"), ("adaptive", None)):
        assert steer(run, SetStrategy(strategy)).strategy == strategy
        assert learning.strategy.forced == forced
        assert learning.curriculum.planner_share == 0.2
    (switch,) = run.of(StrategySwitched)
    assert (switch.old, switch.new) == ("llm_heavy", "rule_heavy")


def test_a_goal_reaches_the_games_and_is_taken_back(run):
    for goal in ("goal", ""):
        assert steer(run, SetGoal(goal)).goal == goal
        assert run.vector.overrides.goal == goal
    texts = [event.text for event in run.of(ReasoningLogged)]
    assert "goal set by you: The corner" in texts


def test_a_weight_counts_from_the_next_step_on(run):
    run.trainer.step()
    before = run.trainer.state.batch.rewards.copy()
    steered = steer(run, SetWeight("step", 50))
    assert steered.weights == (("goal", 1.0), ("step", 50.0))
    assert "do not compare" in run.of(ReasoningLogged)[-1].text
    run.trainer.step()
    assert before.min() == pytest.approx(-0.01)
    assert run.trainer.state.batch.rewards.min() == pytest.approx(-0.5)


@pytest.mark.parametrize(
    "change",
    [
        SetWeight("step", 2.0),
        SetGoal("goal"),
        SetMode("rl_only"),
        SetMode("llm_only"),
        SetStrategy("rule_heavy"),
    ],
    ids=repr,
)
def test_a_run_that_was_changed_is_resumed_bit_for_bit(tmp_path, change):
    whole, first = Run(tmp_path / "whole"), Run(tmp_path / "parts")
    for run in (whole, first):
        run.steps(21)
        steer(run, change)
    whole.steps(60)
    first.trainer.save()
    second = Run(tmp_path / "parts").resume()
    assert second.trainer.handler.overrides.describe() == first.trainer.handler.overrides.describe()
    assert second.vector.overrides == first.vector.overrides
    second.steps(60)
    assert first.curve + second.curve == whole.curve
    features = [run.trainer.state.batch.features.tobytes() for run in (second, whole)]
    assert features[0] == features[1]
    assert second.weights == whole.weights
