from engine.games.crystal.maps import DOORS, GRASS, LEDGES, MATS, TERRAIN, WALL, WATER
from engine.types import Facing, Terrain, TileKind

KINDS = TileKind.of(TERRAIN)


def test_every_collision_id_has_a_kind() -> None:
    assert KINDS[0] == TileKind.FLOOR
    assert KINDS[WALL] == TileKind.WALL
    for ids, kind in (
        (WATER, TileKind.WATER),
        (GRASS, TileKind.GRASS),
        (LEDGES, TileKind.LEDGE),
        ({*DOORS, *MATS}, TileKind.DOOR),
    ):
        assert {int(KINDS[one]) for one in ids} == {kind}


def test_walls_are_not_walkable() -> None:
    assert not (TERRAIN[KINDS == TileKind.WALL] & Terrain.WALKABLE).any()


def test_ledges_and_mats_keep_their_directions() -> None:
    assert TERRAIN[0xA4] & Terrain.LEDGE == Terrain.HOPS[Facing.DOWN] | Terrain.HOPS[Facing.RIGHT]
    assert TERRAIN[0x76] & Terrain.WARP == Terrain.MATS[Facing.LEFT]
