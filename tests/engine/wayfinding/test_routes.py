import random
from pathlib import Path

import numpy as np
import pytest

from engine.games.crystal.rom_tables import read_overworld
from engine.games.overworld import Ability, BlockChange, When
from engine.types import MapId
from engine.wayfinding.graph import VERSION, build_graph, load_graph, save_graph
from engine.wayfinding.routes import Conditions, RouteFinder, SceneId, route_finder
from engine.wayfinding.search import CLOSED, FAR, tile_distances
from tests.engine.games.world_images import Drawn, Person, build
from tests.engine.planning.goals.helpers import state

ON_FOOT = Conditions()
INN = Drawn(["....", "...D"], warps=[(3, 1, 9, 9, 1)])
"""A map that only has a door, so that images of one other map hold one."""


def finder(*maps: Drawn, changes: tuple[BlockChange, ...] = ()) -> RouteFinder:
    """Return the ways of maps 1.1, 1.2, ..., and of an inn behind them."""
    drawn = {(1, number): one for number, one in enumerate((*maps, INN), 1)}
    world, problem = read_overworld(build(drawn), changes)
    assert world is not None, problem
    return RouteFinder(world, build_graph(world))


def way(found: RouteFinder, start, goal, conditions=ON_FOOT) -> list[tuple[int, int, int]]:
    """Return number of the map, x and y along the way from one (number, x, y) to another."""
    tiles = [found.world.tile(number - 1, x, y) for number, x, y in (start, goal)]
    path = found.path(tiles[0], [tiles[1]], conditions)
    return [(row + 1, x, y) for row, x, y in map(found.world.locate, path)]


def steps(found: RouteFinder, start, goal, conditions=ON_FOOT) -> int:
    tiles = [found.world.tile(number - 1, x, y) for number, x, y in (start, goal)]
    return found.distances([tiles[1]], conditions)[tiles[0]]


def test_the_west_edge_of_new_bark_leads_to_the_end_of_route_29() -> None:
    """X=3B, Y=0: one leaves (0, 8) and stands on (59, 8)."""
    rows = ["." * 20] * 18
    town = Drawn(rows, sides={"west": (1, 2, 0)})
    route = Drawn(["." * 60] * 18, sides={"east": (1, 1, 0)})
    found = finder(town, route)
    assert way(found, (1, 0, 8), (2, 59, 8)) == [(1, 0, 8), (2, 59, 8)]
    assert way(found, (2, 59, 8), (1, 0, 8)) == [(2, 59, 8), (1, 0, 8)]


def test_offset_neighbours_are_entered_beside() -> None:
    """As Cherrygrove's north edge leads from (17, 0) to (7, 53) of Route 30."""
    town = Drawn(["." * 40] * 18, sides={"north": (1, 2, 5)})
    route = Drawn(["." * 20] * 54, sides={"south": (1, 1, -5)})
    found = finder(town, route)
    assert way(found, (1, 17, 0), (2, 7, 53)) == [(1, 17, 0), (2, 7, 53)]
    assert way(found, (2, 7, 53), (1, 17, 0)) == [(2, 7, 53), (1, 17, 0)]
    assert steps(found, (1, 9, 0), (2, 7, 53)) > 1


def test_edges_are_crossed_where_the_other_side_is_open() -> None:
    town = Drawn(["...."] * 2, sides={"south": (1, 2, 0)})
    found = finder(town, Drawn(["##.#", "...."]))
    assert way(found, (1, 0, 1), (2, 2, 0)) == [(1, 0, 1), (1, 1, 1), (1, 2, 1), (2, 2, 0)]


def test_ledges_are_hopped_one_way() -> None:
    found = finder(Drawn(["....", "vvvv", "####", "...."]))
    assert way(found, (1, 2, 0), (1, 2, 3)) == [(1, 2, 0), (1, 2, 1), (1, 2, 3)]
    assert way(found, (1, 2, 3), (1, 2, 0)) == []


def test_a_ledge_with_floor_beyond_is_walked_over() -> None:
    found = finder(Drawn(["..", "vv", "..", ".."]))
    assert way(found, (1, 0, 0), (1, 0, 2)) == [(1, 0, 0), (1, 0, 1), (1, 0, 2)]


def test_side_walls_stop_both_ways_but_not_along() -> None:
    found = finder(Drawn(["....", "---.", "....", "...."]))
    assert steps(found, (1, 0, 1), (1, 0, 0)) == 7
    assert steps(found, (1, 0, 0), (1, 0, 1)) == 7
    assert steps(found, (1, 0, 1), (1, 0, 2)) == 1


def test_a_door_lets_out_one_tile_below_and_a_ladder_on_itself() -> None:
    town = Drawn(["#D##", "....", "L...", "...."], warps=[(1, 0, 1, 2, 1), (0, 2, 1, 2, 2)])
    house = Drawn(["...L", "m..."], warps=[(0, 1, 1, 1, 1), (3, 0, 1, 1, 2)])
    found = finder(town, house)
    assert way(found, (1, 1, 1), (2, 0, 1)) == [(1, 1, 1), (2, 0, 1)]
    assert way(found, (2, 0, 1), (1, 1, 1)) == [(2, 0, 1), (1, 1, 1)]
    assert way(found, (1, 1, 2), (2, 3, 0)) == [(1, 1, 2), (2, 3, 0)]


def test_a_carpet_works_only_where_the_step_is_blocked() -> None:
    town = Drawn(["....", ".m..", "....", ".m.."], warps=[(1, 1, 1, 2, 1), (1, 3, 1, 2, 1)])
    house = Drawn(["....", "...m"], warps=[(3, 1, 1, 1, 1)])
    found = finder(town, house)
    assert way(found, (1, 1, 1), (2, 3, 1)) == [(1, 1, 1), (1, 1, 2), (1, 1, 3), (2, 3, 1)]


def test_ice_slides_to_the_next_wall() -> None:
    found = finder(Drawn(["III#", "IIII", "....", "...."]))
    assert way(found, (1, 0, 2), (1, 0, 0)) == [(1, 0, 2), (1, 0, 0)]
    assert way(found, (1, 0, 0), (1, 2, 0)) == [(1, 0, 0), (1, 2, 0)]
    assert way(found, (1, 0, 2), (1, 1, 1)) == []


def test_a_slide_ends_before_somebody_until_their_flag_hides_them() -> None:
    """As a trainer stands on the ice of Mahogany's gym at (5, 9)."""
    rows = ["....", "#II#", "#II#", "#II#", "...."]
    found = finder(Drawn(rows, people=[Person(1, 1, flag=300)]))
    there, gone = conditions(found), conditions(found, 300)
    assert way(found, (1, 1, 4), (1, 1, 2), there) == [(1, 1, 4), (1, 1, 2)]
    assert (1, 1, 2) not in way(found, (1, 1, 4), (1, 1, 0), there)
    assert way(found, (1, 1, 4), (1, 1, 0), gone) == [(1, 1, 4), (1, 1, 0)]
    assert way(found, (1, 1, 4), (1, 1, 2), gone) == []


@pytest.mark.parametrize(("away", "end"), [((), 4), ((300,), 4), ((301,), 2), ((300, 301), 0)])
def test_a_slide_ends_before_whoever_is_left_on_the_ice(away: tuple[int, ...], end: int) -> None:
    rows = ["....", "#II#", "#II#", "#II#", "#II#", "...."]
    found = finder(Drawn(rows, people=[Person(1, 1, flag=300), Person(1, 3, flag=301)]))
    start, stop = (1, 1, 5), (1, 1, end)
    assert way(found, start, stop, conditions(found, *away)) == [start, stop]


@pytest.mark.parametrize(
    ("sign", "needs"),
    [("~", Ability.SURF), ("T", Ability.CUT), ("@", Ability.SURF | Ability.WHIRLPOOL)],
)
def test_water_trees_and_whirlpools_open_with_their_moves(sign: str, needs: Ability) -> None:
    found = finder(Drawn([f".{sign}..", f".{sign}.."]))
    assert steps(found, (1, 0, 0), (1, 2, 0)) == FAR
    assert steps(found, (1, 0, 0), (1, 2, 0), Conditions(needs)) == 2
    rest = Ability(63) & ~needs
    assert steps(found, (1, 0, 0), (1, 2, 0), Conditions(rest)) == FAR


def test_a_waterfall_is_climbed_with_its_move_and_always_carries_down() -> None:
    found = finder(Drawn(["~~", "WW", "WW", "~~"]))
    surf = Conditions(Ability.SURF)
    assert way(found, (1, 0, 0), (1, 0, 3), surf) == [(1, 0, 0), (1, 0, 3)]
    assert steps(found, (1, 0, 3), (1, 0, 0), surf) == FAR
    both = Conditions(Ability.SURF | Ability.WATERFALL)
    assert way(found, (1, 0, 3), (1, 0, 0), both) == [(1, 0, 3), (1, 0, 0)]


def test_grass_is_walked_round_when_that_is_short() -> None:
    found = finder(Drawn(['.""."', "....."]))
    assert steps(found, (1, 0, 0), (1, 3, 0)) == 5


CORRIDOR = Drawn(
    ["####", "....", "####", "####"],
    people=[Person(1, 1, flag=300), Person(2, 1, movement=4)],
    triggers=[(2, 1, 0)],
)


def conditions(found: RouteFinder, *flags: int, scenes=None, shut=frozenset()) -> Conditions:
    return found.conditions(state(flags=flags), Ability(0), scenes or {}, shut)


def test_people_are_in_the_way_until_their_flag_hides_them() -> None:
    found = finder(CORRIDOR)
    assert steps(found, (1, 0, 1), (1, 3, 1), conditions(found)) >= CLOSED
    assert steps(found, (1, 0, 1), (1, 3, 1), conditions(found, 300)) == 3


def test_somebody_on_a_door_shuts_it_until_their_flag_hides_them() -> None:
    """As beaten trainers of Lavaridge's gym stand on its holes."""
    town = Drawn(["...L", "...."], [(3, 0, 1, 2, 1)], people=[Person(3, 0, flag=300)])
    found = finder(town, Drawn(["....", "L..."], [(0, 1, 1, 1, 1)]))
    assert steps(found, (1, 0, 0), (2, 3, 1), conditions(found)) >= CLOSED
    assert steps(found, (1, 0, 0), (2, 3, 1), conditions(found, 300)) < CLOSED


def test_an_active_trigger_costs_and_one_that_sent_back_is_closed() -> None:
    found = finder(CORRIDOR)

    def far(scene: int, *shut: SceneId) -> int:
        gates = conditions(found, 300, scenes={0: scene}, shut=frozenset(shut))
        return steps(found, (1, 0, 1), (1, 3, 1), gates)

    assert far(1) == 3
    assert 3 < far(0) < CLOSED
    assert far(0, (0, 0, -1)) >= CLOSED
    assert far(1, (0, 0, -1)) == 3


WALL, FLOOR, DOOR = 1, 2, 3
"""Numbers of blocks in images that begin with a floor."""


def test_a_gate_is_closed_until_its_flag_is_as_it_must_be() -> None:
    hall = Drawn(["..##..", "..##.."])
    for when, is_open_when_set in ((When.SET, True), (When.CLEAR, False)):
        gate = BlockChange((1, 1), 2, 0, WALL, FLOOR, when, 300)
        found = finder(hall, changes=(gate,))
        for flags, is_set in (((), False), ((300,), True)):
            left = steps(found, (1, 0, 0), (1, 5, 0), conditions(found, *flags))
            assert left == 5 if is_set is is_open_when_set else left >= CLOSED
        assert steps(found, (1, 0, 0), (1, 5, 0)) == 5


def test_a_door_that_appears_is_a_way_with_its_flag() -> None:
    town = Drawn(["....##", "....##"], warps=[(5, 0, 1, 2, 1)])
    house = Drawn(["..#D", "...."], warps=[(3, 0, 1, 1, 1)])
    found = finder(town, house, changes=(BlockChange((1, 1), 4, 0, WALL, DOOR, When.SET, 300),))
    assert found.world.gates["tile"].tolist() == [
        found.world.tile(0, x, y) for x, y in ((5, 0), (4, 1), (5, 1))
    ]
    assert steps(found, (1, 3, 1), (2, 3, 1), conditions(found)) >= CLOSED
    assert steps(found, (1, 3, 1), (2, 3, 1), conditions(found, 300)) < CLOSED


def test_changes_of_other_blocks_than_the_images_are_left_out() -> None:
    hall = Drawn(["..##..", "..##.."])
    for change in (
        BlockChange((1, 1), 2, 0, FLOOR, WALL, When.SET, 300),
        BlockChange((1, 1), 8, 0, WALL, FLOOR, When.SET, 300),
        BlockChange((9, 9), 2, 0, WALL, FLOOR, When.SET, 300),
    ):
        found = finder(hall, changes=(change,))
        assert len(found.world.gates) == 0
        assert steps(found, (1, 0, 0), (1, 5, 0)) == FAR


def test_boulders_and_rocks_open_with_their_moves() -> None:
    people = [Person(1, 0, movement=0x19), Person(2, 0, movement=0x18)]
    found = finder(Drawn(["....", "####"], people=people))

    def open_with(abilities: Ability) -> bool:
        now = found.conditions(state(), abilities, {}, frozenset())
        return steps(found, (1, 0, 0), (1, 3, 0), now) < CLOSED

    assert not open_with(Ability.STRENGTH)
    assert open_with(Ability.STRENGTH | Ability.ROCK_SMASH)


def drawn_by_chance(dice: random.Random) -> RouteFinder:
    """Return six maps beside one another, two houses and what can be in the way."""

    def rows(width: int, height: int) -> list[list[str]]:
        signs = '#.v~T"I>W@'
        return [
            dice.choices(signs, (20, 60, 3, 6, 1, 6, 2, 1, 1, 1), k=width) for _ in range(height)
        ]

    def things(width: int, height: int) -> dict[str, list]:
        places = [(dice.randrange(width), dice.randrange(height)) for _ in range(7)]
        kinds = zip(places[:5], (6, 6, 4, 0x19, 0x18), range(300, 305), strict=True)
        people = [Person(x, y, movement=kind, flag=flag) for (x, y), kind, flag in kinds]
        return {"people": people, "triggers": [(*place, 0) for place in places[5:]]}

    maps = {}
    for i in range(6):
        near = {"east": (i + 1, i % 3 < 2), "west": (i - 1, i % 3 > 0)}
        near |= {"north": (i - 3, i > 2), "south": (i + 3, i < 3)}
        sides = {side: (1, 1 + other, 0) for side, (other, is_there) in near.items() if is_there}
        town, warps = rows(14, 10), []
        if i < 2:
            town[3][4:7], town[4][4:7], town[5][5] = "###", "#D#", "."
            warps = [(5, 4, 1, 7, 1)] if i == 0 else [(5, 4, 1, 8, 1)]
        if i in (4, 5):  # a cave with a way through it
            town[7][8] = "L"
            warps = [(8, 7, 1, 9, 1 + (i == 5))]
        maps[i] = Drawn(["".join(row) for row in town], warps, sides, **things(14, 10))
    for number in range(2):
        house = rows(8, 6)
        house[5][2:4] = "mm"
        warps = [(2, 5, 1, 1 + number, 1), (3, 5, 1, 1 + number, 1)]
        maps[6 + number] = Drawn(["".join(row) for row in house], warps, **things(8, 6))
    cave = rows(8, 6)
    cave[0][0], cave[5][7] = "L", "L"
    maps[8] = Drawn(["".join(row) for row in cave], [(0, 0, 1, 5, 1), (7, 5, 1, 6, 1)])
    return finder(*(maps[number] for number in range(9)))


@pytest.mark.parametrize("seed", range(15))
def test_distances_are_those_of_a_search_over_all_tiles_in_whatever_order_they_are_asked(
    seed: int,
) -> None:
    dice = random.Random(seed)
    found = drawn_by_chance(dice)
    flags = [flag for flag in range(300, 305) if dice.random() < 0.5]
    abilities = Ability(dice.choice((0, 0, 1, 2, 63, dice.randrange(64))))
    scenes = {row: dice.randrange(2) for row in range(8)}
    shut = frozenset((row, 0) for row in range(8) if dice.random() < 0.5)
    now = found.conditions(state(flags=flags), abilities, scenes, shut)
    tiles = range(len(found.world.terrain))
    goals = frozenset(dice.sample(tiles, dice.choice((1, 1, 3))))
    more: dict[int, list[int]] = {}
    for start, end in found.more_ways(now):
        more.setdefault(end, []).append(start)
    whole = tile_distances(
        found.graph, found.costs(now), dict.fromkeys(goals, 0), goals, more, (0, len(tiles))
    )
    for order in range(3):
        asked = RouteFinder(found.world, found.graph).distances(goals, now)
        for tile in random.Random(order).sample(tiles, 150):
            assert asked[tile] == whole[tile]
    assert found.distances(goals, now).all() == whole


def test_a_path_is_as_long_as_the_distances_say() -> None:
    dice = random.Random(4)
    found = finder(Drawn(["".join(dice.choices("#.v~", (2, 7, 1, 2), k=24)) for _ in range(16)]))
    surf, goal = Conditions(Ability.SURF), found.world.tile(0, 12, 8)
    for start in range(0, 24 * 16, 5):
        path = found.path(start, [goal], surf)
        far = found.distances([goal], surf)[start]
        assert len(path) - 1 == far if path else far >= FAR


def test_reachable_follows_the_ways_forwards() -> None:
    found = finder(Drawn(["....", "vvvv", "####", "...."]))
    top, bottom = found.world.tile(0, 0, 0), found.world.tile(0, 0, 3)
    assert found.reachable([top], found.all_open(Ability(63)))[bottom]
    assert not found.reachable([bottom], found.all_open(Ability(63)))[top]


def test_an_arrival_back_is_any_warp_that_leads_here() -> None:
    town = Drawn(["#D##", "...."], warps=[(1, 0, 1, 2, 1)])
    house = Drawn(["...L", "m..."], warps=[(0, 1, 1, 1, 255)])
    found = finder(town, house)
    assert found.arrival(MapId(1, 1), 255, MapId(1, 2)) == (found.world.tile(0, 1, 1),)
    assert found.arrival(MapId(1, 2), 1, MapId(1, 1)) == (found.world.tile(1, 0, 1),)
    assert found.arrival(MapId(7, 7), 1, MapId(1, 1)) == ()
    assert found.arrival(MapId(1, 2), 9, MapId(1, 1)) == ()


def test_a_kept_graph_is_mapped_and_a_damaged_one_refused(tmp_path: Path) -> None:
    found = finder(CORRIDOR, Drawn(["~~", "WW", "~~", ".."]))
    path, world = tmp_path / "cache" / "routes.npz", found.world
    assert load_graph(path, world) is None
    save_graph(path, found.graph)
    kept = load_graph(path, world)
    for name in ("first", "sources", "costs", "needs", "climbs", "nodes", "tables"):
        assert np.array_equal(getattr(kept, name), getattr(found.graph, name))
    assert not kept.sources.flags.writeable
    assert load_graph(path, finder(CORRIDOR).world) is None
    whole = path.read_bytes()
    for place in range(0, len(whole), 97):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        assert load_graph(path, world) is None or np.array_equal(
            load_graph(path, world).sources, found.graph.sources
        )
    path.write_bytes(whole[: len(whole) // 2])
    assert load_graph(path, world) is None


def test_the_graphs_of_older_versions_make_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POKETUI_CACHE_DIR", str(tmp_path))
    world, sha1 = finder(CORRIDOR).world, "a" * 40
    for name in (f"routes-{sha1}-1-00000000.npz", f"routes-{'b' * 40}-1-00000000.npz"):
        (tmp_path / name).write_bytes(b"old")
    route_finder.cache_clear()
    route_finder(world, sha1)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert len(left) == 2
    assert left[0].startswith(f"routes-{sha1}-{VERSION}-")
    assert left[1].startswith("routes-b")
