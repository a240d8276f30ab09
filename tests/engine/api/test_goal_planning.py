import pytest

from engine.api.from_config import GoalOrientedPlanner
from engine.games.catalog import load_game
from engine.types import Action
from tests.engine.planning.goals.helpers import state


@pytest.fixture
def planner() -> GoalOrientedPlanner:
    return GoalOrientedPlanner(load_game())


def test_no_goal_is_current_before_the_first_plan(planner):
    assert planner.current_goal is None


def test_a_plan_sets_the_current_goal(planner):
    advice = planner.plan(state())
    assert planner.current_goal == advice.goal
    assert advice.prior.shape == (len(Action),)


def test_the_next_goals_begin_with_the_current_one_and_end_with_the_game(planner):
    here = state()
    planner.reset(here)
    planner.plan(here)
    goals = planner.next_goals(here)
    assert goals[0] == planner.current_goal
    assert goals[-1].key == "deep_light"


def test_looking_at_the_next_goals_remembers_nothing(planner):
    here = state()
    planner.reset(here)
    assert planner.next_goals(here) == planner.next_goals(here)
    assert planner.current_goal is None
