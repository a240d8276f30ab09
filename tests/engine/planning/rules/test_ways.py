from dataclasses import replace

from engine.planning.rules.ways import hunting_exits
from engine.types import Action
from tests.engine.planning.goals.helpers import state, view


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
