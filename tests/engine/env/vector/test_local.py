from collections.abc import Iterator

import numpy as np
import pytest

from engine.config import EnvConfig, RunConfig
from engine.env.batch import Batch
from engine.env.game_env import GameEnv
from engine.env.vector.world import GymnasiumEnv, LocalVector, VectorEnv
from engine.planning.rules.advisor import RuleAdvisor

ENV = EnvConfig(max_steps=30, progress_steps=0)
FACTORY = "engine.planning.goals.planned:make_env"


@pytest.fixture
def local() -> Iterator[LocalVector]:
    env = GameEnv("", observation_type="state", config=ENV)
    yield LocalVector(GymnasiumEnv(env, RuleAdvisor(env.game)))
    env.close()


def chosen(batch: Batch, rng: np.random.Generator) -> np.ndarray:
    return np.where(batch.mask, rng.random(batch.mask.shape), -1.0).argmax(1)


def parts(batch: Batch) -> list[np.ndarray]:
    return [
        batch.features,
        batch.mask,
        batch.prior,
        batch.advice_confidence,
        batch.rewards,
        batch.terminated,
        batch.truncated,
        batch.final_features,
        np.broadcast_to(batch.goal_kinds, (1,)),
    ]


def assert_same(first: Batch, second: Batch) -> None:
    for one, other in zip(parts(first), parts(second), strict=True):
        assert np.array_equal(one, other)
    assert first.summaries == second.summaries
    assert first.reached == second.reached


def test_local_is_the_vector_of_one_process(local: LocalVector) -> None:
    """Step for step, over the ends of episodes."""
    config = RunConfig(env=ENV, num_envs=1, workers=1)
    rng = np.random.default_rng(0)
    with VectorEnv(FACTORY, config, 1) as remote:
        batch = local.reset([7])
        assert_same(batch, remote.reset([7]))
        for _ in range(70):
            actions = chosen(batch, rng)
            batch = local.step(actions)
            assert_same(batch, remote.step(actions))


def test_a_restored_local_vector_continues_alike(local: LocalVector) -> None:
    rng = np.random.default_rng(1)
    batch = local.reset([3])
    for _ in range(40):
        batch = local.step(chosen(batch, rng))
    saved, observation = local.save(), local.stepped.observation
    actions = [rng.integers(9, size=1) for _ in range(20)]
    expected = [local.step(action) for action in actions]
    local.load(saved)
    for key, value in observation.items():
        assert np.array_equal(local.stepped.observation[key], value)
    for action, batch in zip(actions, expected, strict=True):
        assert_same(local.step(action), batch)


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


def test_an_episode_can_begin_at_an_archived_moment(local: LocalVector) -> None:
    rng = np.random.default_rng(2)
    batch = local.reset([0])
    for _ in range(20):
        batch = local.step(chosen(batch, rng))
    place = local.stepped.env.state.place
    snapshot = local.snapshot(0)
    local.reset([0])
    assert local.stepped.env.state.place != place
    local.begin_now(0, snapshot, "downstairs")
    assert local.stepped.info["state"].place == place
