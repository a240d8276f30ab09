from engine.games.crystal.collision import CARPETS, DOORS, GRASS, IS_WALKABLE, KINDS, LEDGES, WALL
from engine.games.crystal.collision_ids import WATER
from engine.types import TileKind


def test_every_collision_id_has_a_kind() -> None:
    assert KINDS[0] == TileKind.FLOOR
    assert KINDS[WALL] == TileKind.WALL
    for ids, kind in (
        (WATER, TileKind.WATER),
        (GRASS, TileKind.GRASS),
        (LEDGES, TileKind.LEDGE),
        ({*DOORS, *CARPETS}, TileKind.DOOR),
    ):
        assert {int(KINDS[one]) for one in ids} == {kind}


def test_nobody_walks_into_a_wall() -> None:
    assert not IS_WALKABLE[KINDS == TileKind.WALL].any()
