from pathlib import Path

import pytest

from engine.config import RunConfig
from engine.demos.demonstration import Demonstration
from engine.demos.recorder import random_policy, record_policy


@pytest.fixture(scope="session")
def demo_config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    """Return settings of the practice game."""
    return RunConfig(save_dir=str(tmp_path_factory.mktemp("saves")))


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
