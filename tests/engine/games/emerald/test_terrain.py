import numpy as np
import pytest
from numpy.typing import NDArray

from engine.games.emerald.terrain import behaviours_of, cell_terrain, kinds_of, terrain_of
from engine.types import Facing, Terrain, TileKind

_FLOOR, _SOLID = 0x3000, 0x3400


def _tiles(
    behaviours: list[list[int]], cells: list[list[int]] | None = None, *warps: tuple[int, int]
) -> NDArray[np.uint32]:
    numbers = np.array(behaviours, np.uint8)
    drawn = np.full(numbers.shape, _FLOOR, np.uint16)
    return cell_terrain(drawn if cells is None else np.array(cells, np.uint16), numbers, warps)


def test_collision_and_the_void_are_walls() -> None:
    tiles = _tiles([[0, 0, 0]], [[_FLOOR, _SOLID, 0x33FF]])
    assert tiles.tolist() == [[Terrain.WALKABLE, 0, 0]]


def test_grass_is_walked_in_and_water_is_not() -> None:
    tiles = _tiles([[0x02, 0x03, 0x15]], [[_FLOOR, _FLOOR, 0x1000]])
    assert (tiles[0, :2] == Terrain.WALKABLE | Terrain.GRASS).all()
    assert tiles[0, 2] == Terrain.WATER


def test_a_ledge_is_a_wall_that_is_hopped_over_from_before_it() -> None:
    tiles = _tiles([[0], [0x3B], [0]], [[_FLOOR], [_SOLID], [_FLOOR]])
    assert tiles[:, 0].tolist() == [Terrain.WALKABLE | Terrain.HOPS[Facing.DOWN], 0, 1]


@pytest.mark.parametrize(("number", "way"), [(0x38, Facing.RIGHT), (0x39, Facing.LEFT)])
def test_ledges_lead_sideways_too(number: int, way: Facing) -> None:
    tiles = _tiles([[0, number, 0]], [[_FLOOR, _SOLID, _FLOOR]])
    before = 0 if way is Facing.RIGHT else 2
    assert tiles[0, before] == Terrain.WALKABLE | Terrain.HOPS[way]
    assert tiles[0, 2 - before] == Terrain.WALKABLE


def test_a_door_opens_where_a_warp_is_though_it_collides() -> None:
    cells = [[_SOLID, _SOLID], [_FLOOR, _FLOOR]]
    tiles = _tiles([[0x69, 0x69], [0, 0]], cells, (0, 0))
    sides = (Terrain.WALLS[way] for way in (Facing.UP, Facing.LEFT, Facing.RIGHT))
    assert tiles[0, 0] == Terrain.WALKABLE | Terrain.DOOR | Terrain.PUSH | sum(sides)
    assert tiles[0, 1] == 0


def test_stairs_and_mats_are_warps_where_one_leads_somewhere() -> None:
    tiles = _tiles([[0x60, 0x61, 0x65, 0x62]], None, (0, 0), (1, 0), (2, 0))
    assert tiles[0, 0] == Terrain.WALKABLE | Terrain.DOOR | Terrain.PUSH
    assert tiles[0, 1] == Terrain.WALKABLE | Terrain.DOOR
    assert tiles[0, 2] == Terrain.WALKABLE | Terrain.MATS[Facing.DOWN]
    assert tiles[0, 3] == Terrain.WALKABLE


def test_warps_outside_are_left_out() -> None:
    assert _tiles([[0x60]], None, (5, 0), (-1, 0)).tolist() == [[Terrain.WALKABLE]]


def test_a_counter_answers_though_it_is_a_wall() -> None:
    assert _tiles([[0x80]], [[_SOLID]])[0, 0] == Terrain.COUNTER | Terrain.ANSWERS


def test_one_sided_walls_are_along_their_sides() -> None:
    tiles = _tiles([[0x30, 0x37]])
    assert tiles[0, 0] == Terrain.WALKABLE | Terrain.WALLS[Facing.RIGHT]
    walls = Terrain.WALLS[Facing.DOWN] | Terrain.WALLS[Facing.LEFT]
    assert tiles[0, 1] == Terrain.WALKABLE | walls


def test_different_elevations_are_walled_off_from_each_other() -> None:
    tiles = _tiles([[0, 0], [0, 0]], [[0x3000, 0x4000], [0x3000, 0x3000]])
    assert tiles[0, 0] == Terrain.WALKABLE | Terrain.WALLS[Facing.RIGHT]
    walls = Terrain.WALLS[Facing.LEFT] | Terrain.WALLS[Facing.DOWN]
    assert tiles[0, 1] == Terrain.WALKABLE | walls
    assert tiles[1, 0] == Terrain.WALKABLE
    assert tiles[1, 1] == Terrain.WALKABLE | Terrain.WALLS[Facing.UP]


def test_elevations_0_and_15_lead_to_all() -> None:
    tiles = _tiles([[0, 0, 0, 0]], [[0x3000, 0x0000, 0x4000, 0xF000]])
    assert (tiles == Terrain.WALKABLE).all()


def test_water_is_not_walled_off_from_land_for_one_surfs_there() -> None:
    tiles = _tiles([[0, 0x15]], [[0x3000, 0x1000]])
    assert tiles.tolist() == [[Terrain.WALKABLE, Terrain.WATER]]


def test_behaviours_come_from_both_tilesets() -> None:
    first, second = np.array([0x1002, 0x3], np.uint16), np.array([0x15], np.uint16)
    cells = np.array([[0x3000, 0x3001, 0x3002, 0x3200, 0x3201]], np.uint16)
    assert behaviours_of(cells, first, second).tolist() == [[2, 3, 0, 0x15, 0]]
    assert terrain_of(cells, first, second)[0, 3] == Terrain.WATER


def test_a_ledge_is_drawn_where_it_is_seen() -> None:
    numbers = np.array([[0], [0x3B]], np.uint8)
    tiles = cell_terrain(np.array([[_FLOOR], [_SOLID]], np.uint16), numbers)
    assert kinds_of(tiles, numbers)[:, 0].tolist() == [TileKind.FLOOR, TileKind.LEDGE]


def test_the_way_out_of_the_woods_is_land_that_one_leaves_northwards() -> None:
    tiles = _tiles([[0], [0x6E], [0]], None, (0, 1))
    assert tiles[1, 0] == Terrain.WALKABLE | Terrain.DOOR
    assert tiles[0, 0] == Terrain.WALKABLE
