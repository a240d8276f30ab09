from collections.abc import Iterator

import pytest

from engine.config import EnvConfig
from engine.env.game_env import GameEnv


@pytest.fixture(scope="module")
def env() -> Iterator[GameEnv]:
    """The practice game, with episodes that are never too long."""
    game = GameEnv(observation_type="state", config=EnvConfig(max_steps=100_000))
    yield game
    game.close()
