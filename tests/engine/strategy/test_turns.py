"""Who leads, and how often, where every state is a new situation with a plan at hand."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.plans import Choice, Condition, Directions, Outcome, Plan
from engine.strategy.goal_watch import LIFE_STEPS
from engine.strategy.pursuit import Scene
from engine.strategy.turns import Turns
from engine.types import BattleKind, Goal, GoalKind, MapId
from tests.engine.strategy.helpers import battle, creature, state

FAR = MapId(9, 9)
MODEL, IGNORED, RULES = "model", "ignored", "rules"


def plan_for(key: str, kind: GoalKind = GoalKind.REACH) -> Plan:
    goal = Goal(key, key, FAR, kind=kind)
    choice = Choice(kind, "", key, goal, (Condition.ENTERED,))
    return Plan(key, ("m",), choice, Condition.ENTERED, 0.9, "")


def scene(number: int, **more) -> Scene:
    return Scene(state(map_id=MapId(1, number), **more), 0, number, (), False)


def leaders(turns: Turns, directions: Directions, count: int) -> Iterator[str]:
    for number in range(count):
        turns.advance(scene(number), 1, directions, (), 0)
        slot = turns.memory.walk
        assert slot is not None
        assert slot.is_dealt
        if slot.pursuit is None:
            yield RULES
        else:
            yield IGNORED if slot.pursuit.is_ignored else MODEL


@pytest.mark.parametrize(
    ("model_share", "ignore_share", "dealt"),
    [(0.0, 0.2, 0.0), (0.2, 0.2, 0.25), (0.4, 0.2, 0.5), (0.8, 0.2, 1.0), (1.0, 0.2, 1.0),
     (0.3, 0.0, 0.3), (0.5, 0.5, 1.0), (1 / 3, 0.0, 1 / 3)],
)  # fmt: skip
def test_the_model_has_its_share_of_the_events_at_any_time(model_share, ignore_share, dealt):
    directions = Directions(True, model_share, ignore_share)
    for env_index in range(2):
        turns = Turns("game", env_index, 5, plan_for)
        had = 0
        for number, leader in enumerate(leaders(turns, directions, 150), 1):
            had += leader != RULES
            assert abs(had - dealt * number) < 1 + 1e-6


def test_environments_take_their_turns_at_different_times():
    directions = Directions(True, 0.25, 0.0)
    firsts = [
        list(leaders(Turns("game", env_index, 5, plan_for), directions, 4)).index(MODEL)
        for env_index in range(32)
    ]
    assert all(6 <= count <= 10 for count in Counter(firsts).values())
    assert len(Counter(firsts)) == 4


def test_plans_are_ignored_at_random_by_the_seed_alone():
    def run(seed: int, env_index: int = 0) -> list[str]:
        turns = Turns("game", env_index, seed, plan_for)
        return list(leaders(turns, Directions(True, 0.8, 0.2), 1000))

    led = run(5)
    assert led == run(5)
    assert len({tuple(one) for one in (led, run(5, 1), run(6))}) == 3
    assert Counter(led) == {MODEL: 789, IGNORED: 211}


def test_share_and_random_numbers_go_on_over_episodes():
    through, ending = (Turns("game", 0, 1, plan_for) for _ in range(2))
    directions = Directions(True, 0.3, 0.2)
    expected = list(leaders(through, directions, 40))
    got = list(leaders(ending, directions, 20))
    ending.end()
    ending.reset()
    number = range(20, 40)
    for i in number:
        ending.advance(scene(i), 1, directions, (), 0)
        slot = ending.memory.walk
        pursuit = slot.pursuit if slot else None
        got.append(RULES if pursuit is None else IGNORED if pursuit.is_ignored else MODEL)
    assert got == expected


def test_what_a_new_plan_takes_the_place_of_is_replaced():
    turns = Turns("game", 0, 1, plan_for)
    list(leaders(turns, Directions(True, 1.0, 0.0), 5))
    assert turns.verdicts == []  # progress may yet come of them
    turns.end()
    assert [v.outcome for v in turns.verdicts] == [Outcome.REPLACED] * 4
    assert not any(v.made_progress for v in turns.verdicts)


def test_what_came_before_the_goal_that_led_on_shares_its_progress():
    turns = Turns("game", 0, 1, plan_for)
    directions = Directions(True, 1.0, 0.0)
    list(leaders(turns, directions, 3))
    turns.advance(scene(2), 2, directions, (), 0)  # a map new to the episode
    assert [(v.outcome, v.made_progress) for v in turns.verdicts] == [(Outcome.REPLACED, True)] * 2


def test_a_battle_on_the_way_keeps_the_goal():
    turns = Turns("game", 0, 1, lambda key: plan_for(key) if not plans else None)
    plans: list[str] = []
    directions = Directions(True, 1.0, 0.0)
    turns.advance(scene(1), 1, directions, (), 0)
    plans.append("none for the battle")
    goal = turns.leading(scene(1).state)
    assert goal is not None
    fight = battle(creature(), creature("BEE"), BattleKind.WILD)
    for _ in range(3):
        fighting = scene(1, fight=fight)
        turns.advance(fighting, 1, directions, (), 0)
        leading = turns.leading(fighting.state)
        assert leading is not None
        assert leading.plan == goal.plan
        question = turns.next_question(fighting.state, directions, 0)
        assert question is not None
        assert question[2] == "battle"
    turns.advance(scene(1), 1, directions, (), 0)
    assert turns.memory.fight is None
    leading = turns.leading(scene(1).state)
    assert leading is not None
    assert leading.plan == goal.plan
    assert not turns.verdicts


def test_a_battle_that_is_over_is_judged_by_how_it_ended():
    def look(key: str) -> Plan:
        goal = Goal("fight", "Win", kind=GoalKind.FIGHT)
        choice = Choice(GoalKind.FIGHT, "", "win", goal, (Condition.BATTLE_WON,))
        return Plan(key, ("m",), choice, Condition.BATTLE_WON, 0.9, "")

    for is_won in (True, False):
        turns = Turns("game", 0, 1, look)
        directions = Directions(True, 1.0, 0.0)
        turns.advance(scene(1), 1, directions, (), 0)
        assert turns.leading(scene(1).state) is None  # a plan for a battle leads in none
        enemy = creature("BEE", hp=0 if is_won else 20)
        fighting = scene(1, fight=battle(creature(), enemy))
        turns.advance(replace(fighting, was_won=is_won), 1, directions, (), 0)
        assert turns.leading(fighting.state) is not None
        turns.advance(replace(scene(1), was_won=is_won), 1, directions, (), 0)
        turns.end()
        (verdict,) = turns.verdicts
        assert verdict.outcome is (Outcome.REACHED if is_won else Outcome.FAILED)
        assert verdict.kind is GoalKind.FIGHT


def test_nothing_is_asked_while_a_map_is_entered():
    turns = Turns("game", 0, 1, lambda key: None)
    directions = Directions(True)
    shown = scene(1)
    control = replace(shown.state.control, in_transition=True, is_free=False)
    between = replace(shown, state=replace(shown.state, control=control))
    turns.advance(between, 1, directions, (), 0)
    assert turns.next_question(between.state, directions, 0) is None
    turns.advance(shown, 1, directions, (), 0)
    assert turns.next_question(shown.state, directions, 0) is not None


@pytest.mark.parametrize("ignore_share", [0.0, 0.999])
def test_followed_or_ignored_a_plan_has_the_same_time_to_show_progress(ignore_share):
    there = Scene(state(map_id=FAR), 0, 5, (), False)

    def once(key: str) -> Plan | None:
        return plan_for("only") if not given.append(key) and len(given) == 1 else None

    given: list[str] = []
    turns, directions = Turns("game", 0, 1, once), Directions(True, 1.0, ignore_share)
    for _ in range(11):
        turns.advance(scene(1), 1, directions, (), 0)
    later = 0
    while not turns.verdicts:
        turns.advance(there, 1, directions, (), 0)
        later += 1
    (verdict,) = turns.verdicts
    assert (verdict.outcome, verdict.made_progress) == (Outcome.REACHED, False)
    assert verdict.is_ignored is (ignore_share > 0.5)
    assert 10 + later == LIFE_STEPS
