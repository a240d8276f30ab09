"""Who stands in the way, and where the one to be met is now."""

from dataclasses import replace

from engine.games.base import GameTables
from engine.games.crystal.game import ATLAS, CrystalGame
from engine.types import Action, Facing, GameState, Goal, GoalKind, MapObject
from engine.wayfinding.exits import Exit, is_ready
from engine.wayfinding.navigation import Navigator
from engine.wayfinding.world_map import WorldMap
from tests.engine.games.world_images import Drawn, Person, build
from tests.engine.planning.goals.helpers import HERE, READING, state, view
from tests.engine.wayfinding.test_navigation import knowing
from tests.engine.wayfinding.test_routes import INN

FIXED, WALKS, TREE_OR_ROCK, BIG = 6, 4, 0x18, 0x15
ROOM = ["." * 12] * 4
LANE = ["###########", "...........", "###########"]


def game(rows, *people: Person, tables: GameTables | None = None) -> CrystalGame:
    image = build({(1, 1): Drawn(rows, people=people), (1, 2): INN})
    return CrystalGame("3" * 40, "PM_CRYSTAL", "people", image, tables=tables or GameTables())


def seen(rows, at, *objects: MapObject, beyond=(), **more) -> GameState:
    shown = replace(view(rows), objects=objects, beyond=tuple(beyond))
    return state(shown, at, **more)


def way(one: CrystalGame, now: GameState, exits: tuple[Exit, ...]) -> list[Action]:
    return Navigator(ATLAS, one.overworld).step_towards(now, exits)[0]


def test_who_never_walks_blocks_at_any_distance_and_who_walks_when_near() -> None:
    exits = (Exit((10, 1), Action.RIGHT),)
    thing = MapObject(1, 1, 8, 1)
    for movement, actions in ((FIXED, []), (WALKS, [Action.RIGHT])):
        now = seen(LANE, (0, 1), thing)
        assert way(game(LANE, Person(8, 1, movement=movement)), now, exits) == actions
    near = seen(LANE, (6, 1), thing)
    assert way(game(LANE, Person(8, 1, movement=WALKS)), near, exits) == []


def test_who_is_out_of_sight_blocks_where_the_map_has_them() -> None:
    now = seen(LANE, (0, 1), beyond=[MapObject(1, 1, 8, 1)])
    exits = (Exit((10, 1), Action.RIGHT),)
    assert way(game(LANE, Person(8, 1)), now, exits) == []


def test_a_rock_is_as_dear_far_away_as_near() -> None:
    rows = ["...........", ".#########.", "..........."]
    one = game(rows, Person(5, 0, movement=TREE_OR_ROCK))
    exits = (Exit((10, 0), Action.RIGHT),)
    party = knowing("ROCK SMASH")
    for at in ((0, 0), (4, 0)):
        rock = MapObject(1, 1, 5, 0)
        shown = seen(rows, at, rock, party=party) if at[0] else seen(rows, at, beyond=[rock])
        able = replace(shown, party=tuple(party))
        assert way(one, able, exits) == [Action.RIGHT]
        assert way(one, replace(able, party=()), exits) != [Action.RIGHT]


def test_somebody_on_a_door_shuts_it() -> None:
    rows = ["...........", "..L.....L..", "..........."]
    one = game(rows, Person(2, 1))
    exits = (Exit((2, 2), Action.UP), Exit((8, 2), Action.UP, beyond=3))
    now = seen(rows, (2, 2), MapObject(1, 1, 2, 1))
    assert way(one, now, exits) == [Action.RIGHT]
    assert way(one, seen(rows, (2, 2)), exits) == [Action.UP]


def meet(target, key="meet") -> Goal:
    return Goal(key, "Meet", HERE, target, is_interaction=True, kind=GoalKind.MEET)


def test_the_one_to_be_met_is_looked_for_where_they_stand_now() -> None:
    world = WorldMap.of(game(ROOM, Person(5, 1, movement=WALKS), Person(1, 1)))
    now = seen(ROOM, (3, 1), MapObject(1, 1, 4, 1), facing=Facing.RIGHT)
    assert {one.tile for one in world.talk_exits(now, (5, 1))} == {(3, 1), (5, 1), (4, 0), (4, 2)}
    assert is_ready(now, world.talk_exits(now, (5, 1)))
    assert not is_ready(now, world.talk_exits(now, (1, 1)))
    away = seen(ROOM, (3, 1), beyond=[MapObject(1, 1, 9, 1)])
    assert (8, 1) in {one.tile for one in world.talk_exits(away, (5, 1))}


def test_somebody_large_is_met_on_each_of_four_tiles_and_fills_them() -> None:
    one = game(ROOM, Person(5, 0, movement=BIG))
    world, thing = WorldMap.of(one), MapObject(1, 1, 5, 0)
    now = seen(ROOM, (4, 1), thing, facing=Facing.RIGHT)
    found = {(entry.tile, entry.action) for entry in world.talk_exits(now, (5, 0))}
    assert ((4, 1), Action.RIGHT) in found
    assert ((6, 2), Action.UP) in found
    assert not {tile for tile, _ in found} & {(5, 0), (6, 0), (5, 1), (6, 1)}
    assert is_ready(now, world.talk_exits(now, (5, 0)))
    assert world.steps_to(seen(ROOM, (6, 2)), meet((5, 0))) == 0
    past = (Exit((10, 1), Action.RIGHT),)
    assert way(one, seen(ROOM, (4, 1), thing), past) == [Action.DOWN]


def test_somebody_is_spoken_to_from_the_sides_from_which_they_answer() -> None:
    tables = GameTables(SIDES={(1, 1, 5, 1): frozenset({Facing.DOWN})})
    world = WorldMap.of(game(ROOM, Person(5, 1), tables=tables))
    now = seen(ROOM, (4, 1), MapObject(1, 1, 5, 1))
    assert [one.tile for one in world.talk_exits(now, (5, 1))] == [(5, 0)]
    assert world.steps_to(seen(ROOM, (5, 0)), meet((5, 1))) == 0
    assert world.steps_to(seen(ROOM, (4, 1)), meet((5, 1))) > 0


def test_a_target_in_the_water_is_reached_by_who_surfs() -> None:
    rows = ["~~~~", "~~~~", "....", "...."]
    one = game(rows, Person(2, 0))
    world, goal = WorldMap.of(one), meet((2, 0))
    assert world.steps_to(seen(rows, (2, 2)), goal) is None
    surfing = seen(rows, (2, 2), party=knowing("SURF"), badges=1 << 3)
    assert world.steps_to(surfing, goal) == 1
    assert (2, 1) in {entry.tile for entry in world.talk_exits(surfing, (2, 0))}


def test_a_slide_ends_before_somebody_on_the_ice() -> None:
    rows = ["#####", "IIIII", "....."]
    one = game(rows, Person(3, 1))
    exits = (Exit((2, 1), Action.UP),)
    assert way(one, seen(rows, (0, 1), MapObject(1, 1, 3, 1)), exits) == [Action.RIGHT]
    assert way(one, seen(rows, (0, 1)), exits) != [Action.RIGHT]


def test_who_walks_in_a_ring_is_waited_for_beside_it() -> None:
    """As Mr. Briney runs round (6..9, 3..6) after his bird, faster than the player."""
    rows = ["." * 12] * 10
    ring = [*((x, 3) for x in range(6, 9)), *((9, y) for y in range(3, 6))]
    ring += [*((x, 6) for x in range(9, 6, -1)), *((6, y) for y in range(6, 3, -1))]
    world, place = WorldMap.of(game(rows, Person(6, 3, movement=WALKS))), (5, 4)

    def now(step: int) -> GameState:
        return seen(rows, place, MapObject(1, 1, *ring[step % 12]), facing=Facing.RIGHT)

    for step in range(60):
        world.notice(now(step))
    exits = world.talk_exits(now(0), (6, 3))
    assert Exit(place, Action.RIGHT, is_talk=True) in exits
    assert not {one.tile for one in exits} & set(ring)
    assert way(game(rows, Person(6, 3, movement=WALKS)), now(7), exits) == [Action.A]
    saved, other = world.save(), WorldMap.of(game(rows, Person(6, 3, movement=WALKS)))
    other.load(saved)
    assert other.save() == saved
    assert other.talk_exits(now(0), (6, 3)) == exits
    world.notice(replace(now(0), control=READING))
    assert {one.tile for one in world.talk_exits(now(0), (6, 3))} == {
        (5, 3),
        (7, 3),
        (6, 2),
        (6, 4),
    }
