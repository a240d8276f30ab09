"""The same seeds and actions are the same episodes, whoever steps them.

An environment that ends begins anew within the same step, in a worker as in Gymnasium's SAME_STEP
mode: the observation is then the next episode's first, and the last one is kept beside it.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from engine.config import EnvConfig, RunConfig
from engine.env.batch import Batch
from engine.env.stepping import make_game_env
from engine.env.vector.world import PLAIN_FACTORY, VectorEnv
from tests.engine.env.factories import SEEDS

ADVISED_FACTORY = "engine.planning.goals.planned:make_env"
NUM_ENVS = 3
NUM_STEPS = 300
FOLLOWED = np.array([0.0, 0.5, 1.0])
"""How often each environment follows the advice: the first is cut off, the last gets home."""


FIELDS = ("features", "mask", "rewards", "terminated", "truncated", "final_features")
Moment = dict[str, np.ndarray]
"""What a learner sees of all environments after a step."""


def moment(*parts: np.ndarray) -> Moment:
    return dict(zip(FIELDS, parts, strict=True))


def moment_of(batch: Batch) -> Moment:
    return {name: getattr(batch, name) for name in FIELDS}


Play = Callable[[RunConfig, np.ndarray], list[Moment]]


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    env = EnvConfig(max_steps=70, progress_steps=0, goal="left_house")
    return RunConfig(save_dir=str(tmp_path_factory.mktemp("saves")), env=env)


@pytest.fixture(scope="module")
def played(config: RunConfig) -> tuple[np.ndarray, list[Moment]]:
    """Actions (steps, envs), chosen by mask and advice in one worker, and the result."""
    rng = np.random.default_rng(0)
    actions = []
    with VectorEnv(ADVISED_FACTORY, config, NUM_ENVS, 1) as vector:
        batch = vector.reset(SEEDS)
        snapshots = [moment_of(batch)]
        for _ in range(NUM_STEPS):
            drawn = np.where(batch.mask, rng.random(batch.mask.shape), -1.0)
            is_followed = rng.random(NUM_ENVS) < FOLLOWED
            drawn += np.where(is_followed[:, None] & batch.mask, 10 * batch.prior, 0.0)
            actions.append(drawn.argmax(1))
            batch = vector.step(actions[-1])
            snapshots.append(moment_of(batch))
    return np.stack(actions), snapshots


def in_workers(num_workers: int, config: RunConfig, actions: np.ndarray) -> list[Moment]:
    with VectorEnv(PLAIN_FACTORY, config, NUM_ENVS, num_workers) as vector:
        return [moment_of(batch) for batch in (vector.reset(SEEDS), *map(vector.step, actions))]


def alone(config: RunConfig, actions: np.ndarray) -> list[Moment]:
    """Step each Gymnasium environment by itself, and put the results side by side."""
    traces = []
    for index, seed in enumerate(SEEDS):
        env = make_game_env(config, index)
        now, _ = env.reset(seed=seed)
        nothing = np.zeros_like(now["features"])
        trace = [(now["features"], now["action_mask"], 0.0, False, False, nothing)]
        for action in actions[:, index]:
            now, reward, is_terminated, is_truncated, _ = env.step(action)
            last = nothing
            if is_terminated or is_truncated:
                last = now["features"]
                now, _ = env.reset()
            trace.append(
                (now["features"], now["action_mask"], reward, is_terminated, is_truncated, last)
            )
        env.close()
        traces.append(trace)
    return [moment(*map(np.array, zip(*parts, strict=True))) for parts in zip(*traces, strict=True)]


def in_gymnasium(config: RunConfig, actions: np.ndarray) -> list[Moment]:
    vector = SyncVectorEnv(
        [partial(make_game_env, config, index) for index in range(NUM_ENVS)],
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
    now, _ = vector.reset(seed=SEEDS)
    no, nothing = np.zeros(NUM_ENVS, np.bool_), np.zeros_like(now["features"])
    snapshots = [moment(now["features"], now["action_mask"], np.zeros(3), no, no, nothing)]
    for chosen in actions:
        now, rewards, *ended, infos = vector.step(chosen)
        last = nothing.copy()
        for index in np.flatnonzero(ended[0] | ended[1]):
            last[index] = infos["final_obs"][index]["features"]
        snapshots.append(moment(now["features"], now["action_mask"], rewards, *ended, last))
    vector.close()
    return snapshots


@pytest.mark.slow
@pytest.mark.parametrize(
    "play",
    [
        pytest.param(partial(in_workers, 1), id="one worker, unadvised"),
        pytest.param(partial(in_workers, 2), id="two workers"),
        pytest.param(partial(in_workers, 3), id="three workers"),
        pytest.param(alone, id="alone"),
        pytest.param(in_gymnasium, id="gymnasium"),
    ],
)
def test_all_ways_to_step_are_the_same(
    config: RunConfig, played: tuple[np.ndarray, list[Moment]], play: Play
) -> None:
    actions, expected = played
    found = play(config, actions)
    assert len(found) == len(expected) == NUM_STEPS + 1
    for one, other in zip(found, expected, strict=True):
        one["rewards"] = one["rewards"].astype(np.float32)
        for name in FIELDS:
            assert np.array_equal(one[name], other[name]), name


@pytest.mark.slow
def test_compared_vectors_cover_both_ends_of_an_episode(
    played: tuple[np.ndarray, list[Moment]],
) -> None:
    _, snapshots = played
    assert np.sum([one["terminated"] for one in snapshots], 0)[2] >= 3
    assert np.sum([one["truncated"] for one in snapshots], 0)[0] >= 3
    assert np.abs(np.sum([one["rewards"] for one in snapshots], 0)).min() > 0.1
