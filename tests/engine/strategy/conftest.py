from collections.abc import Iterator

import pytest

from engine.config import EnvConfig
from engine.env.crystal_env import EnhancedPyBoyPokemonCrystalEnv


@pytest.fixture(scope="module")
def env() -> Iterator[EnhancedPyBoyPokemonCrystalEnv]:
    """The practice game, with episodes that are never too long."""
    game = EnhancedPyBoyPokemonCrystalEnv(
        observation_type="state", config=EnvConfig(max_steps=100_000)
    )
    yield game
    game.close()
