"""The planner finds its way through worlds with Emerald's layout."""

from dataclasses import replace

import pytest

from engine.games.emerald.game import EmeraldGame
from engine.games.overworld import BACK
from engine.types import (
    Action,
    Control,
    GameState,
    Goal,
    GoalKind,
    MapId,
    MapView,
    Place,
    TurningGate,
    Warp,
)
from engine.wayfinding.exits import Exit
from engine.wayfinding.world_map import WorldMap
from tests.engine.games.emerald.world_images import Drawn, build
from tests.engine.states import make_control, make_state

TRUCK, TOWN, ROUTE = MapId(1, 0), MapId(0, 0), MapId(0, 1)
_SCENES = 512


@pytest.fixture
def game() -> EmeraldGame:
    """A truck with a way that a script decides, a town and a route south of it."""
    rom, profile = build(
        {
            (0, 0): Drawn(
                ["########", "........", "........", "##.##.##"],
                sides=[(1, 0, 0, 1)],
                triggers=[(2, 3, 0x4050, 0), (5, 3, 0x4092, 0)],
            ),
            (0, 1): Drawn(["........", "........"], sides=[(2, 0, 0, 0)], kind=3),
            (1, 0): Drawn(["....", "...m"], warps=[(3, 1, 127, 127, 0)], kind=8),
        }
    )
    return EmeraldGame(profile, rom)


def standing(
    game: EmeraldGame,
    here: MapId,
    x: int,
    y: int,
    *,
    warps: tuple[Warp, ...] = (),
    variables: dict[int, int] | None = None,
    control: Control | None = None,
) -> GameState:
    """Return a state of a player on a map of the image."""
    world = game.overworld
    row = world.row(here)
    assert row is not None
    width, height = world.size(row)
    scenes = bytearray(_SCENES)
    for number, value in (variables or {}).items():
        scenes[2 * (number - 0x4000)] = value
    base = make_state()
    return replace(
        base,
        place=Place(here, "", x, y, base.place.facing, "town"),
        map=MapView(width, height, world.grid(row), warps, (), frozenset({"south"})),
        scenes=bytes(scenes),
        control=control or base.control,
    )


def test_a_warp_that_memory_leads_on_is_an_exit_to_where_it_leads(game: EmeraldGame) -> None:
    world = WorldMap.of(game)
    goal = Goal("x", "Go", ROUTE, kind=GoalKind.REACH)
    way = Warp(3, 1, TOWN, BACK)
    state = standing(game, TRUCK, 0, 0, warps=(way,))
    (leaving,) = world.exits(state, goal, tuple)
    assert (leaving.tile, leaving.action) == ((3, 1), Action.DOWN)
    assert leaving.beyond > 0
    assert world.steps_to(state, goal) is not None
    nowhere: tuple[Exit, ...] = ()
    assert world.exits(standing(game, TRUCK, 0, 0), goal, lambda: nowhere) == nowhere


def test_a_trigger_is_avoided_once_it_sent_back_and_only_for_its_own_variable(
    game: EmeraldGame,
) -> None:
    world = WorldMap.of(game)
    goal = Goal("x", "Go", ROUTE, kind=GoalKind.REACH)
    begin = standing(game, TOWN, 2, 1)
    assert (TOWN, (2, 3)) in world.way_to(begin, goal)
    world.notice(standing(game, TOWN, 2, 3, control=make_control(in_text=True)))
    world.notice(standing(game, TOWN, 2, 2))
    assert (TOWN, (5, 3)) in world.way_to(begin, goal)
    changed = standing(game, TOWN, 2, 1, variables={0x4050: 1})
    assert (TOWN, (2, 3)) in world.way_to(changed, goal)
    saved = world.save()
    other = WorldMap.of(game)
    other.load(saved)
    assert other.save() == saved
    assert (TOWN, (5, 3)) in other.way_to(begin, goal)


def test_what_older_checkpoints_noticed_is_still_read(game: EmeraldGame) -> None:
    world = WorldMap.of(game)
    world.load({"shut": [[0, 3]], "sprung": [0, 2]})
    saved = world.save()
    assert (saved["shut"], saved["sprung"]) == ([[0, 3, -1]], [0, 2, -1])
    assert not any(map(any, saved["chase"]))


def test_arms_of_turning_gates_are_floor_to_the_world(game: EmeraldGame) -> None:
    world, goal = WorldMap.of(game), Goal("x", "Go", ROUTE, kind=GoalKind.REACH)
    state = standing(game, TOWN, 2, 1)
    gates = (TurningGate(2, 2, (1, 2, 1, 0)),)
    gated = replace(state, map=replace(state.map, turning_gates=gates))
    assert world.steps_to(gated, goal) == world.steps_to(state, goal)
    assert world.exits(gated, goal, tuple) == world.exits(state, goal, tuple)
