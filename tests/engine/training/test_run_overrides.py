"""What a person changes of a run while it continues, on the toy."""

import math

import pytest
import torch

from engine.agents.rules import RandomAgent, RulesAgent
from engine.commands import Instruct, SetGoal, SetMode, SetStrategy, SetWeight
from engine.events import (
    CommandRefused,
    CurriculumChanged,
    DecisionMade,
    EpisodeEnded,
    ReasoningLogged,
    SteeringChanged,
    StrategySwitched,
)
from engine.types import Source
from tests.engine.training.helpers import Clock, Run


@pytest.fixture
def run(tmp_path):
    made = Run(tmp_path)
    yield made
    made.journal.close()


def refusals(run: Run) -> list[str]:
    return [event.reason for event in run.of(CommandRefused)]


def steer(run: Run, *commands) -> SteeringChanged:
    for command in commands:
        run.trainer.loop.obey(command)
    assert not refusals(run)
    return run.of(SteeringChanged)[-1]


def steps(run: Run, count: int) -> None:
    for _ in range(count):
        run.trainer.step()
        if run.trainer.learning.actor.is_update_due:
            run.trainer._update()


def curve(*runs: Run) -> list:
    return [(event.total_steps, event.summary) for run in runs for event in run.of(EpisodeEnded)]


def test_a_run_tells_its_course_when_it_begins(tmp_path):
    run = Run(tmp_path, total_steps=8, strategy="balanced")
    run.play()
    assert run.of(SteeringChanged) == [
        SteeringChanged("adaptive", "balanced", "", "", (("goal", 1.0), ("step", 1.0)))
    ]


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (SetMode("fast"), "Unknown mode 'fast'; allowed values: adaptive, rl_only, llm_only."),
        (SetMode("adaptive"), "The mode is already adaptive."),
        (
            SetStrategy("lazy"),
            "Unknown strategy 'lazy'; allowed values: adaptive, llm_heavy, balanced",
        ),
        (SetGoal("moon"), "There is no milestone 'moon'."),
        (SetGoal(""), "You have not set a goal."),
        (Instruct("win"), "No language model is asked in this run. Resume it with --llm-model"),
        (
            SetWeight("beauty", 1.0),
            "Unknown reward component 'beauty'; known: goal, step.",
        ),
        (SetWeight("goal", math.nan), "A weight must be a finite number, of at most 1e15."),
        (SetWeight("goal", math.inf), "A weight must be a finite number, of at most 1e15."),
    ],
)
def test_run_override_that_cannot_be_done_is_refused_with_a_reason(run, command, reason):
    run.trainer.loop.obey(command)
    (told,) = refusals(run)
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
    run.trainer.loop.obey(command)
    assert reason in refusals(run)[0]
    run.journal.close()


def test_the_policy_alone_is_not_advised(run):
    steps(run, 5)
    assert steer(run, SetMode("rl_only")).mode == "rl_only"
    assert run.vector.overrides.is_advised is False
    assert run.trainer.learning.curriculum.planner_share == 0
    assert run.of(CurriculumChanged)[-1].planner_share == 0
    planned = run.trainer.state.tally.planned_steps.sum()
    steps(run, 8)
    assert run.trainer.state.tally.planned_steps.sum() <= planned
    for command in (SetGoal("goal"), SetStrategy("balanced")):
        run.trainer.loop.obey(command)
    assert all("ode rl_only" in reason for reason in refusals(run))
    assert len(refusals(run)) == 2


def test_back_in_mode_adaptive_the_planner_has_its_share_again(run):
    share = run.trainer.learning.curriculum.planner_share
    steer(run, SetMode("rl_only"), SetMode("adaptive"))
    assert run.trainer.learning.curriculum.planner_share == share
    assert run.vector.overrides.is_advised is None


def test_the_planner_alone_acts_and_nothing_is_learnt(tmp_path):
    run = Run(tmp_path, headless=False, clock=Clock(tick_s=0.05))
    run.trainer.reporter.watch(0)
    steps(run, 5)
    rollout = run.trainer.learning.agent.ppo.rollout
    steer(run, SetMode("llm_only"))
    assert rollout.boundaries[4].all()
    before = len(run.of(DecisionMade))
    steps(run, 30)
    assert rollout.length == 5
    assert {event.decision.source for event in run.of(DecisionMade)[before:]} == {Source.PLANNER}
    steer(run, SetMode("adaptive"))
    steps(run, 3)
    assert rollout.length == 8
    run.journal.close()


def test_the_planner_alone_needs_to_know_the_way(run):
    run.trainer.state.known_goals = frozenset()
    run.trainer.loop.obey(SetMode("llm_only"))
    assert "has no rules" in refusals(run)[0]


def test_a_strategy_is_held_and_let_go(run):
    steps(run, 3)
    assert steer(run, SetStrategy("rule_heavy")).strategy == "rule_heavy"
    (switch,) = run.of(StrategySwitched)
    assert (switch.old, switch.new) == ("llm_heavy", "rule_heavy")
    assert run.trainer.learning.curriculum.planner_share == 0.2
    assert run.trainer.learning.strategy.forced == "rule_heavy"
    assert steer(run, SetStrategy("adaptive")).strategy == "adaptive"
    assert run.trainer.learning.strategy.forced is None
    assert run.trainer.learning.curriculum.planner_share == 0.2


def test_a_goal_reaches_the_games_and_is_taken_back(run):
    assert steer(run, SetGoal("goal")).goal == "goal"
    assert run.vector.overrides.goal == "goal"
    assert run.of(ReasoningLogged)[-1].text == "goal set by you: The corner"
    assert steer(run, SetGoal("")).goal == ""
    assert run.vector.overrides.goal == ""


def test_milestone_without_a_known_way_is_no_goal(run):
    run.trainer.state.known_goals = frozenset({"other"})
    run.trainer.loop.obey(SetGoal("goal"))
    assert refusals(run) == ["The rules cannot reach this goal: The corner."]


def test_reached_milestone_of_the_watched_episode_is_no_goal(run):
    run.trainer.reporter.milestones = frozenset({"goal"})
    run.trainer.loop.obey(SetGoal("goal"))
    assert "Already reached" in refusals(run)[0]


def test_a_weight_counts_from_the_next_step_on(run):
    run.trainer.step()
    before = run.trainer.state.batch.rewards.copy()
    steered = steer(run, SetWeight("step", 50))
    assert steered.weights == (("goal", 1.0), ("step", 50.0))
    assert "do not compare" in run.of(ReasoningLogged)[-1].text
    run.trainer.step()
    assert before.min() == pytest.approx(-0.01)
    assert run.trainer.state.batch.rewards.min() == pytest.approx(-0.5)


CHANGES = (
    SetWeight("step", 2.0),
    SetGoal("goal"),
    SetMode("rl_only"),
    SetMode("llm_only"),
    SetStrategy("rule_heavy"),
)


@pytest.mark.parametrize("change", CHANGES, ids=repr)
def test_a_run_that_was_changed_is_resumed_bit_for_bit(tmp_path, change):
    whole = Run(tmp_path / "whole")
    steps(whole, 21)
    steer(whole, change)
    steps(whole, 60)

    first = Run(tmp_path / "parts")
    steps(first, 21)
    steer(first, change)
    first.trainer.save()
    first.journal.close()
    second = Run(tmp_path / "parts").resume()
    assert second.trainer.handler.overrides.describe() == first.trainer.handler.overrides.describe()
    assert second.vector.overrides == first.vector.overrides
    steps(second, 60)

    assert curve(first, second) == curve(whole)
    assert (
        second.trainer.state.batch.features.tobytes()
        == whole.trainer.state.batch.features.tobytes()
    )
    for name, tensor in whole.trainer.learning.agent.ppo.network.state_dict().items():
        assert torch.equal(tensor, second.trainer.learning.agent.ppo.network.state_dict()[name]), (
            name
        )
    for run in (whole, second):
        run.journal.close()
