import numpy as np
import pytest

from engine.config import EnvConfig
from engine.env.batch import Batch
from engine.env.vector.world import GymnasiumEnv, LocalVector
from engine.planning.rules.advisor import RuleAdvisor
from tests.engine.env.factories import are_same

ENV = EnvConfig(max_steps=30, progress_steps=0)


@pytest.fixture
def local(game_env) -> LocalVector:
    env = game_env("", config=ENV)
    return LocalVector(GymnasiumEnv(env, RuleAdvisor(env.game)))


def chosen(batch: Batch, rng: np.random.Generator) -> np.ndarray:
    return np.where(batch.mask, rng.random(batch.mask.shape), -1.0).argmax(1)


def test_a_restored_local_vector_continues_alike(local: LocalVector) -> None:
    rng = np.random.default_rng(1)
    batch = local.reset([3])
    for _ in range(40):
        batch = local.step(chosen(batch, rng))
    saved, observation = local.save(), local.stepped.observation
    actions = [rng.integers(9, size=1) for _ in range(20)]
    expected = [local.step(action) for action in actions]
    local.load(saved)
    np.testing.assert_equal(local.stepped.observation, observation)
    for action, batch in zip(actions, expected, strict=True):
        again = local.step(action)
        assert are_same(again, batch, "goal_kinds")
        assert again.reached == batch.reached


def test_an_episodes_last_observation_is_kept(local: LocalVector) -> None:
    batch = local.reset([0])
    while not batch.truncated[0]:
        batch = local.step(np.array([8]))
    assert np.array_equal(local.stepped.final_observation["features"], batch.final_features[0])
    assert np.array_equal(local.stepped.observation["features"], batch.features[0])


def test_local_shows_the_game_only_when_something_changed(local: LocalVector) -> None:
    local.reset([0])
    assert local.inspect() is None
    local.watch(0)
    assert local.inspect() is not None
    assert local.inspect() is None
    local.step(np.array([8]))
    assert local.inspect().frame.shape == (144, 160, 3)
    local.watch(None)
    assert local.inspect() is None
