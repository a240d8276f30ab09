import json

import pytest

from engine.env.episode import TileMemory, Visit
from engine.types import GameState, MapId
from tests.engine.states import make_control, make_state


def test_tile_and_map_are_new_once() -> None:
    tiles = TileMemory()
    assert tiles.visit(make_state(1, 1)) == Visit(True, True, True)
    assert tiles.visit(make_state(1, 1)) == Visit()
    assert tiles.visit(make_state(2, 1)) == Visit(True, True, False)
    assert tiles.visit(make_state(1, 1, map_number=2)) == Visit(True, True, True)


def test_after_a_milestone_a_tile_is_new_but_not_seen_for_the_first_time() -> None:
    tiles = TileMemory()
    tiles.visit(make_state(1, 1))
    tiles.begin_milestone()
    assert tiles.visit(make_state(1, 1)) == Visit(True, False, False)
    assert tiles.visit(make_state(1, 1)) == Visit()


@pytest.mark.parametrize(
    "state",
    [make_state(1, 1, control=make_control()), make_state(255, 1), make_state(1, 4)],
    ids=["not free", "leaving", "outside"],
)
def test_only_a_free_player_on_the_map_visits(state: GameState) -> None:
    assert TileMemory().visit(state) == Visit()


def test_saved_memory_is_the_same() -> None:
    tiles = TileMemory()
    tiles.visit(make_state(0, 0))
    tiles.begin_milestone()
    for x, y in ((5, 3), (2, 2)):
        tiles.visit(make_state(x, y))
    other = TileMemory()
    other.restore(json.loads(json.dumps(tiles.save())))
    assert other.maps == {MapId(40, 1)}
    assert other.visit(make_state(5, 3)) == Visit()
    assert other.visit(make_state(0, 0)) == Visit(True, False, False)
    assert other.visit(make_state(4, 3)) == Visit(True, True, False)


def test_looking_for_tiles_of_an_unknown_map_notes_nothing():
    memory = TileMemory()
    assert not memory.stood_on(MapId(9, 9), 3, 2).any()
    assert memory.stood_on(MapId(9, 9), 3, 2).shape == (2, 3)
    assert memory.save()["tiles"] == []
