"""Scene numbers and engine flags come from the addresses that the tables name."""

import pytest

from engine.games.crystal.reader import CrystalReader
from tests.engine.fakes import MemoryMachine
from tests.engine.games.images import CRYSTAL


@pytest.mark.parametrize(
    ("symbol", "byte", "flag"),
    [
        ("wPokegearFlags", 0x80, 4),  # the gear itself
        ("wPokegearFlags", 0x02, 0),  # the radio card
        ("wStatusFlags", 0x01, 11),  # the Pokédex
        ("wJohtoBadges", 0x01, 27),
        ("wKantoBadges", 0x80, 42),
    ],
)
def test_an_engine_flag_is_read_from_its_bit(symbol: str, byte: int, flag: int) -> None:
    machine = MemoryMachine()
    reader = CrystalReader(machine, CRYSTAL)
    assert not any(reader.read().engine_flags)
    machine.put(symbol, byte)
    state = reader.read()
    assert [n for n in range(100) if state.has_engine_flag(n)] == [flag]
    machine.put(symbol, 0)
    assert not reader.read().has_engine_flag(flag)


def test_scene_numbers_stand_in_the_order_of_the_maps_that_have_one() -> None:
    machine = MemoryMachine()
    scenes = bytearray(79)
    scenes[CRYSTAL.SCENES[26, 3]] = 1  # Cherrygrove, D98A
    machine.put("wMapScenes", *scenes)
    state = CrystalReader(machine, CRYSTAL).read()
    assert state.scenes == bytes(scenes)
    assert CRYSTAL.SCENES[26, 3] == 0xD98A - 0xD972
    assert sorted(CRYSTAL.SCENES.values()) == list(range(79))
