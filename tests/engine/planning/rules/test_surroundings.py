"""What is around the player: drawn, listed, and as far as it says on the real game."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.env.game_env import GameEnv
from engine.games.catalog import load_game
from engine.games.crystal.maps import TERRAIN
from engine.planning.rules.surroundings import Spot, Surroundings, survey, walking_steps
from engine.types import DIRECTIONS, Action, Edge, Facing, GameState, MapId, Terrain, Warp
from tests.engine.led import lead_until
from tests.engine.planning.goals.helpers import battle, creature, state, view
from tests.engine.states import make_view

GAME = load_game()
SIDES = ("north", "south", "west", "east")


def look(shown: GameState) -> Surroundings:
    return survey(shown, GAME)


def rows(surroundings: Surroundings) -> list[str]:
    """Return the drawing without its numbers."""
    return [row[4:] for row in surroundings.drawing[1:]]


def room(*, doors: tuple[tuple[int, int], ...] = (), **more) -> GameState:
    """Return a state on a map drawn in `more`, its doors leading to PLACE 0, PLACE 1, ..."""
    at = more.pop("at", (1, 1))
    facing = more.pop("facing", Facing.DOWN)
    warps = tuple(Warp(x, y, MapId(9, n), 1, f"PLACE {n}") for n, (x, y) in enumerate(doors))
    return state(replace(view(**more), warps=warps), at, facing)


# ---- the drawing ---------------------------------------------------------------------------


def test_a_room_is_drawn_as_it_is():
    shown = room(rows=["#D##", "C..~", '."m.'], doors=[(1, 0), (2, 2)], people=[(0, 2)])
    found = look(replace(shown, map=replace(shown.map, signs=((3, 0),))))
    assert found.drawing == ("    0123", "  0 #1#?", "  1 =v.~", "  2 A,2.")
    assert found.legend == (
        "# wall  . floor  , tall grass  ~ water  = counter  ? sign: answers A"
        "  1-9 exits  A-L people and things"
    )


@pytest.mark.parametrize(("facing", "symbol"), [*zip(Facing, "v^<>", strict=True)])
def test_the_player_looks_where_the_player_faces(facing: Facing, symbol: str):
    assert rows(look(room(rows=["..."] * 3, facing=facing)))[1] == f".{symbol}."


@pytest.mark.parametrize(
    ("tile", "symbol", "word"),
    [
        (0xA0, ")", ") ledge, hop right"),
        (0xA1, "(", "( ledge, hop left"),
        (0xA3, "_", "_ ledge, hop down"),
        (0xA5, "/", "/ ledge, hop down or left"),
    ],
)
def test_a_ledge_shows_its_direction(tile: int, symbol: str, word: str):
    found = look(state(make_view(("..", ".L"), tiles={"L": tile})))
    assert rows(found)[1][1] == symbol
    assert word in found.legend


def test_the_legend_lists_only_what_is_drawn():
    assert look(room(rows=["..", ".."], at=(0, 0))).legend == ". floor"


def test_a_large_map_is_drawn_in_part():
    found = look(state(make_view(("." * 60,) * 50), (30, 20)))
    assert found.drawing[0] == "    345678901234567"
    assert [len(row) for row in rows(found)] == [15] * 13
    assert rows(found)[6][7] == "v"
    assert [int(row[:3]) for row in found.drawing[1:]] == list(range(14, 27))


@pytest.mark.parametrize("side", SIDES)
def test_the_neighbour_is_drawn_where_the_map_goes_on(side: str):
    shown = make_view(("..", ".."), connections=frozenset({side}), border=0x29)
    drawn = rows(look(state(shown, (0, 0))))
    columns, lines = {"north": (2, 8), "south": (2, 7), "west": (8, 2), "east": (8, 2)}[side]
    assert [len(row) for row in drawn] == [columns] * lines
    assert sum(row.count("~") for row in drawn) == columns * lines - 4


def test_survey_is_empty_in_a_battle_and_between_maps():
    shown = room(rows=["..."] * 3)
    fight = battle(creature(), creature())
    for unknown in (
        replace(shown, battle=fight),
        replace(shown, place=replace(shown.place, x=255)),
        replace(shown, map=replace(shown.map, bordered=None)),
    ):
        assert look(unknown) == Surroundings()


# ---- distances -----------------------------------------------------------------------------


def test_a_ledge_is_hopped_down_and_never_up():
    cliff = view(["...", "vvv", "###", "..."])
    assert walking_steps(cliff, (1, 0))[1, 3] == 2
    assert {y for _, y in walking_steps(cliff, (1, 3))} == {3}


def test_a_ledge_is_walked_along():
    assert walking_steps(view(["vvv", "###", "..."]), (0, 0))[2, 0] == 2


def test_a_way_out_counts_the_step_through_it():
    door, carpet = look(room(rows=["#D#", "...", ".m."], doors=[(1, 0), (1, 2)])).exits
    assert (door.name, door.steps) == ("PLACE 0", 1)
    assert (carpet.name, carpet.steps) == ("PLACE 1", 2)


def test_a_way_out_behind_a_wall_is_out_of_reach_and_last():
    found = look(room(rows=["D#D", "##.", "..."], at=(2, 2), doors=[(0, 0), (2, 0)]))
    assert [(spot.name, spot.steps) for spot in found.exits] == [("PLACE 1", 2), ("PLACE 0", None)]


def test_someone_in_the_only_way_puts_the_exit_out_of_reach():
    way = {"rows": ["#D#", "#.#", "..."], "doors": [(1, 0)], "at": (1, 2)}
    assert look(room(**way)).exits[0].steps == 2
    assert look(room(**way, people=[(1, 1)])).exits[0].steps is None


def test_a_door_is_not_walked_through_to_another():
    found = look(room(rows=["#D#", "#D#", "..."], doors=[(1, 0), (1, 1)], at=(1, 2)))
    assert {spot.name: spot.steps for spot in found.exits} == {"PLACE 1": 1, "PLACE 0": None}


def test_two_mats_side_by_side_are_one_exit():
    warps = tuple(Warp(x, 1, MapId(9, 1), 1, "TOWN") for x in (0, 1, 3))
    shown = replace(view(["....", "mm.m"]), warps=warps)
    found = look(state(shown, (0, 0)))
    assert [spot.tiles for spot in found.exits] == [((0, 1), (1, 1)), ((3, 1),)]
    assert rows(found)[1] == "11.2"


def test_ways_out_beyond_the_ninth_share_a_symbol():
    doors = [(x, 0) for x in range(0, 22, 2)]
    found = look(room(rows=["D#" * 11, "." * 22, "." * 22], doors=doors, at=(20, 2)))
    assert [spot.mark for spot in found.exits] == [*"123456789", "", ""]
    found = look(room(rows=["D#" * 11, "." * 22, "." * 22], doors=doors, at=(2, 2)))
    assert "* other way out" not in found.legend  # they are too far off to be drawn
    doors = [(x, y) for x in (0, 2, 4, 6) for y in (0, 2, 4)]
    found = look(room(rows=["D.D.D.D", "......."] * 3, doors=doors, at=(1, 1)))
    assert "* other way out" in found.legend


def test_a_side_of_the_map_leads_to_the_neighbour_that_ram_names():
    shown = view(["...", "...", "###"], connections=["north", "south"])
    edges = (Edge("north", MapId(9, 9), "ROUTE 9"),)
    found = look(state(replace(shown, edges=edges), (1, 1)))
    assert [(s.side, s.name, s.steps) for s in found.exits] == [
        ("north", "ROUTE 9", 2),
        ("south", "", None),
    ]


def test_a_person_is_as_far_as_where_one_stands_to_talk():
    (person,) = look(room(rows=["...."], at=(0, 0), people=[(3, 0)])).people
    assert person == Spot(((3, 0),), "", "", 2, False, "A", "right")
    assert (person.nearness, person.distance) == ("2 steps", "2 steps, right")


def test_a_person_across_the_counter_is_in_reach():
    (person,) = look(room(rows=["#.#", "#C#", "..."], at=(0, 2), people=[(1, 0)])).people
    assert person.steps == 1


def test_faced_person_is_zero_steps_away():
    shown = {"rows": ["..."], "at": (1, 0), "people": [(2, 0)]}
    assert look(room(**shown, facing=Facing.RIGHT)).people[0].is_faced
    assert not look(room(**shown, facing=Facing.LEFT)).people[0].is_faced


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sets(st.sampled_from(SIDES)))
def test_any_map_can_be_looked_at(seed: int, sides: set[str]):
    rng = np.random.default_rng(seed)
    height, width = (int(size) for size in rng.integers(1, 40, 2))
    grid = rng.integers(0, 256, (height + 12, width + 12), np.uint8)
    grid[rng.random(grid.shape) < 0.6] = 0
    grid = TERRAIN[grid]
    x, y = int(rng.integers(width)), int(rng.integers(height))
    things = [(int(rng.integers(width)), int(rng.integers(height))) for _ in range(6)]
    shown = make_view(("." * width,) * height, objects=tuple(things[:3]), signs=tuple(things[3:]))
    warps = tuple(Warp(a, b, MapId(255, 255), 255) for a, b in things)
    inner = grid[6:-6, 6:-6]
    connections = frozenset(sides)
    shown = replace(shown, terrain=inner, bordered=grid, warps=warps, connections=connections)
    found = look(state(shown, (x, y)))
    assert found == look(state(shown, (x, y)))
    assert all(len(row) <= 19 for row in found.drawing)
    for tile in walking_steps(shown, (x, y)).keys() - {(x, y)}:
        bits = inner[tile[1], tile[0]]
        assert bits & (Terrain.WALKABLE | Terrain.DOOR) == Terrain.WALKABLE


# ---- the practice game ---------------------------------------------------------------------


def play_until(env: GameEnv, is_there: Callable[[GameState], bool]) -> GameState:
    env.reset(seed=0)
    return lead_until(env, is_there)


def step_towards(state: GameState, goal: tuple[int, int]) -> Action:
    """Return a button towards a tile in reach, by nothing but `walking_steps`."""
    here = (state.place.x, state.place.y)
    left = walking_steps(state.map, here)[goal]
    for action, facing in DIRECTIONS.items():
        for size in (1, 2):
            ahead = (here[0] + size * facing.delta[0], here[1] + size * facing.delta[1])
            is_next = walking_steps(state.map, here).get(ahead) == 1
            if is_next and walking_steps(state.map, ahead).get(goal) == left - 1:
                return action
    raise AssertionError("no way is nearer")


def is_in(name: str) -> Callable[[GameState], bool]:
    return lambda state: state.place.name == name and state.control.is_free


def test_the_stairs_are_as_many_steps_away_as_it_takes(env):
    env.reset(seed=0)
    (stairs,) = survey(env.state, GAME).exits
    assert (stairs.name, stairs.steps) == ("HOME 1F", 6)
    for left in range(5, 0, -1):
        env.advance(step_towards(env.state, (6, 2)))
        assert survey(env.state, GAME).exits[0].steps == left
        assert env.state.place.name == "HOME 2F"
    env.advance(Action.RIGHT)
    assert env.state.place.name == "HOME 1F"


def test_a_real_ledge_is_hopped_down_and_walked_round(env):
    top, foot = (11, 12), (11, 14)
    play_until(env, is_in("MILLBROOK PATH"))
    for goal in (top, foot, top):
        count = 0
        expected = walking_steps(env.state.map, (env.state.place.x, env.state.place.y))[goal]
        while (env.state.place.x, env.state.place.y) != goal:
            env.advance(step_towards(env.state, goal))
            count += 1
            lead_until(env, lambda state: state.control.is_free)  # should something attack
        assert count == expected
        assert (count == 1) is (goal == foot)


def test_the_town_shows_its_doors_and_the_road(env):
    found = survey(play_until(env, is_in("FERNWICK")), GAME)
    names = {spot.name: spot for spot in found.exits}
    assert names.keys() == {"HOME 1F", "LAB", "WREN HOUSE", "MILLBROOK PATH"}
    assert names["HOME 1F"].steps == 1
    assert names["MILLBROOK PATH"].side == "north"
    assert all(spot.steps for spot in found.exits)
    assert len(found.people) == len(env.state.map.objects) > 0
    assert "?" in "".join(rows(found))


@pytest.mark.slow
def test_every_step_walked_is_one_step_in_the_survey(env):
    """People, doors, water, walls: random play meets all of them."""
    before = play_until(env, is_in("FERNWICK"))
    rng = np.random.default_rng(1)
    walked = 0
    for _ in range(600):
        steps = walking_steps(before.map, (before.place.x, before.place.y))
        action = Action(int(rng.choice(np.flatnonzero(env.action_mask()))))
        env.advance(action)
        now = env.state
        here, there = ((s.place.x, s.place.y) for s in (before, now))
        is_on_foot = before.control.is_free and now.control.is_free
        if is_on_foot and before.place.map == now.place.map and action in DIRECTIONS:
            if here != there:
                assert steps[there] == 1
                walked += 1
            else:
                dx, dy = DIRECTIONS[action].delta
                ahead = (here[0] + dx, here[1] + dy)
                assert ahead not in steps or has_someone_near(now, ahead)
        before = now
    assert walked > 75


def has_someone_near(state: GameState, tile: tuple[int, int]) -> bool:
    """Return whether someone stands on a tile, or walks off or onto it."""
    return any(abs(one.x - tile[0]) + abs(one.y - tile[1]) <= 1 for one in state.map.objects)
