"""The tables of facts agree with each other."""

from pathlib import Path

from engine.games.crystal import maps as collision
from engine.games.crystal.memory import FACTS, SYMBOLS
from engine.games.facts import read_rows
from engine.types import Terrain
from tests.engine.games.images import CRYSTAL


def test_symbols_name_the_bank_that_their_address_needs() -> None:
    for symbol in SYMBOLS.values():
        assert symbol.bank == (0xD000 <= symbol.address < 0xE000), symbol.name
        assert symbol.address + symbol.size <= 0x10000


def test_symbols_that_follow_each_other_fit_together() -> None:
    """Addresses that the facts give apart agree where one place ends at the next."""
    for first, second in (
        ("wTMsHMs", "wNumItems"),
        ("wItems", "wNumKeyItems"),
        ("wKeyItems", "wNumBalls"),
        ("wBalls", "wNumPCItems"),
        ("wPartySpecies", "wPartyMon1"),
        ("wPokedexCaught", "wPokedexSeen"),
        ("wMapConnections", "wNorthMapConnection"),
        ("wNorthMapConnection", "wSouthMapConnection"),
        ("wSouthMapConnection", "wWestMapConnection"),
        ("wWestMapConnection", "wEastMapConnection"),
        ("wBackupMapGroup", "wBackupMapNumber"),
    ):
        symbol = SYMBOLS[first]
        assert symbol.address + symbol.size == SYMBOLS[second].address, first


def test_every_map_has_a_landmark_with_a_name() -> None:
    assert CRYSTAL.MAP_LANDMARKS.keys() == CRYSTAL.MAPS.keys()
    assert set(CRYSTAL.MAP_LANDMARKS.values()) <= CRYSTAL.LANDMARKS.keys()


def test_spawns_lead_to_known_maps() -> None:
    assert set(CRYSTAL.SPAWNS.values()) <= CRYSTAL.MAPS.keys()
    assert CRYSTAL.SPAWNS[14] == (24, 4)
    assert max(CRYSTAL.SPAWNS) < 8 * SYMBOLS["wVisitedSpawns"].size


def test_every_species_but_the_egg_has_one_or_two_known_types() -> None:
    types = CRYSTAL.SPECIES_TYPES
    assert CRYSTAL.SPECIES.keys() - types.keys() == {253}
    assert all(1 <= len(ids) <= 2 for ids in types.values())
    assert {kind for ids in types.values() for kind in ids} <= CRYSTAL.TYPES.keys()


def test_moves_and_chart_use_known_types() -> None:
    types = CRYSTAL.TYPES.keys()
    assert {move[1] for move in CRYSTAL.MOVES.values()} <= types
    assert {kind for pair in CRYSTAL.TYPE_CHART for kind in pair} <= types


def test_a_collision_id_is_land_water_or_wall() -> None:
    walkable = collision.TERRAIN & Terrain.WALKABLE != 0
    assert not walkable[[0x07, 0x0F, 0x29, 0x90, 0xC8, 0xFF]].any()
    assert walkable[[0x00, 0x18, 0x23, 0x71, 0xA3]].all()
    assert not (walkable & (collision.TERRAIN & Terrain.WATER != 0)).any()
    ids = {int(row["id"], 16) for row in read_rows(FACTS, "collisions")}
    assert ids == set(range(256))


def test_a_table_of_any_editor_is_read(tmp_path: Path) -> None:
    for encoding, end in (("utf-8-sig", "\r\n"), ("utf-16", "\r"), ("utf-8", "\n")):
        (tmp_path / "maps.csv").write_bytes(f"name,group{end}HÖHLE,3{end}".encode(encoding))
        assert read_rows(tmp_path, "maps") == [{"name": "HÖHLE", "group": "3"}]


def test_who_listens_to_the_radio_is_met_for_a_milestone_after_its_cards() -> None:
    (tune,) = CRYSTAL.TUNES
    (snorlax,) = (one for one in CRYSTAL.MILESTONES if one.key == "snorlax")
    assert (tune.place, tune.person) == (snorlax.place, snorlax.target)
    assert {"radio_card", "expansion_card"} <= set(snorlax.requires)
    assert tune.dial % 2 == 0
    assert 0 <= tune.dial <= 80


def test_snorlax_is_faced_from_the_five_tiles_where_it_wakes() -> None:
    (tune,) = CRYSTAL.TUNES
    here = tune.place.group, tune.place.number
    stands = {
        (x - way.delta[0], y - way.delta[1])
        for (*place, x, y), ways in CRYSTAL.SIDES.items()
        if tuple(place) == here
        for way in ways
    }
    assert stands == {(33, 8), (34, 10), (35, 10), (36, 8), (36, 9)}
