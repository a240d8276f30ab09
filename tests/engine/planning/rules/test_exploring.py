"""Where the story says nothing, everything in reach is tried, the nearest first."""

import copy
import json
from dataclasses import replace

import numpy as np
import pytest

from engine.planning.rules.advisor import RuleAdvisor
from engine.planning.rules.exploring import Explorer
from engine.types import Facing, Goal, GoalKind, MapId
from engine.wayfinding.world_map import WorldMap
from tests.engine.planning.goals.helpers import HERE, state, view
from tests.engine.states import make_control

ROOM = view(["......", "......", "......", "D....."], people=[(4, 1)], warps=[(0, 3)])
THERE = MapId(1, 2)
WANTED = Goal("row", "Do it", THERE, kind=GoalKind.REACH)
TALKING = make_control(in_text=True)


def explorer() -> Explorer:
    return Explorer(WorldMap({}))


def test_what_the_story_wants_comes_first_while_a_way_is_known() -> None:
    subject = explorer()
    for _ in range(20):
        assert subject.goal(state(ROOM, (2, 1)), WANTED, 0) is WANTED
        subject.note_way(state(ROOM, (2, 1)), is_known=True)


def test_without_a_way_the_nearest_is_tried_instead_and_then_the_goal_again() -> None:
    subject = explorer()
    for _ in range(8):
        assert subject.goal(state(ROOM, (2, 1)), WANTED, 0) is WANTED
        subject.note_way(state(ROOM, (2, 1)), is_known=False)
    goal = subject.goal(state(ROOM, (2, 1)), WANTED, 0)
    assert goal
    assert (goal.map, goal.target, goal.is_interaction) == (HERE, (4, 1), True)
    subject.goal(state(ROOM, (3, 1), Facing.RIGHT), WANTED, 0)
    assert subject.goal(state(ROOM, (3, 1), Facing.RIGHT, control=TALKING), WANTED, 0) is WANTED
    assert subject.goal(state(ROOM, (3, 1), Facing.RIGHT), WANTED, 0) is WANTED


def test_another_wish_of_the_story_ends_the_look_around() -> None:
    subject = explorer()
    assert subject.goal(state(ROOM, (2, 1)), None, 0)
    assert subject.goal(state(ROOM, (2, 1)), WANTED, 0) is WANTED


def test_a_milestone_makes_everything_worth_another_try() -> None:
    subject = explorer()

    def target(num_reached: int) -> tuple[int, int] | None:
        goal = subject.goal(state(ROOM, (3, 1), Facing.RIGHT), None, num_reached)
        return goal.target if goal else None

    assert target(0) == (4, 1)
    assert target(0) == (4, 1)
    subject.goal(state(ROOM, (3, 1), Facing.RIGHT, control=TALKING), None, 0)
    assert target(0) == (0, 3)
    assert target(1) == (4, 1)


def test_a_way_on_which_one_is_stopped_again_and_again_is_given_up() -> None:
    subject = explorer()
    door = view(["......", "......", "......", "D....D"], warps=[(0, 3), (5, 3)])
    assert subject.goal(state(door, (1, 3)), None, 0)
    for _ in range(3):
        goal = subject.goal(state(door, (1, 3)), None, 0)
        assert goal
        assert goal.target == (0, 3)
        subject.goal(state(door, (1, 3), control=TALKING), None, 0)
    subject.goal(state(door, (1, 3)), None, 0)
    goal = subject.goal(state(door, (1, 3)), None, 0)
    assert goal
    assert goal.target == (5, 3)


def test_a_loaded_explorer_goes_on_as_the_saved_one() -> None:
    subject, other = explorer(), explorer()
    subject.goal(state(ROOM, (2, 1)), None, 3)
    other.load(json.loads(json.dumps(subject.save())))
    here = state(ROOM, (3, 1), Facing.RIGHT)
    for shown in (here, replace(here, control=TALKING), here, here):
        assert other.goal(shown, None, 3) == subject.goal(shown, None, 3)
    assert other.save() == subject.save()


def explore(env, steps: int) -> list[tuple[MapId | None, tuple[int, int] | None]]:
    """Play the practice game by exploring alone; return what was pursued, in order."""
    game = copy.copy(env.game)
    game.tables = replace(game.tables, MILESTONES=())
    advisor = RuleAdvisor(game)
    env.reset(seed=0)
    advisor.reset(env.state)
    rng = np.random.default_rng(0)
    tried: list[tuple[MapId | None, tuple[int, int] | None]] = []
    for _ in range(steps):
        mask = env.action_mask()
        advice = advisor.advise(env.state, mask)
        pursued = (advice.goal.map, advice.goal.target)
        if advice.goal.map is not None and pursued not in tried[-1:]:
            tried.append(pursued)
        ranked = np.where(mask, advice.prior, -1.0) + rng.random(len(mask)) * 1e-6
        if env.advance(int(ranked.argmax()))[1]:
            break
    return tried


def test_all_that_a_small_map_holds_is_tried_once_before_it_is_left(env) -> None:
    tried = explore(env, 40)
    bedroom, signs = MapId(40, 1), [(0, 5), (0, 4), (1, 2), (0, 2), (2, 2)]
    here = [tile for place, tile in tried if place == bedroom]
    assert sorted(here[:-1]) == sorted(signs)
    assert here[-1] == (7, 2)  # the stairs
    assert tried[-1][0] == MapId(40, 2)


@pytest.mark.slow
def test_exploring_alone_finds_the_badge(env) -> None:
    explore(env, 1500)
    assert env.state.badges[0]
