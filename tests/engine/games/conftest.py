"""Give tests a machine whose player stands free on a small map."""

import pytest

from tests.engine.fakes import MemoryMachine
from tests.engine.games.images import put_map, rom_with_tables


@pytest.fixture
def machine() -> MemoryMachine:
    machine = MemoryMachine(rom_with_tables())
    put_map(machine)
    return machine
