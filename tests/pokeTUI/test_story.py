"""What is going on is said in plain words, from the state alone."""

from dataclasses import replace

import pytest

from engine import events
from engine.types import Evaluation
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.dashboard.status_report import story
from tests.pokeTUI.fake_session import make_run, make_status

ALONE = "Alone, the policy reaches the goal in 3 of 10 tries."
UNKNOWN = "The policy alone has not been evaluated yet."
EVALUATED = events.EvaluationEnded(20, 7000, Evaluation(10, 41.0, 3.0, 300.0, 0.0, 0.3))
UPDATED = events.PolicyUpdated(1, 4096, {"loss": 0.1})


def told(*more: events.Event, run: dict | None = None, **status) -> tuple[str, str]:
    state = DashboardState()
    begun = replace(
        make_run(), **({"agent": "ppo", "mode": "adaptive", "num_envs": 4} | (run or {}))
    )
    status = {"is_human": False, "is_paused": False, "phase": "acting", "shares": ()} | status
    for event in (begun, replace(make_status(), **status), *more):
        state = fold(state, event)
    return story(state)


def test_story_before_the_first_status_is_empty():
    assert story(DashboardState()) == ("", "")


@pytest.mark.parametrize(
    ("planner", "rules", "words"),
    [
        (0.6, 0.08, "The planner (rules) is teaching: it makes 68% of the decisions."),
        (0.1, 0.0, "The planner (rules) is handing over: it makes 10% of the decisions."),
        (0.01, 0.0, "The policy plays by itself."),
    ],
)
def test_story_has_the_planners_share_and_the_policy_alone(planner, rules, words):
    shares = (("planner", planner), ("rules", rules), ("policy", 1 - planner - rules))
    assert told(UPDATED, EVALUATED, shares=shares) == (words, ALONE)
    assert told(UPDATED, shares=shares) == (words, UNKNOWN)


def test_story_names_the_rules_until_a_model_has_answered():
    shares = (("planner", 0.8), ("policy", 0.2))
    asked = events.PlannerStatusChanged("small", "asking", calls=2, failures=2)
    answered = replace(asked, calls=3)
    assert told(UPDATED, asked, shares=shares)[0].startswith("The planner (rules) is")
    assert told(UPDATED, answered, shares=shares)[0].startswith("The planner is teaching")


@pytest.mark.parametrize(
    ("run", "status", "words"),
    [
        ({}, {}, "Learning has not started: collecting the first experience."),
        ({}, {"is_paused": True}, "Training is paused."),
        (
            {},
            {"is_human": True},
            "You are in control: training waits, and what is played by hand does not count.",
        ),
        ({"agent": "rules"}, {"is_human": True}, "You are in control: nothing is learnt."),
        ({"mode": events.REPLAY}, {}, "A recorded episode is replayed: nothing is trained."),
        ({"mode": events.RECORD}, {}, "Demonstrations are recorded: nothing is trained."),
        ({"agent": "random"}, {}, "Actions are chosen at random: nothing is learnt."),
        ({"agent": "rules"}, {}, "The planner plays alone: nothing is learnt."),
    ],
)
def test_story_of_each_situation_before_the_first_update(run, status, words):
    assert told(run=run, **status) == (words, "")


def test_story_says_that_another_viewer_plays():
    viewers = events.ViewersChanged(viewers=2, is_yours=False, is_held=True)
    assert told(viewers, is_human=True)[0].startswith("Another viewer is in control: ")
    assert told(replace(viewers, is_yours=True), is_human=True)[0].startswith("You are in control")


def test_story_without_a_planner_says_so():
    words = "The policy learns by itself, without a planner."
    assert told(UPDATED, EVALUATED, run={"mode": "rl_only"}) == (words, ALONE)
