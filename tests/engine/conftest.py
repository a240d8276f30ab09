"""Environments that tests play in."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from engine.env.game_env import GameEnv


@pytest.fixture
def game_env() -> Iterator[Callable[..., GameEnv]]:
    """Make environments, of the practice game by default; close them after the test."""
    with ExitStack() as opened:

        def make(*args: Any, **settings: Any) -> GameEnv:
            env = GameEnv(*args, **{"observation_type": "state", **settings})
            opened.callback(env.close)
            return env

        yield make


@pytest.fixture
def env(game_env: Callable[..., GameEnv]) -> GameEnv:
    return game_env()
