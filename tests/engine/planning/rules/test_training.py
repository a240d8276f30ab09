from dataclasses import replace

import numpy as np

from engine.games.catalog import load_game
from engine.games.overworld import PERSON_FIELDS, Overworld
from engine.planning.rules.training import num_watching
from engine.types import MapId
from tests.engine.planning.goals.helpers import READING, state

WORLD = load_game().overworld
FIRST, SECOND = 3, 9  # event flags


def world_with(*people: tuple[int, int, int]) -> Overworld:
    """Return a world with people, each by row of the map, sight and flag of their defeat."""
    assert WORLD is not None
    table = np.zeros(len(people), PERSON_FIELDS)
    for one, (row, sight, flag) in zip(table, people, strict=True):
        one["map"], one["sight"], one["beat_flag"] = row, sight, flag
    return replace(WORLD, people=table)


def test_trainers_who_look_out_count_until_they_are_beaten():
    world = world_with((0, 3, FIRST), (0, 2, SECOND))
    here = world.map_id(0)
    assert num_watching(world, state(map_id=here)) == 2
    assert num_watching(world, state(map_id=here, control=READING)) == 0
    assert num_watching(world, state(map_id=here, flags=[FIRST])) == 1
    assert num_watching(world, state(map_id=here, flags=[FIRST, SECOND])) == 0


def test_people_without_sight_or_on_other_maps_do_not_count():
    world = world_with((0, 0, FIRST), (1, 3, FIRST), (0, 3, -1))
    assert num_watching(world, state(map_id=world.map_id(0))) == 0


def test_where_no_world_is_known_nobody_watches():
    assert num_watching(None, state()) == 0
    assert num_watching(WORLD, state(map_id=MapId(200, 200))) == 0
