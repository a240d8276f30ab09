"""Every condition is read from RAM; what comes of a goal follows from it."""

import json
from dataclasses import replace

import pytest

from engine.plans import Choice, Condition, Outcome, Plan
from engine.strategy.goal_watch import LIFE_STEPS
from engine.strategy.pursuit import NEW_TILES, Pursuit, Scene, is_idle, judge, pursue
from engine.types import BattleKind, Facing, GameState, Goal, GoalKind, MapId, MapObject, Warp
from tests.engine.strategy.helpers import (
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


def begun(kind: GoalKind, condition: Condition, at: Scene, **goal) -> Pursuit:
    wanted = Goal("goal", "the goal", kind=kind, **goal)
    choice = Choice(kind, "", "the goal", wanted, (condition,))
    plan = Plan("key", ("m",), choice, condition, 0.5, "")
    return pursue(plan, (1, 2), at, is_ignored=False)


def outcome(pursuit: Pursuit, now: Scene) -> Outcome | None:
    return judge(pursuit, now)[1]


START = scene(state(party=[creature(hp=5)]))
FIGHT = battle(creature(), creature("BEE"))


@pytest.mark.parametrize(
    ("kind", "condition", "goal", "after"),
    [
        (GoalKind.REACH, Condition.ENTERED, {"map": THERE}, scene(state(map_id=THERE))),
        (GoalKind.MEET, Condition.MILESTONE, {}, scene(state(), milestones=1)),
        (GoalKind.HEAL, Condition.HEALED, {}, scene(state(party=[creature()]))),
        (GoalKind.TRAIN, Condition.LEVEL_GAINED, {}, scene(state(party=[creature(level=6)]))),
        (GoalKind.CATCH, Condition.CAUGHT, {"map": HERE}, scene(state(party=[creature()] * 2))),
        (
            GoalKind.CATCH,
            Condition.CAUGHT,
            {"map": HERE},
            scene(replace(state(party=[creature()]), caught=1)),
        ),
        (GoalKind.EXPLORE, Condition.NEW_TILES, {}, scene(state(), tiles=NEW_TILES)),
    ],
)
def test_a_goal_is_reached_when_its_condition_holds(kind, condition, goal, after):
    pursuit = begun(kind, condition, START, **goal)
    assert outcome(pursuit, START) is None
    assert outcome(pursuit, after) is Outcome.REACHED
    busy = replace(after, state=replace(after.state, control=READING))
    pursuit, over = judge(pursuit, busy)
    assert over is None
    assert outcome(pursuit, START) is Outcome.REACHED  # it held; the game was still busy


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
    pursuit = begun(kind, condition, scene(state(fight=FIGHT)))
    for _ in range(LIFE_STEPS + 10):  # however long it takes
        pursuit, over = judge(pursuit, scene(state(fight=FIGHT)))
        assert over is None
    pursuit, over = judge(pursuit, scene(state(), was_won=is_won))
    assert over is expected
    assert pursuit.made_progress is (condition is Condition.BATTLE_LEFT)


def test_rest_is_progress_in_itself():
    pursuit, over = judge(
        begun(GoalKind.HEAL, Condition.HEALED, START), scene(state(party=[creature()]))
    )
    assert (over, pursuit.made_progress) == (Outcome.REACHED, True)


def test_what_is_met_has_answered_once_something_opens_before_it():
    room = view(["...", "...", "..."], people=[(1, 0)])
    met = {"map": HERE, "target": (1, 0), "is_interaction": True}
    pursuit = begun(GoalKind.MEET, Condition.ANSWERED, scene(state(room)), **met)
    assert pursuit.person == 1
    for at, facing, control, has_answered in (
        ((1, 1), Facing.UP, READING, True),
        ((1, 1), Facing.UP, menu((1, 1), (2, 1)), True),
        ((1, 1), Facing.UP, FREE, False),
        ((1, 1), Facing.DOWN, READING, False),
        ((1, 2), Facing.UP, READING, False),
    ):
        after, over = judge(pursuit, scene(state(room, at, facing, control=control)))
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
        assert judge(first, now)[0].has_come_true is has_answered
        assert not judge(behind, now)[0].has_come_true  # the nearer one is in the way


def test_who_walks_about_is_followed():
    room = view(["....", "....", "...."], people=[(1, 0), (3, 2)])
    met = {"map": HERE, "target": (3, 2), "is_interaction": True}
    pursuit = begun(GoalKind.MEET, Condition.ANSWERED, scene(state(room)), **met)
    moved = replace(room, objects=(MapObject(1, 1, 1, 0), MapObject(2, 1, 0, 2)))
    assert pursuit.target(state(moved)) == (0, 2)
    assert pursuit.target(state(moved, map_id=THERE)) == (3, 2)


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
    pursuit = begun(GoalKind.REACH, Condition.ENTERED, scene(state(shown)), **way)
    assert outcome(pursuit, scene(state(shown, (2, 0)))) is None
    assert outcome(pursuit, scene(state(map_id=MapId(1, 3)))) is None
    assert outcome(pursuit, scene(state(map_id=THERE))) is Outcome.REACHED


def test_a_goal_fails_at_the_end_of_its_life():
    pursuit = begun(GoalKind.REACH, Condition.ENTERED, START, map=THERE)
    assert pursuit.freshness == 1.0
    for age in range(1, LIFE_STEPS + 1):
        pursuit, over = judge(pursuit, START)
        assert pursuit.age == age
        assert (over is Outcome.FAILED) == (age == LIFE_STEPS)
    assert pursuit.freshness == 0.0


def test_what_is_so_already_is_not_worth_pursuing():
    well = scene(state(party=[creature()]))
    assert is_idle(begun(GoalKind.HEAL, Condition.HEALED, well), well)
    assert not is_idle(begun(GoalKind.HEAL, Condition.HEALED, START), START)
    assert is_idle(begun(GoalKind.REACH, Condition.ENTERED, START, map=HERE), START)


def test_no_level_is_gained_by_changing_the_order_or_a_smaller_party():
    two = scene(state(party=[creature(level=5), creature(level=9)]))
    pursuit = begun(GoalKind.TRAIN, Condition.LEVEL_GAINED, two)
    for levels in ([9, 5], [9], [5]):
        now = scene(state(party=[creature(level=level) for level in levels]))
        assert outcome(pursuit, now) is None


def test_a_saved_pursuit_is_the_same():
    for pursuit in (
        begun(GoalKind.REACH, Condition.ENTERED, START, map=THERE),
        begun(GoalKind.EXPLORE, Condition.NEW_TILES, START),
    ):
        pursuit, _ = judge(pursuit, START)
        assert Pursuit.load(json.loads(json.dumps(pursuit.save()))) == pursuit
