"""Give tests a machine whose player stands free on a small map."""

import pytest

from engine.games.crystal.reader import CrystalReader
from tests.engine.fakes import MemoryMachine
from tests.engine.games.images import CRYSTAL, put_map, rom_with_tables


@pytest.fixture
def machine() -> MemoryMachine:
    machine = MemoryMachine(rom_with_tables())
    put_map(machine)
    return machine


@pytest.fixture
def reader(machine: MemoryMachine) -> CrystalReader:
    return CrystalReader(machine, CRYSTAL)
