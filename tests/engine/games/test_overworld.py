"""How the maps of a world lie beside each other."""

from engine.games.overworld import outlines
from engine.types import MapId, MapOutline, TileKind
from tests.engine.games.test_rom_tables import world
from tests.engine.games.world_images import Drawn

TOWN, ROUTE, CITY, HOUSE = (MapId(1, number) for number in (1, 2, 3, 4))


def lie() -> dict[MapId, MapOutline]:
    """A town, a route to the west of it, a city north of that, two blocks to the right; a house."""
    maps = {
        (1, 1): Drawn(["...."] * 17 + ["D..."], [(0, 17, 1, 4, 1)], {"west": (1, 2, 0)}),
        (1, 2): Drawn(["." * 60] * 18, sides={"east": (1, 1, 0), "north": (1, 3, 2)}),
        (1, 3): Drawn(["~" * 20] * 18, sides={"south": (1, 2, -2)}),
        (1, 4): Drawn(["..", "m."], [(0, 1, 1, 1, 1)]),
    }
    found = outlines(world(maps), lambda map_id: f"map {map_id.number}")
    return {one.map: one for one in found}


def test_maps_joined_by_their_edges_share_a_plane() -> None:
    maps = lie()
    assert [(one.plane, one.x, one.y) for one in maps.values()] == [
        (0, 0, 0), (0, -60, 0), (0, -56, -18), (3, 0, 0)
    ]  # fmt: skip
    assert maps[ROUTE].name == "map 2"


def test_outlines_tell_kinds_of_tiles_and_where_doors_lead() -> None:
    maps = lie()
    assert set(maps[CITY].kinds.ravel()) == {TileKind.WATER}
    assert maps[TOWN].kinds.shape == (18, 4)
    assert maps[TOWN].doors == ((0, 17, HOUSE),)
    assert maps[HOUSE].doors == ((0, 1, TOWN),)
