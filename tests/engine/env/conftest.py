"""Three environments of the practice game in two worker processes."""

from collections.abc import Iterator

import pytest

from engine.config import EnvConfig, RunConfig
from engine.env.vector.world import PLAIN_FACTORY, VectorEnv
from tests.engine.env.factories import SEEDS


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    folder = str(tmp_path_factory.mktemp("run"))
    return RunConfig(save_dir=folder, seed=11, env=EnvConfig(max_steps=40))


@pytest.fixture(scope="module")
def plain(config: RunConfig) -> Iterator[VectorEnv]:
    """Environments 0 and 1 in a process, 2 in another."""
    with VectorEnv(PLAIN_FACTORY, config, 3, 2) as vector:
        yield vector


@pytest.fixture
def vector(plain: VectorEnv) -> VectorEnv:
    plain.watch(None)
    plain.reset(SEEDS)
    return plain
