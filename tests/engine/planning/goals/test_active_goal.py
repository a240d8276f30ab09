"""Every condition is read from RAM; what comes of a goal follows from it."""

import json
from dataclasses import replace

import pytest

from engine.planning.goals.active_goal import (
    NEW_TILES,
    ActiveGoal,
    Scene,
    activate,
    evaluate,
    is_idle,
)
from engine.planning.rules.goal_tracker import LIFE_STEPS
from engine.planning_types import Condition, GoalOption, Outcome, Subgoal
from engine.types import BattleKind, Facing, GameState, Goal, GoalKind, MapId, MapObject, Warp
from tests.engine.planning.goals.helpers import (
    FREE,
    HERE,
    READING,
    battle,
    creature,
    menu,
    state,
    view,
)

THERE = MapId(1, 2)


def scene(shown: GameState, *, milestones=0, tiles=0, was_won=False) -> Scene:
    levels = tuple(sorted((one.level for one in shown.party), reverse=True))
    return Scene(shown, milestones, tiles, levels, was_won)


def begun(kind: GoalKind, condition: Condition, at: Scene, **goal) -> ActiveGoal:
    wanted = Goal("goal", "the goal", kind=kind, **goal)
    option = GoalOption(kind, "", "the goal", wanted, (condition,))
    plan = Subgoal("key", ("m",), option, condition, 0.5, "")
    return activate(plan, (1, 2), at, is_control=False)


def outcome(active_goal: ActiveGoal, now: Scene) -> Outcome | None:
    return evaluate(active_goal, now)[1]


START = scene(state(party=[creature(hp=5)]))
FIGHT = battle(creature(), creature("BEE"))


@pytest.mark.parametrize(
    ("kind", "condition", "after"),
    [
        (GoalKind.REACH, Condition.ENTERED, scene(state(map_id=THERE))),
        (GoalKind.MEET, Condition.MILESTONE, scene(state(), milestones=1)),
        (GoalKind.HEAL, Condition.HEALED, scene(state(party=[creature()]))),
        (GoalKind.TRAIN, Condition.LEVEL_GAINED, scene(state(party=[creature(level=6)]))),
        (GoalKind.CATCH, Condition.CAUGHT, scene(state(party=[creature()] * 2))),
        (GoalKind.CATCH, Condition.CAUGHT, scene(replace(state(party=[creature()]), caught=1))),
        (GoalKind.EXPLORE, Condition.NEW_TILES, scene(state(), tiles=NEW_TILES)),
    ],
)
def test_a_goal_is_reached_when_its_condition_holds(kind, condition, after):
    where = {GoalKind.REACH: THERE, GoalKind.CATCH: HERE}.get(kind)
    active_goal = begun(kind, condition, START, map=where)
    assert outcome(active_goal, START) is None
    assert outcome(active_goal, after) is Outcome.REACHED
    busy = replace(after, state=replace(after.state, control=READING))
    active_goal, over = evaluate(active_goal, busy)
    assert over is None
    assert outcome(active_goal, START) is Outcome.REACHED  # it held; the game was still busy


@pytest.mark.parametrize(
    ("kind", "condition", "is_won", "expected"),
    [
        (GoalKind.FIGHT, Condition.BATTLE_WON, True, Outcome.REACHED),
        (GoalKind.FIGHT, Condition.BATTLE_WON, False, Outcome.FAILED),
        (GoalKind.RUN, Condition.BATTLE_LEFT, False, Outcome.REACHED),
        (GoalKind.CATCH, Condition.CAUGHT, False, Outcome.FAILED),
    ],
)
def test_a_battles_goal_is_judged_when_it_is_over(kind, condition, is_won, expected):
    active_goal = begun(kind, condition, scene(state(fight=FIGHT)))
    for _ in range(LIFE_STEPS + 10):  # however long it takes
        active_goal, over = evaluate(active_goal, scene(state(fight=FIGHT)))
        assert over is None
    active_goal, over = evaluate(active_goal, scene(state(), was_won=is_won))
    assert over is expected
    assert active_goal.made_progress is (condition is Condition.BATTLE_LEFT)


def test_rest_is_progress_in_itself():
    active_goal, over = evaluate(
        begun(GoalKind.HEAL, Condition.HEALED, START), scene(state(party=[creature()]))
    )
    assert (over, active_goal.made_progress) == (Outcome.REACHED, True)


def test_meeting_is_answered_once_something_opens_before_the_target():
    room = view(["...", "...", "..."], people=[(1, 0)])
    met = {"map": HERE, "target": (1, 0), "is_interaction": True}
    active_goal = begun(GoalKind.MEET, Condition.ANSWERED, scene(state(room)), **met)
    assert active_goal.person == 1
    for at, facing, control, has_answered in (
        ((1, 1), Facing.UP, READING, True),
        ((1, 1), Facing.UP, menu((1, 1), (2, 1)), True),
        ((1, 1), Facing.UP, FREE, False),
        ((1, 1), Facing.DOWN, READING, False),
        ((1, 2), Facing.UP, READING, False),
    ):
        after, over = evaluate(active_goal, scene(state(room, at, facing, control=control)))
        assert after.has_come_true is has_answered
        assert over is None


def test_a_trainer_who_sees_the_player_is_met_from_afar():
    room = view(["......."] * 3, people=[(5, 1), (6, 1), (0, 2)])
    trainer = battle(creature(), creature("BEE"), BattleKind.TRAINER)
    met = {"map": HERE, "is_interaction": True}
    first, behind = (
        begun(GoalKind.MEET, Condition.ANSWERED, scene(state(room)), target=tile, **met)
        for tile in ((5, 1), (6, 1))
    )
    for at, facing, fight, has_answered in (
        ((0, 1), Facing.RIGHT, trainer, True),
        ((2, 1), Facing.RIGHT, trainer, True),
        ((2, 1), Facing.RIGHT, FIGHT, False),  # a wild one
        ((2, 1), Facing.LEFT, trainer, False),
        ((2, 0), Facing.RIGHT, trainer, False),
        ((0, 1), Facing.DOWN, trainer, False),  # another one
    ):
        now = scene(state(room, at, facing, fight=fight))
        assert evaluate(first, now)[0].has_come_true is has_answered
        assert not evaluate(behind, now)[0].has_come_true  # the nearer one is in the way


def test_active_goal_follows_a_walking_person():
    room = view(["....", "....", "...."], people=[(1, 0), (3, 2)])
    met = {"map": HERE, "target": (3, 2), "is_interaction": True}
    active_goal = begun(GoalKind.MEET, Condition.ANSWERED, scene(state(room)), **met)
    moved = replace(room, objects=(MapObject(1, 1, 1, 0), MapObject(2, 1, 0, 2)))
    assert active_goal.target(state(moved)) == (0, 2)
    assert active_goal.target(state(moved, map_id=THERE)) == (3, 2)


def test_a_plan_from_another_game_means_who_is_nearest():
    met = {"map": HERE, "target": (1, 1), "is_interaction": True}
    near = begun(
        GoalKind.MEET, Condition.ANSWERED, scene(state(view(["...."] * 3, people=[(2, 2)]))), **met
    )
    assert near.person == 1
    wide = view(["." * 12] * 3, people=[(11, 0)])
    assert begun(GoalKind.MEET, Condition.ANSWERED, scene(state(wide)), **met).person == 0
    sign = replace(view(["...."] * 3, people=[(2, 2)]), signs=((1, 1),))
    assert begun(GoalKind.MEET, Condition.ANSWERED, scene(state(sign)), **met).person == 0


def test_a_way_out_is_taken_when_its_other_end_is_reached():
    shown = replace(view(["..."]), warps=(Warp(2, 0, THERE, 1), Warp(0, 0, MapId(1, 3), 1)))
    way = {"map": HERE, "target": (2, 0)}
    active_goal = begun(GoalKind.REACH, Condition.ENTERED, scene(state(shown)), **way)
    assert outcome(active_goal, scene(state(shown, (2, 0)))) is None
    assert outcome(active_goal, scene(state(map_id=MapId(1, 3)))) is None
    assert outcome(active_goal, scene(state(map_id=THERE))) is Outcome.REACHED


def test_a_goal_fails_at_the_end_of_its_life():
    active_goal = begun(GoalKind.REACH, Condition.ENTERED, START, map=THERE)
    assert active_goal.freshness == 1.0
    for age in range(1, LIFE_STEPS + 1):
        active_goal, over = evaluate(active_goal, START)
        assert active_goal.age == age
        assert (over is Outcome.FAILED) == (age == LIFE_STEPS)
    assert active_goal.freshness == 0.0


def test_goal_that_holds_already_is_idle():
    well = scene(state(party=[creature()]))
    assert is_idle(begun(GoalKind.HEAL, Condition.HEALED, well), well)
    assert not is_idle(begun(GoalKind.HEAL, Condition.HEALED, START), START)
    assert is_idle(begun(GoalKind.REACH, Condition.ENTERED, START, map=HERE), START)


def test_no_level_is_gained_by_changing_the_order_or_a_smaller_party():
    two = scene(state(party=[creature(level=5), creature(level=9)]))
    active_goal = begun(GoalKind.TRAIN, Condition.LEVEL_GAINED, two)
    for levels in ([9, 5], [9], [5]):
        now = scene(state(party=[creature(level=level) for level in levels]))
        assert outcome(active_goal, now) is None


def test_a_saved_active_goal_is_the_same():
    for active_goal in (
        begun(GoalKind.REACH, Condition.ENTERED, START, map=THERE),
        begun(GoalKind.EXPLORE, Condition.NEW_TILES, START),
    ):
        active_goal, _ = evaluate(active_goal, START)
        assert ActiveGoal.load(json.loads(json.dumps(active_goal.save()))) == active_goal
