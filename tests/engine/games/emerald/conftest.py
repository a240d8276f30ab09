"""Give tests the memory of a game at rest in the field."""

import pytest

from tests.engine.games.emerald.memory_image import MemoryImage


@pytest.fixture
def image() -> MemoryImage:
    return MemoryImage().start()
