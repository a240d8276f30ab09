"""How much a worker process holds."""

import json
from pathlib import Path

import numpy as np
import pytest

from engine.config import EnvConfig, RunConfig
from engine.env.vector.world import VectorEnv
from engine.types import Action
from tests.engine.env.factories import MODULES
from tests.engine.processes import resident_mb

FACTORY = "engine.demos.recorded_env:make_env"
pytestmark = pytest.mark.usefixtures("started_workers")
LIMIT_MB = 90.0
FOREIGN = {"torch", "textual", "rich", "typer", "pydantic_settings", "sdl2"}


def test_a_playing_worker_has_imported_neither_torch_nor_the_terminal(tmp_path: Path) -> None:
    config = RunConfig(save_dir=str(tmp_path))
    with VectorEnv("tests.engine.env.factories:listing", config, 1) as vector:
        vector.reset([1])
        vector.watch(0)
        vector.step(np.array([Action.LEFT]))
        assert vector.inspect() is not None
        vector.save()
        vector.step(np.array([Action.LEFT]))
    modules = {name.partition(".")[0] for name in json.loads((tmp_path / MODULES).read_text())}
    assert "pyboy" in modules
    assert not modules & FOREIGN


@pytest.mark.slow
def test_a_worker_with_a_game_stays_below_90_mb(tmp_path: Path) -> None:
    config = RunConfig(save_dir=str(tmp_path), env=EnvConfig(max_steps=200))
    rng = np.random.default_rng(0)
    with VectorEnv(FACTORY, config, 1) as vector:
        batch = vector.reset([1])
        for _ in range(250):
            batch = vector.step(np.where(batch.mask, rng.random((1, 9)), -1.0).argmax(1))
        vector.watch(0)
        vector.inspect()
        vector.save()
        assert resident_mb(vector.pids[0]) <= LIMIT_MB


@pytest.mark.slow
def test_two_thousand_resets_leak_nothing(tmp_path: Path) -> None:
    sizes = []
    with VectorEnv(FACTORY, RunConfig(save_dir=str(tmp_path)), 1) as vector:
        for count in range(2001):
            vector.reset([count])
            if count % 500 == 0:
                sizes.append(resident_mb(vector.pids[0]))
    assert sizes[-1] <= 1.05 * sizes[1]
