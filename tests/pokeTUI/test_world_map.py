"""The map of the maps around, and of the region."""

from dataclasses import replace

import numpy as np
import pytest

from engine.events import GameObserved, WorldMapped
from engine.types import Goal, MapId, MapOutline, TileKind
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.panes.party import PartyPane
from pokeTUI.panes.world_map import WorldMap
from tests.pokeTUI.fake_session import make_game
from tests.pokeTUI.pane_app import Size

TOWN, ROUTE, HOUSE, CITY = (MapId(40, number) for number in (3, 6, 2, 7))


def outline(number: MapId, name: str, plane: int, place: tuple[int, int], size: Size) -> MapOutline:
    kinds = np.full(size, TileKind.FLOOR, np.uint8)
    kinds[0] = TileKind.WALL
    return MapOutline(number, name, plane, *place, kinds)


WORLD = (
    replace(outline(TOWN, "FERNWICK", 0, (0, 0), (16, 20)), doors=((3, 5, HOUSE),)),
    outline(ROUTE, "MILLBROOK PATH", 0, (0, -54), (54, 20)),
    outline(CITY, "STONEHOLLOW", 0, (20, -54), (18, 40)),
    replace(outline(HOUSE, "HOME", 1, (0, 0), (8, 8)), doors=((3, 7, TOWN),)),
)
GOAL = Goal("reached_stonehollow", "Reach Stonehollow", CITY)


def seen_from(here: MapId, x: int, y: int) -> GameObserved:
    game = make_game()
    place = replace(game.place, map=here, name="FERNWICK", x=x, y=y)
    route = ((ROUTE, tuple((9, y) for y in range(53, 8, -1))), (CITY, ((0, 8), (1, 8))))
    return GameObserved(
        replace(game, place=place), GOAL, frozenset(), ((9, 1), (9, 0)), None, route
    )


def drawn(game: GameObserved, size: Size, *, is_whole: bool = False) -> list[str]:
    lines = WorldMap(WORLD).lines(game, *size, is_whole=is_whole)
    assert len(lines) <= size[1]
    assert all(line.used <= size[0] for line in lines)
    return [line.text for line in lines]


def test_maps_around_are_drawn_beyond_the_edge_of_this_one() -> None:
    text = drawn(seen_from(TOWN, 9, 1), (40, 20))
    player = next(row for row in text if any(sign in row for sign in "▲▼◄►"))
    above = text[: text.index(player)]
    assert any("•" in row for row in above), "the way continues to the north"
    assert any("Millbrook Path" in row for row in above)
    assert not any("Fernwick" in row for row in text[:-2]), "the last lines name this map"


def test_region_shows_the_goal_and_how_many_maps_it_is_away() -> None:
    text = drawn(seen_from(TOWN, 9, 1), (60, 20), is_whole=True)
    assert "◎" in "".join(text[:-2])
    assert text[-2].endswith("◎ STONEHOLLOW, 2 maps away")
    assert text[-1] == "• route  ◎ goal"


def test_player_in_a_house_stands_at_its_door_outside() -> None:
    text = drawn(seen_from(HOUSE, 4, 4), (40, 40))
    row = next(row for row in text if any(sign in row for sign in "▲▼◄►"))
    outside = drawn(seen_from(TOWN, 3, 5), (40, 40))
    assert row == next(row for row in outside if any(sign in row for sign in "▲▼◄►"))


@pytest.mark.parametrize("size", [(1, 1), (3, 2), (20, 5), (198, 56)])
def test_region_fits_into_any_size(size: Size) -> None:
    assert drawn(seen_from(TOWN, 0, 15), size, is_whole=True)
    assert drawn(seen_from(CITY, 39, 17), size)


def test_names_in_the_region_are_whole_or_absent() -> None:
    assert any(
        "Millbrook Path" in row for row in drawn(seen_from(TOWN, 9, 1), (36, 14), is_whole=True)
    )
    text = "".join(drawn(seen_from(TOWN, 9, 1), (9, 12), is_whole=True)[:-2])
    assert "…" not in text, "too little room even for a cut name"


def test_small_region_is_drawn_as_large_as_it_fits() -> None:
    east = outline(CITY, "STONEHOLLOW", 0, (20, 0), (16, 20))
    town = replace(WORLD[0], kinds=WORLD[0].kinds.copy())
    town.kinds[5, 3] = TileKind.DOOR
    world = WorldMap((town, east))
    for size, across in (((60, 30), 1), ((100, 30), 2), ((190, 50), 4)):
        text = [line.text for line in world.lines(seen_from(TOWN, 9, 9), *size, is_whole=True)]
        wall = next(row for row in text if "█" in row or "▀" in row).strip()
        assert len(wall) == 40 * across
        assert "".join(text[:-2]).count("⌂") == 1


def test_region_too_large_for_the_pane_shows_what_is_near() -> None:
    far = outline(MapId(40, 99), "FAR AWAY", 0, (900, 600), (20, 20))
    game = seen_from(TOWN, 9, 1)
    lines = WorldMap((*WORLD, far)).lines(game, 36, 14, is_whole=True)
    text = "\n".join(line.text for line in lines)
    assert "Stonehollow" in text
    assert "Far Away" not in text
    assert any(sign in text for sign in "▲▼◄►")


def test_zoom_changes_what_the_map_pane_shows() -> None:
    state = fold(DashboardState(game=seen_from(TOWN, 9, 1)), WorldMapped(WORLD))
    pane = PartyPane()
    seen = ["\n".join(line.text for line in pane.lines(state, 100, 20))]
    for subtitle in ("nearby maps", "the region", ""):
        pane.act("zoom")
        assert (pane.border_subtitle or "") == subtitle
        seen.append("\n".join(line.text for line in pane.lines(state, 100, 20)))
    assert seen[0] == seen[3]
    assert len(set(seen)) == 3
