"""WorldMap on images that carry their world: the way is chosen over all maps."""

from dataclasses import replace

import numpy as np

from engine.games.base import Ferry, GameTables
from engine.games.crystal.game import CrystalGame
from engine.games.crystal.memory import FACTS
from engine.games.facts import read_tables
from engine.planning.rules.advisor import RuleAdvisor
from engine.types import Action, Control, GameState, Goal, GoalKind, MapId, MapView, Warp
from engine.wayfinding.exits import Exit, talk_exits
from engine.wayfinding.navigation import Navigator
from engine.wayfinding.search import CLOSED
from engine.wayfinding.world_map import WorldMap
from tests.engine.games.world_images import Drawn, Person, build
from tests.engine.planning.goals.helpers import READING, state
from tests.engine.wayfinding.test_routes import INN

TOWN, SHORT, LONG, FAR_TOWN = (MapId(1, number) for number in range(1, 5))
MAPS = {
    # Two doors lead to the far town, each through a house; the left one is quick.
    (1, 1): Drawn(["#D##########D##", "." * 15], warps=[(1, 0, 1, 2, 1), (12, 0, 1, 3, 1)]),
    (1, 2): Drawn(["...#", "m.Lm"], warps=[(0, 1, 1, 1, 1), (2, 1, 1, 4, 1)]),
    (1, 3): Drawn(["." * 18, f"m{'.' * 16}L"], warps=[(0, 1, 1, 1, 2), (17, 1, 1, 4, 2)]),
    (1, 4): Drawn(
        ["L......L", "...C....", "........"],
        warps=[(0, 0, 1, 2, 2), (7, 0, 1, 3, 2)],
        people=[Person(3, 0)],
        signs=[(6, 2, 2, b"")],
    ),
}


def make_game(maps=None) -> CrystalGame:
    return CrystalGame("0" * 40, "PM_CRYSTAL", "a world", build(maps or MAPS))


GAME = make_game()


def standing(
    at: tuple[int, int], here: MapId = TOWN, game: CrystalGame = GAME, **more
) -> GameState:
    """Return the game on a map as its image has it, nobody in sight."""
    world = game.overworld
    row = world.row(here)
    width, height = world.size(row)
    warps = tuple(
        Warp(int(w["x"]), int(w["y"]), world.map_id(w["target"]), int(w["arrival"]))
        for w in world.warps[world.warps["map"] == row]
    )
    shown = MapView(width, height, world.grid(row), warps, (), frozenset())
    return state(shown, at, map_id=here, **more)


def meet(target: tuple[int, int], here: MapId = FAR_TOWN) -> Goal:
    return Goal("x", "Meet", here, target, is_interaction=True, kind=GoalKind.MEET)


def test_the_door_with_the_shorter_way_behind_it_is_taken() -> None:
    world, goal = WorldMap.of(GAME), Goal("x", "Go", FAR_TOWN, kind=GoalKind.REACH)
    exits = {entry.tile: entry.beyond for entry in world.exits(standing((7, 1)), goal, tuple)}
    assert set(exits) == {(1, 1)}, "the way of the other one comes back through here"
    actions, steps = RuleAdvisor(GAME).navigator.step_towards(
        standing((7, 1)), world.exits(standing((7, 1)), goal, tuple)
    )
    assert actions == [Action.LEFT]
    assert steps == world.steps_to(standing((7, 1)), goal) - 1


def test_a_person_behind_a_counter_is_reached_over_maps() -> None:
    world, goal = WorldMap.of(GAME), meet((3, 0))
    assert world.steps_to(standing((2, 0), FAR_TOWN), goal) == 0
    assert world.steps_to(standing((3, 2), FAR_TOWN), goal) == 0
    way = world.way_to(standing((1, 1)), goal)
    assert [here for here, _ in way][:2] == [TOWN, SHORT]
    assert way[-1] == (FAR_TOWN, (2, 0))


def test_a_sign_is_read_from_its_side_alone() -> None:
    world = WorldMap.of(GAME)
    steps = {y: world.steps_to(standing((6, y), FAR_TOWN), meet((6, 2))) for y in (1, 2)}
    assert steps[1] == 0
    assert steps[2] > 0


def test_exits_on_the_goals_map_keep_what_is_known_there() -> None:
    world, goal, now = WorldMap.of(GAME), meet((3, 0)), standing((4, 2), FAR_TOWN)
    known = talk_exits(now.map, (3, 0))
    found = world.exits(now, goal, lambda: known)
    assert found[: len(known)] == known
    assert all(entry.beyond > 0 for entry in found[len(known) :])


def test_a_map_that_is_not_the_images_is_left_to_what_is_known() -> None:
    world, goal, now = WorldMap.of(GAME), meet((3, 0)), standing((7, 1))
    other = replace(now, map=replace(now.map, terrain=np.zeros_like(now.map.terrain)))
    unknown = replace(now, place=replace(now.place, map=MapId(9, 9)))
    known = (Exit((0, 0), Action.LEFT),)
    assert [world.exits(state, goal, lambda: known) for state in (other, unknown)] == [known] * 2


def test_links_come_from_the_image() -> None:
    world = WorldMap.of(GAME)
    assert [link.target for link in world.maps.links_from(TOWN)] == [SHORT, LONG]
    assert world.maps.distances_to(FAR_TOWN)[TOWN] == 2


def test_a_trigger_whose_scene_changed_nothing_is_avoided_until_the_scene_changes() -> None:
    """As Route 32 turns back at (18, 8) until the gym of Violet is done."""
    tables = replace(read_tables(FACTS), SCENES={(1, 1): 0})
    maps = {**MAPS, (1, 1): replace(MAPS[1, 1], triggers=[(2, 1, 0)])}
    game = CrystalGame("1" * 40, "PM_CRYSTAL", "a world", build(maps), tables=tables)
    world, goal = WorldMap.of(game), Goal("x", "Go", FAR_TOWN, kind=GoalKind.REACH)

    def at(x: int, scene: int = 0, control: Control | None = None) -> GameState:
        now = replace(standing((x, 1), game=game), scenes=bytes([scene]))
        return replace(now, control=control) if control else now

    assert world.steps_to(at(7), goal) is not None
    world.notice(at(2, control=READING))
    world.notice(at(3))
    saved = world.save()
    path = world.way_to(at(7), goal)
    assert (TOWN, (2, 1)) not in path
    assert (LONG, (0, 1)) in path
    assert (TOWN, (2, 1)) in world.way_to(at(7, scene=1), goal)
    world.reset()
    assert (TOWN, (2, 1)) in world.way_to(at(7), goal) or world.save()["shut"] == []
    world.load(saved)
    assert world.save() == saved


def test_the_way_on_a_map_counts_triggers_as_the_world_does() -> None:
    """As the desert of Route 111 sends back, and the way round is 350 tiles long."""
    tables = replace(read_tables(FACTS), SCENES={(1, 1): 0})
    rows = ["................", ".##############.", "................"]
    town = Drawn([*rows, rows[2]], triggers=[(8, 0, 0)])
    game = CrystalGame(
        "4" * 40, "PM_CRYSTAL", "a world", build({(1, 1): town, (1, 2): INN}), tables=tables
    )
    world, goal = WorldMap.of(game), Goal("x", "Go", TOWN, (15, 0), kind=GoalKind.REACH)
    navigator = Navigator(game.atlas, game.overworld, world.triggers_here)

    def at(x: int, control: Control | None = None) -> GameState:
        now = replace(standing((x, 0), game=game), scenes=bytes([0]))
        return replace(now, control=control) if control else now

    there = (Exit((15, 0), Action.RIGHT),)
    assert world.triggers_here(at(1)) == {(8, 0): 12}
    assert navigator.step_towards(at(1), there)[0] == [Action.LEFT]
    assert navigator.step_towards(at(6), there)[0] == [Action.RIGHT]
    world.notice(at(8, READING))
    world.notice(at(7))
    assert world.steps_to(at(6), goal) < CLOSED
    assert navigator.step_towards(at(6), there)[0] == [Action.LEFT]


def test_an_exit_whose_way_comes_back_must_bring_nearer() -> None:
    """Else one leaves the map and comes back for ever while somebody closes the way on it."""
    maps = {
        (1, 1): Drawn(["L..............L", "." * 16], warps=[(0, 0, 1, 2, 1), (15, 0, 1, 3, 1)]),
        (1, 2): Drawn(["L...", "...."], warps=[(0, 0, 1, 1, 1)]),
        (1, 3): Drawn(["L...", "...."], warps=[(0, 0, 1, 1, 2)]),
        (1, 4): INN,
    }
    game = make_game(maps)
    world, goal = WorldMap.of(game), Goal("x", "Go", MapId(1, 3), (3, 1), kind=GoalKind.REACH)
    for at in ((1, 0), (2, 1), (8, 1)):
        found = world.exits(standing(at, game=game), goal, tuple)
        assert {entry.beyond for entry in found} == {4}


def flipping(world: WorldMap, times: int) -> None:
    for _ in range(times):
        world.notice(standing((1, 1), TOWN))
        world.notice(standing((0, 1), SHORT))


def test_who_flips_between_two_maps_follows_the_worlds_way_alone() -> None:
    world, goal = WorldMap.of(GAME), Goal("x", "Go", FAR_TOWN, kind=GoalKind.REACH)
    flipping(world, 2)
    assert not world.save()["flips"][3]
    flipping(world, 3)
    saved = world.save()
    assert saved["flips"][3]
    found = world.exits(standing((0, 0), SHORT), goal, tuple)
    assert found
    assert {entry.tile for entry in found} <= {(1, 1), (2, 0)}
    other = WorldMap.of(GAME)
    other.load(saved)
    assert other.save() == saved
    other.load({"shut": []})
    assert other.save()["flips"] == [[], [], 0, 0]


def test_new_ground_and_other_maps_are_no_flips() -> None:
    world = WorldMap.of(GAME)
    for x in range(12):
        world.notice(standing((x, 1), TOWN))
        world.notice(standing((0, 1), SHORT))
    assert not world.save()["flips"][3]
    for _ in range(12):
        for here in (TOWN, SHORT, LONG):
            world.notice(standing((1, 1), here))
    assert not world.save()["flips"][3]


def test_no_exit_leads_away_from_who_closes_the_only_way() -> None:
    maps = {
        (1, 1): Drawn(
            ["#D####D#", "........", "...#####"],
            warps=[(1, 0, 1, 2, 1), (6, 0, 1, 4, 1)],
            people=[Person(4, 1, flag=300)],
        ),
        (1, 2): Drawn(["....", "m..."], warps=[(0, 1, 1, 1, 1)]),
        (1, 3): INN,
        (1, 4): Drawn(["....", "m..."], warps=[(0, 1, 1, 1, 2)]),
    }
    game = make_game(maps)
    world, goal = WorldMap.of(game), Goal("x", "Go", FAR_TOWN, kind=GoalKind.REACH)

    def tiles(at: tuple[int, int], here: MapId = TOWN, *flags: int) -> set[tuple[int, int]]:
        now = standing(at, here, game, flags=flags)
        return {entry.tile for entry in world.exits(now, goal, tuple)}

    assert tiles((2, 1)) == {(6, 1)}
    assert tiles((2, 1), TOWN, 300) == {(6, 1)}
    assert tiles((1, 0), SHORT) == {(0, 1)}


def test_no_exit_leads_in_a_circle_back_to_who_closes_the_only_way() -> None:
    maps = {
        (1, 1): Drawn(
            ["###D####D#", "..........", "v#########", "##########", ".D########"],
            warps=[(8, 0, 1, 4, 1), (1, 4, 1, 2, 1), (3, 0, 1, 2, 2)],
            people=[Person(6, 1, flag=300)],
        ),
        (1, 2): Drawn(["........", "m......m"], warps=[(0, 1, 1, 1, 2), (7, 1, 1, 1, 3)]),
        (1, 3): INN,
        (1, 4): Drawn(["....", "m..."], warps=[(0, 1, 1, 1, 1)]),
    }
    game = make_game(maps)
    world, goal = WorldMap.of(game), Goal("x", "Go", FAR_TOWN, kind=GoalKind.REACH)

    def tiles(at: tuple[int, int]) -> set[tuple[int, int]]:
        return {entry.tile for entry in world.exits(standing(at, game=game), goal, tuple)}

    assert tiles((1, 1)) == {(8, 1)}
    assert (0, 4) in tiles((0, 4))


def test_a_way_out_of_a_map_leads_back_to_where_one_came_from() -> None:
    """As down the stairs of any rest house, of which all share their upper floor."""
    maps = {
        (1, 1): Drawn(["L.......", "........"], warps=[(0, 0, 1, 3, 1)]),
        (1, 2): Drawn(["L...", "...."], warps=[(0, 0, 1, 3, 1)]),
        (1, 3): Drawn(["L...", "...."], warps=[(0, 0, 1, 1, 255)]),
        (1, 4): INN,
    }
    game = make_game(maps)
    world, upstairs = WorldMap.of(game), MapId(1, 3)
    goals = [Goal("x", "Go", here, (3, 1), kind=GoalKind.REACH) for here in (TOWN, SHORT)]

    def came_from(here: MapId) -> GameState:
        now = standing((2, 0), upstairs, game)
        return replace(now, map=replace(now.map, warps=(Warp(0, 0, here, 255),)))

    for here, steps in ((TOWN, [6, None]), (SHORT, [None, 6])):
        now = came_from(here)
        assert [world.steps_to(now, goal) for goal in goals] == steps
        assert [bool(world.exits(now, goal, tuple)) for goal in goals] == [
            step is not None for step in steps
        ]
    assert world.way_to(came_from(TOWN), goals[0])[2:4] == ((upstairs, (0, 0)), (TOWN, (0, 0)))
    assert world.steps_to(standing((0, 1), TOWN, game), goals[1]) is None


def test_an_image_without_a_world_leaves_the_atlas() -> None:
    game = CrystalGame("2" * 40, "PM_CRYSTAL", "empty", bytes(1 << 16))
    assert game.overworld is None
    assert game.overworld_problem
    assert WorldMap.of(game).maps.links_from(TOWN) == ()


def test_a_ferry_is_a_way_while_its_flag_is_set() -> None:
    """As Mr. Briney sails from Dewford once the letter is delivered."""
    maps = {
        (1, 1): Drawn(["......", "......"], people=[Person(3, 0)]),
        (1, 2): Drawn(["......", "......"]),
        (1, 3): INN,
    }
    ferry = Ferry(TOWN, (3, 0), SHORT, (4, 1), 300)
    tables = GameTables(FERRIES=(ferry,))
    game = CrystalGame("5" * 40, "PM_CRYSTAL", "a world", build(maps), tables=tables)
    world = WorldMap.of(game)
    goal = Goal("x", "Go", SHORT, (0, 1), kind=GoalKind.REACH)
    assert world.steps_to(standing((0, 0), TOWN, game), goal) is None
    now = standing((0, 0), TOWN, game, flags=[300])
    assert world.steps_to(now, goal) == 6
    exits = world.exits(now, goal, tuple)
    assert {(entry.tile, entry.action) for entry in exits} == {
        ((2, 0), Action.RIGHT),
        ((4, 0), Action.LEFT),
        ((3, 1), Action.UP),
    }
    assert all(entry.is_talk for entry in exits)


def test_a_ferry_leads_on_from_a_town_with_one_door() -> None:
    maps = {
        (1, 1): Drawn(["......", "......"], people=[Person(3, 0)]),
        (1, 2): Drawn(["L.....", "......"], warps=[(0, 0, 1, 3, 1)]),
        (1, 3): Drawn(["......", "m....L"], warps=[(0, 1, 1, 2, 1), (5, 1, 1, 4, 1)]),
        (1, 4): Drawn(["L....L", "......"], warps=[(0, 0, 1, 3, 2), (5, 0, 1, 3, 2)]),
    }
    tables = GameTables(FERRIES=(Ferry(TOWN, (3, 0), SHORT, (2, 0)),))
    game = CrystalGame("6" * 40, "PM_CRYSTAL", "a world", build(maps), tables=tables)
    goal = Goal("x", "Go", FAR_TOWN, (2, 1), kind=GoalKind.REACH)
    world = WorldMap.of(game)
    landed = world.steps_to(standing((2, 0), SHORT, game), goal)
    assert landed == len(world.way_to(standing((2, 0), SHORT, game), goal)) - 1
    assert world.steps_to(standing((2, 0), TOWN, game), goal) == 1 + landed
