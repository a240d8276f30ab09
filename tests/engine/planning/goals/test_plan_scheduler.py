"""Who leads, and how often, where every state is a new situation with a plan at hand."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.planning.goals.active_goal import Scene
from engine.planning.goals.scheduler import PlanScheduler
from engine.planning.rules.goal_tracker import LIFE_STEPS
from engine.planning_types import Condition, GoalOption, Outcome, PlannerUpdate, Subgoal
from engine.types import BattleKind, Goal, GoalKind, MapId
from tests.engine.planning.goals.helpers import battle, creature, state

FAR = MapId(9, 9)
MODEL, IGNORED, RULES = "model", "ignored", "rules"


ALWAYS = PlannerUpdate(True, 1.0, 0.0)


def plan_for(
    key: str, kind: GoalKind = GoalKind.REACH, condition: Condition = Condition.ENTERED
) -> Subgoal:
    goal = Goal(key, key, FAR, kind=kind)
    return Subgoal(key, ("m",), GoalOption(kind, "", key, goal, (condition,)), condition, 0.9, "")


def scene(number: int, **more) -> Scene:
    return Scene(state(map_id=MapId(1, number), **more), 0, number, (), False)


def scheduler_of(env_index: int = 0, seed: int = 1, look=plan_for) -> PlanScheduler:
    return PlanScheduler("game", env_index, seed, look)


def leader(scheduler: PlanScheduler) -> str:
    slot = scheduler.memory.walk
    assert slot.is_assigned
    if slot.active_goal is None:
        return RULES
    return IGNORED if slot.active_goal.is_control else MODEL


def leaders(
    scheduler: PlanScheduler, update: PlannerUpdate, count: int, start: int = 0
) -> Iterator[str]:
    for number in range(start, start + count):
        scheduler.advance(scene(number), 1, update, (), 0)
        yield leader(scheduler)


@pytest.mark.parametrize(
    ("model_share", "holdout_fraction", "assigned"),
    [(0.0, 0.2, 0.0), (0.2, 0.2, 0.25), (0.4, 0.2, 0.5), (0.8, 0.2, 1.0), (1.0, 0.2, 1.0),
     (0.3, 0.0, 0.3), (0.5, 0.5, 1.0), (1 / 3, 0.0, 1 / 3)],
)  # fmt: skip
@pytest.mark.parametrize("env_index", range(2))
def test_the_model_has_its_share_of_the_events_at_any_time(
    model_share, holdout_fraction, assigned, env_index
):
    update, had = PlannerUpdate(True, model_share, holdout_fraction), 0
    for number, leader in enumerate(leaders(scheduler_of(env_index, 5), update, 100), 1):
        had += leader != RULES
        assert abs(had - assigned * number) < 1 + 1e-6


def test_environments_take_their_turns_at_different_times():
    update = PlannerUpdate(True, 0.25, 0.0)
    firsts = [list(leaders(scheduler_of(i, 5), update, 4)).index(MODEL) for i in range(32)]
    assert all(6 <= count <= 10 for count in Counter(firsts).values())
    assert len(Counter(firsts)) == 4


def test_plans_are_ignored_at_random_by_the_seed_alone():
    def run(seed: int, env_index: int = 0, count: int = 100) -> list[str]:
        update = PlannerUpdate(True, 0.8, 0.2)
        return list(leaders(scheduler_of(env_index, seed), update, count))

    led = run(5, count=500)
    assert led[:100] == run(5)
    assert len({tuple(one) for one in (led[:100], run(5, 1), run(6))}) == 3
    assert 0.15 < Counter(led)[IGNORED] / len(led) < 0.25
    assert set(led) == {MODEL, IGNORED}


def test_share_and_random_numbers_go_on_over_episodes():
    through, ending = scheduler_of(), scheduler_of()
    update = PlannerUpdate(True, 0.3, 0.2)
    expected = list(leaders(through, update, 40))
    got = list(leaders(ending, update, 20))
    ending.end()
    ending.reset()
    assert got + list(leaders(ending, update, 20, start=20)) == expected


def test_goal_that_gives_way_to_a_new_subgoal_is_replaced():
    scheduler = scheduler_of()
    list(leaders(scheduler, ALWAYS, 5))
    assert scheduler.goal_outcomes == []  # progress may yet come of them
    scheduler.end()
    assert [v.outcome for v in scheduler.goal_outcomes] == [Outcome.REPLACED] * 4
    assert not any(v.made_progress for v in scheduler.goal_outcomes)


def test_progress_is_credited_to_the_goals_before_it_too():
    scheduler = scheduler_of()
    list(leaders(scheduler, ALWAYS, 3))
    scheduler.advance(scene(2), 2, ALWAYS, (), 0)  # a map new to the episode
    outcomes = [(v.outcome, v.made_progress) for v in scheduler.goal_outcomes]
    assert outcomes == [(Outcome.REPLACED, True)] * 2


def test_a_battle_on_the_way_keeps_the_goal():
    plans: list[str] = []
    scheduler = scheduler_of(look=lambda key: plan_for(key) if not plans else None)
    scheduler.advance(scene(1), 1, ALWAYS, (), 0)
    plans.append("none for the battle")
    goal = scheduler.leading(scene(1).state).subgoal
    fighting = scene(1, fight=battle(creature(), creature("BEE"), BattleKind.WILD))
    for _ in range(3):
        scheduler.advance(fighting, 1, ALWAYS, (), 0)
        assert scheduler.leading(fighting.state).subgoal == goal
        assert scheduler.next_question(fighting.state, ALWAYS, 0)[2] == "battle"
    scheduler.advance(scene(1), 1, ALWAYS, (), 0)
    assert scheduler.memory.fight is None
    assert scheduler.leading(scene(1).state).subgoal == goal
    assert not scheduler.goal_outcomes


@pytest.mark.parametrize(("is_won", "outcome"), [(True, Outcome.REACHED), (False, Outcome.FAILED)])
def test_a_battle_that_is_over_is_judged_by_how_it_ended(is_won, outcome):
    scheduler = scheduler_of(look=lambda key: plan_for(key, GoalKind.FIGHT, Condition.BATTLE_WON))
    scheduler.advance(scene(1), 1, ALWAYS, (), 0)
    assert scheduler.leading(scene(1).state) is None  # a plan for a battle leads in none
    fighting = scene(1, fight=battle(creature(), creature("BEE", hp=0 if is_won else 20)))
    scheduler.advance(replace(fighting, was_won=is_won), 1, ALWAYS, (), 0)
    assert scheduler.leading(fighting.state) is not None
    scheduler.advance(replace(scene(1), was_won=is_won), 1, ALWAYS, (), 0)
    scheduler.end()
    assert [(one.outcome, one.kind) for one in scheduler.goal_outcomes] == [
        (outcome, GoalKind.FIGHT)
    ]


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
    given: list[str] = []

    def once(key: str) -> Subgoal | None:
        return plan_for("only") if not given.append(key) and len(given) == 1 else None

    scheduler, update = scheduler_of(look=once), PlannerUpdate(True, 1.0, holdout_fraction)
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
