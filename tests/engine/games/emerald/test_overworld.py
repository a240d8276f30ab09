"""The world of an image with Emerald's layout is read as it was drawn."""

import random
import struct
from itertools import groupby

import pytest

from engine.games.emerald.memory import ROM
from engine.games.emerald.overworld import read_overworld
from engine.games.overworld import BACK, Ability, BlockChange, Overworld, PersonKind, Stance, When
from engine.types import Facing, MapId, Terrain
from engine.wayfinding.graph import build_graph
from engine.wayfinding.routes import RouteFinder
from tests.engine.games.emerald.world_images import Drawn, Person, build, cell

TOWN = Drawn(
    ["##########", "#..D...w.#", "#......wW#", "..........", "#.______.#", "#..~~....#"],
    warps=[(3, 1, 1, 0, 1), (8, 5, 127, 127, 0)],
    sides=[(3, 1, 0, 1), (5, 0, 0, 1)],
    people=[
        Person(5, 3, movement=2),
        Person(6, 2, trainer=1, sight=4, script=b"\x5c\x00\x3f\x01\x00\x00", flag=700),
        Person(7, 5, sprite=59, script=b"\x1a\x00\x80\x5c\x01\x1a\x01\x80", flag=701),
        Person(8, 3, sprite=87),
        Person(1, 1, sprite=82),
        Person(-1, 4),
    ],
    triggers=[(1, 3, 0x4050, 2), (2, 3, 0x0005, 0)],
    signs=[(4, 1, 0, 0), (5, 5, 7, 0x0003_010D)],
    section=9,
)
ROUTE = Drawn(["......", "......", "......"], sides=[(4, -1, 0, 0)], kind=3)
HOUSE = Drawn(["####", "#..#", "#mm#"], warps=[(1, 2, 0, 0, 0), (2, 2, 0, 0, 0)], kind=8)


@pytest.fixture(scope="module")
def world() -> Overworld:
    found, problem = read_overworld(*build({(0, 0): TOWN, (0, 1): ROUTE, (1, 0): HOUSE}))
    assert problem == ""
    assert found is not None
    return found


def test_maps_are_those_of_all_groups_with_kind_and_section(world: Overworld) -> None:
    assert world.maps[["group", "number", "environment", "landmark"]].tolist() == [
        (0, 0, 1, 9),
        (0, 1, 2, 0),
        (1, 0, 3, 0),
    ]
    assert [world.size(row) for row in range(3)] == [(10, 6), (6, 3), (4, 3)]


def test_terrain_follows_cells_and_behaviours_of_both_tilesets(world: Overworld) -> None:
    grid = world.grid(0)
    assert not grid[0, 0] & Terrain.WALKABLE
    assert grid[1, 7] & Terrain.GRASS
    assert grid[2, 8] & Terrain.GRASS
    assert grid[1, 3] & Terrain.DOOR
    assert grid[3, 2] & Terrain.HOPS[Facing.DOWN]
    assert grid[5, 3] & Terrain.WATER
    assert world.grid(2)[2, 1] & Terrain.MATS[Facing.DOWN]


def test_warps_name_their_target_and_dynamic_ones_lead_back(world: Overworld) -> None:
    assert world.warps.tolist() == [
        (0, 3, 1, 2, 2),
        (0, 8, 5, -1, BACK),
        (2, 1, 2, 0, 1),
        (2, 2, 2, 0, 1),
    ]


def test_connections_join_the_strips_that_face_each_other(world: Overworld) -> None:
    # The route lies west of the town, its first row beside the town's second.
    assert world.connections.tolist() == [
        (0, Facing.LEFT, 1, 255, 5, 1, 3),
        (1, Facing.RIGHT, 0, 1, 0, 0, 2),
    ]
    graph = build_graph(world)
    finder = RouteFinder(world, graph)
    start, goal = world.tile(1, 0, 2), world.tile(2, 2, 1)
    assert start is not None
    assert goal is not None
    path = finder.path(start, [goal], finder.all_open(Ability(63)))
    assert [row for row, _ in groupby(world.locate(tile)[0] for tile in path)] == [1, 0, 2]


def test_where_a_script_leads_may_be_any_tile_of_its_map(world: Overworld) -> None:
    """As from the truck of the opening, to which no warp leads back."""
    finder = RouteFinder(world, build_graph(world))
    assert finder.arrival(MapId(0, 1), BACK, MapId(1, 0)) == tuple(range(60, 78))
    assert finder.arrival(MapId(1, 0), BACK, MapId(0, 0)) == (78 + 9, 78 + 10)


def test_people_are_trainers_items_and_stones_by_script_and_figure(world: Overworld) -> None:
    people = world.people
    assert people["index"].tolist() == [1, 2, 3, 4, 5]  # the sixth is off the map
    assert people["stance"].tolist() == [
        Stance.WALKS, Stance.FIXED, Stance.FIXED, Stance.BOULDER, Stance.TREE
    ]  # fmt: skip
    trainer, ball = people[1], people[2]
    assert (trainer["kind"], trainer["sight"]) == (PersonKind.TRAINER, 4)
    assert (trainer["flag"], trainer["beat_flag"]) == (700, 0x500 + 0x13F)
    assert (ball["kind"], ball["item"], ball["beat_flag"]) == (PersonKind.ITEM, 0x15C, -1)
    assert people["flag"][0] == -1


def test_figures_of_another_game_with_the_layout_are_no_stones() -> None:
    found, _ = read_overworld(*build({(0, 0): TOWN}, code="ADVE"))
    assert not {Stance.BOULDER, Stance.TREE} & set(found.people["stance"].tolist())


def test_triggers_look_at_variables_and_weather_is_none(world: Overworld) -> None:
    assert world.triggers.tolist() == [(0, 1, 3, 2, 2 * 0x50)]


def test_hidden_items_have_a_number_beyond_255_and_a_flag(world: Overworld) -> None:
    assert world.signs.tolist() == [(0, 4, 1, 0, -1, 0), (0, 5, 5, 7, 0x1F4 + 3, 0x10D)]


def test_an_image_without_maps_says_so_in_one_line() -> None:
    rom, profile = build({(0, 0): HOUSE})
    found, problem = read_overworld(rom[:0x300], profile)
    assert found is None
    assert problem.startswith("The maps were not found in the ROM: ")
    assert "\n" not in problem


def test_a_group_ends_before_a_map_of_no_size() -> None:
    rom, profile = build({(0, 0): TOWN, (0, 1): ROUTE})
    found, _ = read_overworld(rom.replace(struct.pack("<2i", 6, 3), bytes(8)), profile)
    assert found.maps[["group", "number"]].tolist() == [(0, 0)]


def test_a_tileset_without_attributes_is_refused() -> None:
    rom, profile = build({(0, 0): TOWN})
    attributes = ROM + rom.index(b"\0\0\0\0\2\0\x69\0")
    found, problem = read_overworld(
        rom.replace(attributes.to_bytes(4, "little"), b"\xff\xff\xff\x09"), profile
    )
    assert found is None
    assert "no attributes" in problem


@pytest.mark.parametrize(("when", "opens"), [(When.SET, 1), (When.CLEAR, 0)])
def test_a_cell_that_a_script_opens_is_a_gate(when: When, opens: int) -> None:
    wall, floor = cell("#"), cell(".")
    yard = Drawn(["..#..", "####."])
    changes = (
        BlockChange((0, 0), 2, 0, wall, floor, when, 300),
        BlockChange((0, 0), 0, 1, floor, wall, when, 301),  # not what the image has there
        BlockChange((0, 9), 2, 0, wall, floor, when, 302),
    )
    found, _ = read_overworld(*build({(0, 0): yard}), changes)
    assert found.gates.tolist() == [(2, 300, opens)]
    assert found.grid(0)[0, 2] & Terrain.WALKABLE


@pytest.mark.parametrize("seed", range(30))
def test_no_damage_of_an_image_is_an_error(seed: int) -> None:
    dice = random.Random(seed)
    rom, profile = build({(0, 0): TOWN, (0, 1): ROUTE, (1, 0): HOUSE})
    damaged = bytearray(rom)
    for _ in range(dice.choice((1, 4, 40))):
        damaged[dice.randrange(0x200, len(damaged))] = dice.randrange(256)
    found, problem = read_overworld(bytes(damaged), profile)
    assert (found is None) == bool(problem)
    if found is not None:
        assert found.row(MapId(0, 0)) == 0
        build_graph(found)


def test_addresses_begin_where_cartridges_are_seen() -> None:
    rom, profile = build({(0, 0): HOUSE})
    assert 0 < profile.rom["gMapGroups"] - ROM < len(rom)
