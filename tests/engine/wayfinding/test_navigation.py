from dataclasses import replace

import pytest

from engine.games.crystal.game import ATLAS
from engine.games.crystal.maps import TERRAIN
from engine.games.crystal.rom_tables import read_overworld
from engine.types import MAP_BORDER, Action, Facing, MapId, Move, Terrain
from engine.wayfinding.exits import Exit, Link, ground_exits, link_exits, talk_exits
from engine.wayfinding.navigation import Navigator
from engine.wayfinding.world_map import WorldMap
from tests.engine.games.world_images import Drawn, Person, build
from tests.engine.planning.goals.helpers import creature, state, view

THERE = MapId(1, 2)


def walk(shown, start, exits, facing=Facing.DOWN, limit=50) -> list[Action]:
    """Press what the navigator says on a map where nothing moves, until an exit is used."""
    navigator, position, pressed = Navigator(), start, []
    for _ in range(limit):
        actions, _ = navigator.step_towards(state(shown, position, facing), exits)
        if not actions:
            return pressed
        action = actions[0]
        pressed.append(action)
        if any(e.tile == position and (action is Action.A or not e.is_talk) for e in exits):
            return pressed
        facing = Facing[action.name]
        target = (position[0] + facing.delta[0], position[1] + facing.delta[1])
        if shown.terrain[target[1], target[0]] in TERRAIN[[0x00, 0x18, 0x70]]:
            position = target
    raise AssertionError("never arrived")


def names(actions) -> str:
    return " ".join(action.name for action in actions)


def test_a_door_is_stepped_on():
    shown = view(["#D#", "...", "..."], warps=[(1, 0)])
    exits = link_exits(shown, [Link(THERE, (1, 0))])
    assert names(walk(shown, (1, 2), exits)) == "UP UP"


def test_a_carpet_is_stood_on_and_pressed_on():
    shown = view(["...", ".m."], warps=[(1, 1)])
    exits = link_exits(shown, [Link(THERE, (1, 1))])
    assert exits == (Exit((1, 1), Action.DOWN),)
    assert names(walk(shown, (1, 0), exits)) == "DOWN DOWN"


def test_an_edge_is_walked_off_where_the_neighbour_is_open():
    shown = view(["#.#", "..."], connections=["north"])
    exits = link_exits(shown, [Link(THERE, None, "north")])
    assert exits == (Exit((1, 0), Action.UP),)


def test_an_edge_against_a_wall_is_no_exit():
    shown = view(["...", "..."])
    assert link_exits(shown, [Link(THERE, None, "north")]) == ()


def test_an_edge_over_water_is_an_exit_for_who_surfs():
    shown = view(["~.", ".."], connections=["north"])
    border = shown.bordered.copy()
    border[MAP_BORDER - 1, MAP_BORDER : MAP_BORDER + 2] = TERRAIN[0x29]
    shown, links = replace(shown, bordered=border), [Link(THERE, None, "north")]
    assert link_exits(shown, links) == ()
    assert link_exits(shown, links, can_surf=True) == (
        Exit((0, 0), Action.UP),
        Exit((1, 0), Action.UP, is_talk=True),
    )


def test_a_person_is_faced_and_spoken_to():
    shown = view(["...", "...", "..."], people=[(1, 0)])
    exits = talk_exits(shown, (1, 0))
    assert names(walk(shown, (1, 2), exits, Facing.UP)) == "UP A"


def test_a_person_who_is_not_faced_is_turned_to_first():
    shown = view(["...", "..."], people=[(1, 0)])
    navigator = Navigator()
    exits = talk_exits(shown, (1, 0))
    actions, _ = navigator.step_towards(state(shown, (1, 1), Facing.LEFT), exits)
    assert actions == [Action.UP]


def test_a_person_behind_a_counter_is_spoken_to_across_it():
    shown = view(["###", "#.#", "#C#", "..."], people=[(1, 1)])
    assert Exit((1, 3), Action.UP, is_talk=True) in talk_exits(shown, (1, 1))


def test_people_in_the_way_are_walked_round():
    shown = view(["...", "...", "..."], people=[(1, 1)])
    pressed = names(walk(shown, (1, 2), (Exit((1, 0), Action.UP),)))
    assert pressed in {"LEFT UP UP RIGHT UP", "RIGHT UP UP LEFT UP"}


def test_a_closed_way_yields_nothing():
    shown = view(["...", "###", "..."])
    assert walk(shown, (1, 2), (Exit((1, 0), Action.UP),)) == []


def test_tall_grass_is_avoided_when_the_way_round_is_short():
    shown = view(['."".', "...."])
    actions = walk(shown, (0, 0), (Exit((3, 0), Action.RIGHT),))
    assert names(actions) == "DOWN RIGHT RIGHT RIGHT UP RIGHT"


def test_other_doors_are_not_walked_into():
    shown = view(["...", "#D#", "..."], warps=[(1, 1)])
    assert walk(shown, (1, 2), (Exit((1, 0), Action.UP),)) == []


def test_navigator_walks_out_of_a_doorway():
    shown = view(["#D#", "..."], warps=[(1, 0)])
    actions, _ = Navigator().step_towards(state(shown, (1, 0)), (Exit((2, 1), Action.RIGHT),))
    assert actions == [Action.DOWN]


def test_navigator_prefers_straight_on_among_equal_ways():
    shown = view(["...", "...", "..."])
    exits = (Exit((2, 2), Action.RIGHT),)
    for facing, action in ((Facing.DOWN, Action.DOWN), (Facing.RIGHT, Action.RIGHT)):
        actions, distance = Navigator().step_towards(state(shown, (0, 0), facing), exits)
        assert (actions, distance) == ([action], 3)


def test_training_means_stepping_from_grass_to_grass():
    shown = view(['.""', "..."])
    assert set(ground_exits(shown, Terrain.GRASS)) == {
        Exit((1, 0), Action.RIGHT),
        Exit((2, 0), Action.LEFT),
    }


@pytest.mark.parametrize(
    ("facing", "pressed"),
    [(Facing.LEFT, {Action.LEFT}), (Facing.UP, {Action.LEFT, Action.RIGHT})],
)
def test_in_the_grass_it_goes_on_straight_as_far_as_it_can(facing, pressed):
    shown = view(["...", '"""', "..."])
    actions, _ = Navigator().step_towards(
        state(shown, (1, 1), facing), ground_exits(shown, Terrain.GRASS)
    )
    assert set(actions) == pressed


def test_the_way_over_maps_is_a_shortest_one():
    world = WorldMap(
        {
            (1, 1): (("warp", 3, 4, (1, 2)), ("north", 0, 0, (1, 3))),
            (1, 2): (("warp", 0, 0, (1, 4)),),
            (1, 3): (("south", 0, 0, (1, 1)),),
            (1, 4): (("warp", 1, 1, (1, 2)),),
        }
    )
    assert world.maps.links_towards(MapId(1, 1), MapId(1, 4)) == (Link(MapId(1, 2), (3, 4)),)
    assert world.maps.links_towards(MapId(1, 3), MapId(1, 4)) == (Link(MapId(1, 1), None, "south"),)
    assert world.maps.links_towards(MapId(1, 4), MapId(1, 3)) == ()
    assert world.maps.links_towards(MapId(9, 9), MapId(1, 3)) == ()


def path(shown, start, exits, facing=Facing.DOWN):
    return Navigator().path(state(shown, start, facing), exits)


def test_a_path_leads_straight_on_round_walls_and_through_the_door():
    shown = view(["..D..", "..#..", "....."])
    exits = (Exit((1, 0), Action.RIGHT),)
    assert path(shown, (2, 2), exits, Facing.LEFT) == ((1, 2), (1, 1), (1, 0), (2, 0))


def test_a_path_over_the_edge_ends_on_the_map():
    exits = link_exits(view(["..."], connections=("east",)), [Link(THERE, None, "east")])
    assert path(view(["..."], connections=("east",)), (0, 0), exits) == ((1, 0), (2, 0))


def test_a_path_to_a_person_ends_before_them():
    shown = view(["...."], people=[(3, 0)])
    assert path(shown, (0, 0), talk_exits(shown, (3, 0))) == ((1, 0), (2, 0))
    assert path(shown, (2, 0), talk_exits(shown, (3, 0))) == ()


def test_there_is_no_path_where_no_way_leads():
    assert path(view([".#."]), (0, 0), (Exit((2, 0), Action.A),)) == ()
    assert path(view(["..."]), (0, 0), ()) == ()


def button(shown, at, exits, facing=Facing.DOWN, **more) -> list[Action]:
    navigator = Navigator(ATLAS)
    return navigator.step_towards(state(shown, at, facing, **more), exits)[0]


def test_ledges_are_hopped_on_the_way_down_and_no_way_up() -> None:
    shown = view(["...", "vvv", "###", "..."])
    assert path(shown, (1, 0), (Exit((1, 3), Action.DOWN),)) == ((1, 1), (1, 3))
    assert button(shown, (1, 3), (Exit((1, 0), Action.UP),)) == []


def test_walls_on_a_side_are_walked_round() -> None:
    shown = view(["...", "--.", "..."])
    assert path(shown, (0, 1), (Exit((0, 0), Action.UP),))[-1] == (0, 0)
    assert len(path(shown, (0, 1), (Exit((0, 0), Action.UP),))) == 5


def test_a_door_without_a_warp_is_floor() -> None:
    shown = view(["...", "#L#", "..."])
    assert path(shown, (1, 2), (Exit((1, 0), Action.UP),)) == ((1, 1), (1, 0))


def knowing(*moves: str):
    return [creature(moves=tuple(Move(i, name, 10) for i, name in enumerate(moves)))]


def test_a_tree_is_faced_and_cut_with_badge_and_move() -> None:
    shown, exits = view(["...", "#T#", "..."]), (Exit((1, 0), Action.UP),)
    party = knowing("CUT")
    assert button(shown, (1, 2), exits, Facing.LEFT, party=party, badges=2) == [Action.UP]
    assert button(shown, (1, 2), exits, Facing.UP, party=party, badges=2) == [Action.A]
    assert button(shown, (1, 2), exits, Facing.UP, party=party, badges=1) == []
    assert button(shown, (1, 2), exits, Facing.UP, party=knowing("ROAR"), badges=2) == []


def test_water_is_asked_once_and_then_swum() -> None:
    shown, exits = view([".", "~", "~", "."]), (Exit((0, 0), Action.UP),)
    party, badges = knowing("SURF"), 1 << 3
    assert button(shown, (0, 3), exits, Facing.UP, party=party, badges=badges) == [Action.A]
    assert button(shown, (0, 2), exits, Facing.UP, party=party, badges=badges) == [Action.UP]
    assert button(shown, (0, 3), exits, Facing.UP) == []


def test_the_exit_with_the_shortest_way_beyond_is_taken() -> None:
    shown = view(["....."])
    exits = (Exit((0, 0), Action.LEFT, beyond=9), Exit((4, 0), Action.RIGHT, beyond=3))
    assert button(shown, (1, 0), exits) == [Action.RIGHT]
    assert button(shown, (0, 0), exits) == [Action.RIGHT]
    assert path(shown, (0, 0), exits) == ((1, 0), (2, 0), (3, 0), (4, 0))
    assert Navigator().step_towards(state(shown, (1, 0)), exits)[1] == 5


@pytest.mark.parametrize(
    ("movement", "move", "badges", "pressed"),
    [
        (0x18, "ROCK SMASH", 0, [Action.A]),
        (0x19, "STRENGTH", 1 << 2, [Action.A, Action.RIGHT]),
        (0x19, "STRENGTH", 0, []),
        (0x18, "STRENGTH", 1 << 2, []),
        (0x06, "ROCK SMASH", 0, []),
    ],
    ids=["rock", "boulder", "without badge", "another move", "person"],
)
def test_rocks_are_smashed_and_boulders_pushed_with_the_move(movement, move, badges, pressed):
    rows = ["...", "###"]
    stone = Drawn(rows, people=[Person(1, 0, movement=movement)])
    world, _ = read_overworld(build({(1, 1): stone, (1, 2): Drawn(["D."], [(0, 0, 1, 1, 1)])}))
    shown, exits = view(rows, people=[(1, 0)]), (Exit((2, 0), Action.RIGHT),)
    now = state(shown, (0, 0), Facing.RIGHT, party=knowing(move), badges=badges)
    assert Navigator(ATLAS, world).step_towards(now, exits)[0] == pressed
    assert Navigator(ATLAS).step_towards(now, exits)[0] == []
