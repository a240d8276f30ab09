from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.config import RunConfig
from engine.demos.demonstration import Demonstration
from engine.demos.recorder import random_policy, record_policy
from engine.env.observation.pixels import FrameStack
from engine.env.stepping import SteppedEnv, make_game_env
from engine.planning.goals.planned import PlannedAdvisor


@pytest.fixture(scope="session")
def demo_config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    """Return settings of the practice game."""
    return RunConfig(save_dir=str(tmp_path_factory.mktemp("saves")))


@pytest.fixture
def stepped(demo_config: RunConfig) -> Iterator[SteppedEnv]:
    """An advised environment at the beginning of an episode, with its last pixels."""
    env = make_game_env(demo_config, 0)
    stepped = SteppedEnv(env, PlannedAdvisor(env.game, 0, 3), sight=FrameStack)
    stepped.begin(3)
    yield stepped
    stepped.close()


@pytest.fixture(scope="session")
def demo_file(
    demo_config: RunConfig, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Demonstration]:
    """Return a demonstration of 150 random steps. Nobody may change the file."""
    folder = tmp_path_factory.mktemp("demos")
    recorded = record_policy(
        random_policy(1), demo_config, 1, folder, by="random", tags=frozenset({"b"}), max_steps=150
    )
    return next(iter(list(recorded)))
