"""The committed tables are what the facts say, and agree with each other."""

from pathlib import Path

import pytest

from engine.games.crystal import collision, generate
from engine.games.crystal import tables as crystal_tables
from engine.games.crystal.symbols import SYMBOLS
from engine.types import Terrain

FOLDER = Path(generate.__file__).parent


@pytest.mark.parametrize("name", sorted(generate.sources()))
def test_regenerating_gives_the_committed_bytes(name: str) -> None:
    assert (FOLDER / name).read_bytes() == generate.sources()[name].encode()


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
    assert crystal_tables.MAP_LANDMARKS.keys() == crystal_tables.MAPS.keys()
    assert set(crystal_tables.MAP_LANDMARKS.values()) <= crystal_tables.LANDMARKS.keys()


def test_spawns_lead_to_known_maps() -> None:
    assert set(crystal_tables.SPAWNS.values()) <= crystal_tables.MAPS.keys()
    assert crystal_tables.SPAWNS[14] == (24, 4)
    assert max(crystal_tables.SPAWNS) < 8 * SYMBOLS["wVisitedSpawns"].size


def test_every_species_but_the_egg_has_one_or_two_known_types() -> None:
    types = crystal_tables.SPECIES_TYPES
    assert crystal_tables.SPECIES.keys() - types.keys() == {253}
    assert all(1 <= len(ids) <= 2 for ids in types.values())
    assert {kind for ids in types.values() for kind in ids} <= crystal_tables.TYPES.keys()


def test_moves_and_chart_use_known_types() -> None:
    types = crystal_tables.TYPES.keys()
    assert {move[1] for move in crystal_tables.MOVES.values()} <= types
    assert {kind for pair in crystal_tables.TYPE_CHART for kind in pair} <= types


def test_milestones_have_a_known_kind_and_value() -> None:
    for key, text, kind, value in crystal_tables.MILESTONES:
        assert key
        assert text
        assert kind in {"map", "event", "party", "level", "badge"}
        assert (kind == "map") == isinstance(value, tuple)
        if kind == "map":
            assert value in crystal_tables.MAPS


def test_a_collision_id_is_land_water_or_wall() -> None:
    walkable = collision.TERRAIN & Terrain.WALKABLE != 0
    assert not walkable[[0x07, 0x0F, 0x29, 0x90, 0xC8, 0xFF]].any()
    assert walkable[[0x00, 0x18, 0x23, 0x71, 0xA3]].all()
    assert not (walkable & (collision.TERRAIN & Terrain.WATER != 0)).any()
    ids = {int(row["id"], 16) for row in generate._rows("collisions")}
    assert ids == set(range(256))
