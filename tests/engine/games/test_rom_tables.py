import random

import pytest

from engine.games.crystal.maps import PERMISSIONS
from engine.games.crystal.rom_tables import read_overworld
from engine.games.overworld import PersonKind, Stance
from engine.types import Facing, MapId, Terrain
from tests.engine.games.world_images import Drawn, Person, build

HACK = {"groups_at": (0x11, 0x4A31), "tilesets_at": (0x0C, 0x6123), "size": 1 << 20}
SMALL = {
    (1, 1): Drawn(
        ["....", ".D..", "...#", "m..."],
        warps=[(1, 1, 2, 1, 2), (0, 3, 2, 1, 1), (3, 0, 9, 9, 1)],
        sides={"north": (2, 1, 0)},
        triggers=[(2, 2, 5)],
        signs=[(3, 1, 7, b"\x21\x01\x12"), (0, 0, 1, b"\x01")],
        people=[
            Person(2, 0, movement=4, flag=1234),
            Person(3, 3, kind=2, sight=3, script=b"\xbd\x04\x01"),
            Person(1, 3, kind=1, movement=1, script=b"\x05\x01"),
            Person(0, 2, movement=0x19, hours=(0xFF, 4)),
        ],
        environment=1,
    ),
    (2, 1): Drawn(
        ["[~~]", "T..I"],
        warps=[(0, 0, 1, 1, 1), (3, 0, 1, 1, 255)],
        sides={"south": (1, 1, 0)},
    ),
    (2, 2): Drawn(["WW", "..", "--", ".."], tileset=3),
}


def world(maps=SMALL, **where):
    found, problem = read_overworld(build(maps, **where))
    assert found is not None, problem
    return found


@pytest.mark.parametrize("where", [{}, HACK], ids=["Crystal", "hack"])
def test_all_maps_are_read_at_crystals_addresses_and_elsewhere(where) -> None:
    found = world(**where)
    ids = [found.map_id(row) for row in range(len(found))]
    assert ids == [MapId(1, 1), MapId(2, 1), MapId(2, 2)]
    assert [found.size(row) for row in range(3)] == [(4, 4), (4, 2), (2, 4)]
    assert found.maps["environment"].tolist() == [1, 2, 2]
    assert found.addresses["map groups"] == ("11:4A31" if where else "25:4000")
    assert found.addresses["tilesets"] == ("0C:6123" if where else "13:5596")


def test_terrain_is_laid_out_row_after_row() -> None:
    found = world()
    grid = found.grid(0)
    assert grid[1, 1] & Terrain.DOOR
    assert grid[1, 1] & Terrain.PUSH
    assert grid[2, 3] == 0
    assert grid[3, 0] & Terrain.MATS[Facing.DOWN]
    other = found.grid(1)
    assert other[0, 1] & Terrain.WATER
    assert other[0, 3] & Terrain.MATS[Facing.RIGHT]
    assert other[1, 0] & Terrain.CUT_TREE
    assert other[1, 3] & Terrain.ICE
    assert found.grid(2)[0, 0] & Terrain.WATERFALL
    assert found.grid(2)[2, 0] & Terrain.WALLS[Facing.UP]


def test_water_beside_the_cycling_road_is_a_wall() -> None:
    shore = Drawn(["~.", "~D"], warps=[(1, 1, 21, 1, 1)])
    found = world({(21, number): shore for number in (1, 2, 3)})
    route_16, route_17 = (found.grid(found.row(MapId(21, number))) for number in (2, 3))
    assert route_16[:, 0].tolist() == [Terrain.WATER] * 2
    assert route_17[:, 0].tolist() == [0, 0]
    assert (route_16[:, 1] == route_17[:, 1]).all()


def test_tiles_are_numbered_through_all_maps() -> None:
    found = world()
    assert found.tile(1, 3, 1) == 16 + 7
    assert found.locate(16 + 7) == (1, 3, 1)
    assert found.tile(1, 4, 0) is None
    assert found.locate(0) == (0, 0, 0)


def test_warps_know_where_they_lead_but_for_those_that_lead_back_or_nowhere() -> None:
    warps = world().warps
    assert warps["target"].tolist() == [1, 1, -1, 0, -1]
    assert warps["arrival"].tolist() == [2, 1, 1, 1, 255]
    assert (warps["x"][0], warps["y"][0], warps["map"][3]) == (1, 1, 1)


def test_people_have_their_flags_stance_and_hours() -> None:
    people = world().people
    assert people["index"].tolist() == [1, 2, 3, 4]
    assert people["flag"].tolist() == [1234, -1, -1, -1]
    assert people["beat_flag"].tolist() == [-1, 0x4BD, -1, -1]
    assert people["sight"].tolist() == [0, 3, 0, 0]
    assert people["kind"].tolist() == [0, PersonKind.TRAINER, PersonKind.ITEM, 0]
    assert people["item"].tolist() == [0, 0, 5, 0]
    assert people["stance"].tolist() == [Stance.WALKS, 0, 0, Stance.BOULDER]
    assert people["hours"].tolist() == [0, 0, 0, 4]
    assert next(zip(people["x"], people["y"], strict=True)) == (2, 0)


def test_signs_and_triggers_are_read() -> None:
    found = world()
    assert found.signs["flag"].tolist() == [0x121, -1]
    assert found.signs["item"].tolist() == [0x12, 0]
    assert found.triggers[0].tolist() == (0, 2, 2, 5, -1)


def test_connections_say_where_one_arrives() -> None:
    """New Bark's west edge leads to Route 29, 60 tiles wide: (0, 8) to (59, 8)."""
    rows = ["." * 4] * 18
    town, route = Drawn(rows, sides={"west": (1, 2, 0)}), Drawn(["." * 60] * 18)
    door = Drawn(["D."], warps=[(0, 0, 1, 1, 1)])
    (link,) = world({(1, 1): town, (1, 2): route, (1, 3): door}).connections
    assert (link["facing"], link["across"], link["shift"]) == (Facing.LEFT, 59, 0)
    assert (link["first"], link["last"]) == (0, 17)


def test_a_strip_covers_the_neighbour_alone() -> None:
    wide = Drawn(["." * 20] * 4, sides={"south": (1, 2, 3)})
    small = Drawn(["D..."] * 2, warps=[(0, 0, 1, 1, 1)])
    (link,) = world({(1, 1): wide, (1, 2): small}).connections
    assert (link["first"], link["last"]) == (6, 9)
    assert (6 + int(link["shift"])) & 255 == 0


def test_groups_without_maps_are_passed_over() -> None:
    found = world({(5, 1): SMALL[2, 2], (5, 2): Drawn(["D."], warps=[(0, 0, 5, 1, 1)])}, **HACK)
    assert [found.map_id(row) for row in range(2)] == [MapId(5, 1), MapId(5, 2)]


@pytest.mark.parametrize("place", [(0x13, 0x4E1F), (0x21, 0x5003)], ids=["Crystal", "hack"])
def test_permissions_are_found_where_they_are_and_may_differ(place) -> None:
    bank, address = place
    image, start = bytearray(build(SMALL)), bank * 0x4000 + address - 0x4000
    image[start : start + 256] = PERMISSIONS
    image[start + 0x23] = 0x0F  # ice that nobody steps on
    found, _ = read_overworld(bytes(image))
    assert found.addresses["permissions"] == f"{bank:02X}:{address:04X}"
    assert not found.grid(1)[1, 3] & Terrain.WALKABLE
    image[0x24 * 0x4000 : 0x24 * 0x4000 + 256] = PERMISSIONS
    found, _ = read_overworld(bytes(image))
    is_certain = place == (0x13, 0x4E1F)
    assert (found.addresses["permissions"] == "not found: Crystal's") is not is_certain


def test_an_image_without_maps_is_refused_in_one_line() -> None:
    found, problem = read_overworld(bytes(1 << 17))
    assert found is None
    assert problem.startswith("The maps were not found")
    assert "\n" not in problem
    assert read_overworld(b"")[0] is None


@pytest.mark.parametrize(
    ("drawn", "words"),
    [(Drawn(["..", ".."], [(0, 0, 1, 1, 1)]), "doors"), (Drawn(["." * 200] * 120), "invalid size")],
    ids=["doors elsewhere", "too large a map"],
)
def test_tables_that_cannot_be_are_refused(drawn: Drawn, words: str) -> None:
    found, problem = read_overworld(build({(1, 1): drawn}))
    assert found is None
    assert words in problem


def test_damaged_images_are_read_or_refused_but_never_crash() -> None:
    whole, dice = build(SMALL, **HACK), random.Random(5)
    start = 0x11 * 0x4000
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(dice.randrange(1, 12)):
            damaged[start + dice.randrange(0xA31, 0x4C00)] = dice.randrange(256)
        found, problem = read_overworld(bytes(damaged))
        assert (found is None) == bool(problem)
    for size in (0x4000, 0x44A40, 0x45000, 0x48003):
        found, problem = read_overworld(whole[:size])
        assert (found is None) == bool(problem)


def test_the_arrays_cannot_be_written() -> None:
    found = world()
    with pytest.raises(ValueError, match="read-only"):
        found.terrain[0] = 1
