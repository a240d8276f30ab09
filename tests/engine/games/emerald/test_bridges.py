"""Ways lead over bridges and under them, and never from the one to the other."""

from dataclasses import replace

import numpy as np
import pytest

from engine.games.emerald.game import ATLAS, EmeraldGame
from engine.games.emerald.terrain import bridges_of
from engine.games.overworld import Ability, Overworld
from engine.types import (
    DIRECTIONS,
    NO_BRIDGES,
    Action,
    Facing,
    GameState,
    Goal,
    GoalKind,
    MapId,
    MapObject,
    MapView,
    Move,
    Place,
)
from engine.wayfinding.exits import Exit, is_faced, talk_exits
from engine.wayfinding.graph import build_graph
from engine.wayfinding.navigation import Navigator
from engine.wayfinding.routes import Conditions, RouteFinder
from engine.wayfinding.world_map import WorldMap
from tests.engine.games.emerald.memory_image import MemoryImage
from tests.engine.games.emerald.world_images import LETTERS, Drawn, Person, build, cell
from tests.engine.states import make_creature, make_state

HERE = MapId(0, 0)
GORGE = [
    "###########",
    "####...####",
    "#44=====44#",
    "#0##...####",
    "#.......###",
    "###########",
]
"""A bridge of level 4 over ground of level 3; stairs lead from the one to the other."""
RIVER = [row.replace("...", "~~~") if y in (1, 3) else row for y, row in enumerate(GORGE)]
LOW = ["######", "##~~##", "#.==.#", "##~~##", "######"]
"""A bridge that is hardly higher than the water."""
Spot = tuple[int, int, int]
"""X, y and level."""


def world_of(rows: list[str], *people: Person) -> Overworld:
    return game_of(rows, *people).overworld


def game_of(rows: list[str], *people: Person) -> EmeraldGame:
    rom, profile = build({(0, 0): Drawn(rows, people=people)})
    return EmeraldGame(profile, rom)


def route(world: Overworld, start: Spot, goal: Spot, **conditions: object) -> list[tuple[int, int]]:
    """Return the places along the way from one tile to another; () for none."""
    finder = RouteFinder(world, build_graph(world))
    begin, end = (world.tile(0, *spot) for spot in (start, goal))
    path = finder.path(begin, [end], Conditions(**conditions))
    return [(x, y) for _, x, y in map(world.locate, path)]


def shown(world: Overworld, spot: Spot, *objects: MapObject, can_surf: bool = False) -> GameState:
    """Return a state of a player on the only map of a world, as memory shows it."""
    base, (width, height) = make_state(), world.size(0)
    moves = (Move(1, "SURF", 15),) if can_surf else ()
    view = MapView(width, height, world.grid(0), (), objects, frozenset(), bridges=world.bridges)
    return replace(
        base,
        place=Place(HERE, "", *spot[:2], base.place.facing, "route", level=spot[2]),
        map=view,
        party=(make_creature(moves=moves),),
        badges=(0xFF, 0),
    )


def play(rows: list[str], spot: Spot, action: Action, state: GameState) -> Spot:
    """Return where a press leads, by the game's own rules of collision and elevation."""
    dx, dy = (state.place.facing if action is Action.A else DIRECTIONS[action]).delta
    x, y, level = spot
    letter, elevation = rows[y + dy][x + dx], int(cell(rows[y + dy][x + dx])) >> 12
    if letter == "#":
        return spot
    is_level = elevation in (0, 15, level) or level == 0
    lands = level == 1 and elevation == 3
    dives_in = action is Action.A and letter == "~" and level == 3
    if not (is_level or lands or dives_in):
        return spot
    return x + dx, y + dy, level if elevation == 15 else elevation


def walk(
    rows: list[str], start: Spot, exits: tuple[Exit, ...], can_surf: bool = False
) -> list[Spot]:
    """Walk to an exit by the navigator's buttons; return where one was."""
    world, navigator, spots = world_of(rows), Navigator(ATLAS), [start]
    state = shown(world, start, can_surf=can_surf)
    for _ in range(40):
        actions, _ = navigator.step_towards(state, exits)
        at = state.map.tile(*spots[-1])
        if not actions or any(one.number(state.map) == at for one in exits):
            break
        spots.append(play(rows, spots[-1], actions[0], state))
        facing = DIRECTIONS.get(actions[0], state.place.facing)
        state = shown(world, spots[-1], can_surf=can_surf)
        state = replace(state, place=replace(state.place, facing=facing))
    return spots


def test_one_goes_under_a_bridge_and_over_it_but_not_from_the_one_to_the_other() -> None:
    world = world_of([row.replace("0", "#") for row in GORGE])
    assert route(world, (5, 1, 3), (5, 3, 3)) == [(5, 1), (5, 2), (5, 3)]
    assert route(world, (1, 2, 4), (9, 2, 4)) == [(x, 2) for x in range(1, 10)]
    assert route(world, (5, 1, 3), (9, 2, 4)) == []
    assert route(world, (5, 2, 3), (9, 2, 4)) == []
    assert route(world, (5, 2, 4), (5, 3, 3)) == []


def test_one_way_leads_under_a_bridge_and_then_over_it() -> None:
    way = route(world_of(GORGE), (4, 1, 3), (9, 2, 4))
    assert way.count((4, 2)) == 2
    assert (1, 3) in way[3:-9]


def test_the_live_map_has_the_same_ways_as_the_world() -> None:
    world, exits = world_of(GORGE), (Exit((9, 2), Action.RIGHT),)
    spots = walk(GORGE, (4, 1, 3), exits)
    assert [spot[:2] for spot in spots] == route(world, (4, 1, 3), (9, 2, 4))
    assert Navigator(ATLAS).path(shown(world, (5, 1, 3)), exits)[-1] == (10, 2)
    walled = [row.replace("0", "#") for row in GORGE]
    assert walk(walled, (5, 1, 3), exits) == [(5, 1, 3)]
    assert walk(walled, (5, 2, 3), exits) == [(5, 2, 3)]
    assert walk(walled, (5, 2, 4), exits)[-1] == (9, 2, 4)


def test_one_swims_under_a_high_bridge_and_cannot_enter_the_water_from_it() -> None:
    world, surf = world_of(RIVER), {"abilities": Ability.SURF}
    assert route(world, (5, 1, 1), (5, 3, 1), **surf) == [(5, 1), (5, 2), (5, 3)]
    assert route(world, (5, 1, 1), (5, 3, 1)) == []
    assert (5, 1) not in route(world, (9, 2, 4), (5, 3, 1), **surf)
    swum = walk(RIVER, (5, 1, 1), (Exit((5, 3), Action.DOWN),), can_surf=True)
    assert swum == [(5, 1, 1), (5, 2, 1), (5, 3, 1)]


def test_one_enters_the_water_from_a_bridge_of_level_3_and_comes_out_at_its_ends() -> None:
    world, surf = world_of(LOW), {"abilities": Ability.SURF}
    assert route(world, (1, 2, 3), (2, 1, 1), **surf) == [(1, 2), (2, 2), (2, 1)]
    assert route(world, (2, 1, 1), (1, 2, 3), **surf) == [(2, 1), (2, 2), (1, 2)]
    spots = walk(LOW, (1, 2, 3), (Exit((2, 1), Action.UP),), can_surf=True)
    assert spots[-1] == (2, 1, 1)
    assert walk(LOW, (2, 1, 1), (Exit((4, 2), Action.RIGHT),), can_surf=True)[-1] == (4, 2, 3)


def test_who_comes_from_stairs_leaves_a_bridge_at_every_level() -> None:
    rows = ["#######", "##0.4##", "##===##", "##.#.##", "#######"]
    world = world_of(rows)
    assert route(world, (2, 1, 0), (4, 1, 4)) == [(2, 1), (2, 2), (3, 2), (4, 2), (4, 1)]
    assert route(world, (2, 1, 0), (2, 3, 3)) == [(2, 1), (2, 2), (2, 3)]
    assert (2, 1) in route(world, (2, 3, 3), (4, 1, 4))
    assert walk(rows, (2, 3, 3), (Exit((4, 1), Action.UP),))[-1] == (4, 1, 4)
    game = game_of(rows, Person(3, 2, level=4))
    goal = Goal("x", "Meet", HERE, (3, 2), True, GoalKind.MEET)
    for spot, steps in (((2, 2, 0), 0), ((2, 2, 4), 0), ((2, 2, 3), 2)):
        state = shown(game.overworld, spot, MapObject(1, 5, 3, 2, 4))
        state = replace(state, place=replace(state.place, facing=Facing.RIGHT))
        assert is_faced(state, (3, 2)) is (steps == 0)
        assert WorldMap.of(game).steps_to(state, goal) == steps


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (["#####", "#.=.#", "#####"], "one level"),
        (["#####", "#0=.#", "#####"], "stairs and one level"),
        (["#.=4#"], "reaches the edge"),
        (["#####", "#.44#", "#####"], "no bridge"),
    ],
)
def test_only_a_bridge_with_several_levels_has_tiles_under_it(rows: list[str], reason: str) -> None:
    world = world_of(rows)
    assert world.bridges == NO_BRIDGES, reason
    assert len(world.terrain) == len(rows) * len(rows[0])


def test_somebody_on_a_bridge_is_spoken_to_from_it_alone() -> None:
    world = world_of(GORGE, Person(5, 2, level=4))
    steven = MapObject(1, 5, 5, 2, 4)
    exits = talk_exits(shown(world, (1, 2, 4), steven).map, (5, 2))
    assert {(one.tile, one.under) for one in exits} == {((4, 2), 0), ((6, 2), 0)}
    goal = Goal("x", "Meet", HERE, (5, 2), True, GoalKind.MEET)
    levels = {}
    for level in (3, 4):
        seen = shown(world, (4, 2, level), steven)
        seen = replace(seen, place=replace(seen.place, facing=Facing.RIGHT))
        ways = WorldMap.of(game_of(GORGE, Person(5, 2, level=4)))
        levels[level] = is_faced(seen, (5, 2)), ways.steps_to(seen, goal)
    assert levels[4] == (True, 0)
    assert levels[3][0] is False
    assert levels[3][1] > 5
    assert [one.tile for one in WorldMap.of(game_of(GORGE)).talk_exits(seen, (5, 2))]


def test_somebody_under_a_bridge_is_spoken_to_from_below() -> None:
    world = world_of(GORGE, Person(5, 2, level=3))
    below = MapObject(1, 5, 5, 2, 3)
    view = shown(world, (1, 2, 4), below).map
    exits = talk_exits(view, (5, 2))
    assert {one.tile for one in exits} == {(5, 1), (5, 3), (4, 2), (6, 2)}
    assert all(bool(one.under) == (one.tile[1] == 2) for one in exits)
    goal = Goal("x", "Meet", HERE, (5, 2), True, GoalKind.MEET)
    ways = WorldMap.of(game_of(GORGE, Person(5, 2, level=3)))
    assert ways.steps_to(shown(world, (5, 1, 3)), goal) == 0
    assert ways.steps_to(shown(world, (4, 2, 4)), goal) > 5


def test_a_person_on_a_bridge_does_not_block_the_way_below() -> None:
    south, east = (Exit((5, 3), Action.DOWN),), (Exit((9, 2), Action.RIGHT),)
    rows = [row.replace("0", "#") for row in GORGE]
    rows[1] = rows[3] = "#####.#####"
    for level, blocked in ((4, east), (3, south)):
        one = Person(5, 2, level=level)
        world, thing = world_of(rows, one), MapObject(1, 5, 5, 2, level)
        navigator = Navigator(ATLAS, world)
        for exits, start in ((south, (5, 1, 3)), (east, (1, 2, 4))):
            actions, _ = navigator.step_towards(shown(world, start, thing), exits)
            assert bool(actions) is (exits is not blocked)
        finder = RouteFinder(world, build_graph(world))
        there = Conditions(is_away=b"\0")
        for start, goal, is_blocked in (
            ((5, 1, 3), (5, 3, 3), level == 3),
            ((1, 2, 4), (9, 2, 4), level == 4),
        ):
            ends = [world.tile(0, *spot) for spot in (start, goal)]
            assert (finder.distances([ends[1]], there)[ends[0]] > 100) is is_blocked


def test_memory_shows_the_same_bridges_and_at_which_level_the_player_stands(
    image: MemoryImage,
) -> None:
    cells = np.full((6, 11), 0x3400, np.uint16)
    for y, row in enumerate(GORGE):
        for x, letter in enumerate(row):
            if letter != "#":
                cells[y, x] = int(cell(letter)) & 0xF000
    image.make_map(cells)
    for level in (3, 4):
        image.move(5, 2, 1, level)
        image.set_object(1, 4, 2, index=1, sprite=17, level=level)
        state = image.reader().read()
        assert state.map.bridges.lower == world_of(GORGE).bridges.lower
        assert state.map.bridges == bridges_of(cells, state.map.terrain)
        assert state.place.level == state.map.objects[0].level == level
    reader = image.reader()
    known, saved = reader.read(), reader.save()
    later = image.reader()
    later.restore(saved)
    assert (later.read().place, later.read().map) == (known.place, known.map)


def test_a_place_that_was_saved_without_a_level_is_restored(image: MemoryImage) -> None:
    reader = image.reader()
    known, saved = reader.read(), reader.save()
    image.run("", "CB2_LoadMap")
    older = image.reader()
    older.restore({**saved, "place": saved["place"][:7]})
    assert older.read().place == replace(known.place, level=0)


def test_a_game_without_levels_faces_people_as_before() -> None:
    assert "=" not in LETTERS
    state = shown(world_of(["#####", "#...#", "#####"]), (1, 1, 0), MapObject(1, 5, 2, 1))
    state = replace(state, place=replace(state.place, facing=Facing.RIGHT))
    assert is_faced(state, (2, 1))
