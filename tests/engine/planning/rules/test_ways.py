from dataclasses import replace

from engine.games.catalog import load_game
from engine.planning.rules.ways import CarryingMove, exits_for, hunting_exits
from engine.types import Action, Goal, GoalKind
from engine.wayfinding.world_map import WorldMap
from tests.engine.planning.goals.helpers import HERE, READING, state, view


def places(shown, target=None) -> set[tuple[tuple[int, int], Action]]:
    return {(one.tile, one.action) for one in hunting_exits(shown, target)}


def underground(rows):
    shown = state(view(rows))
    return replace(shown, place=replace(shown.place, environment="cave"))


def test_in_a_cave_without_grass_one_walks_about():
    assert places(underground(["..#"])) == {((0, 0), Action.RIGHT), ((1, 0), Action.LEFT)}
    assert places(state(view(["..#"]))) == set()


def test_a_tile_is_gone_to_and_then_left_on_the_same_ground():
    rows = ["...", "...", "..."]
    assert ((1, 0), Action.DOWN) in places(state(view(rows)), (1, 1))
    there = places(state(view(rows), at=(1, 1)), (1, 1))
    assert {tile for tile, _ in there} == {(1, 1)}
    assert len(there) == 4


def test_a_hunt_about_a_tile_steps_onto_it_and_off_again():
    goal = Goal("catch", "Catch one", HERE, (1, 1), kind=GoalKind.CATCH)
    for at in ((0, 0), (1, 1)):
        shown = state(view(["...", "...", "..."]), at=at)
        exits = exits_for(shown, load_game(), WorldMap({}), goal, goal.target)
        assert exits == hunting_exits(shown, goal.target)
        assert not any(one.is_talk for one in exits)


def test_a_move_that_carries_is_waited_for_on_its_tile_for_three_free_steps():
    text = state(at=(2, 2), control=READING, text=["TOTODILE used SURF!"])
    waits, moved = [], CarryingMove()
    moved.notice(text)
    for _ in range(4):
        other = CarryingMove()
        other.load(moved.save())
        moved = other
        waits.append(moved.is_due)
        moved.notice(state(at=(2, 2)))
    assert waits == [True, True, True, False]
    moved.notice(text)
    moved.notice(state(at=(2, 1)))
    assert not moved.is_due
