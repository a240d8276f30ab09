"""Who leads, and how often, where every state is a new situation with a plan at hand."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.planning.goals.active_goal import Scene
from engine.planning.goals.scheduler import PlanScheduler
from engine.planning.rules.goals import LIFE_STEPS
from engine.planning_types import Condition, GoalOption, Outcome, PlannerUpdate, Subgoal
from engine.types import BattleKind, Goal, GoalKind, MapId
from tests.engine.planning.goals.helpers import battle, creature, state

FAR = MapId(9, 9)
MODEL, IGNORED, RULES = "model", "ignored", "rules"


def plan_for(key: str, kind: GoalKind = GoalKind.REACH) -> Subgoal:
    goal = Goal(key, key, FAR, kind=kind)
    option = GoalOption(kind, "", key, goal, (Condition.ENTERED,))
    return Subgoal(key, ("m",), option, Condition.ENTERED, 0.9, "")


def scene(number: int, **more) -> Scene:
    return Scene(state(map_id=MapId(1, number), **more), 0, number, (), False)


def leaders(scheduler: PlanScheduler, update: PlannerUpdate, count: int) -> Iterator[str]:
    for number in range(count):
        scheduler.advance(scene(number), 1, update, (), 0)
        slot = scheduler.memory.walk
        assert slot is not None
        assert slot.is_assigned
        if slot.active_goal is None:
            yield RULES
        else:
            yield IGNORED if slot.active_goal.is_control else MODEL


@pytest.mark.parametrize(
    ("model_share", "holdout_fraction", "assigned"),
    [(0.0, 0.2, 0.0), (0.2, 0.2, 0.25), (0.4, 0.2, 0.5), (0.8, 0.2, 1.0), (1.0, 0.2, 1.0),
     (0.3, 0.0, 0.3), (0.5, 0.5, 1.0), (1 / 3, 0.0, 1 / 3)],
)  # fmt: skip
def test_the_model_has_its_share_of_the_events_at_any_time(model_share, holdout_fraction, assigned):
    update = PlannerUpdate(True, model_share, holdout_fraction)
    for env_index in range(2):
        scheduler = PlanScheduler("game", env_index, 5, plan_for)
        had = 0
        for number, leader in enumerate(leaders(scheduler, update, 150), 1):
            had += leader != RULES
            assert abs(had - assigned * number) < 1 + 1e-6


def test_environments_take_their_turns_at_different_times():
    update = PlannerUpdate(True, 0.25, 0.0)
    firsts = [
        list(leaders(PlanScheduler("game", env_index, 5, plan_for), update, 4)).index(MODEL)
        for env_index in range(32)
    ]
    assert all(6 <= count <= 10 for count in Counter(firsts).values())
    assert len(Counter(firsts)) == 4


def test_plans_are_ignored_at_random_by_the_seed_alone():
    def run(seed: int, env_index: int = 0) -> list[str]:
        scheduler = PlanScheduler("game", env_index, seed, plan_for)
        return list(leaders(scheduler, PlannerUpdate(True, 0.8, 0.2), 1000))

    led = run(5)
    assert led == run(5)
    assert len({tuple(one) for one in (led, run(5, 1), run(6))}) == 3
    assert Counter(led) == {MODEL: 789, IGNORED: 211}


def test_share_and_random_numbers_go_on_over_episodes():
    through, ending = (PlanScheduler("game", 0, 1, plan_for) for _ in range(2))
    update = PlannerUpdate(True, 0.3, 0.2)
    expected = list(leaders(through, update, 40))
    got = list(leaders(ending, update, 20))
    ending.end()
    ending.reset()
    number = range(20, 40)
    for i in number:
        ending.advance(scene(i), 1, update, (), 0)
        slot = ending.memory.walk
        active_goal = slot.active_goal if slot else None
        got.append(RULES if active_goal is None else IGNORED if active_goal.is_control else MODEL)
    assert got == expected


def test_goal_that_gives_way_to_a_new_subgoal_is_replaced():
    scheduler = PlanScheduler("game", 0, 1, plan_for)
    list(leaders(scheduler, PlannerUpdate(True, 1.0, 0.0), 5))
    assert scheduler.goal_outcomes == []  # progress may yet come of them
    scheduler.end()
    assert [v.outcome for v in scheduler.goal_outcomes] == [Outcome.REPLACED] * 4
    assert not any(v.made_progress for v in scheduler.goal_outcomes)


def test_progress_is_credited_to_the_goals_before_it_too():
    scheduler = PlanScheduler("game", 0, 1, plan_for)
    update = PlannerUpdate(True, 1.0, 0.0)
    list(leaders(scheduler, update, 3))
    scheduler.advance(scene(2), 2, update, (), 0)  # a map new to the episode
    assert [(v.outcome, v.made_progress) for v in scheduler.goal_outcomes] == [
        (Outcome.REPLACED, True)
    ] * 2


def test_a_battle_on_the_way_keeps_the_goal():
    scheduler = PlanScheduler("game", 0, 1, lambda key: plan_for(key) if not plans else None)
    plans: list[str] = []
    update = PlannerUpdate(True, 1.0, 0.0)
    scheduler.advance(scene(1), 1, update, (), 0)
    plans.append("none for the battle")
    goal = scheduler.leading(scene(1).state)
    assert goal is not None
    fight = battle(creature(), creature("BEE"), BattleKind.WILD)
    for _ in range(3):
        fighting = scene(1, fight=fight)
        scheduler.advance(fighting, 1, update, (), 0)
        leading = scheduler.leading(fighting.state)
        assert leading is not None
        assert leading.subgoal == goal.subgoal
        question = scheduler.next_question(fighting.state, update, 0)
        assert question is not None
        assert question[2] == "battle"
    scheduler.advance(scene(1), 1, update, (), 0)
    assert scheduler.memory.fight is None
    leading = scheduler.leading(scene(1).state)
    assert leading is not None
    assert leading.subgoal == goal.subgoal
    assert not scheduler.goal_outcomes


def test_a_battle_that_is_over_is_judged_by_how_it_ended():
    def look(key: str) -> Subgoal:
        goal = Goal("fight", "Win", kind=GoalKind.FIGHT)
        option = GoalOption(GoalKind.FIGHT, "", "win", goal, (Condition.BATTLE_WON,))
        return Subgoal(key, ("m",), option, Condition.BATTLE_WON, 0.9, "")

    for is_won in (True, False):
        scheduler = PlanScheduler("game", 0, 1, look)
        update = PlannerUpdate(True, 1.0, 0.0)
        scheduler.advance(scene(1), 1, update, (), 0)
        assert scheduler.leading(scene(1).state) is None  # a plan for a battle leads in none
        enemy = creature("BEE", hp=0 if is_won else 20)
        fighting = scene(1, fight=battle(creature(), enemy))
        scheduler.advance(replace(fighting, was_won=is_won), 1, update, (), 0)
        assert scheduler.leading(fighting.state) is not None
        scheduler.advance(replace(scene(1), was_won=is_won), 1, update, (), 0)
        scheduler.end()
        (goal_outcome,) = scheduler.goal_outcomes
        assert goal_outcome.outcome is (Outcome.REACHED if is_won else Outcome.FAILED)
        assert goal_outcome.kind is GoalKind.FIGHT


def test_next_question_is_none_while_a_map_is_entered():
    scheduler = PlanScheduler("game", 0, 1, lambda key: None)
    update = PlannerUpdate(True)
    shown = scene(1)
    control = replace(shown.state.control, in_transition=True, is_free=False)
    between = replace(shown, state=replace(shown.state, control=control))
    scheduler.advance(between, 1, update, (), 0)
    assert scheduler.next_question(between.state, update, 0) is None
    scheduler.advance(shown, 1, update, (), 0)
    assert scheduler.next_question(shown.state, update, 0) is not None


@pytest.mark.parametrize("holdout_fraction", [0.0, 0.999])
def test_followed_or_ignored_a_plan_has_the_same_time_to_show_progress(holdout_fraction):
    there = Scene(state(map_id=FAR), 0, 5, (), False)

    def once(key: str) -> Subgoal | None:
        return plan_for("only") if not given.append(key) and len(given) == 1 else None

    given: list[str] = []
    scheduler, update = (
        PlanScheduler("game", 0, 1, once),
        PlannerUpdate(True, 1.0, holdout_fraction),
    )
    for _ in range(11):
        scheduler.advance(scene(1), 1, update, (), 0)
    later = 0
    while not scheduler.goal_outcomes:
        scheduler.advance(there, 1, update, (), 0)
        later += 1
    (goal_outcome,) = scheduler.goal_outcomes
    assert (goal_outcome.outcome, goal_outcome.made_progress) == (Outcome.REACHED, False)
    assert goal_outcome.is_control is (holdout_fraction > 0.5)
    assert 10 + later == LIFE_STEPS
