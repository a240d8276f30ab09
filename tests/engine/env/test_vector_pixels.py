"""What a policy that looks at the screen gets of the vector."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.config import EnvConfig, RunConfig
from engine.env.batch import Batch
from engine.env.observation.pixels import shrink, sight_of
from engine.env.stepping import SteppedEnv, make_game_env
from engine.env.vector.world import PLAIN_FACTORY, VectorEnv
from engine.errors import CheckpointError
from engine.types import Action
from tests.engine.env.factories import SEEDS


def config_of(folder: Path, encoder: str) -> RunConfig:
    return RunConfig(save_dir=str(folder), env=EnvConfig(max_steps=20), encoder=encoder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("run")


@pytest.fixture(scope="module")
def seeing(folder: Path) -> Iterator[VectorEnv]:
    with VectorEnv(PLAIN_FACTORY, config_of(folder, "pixels"), 3, 2) as vector:
        yield vector


@pytest.fixture(scope="module")
def blind(folder: Path) -> Iterator[VectorEnv]:
    with VectorEnv(PLAIN_FACTORY, config_of(folder, "features"), 3, 1) as vector:
        yield vector


def play(vector: VectorEnv, batch: Batch, steps: int, seed: int = 0) -> list[Batch]:
    rng = np.random.default_rng(seed)
    batches = [batch]
    for _ in range(steps):
        mask = batches[-1].mask
        batches.append(vector.step(np.where(mask, rng.random(mask.shape), -1.0).argmax(1)))
    return batches


def test_an_encoder_of_features_gets_no_pixels_and_nothing_is_rendered(
    folder: Path, blind: VectorEnv
) -> None:
    config = config_of(folder, "features")
    batch = blind.reset(SEEDS)
    assert batch.pixels is None
    assert batch.final_pixels is None
    assert "pixels" not in blind._arrays
    env = make_game_env(config, 0)
    stepped = SteppedEnv(env, sight=sight_of(config.encoder))
    assert not env.is_rendering
    stepped.close()


def test_pixels_are_the_last_three_frames(folder: Path, seeing: VectorEnv) -> None:
    env = make_game_env(config_of(folder, "pixels"), 1)
    env.is_rendering = True
    env.seed_random(SEEDS[1])
    env.begin_episode()
    frames = [shrink(env.frame())] * 3
    batch = seeing.reset(SEEDS)
    assert batch.pixels.shape == (3, 3, 72, 80)
    assert np.array_equal(batch.pixels[1], np.stack(frames))
    for action in (Action.LEFT, Action.DOWN, Action.START, Action.UP, Action.B):
        env.advance(action)
        frames = [*frames[1:], shrink(env.frame())]
        batch = seeing.step(np.full(3, action))
        assert np.array_equal(batch.pixels[1], np.stack(frames))
    assert len({frame.tobytes() for frame in frames}) > 1
    env.close()


def test_an_ended_episode_leaves_its_last_pixels_and_the_next_begins_with_its_own(
    seeing: VectorEnv,
) -> None:
    *_, before, last = play(seeing, seeing.reset(SEEDS), 20)
    assert last.truncated.all()
    assert np.array_equal(last.final_pixels[:, :2], before.pixels[:, 1:])
    assert all(np.array_equal(last.pixels[:, 0], last.pixels[:, index]) for index in (1, 2))
    assert not before.final_pixels.any()


def test_rendering_changes_nothing_in_the_game(seeing: VectorEnv, blind: VectorEnv) -> None:
    traces = [play(vector, vector.reset(SEEDS), 30) for vector in (seeing, blind)]
    for seen, unseen in zip(*traces, strict=True):
        assert np.array_equal(seen.features, unseen.features)
        assert np.array_equal(seen.rewards, unseen.rewards)


def test_pixels_continue_when_nobody_watches_any_more(seeing: VectorEnv) -> None:
    seeing.reset(SEEDS)
    seeing.watch(0)
    seeing.step(np.full(3, Action.LEFT))
    seeing.watch(None)
    opened = seeing.step(np.full(3, Action.START))
    assert not np.array_equal(opened.pixels[:, 1], opened.pixels[:, 2])


def test_saved_pixels_continue_exactly(folder: Path, seeing: VectorEnv) -> None:
    """Over the end of an episode, in another process, and where the encoder takes both."""
    batch = play(seeing, seeing.reset(SEEDS), 7)[-1]
    states = seeing.save()
    expected = play(seeing, batch, 20, seed=1)
    assert any(one.truncated.all() for one in expected)
    with VectorEnv(PLAIN_FACTORY, config_of(folder, "both"), 3, 1) as other:
        other.reset(SEEDS)
        for now, wanted in zip(play(other, other.load(states), 20, seed=1), expected, strict=True):
            assert np.array_equal(now.pixels, wanted.pixels)
            assert np.array_equal(now.features, wanted.features)


def test_a_state_saved_without_pixels_is_refused_where_they_are_wanted(
    seeing: VectorEnv, blind: VectorEnv
) -> None:
    blind.reset(SEEDS)
    seeing.reset(SEEDS)
    with pytest.raises(CheckpointError, match="has no pixels"):
        seeing.load(blind.save())


@pytest.mark.slow
def test_the_last_known_pixels_stay_of_an_episode_whose_process_died(seeing: VectorEnv) -> None:
    before = play(seeing, seeing.reset(SEEDS), 4)[-1]
    os.kill(seeing.pids[0], signal.SIGKILL)
    after = seeing.step(np.full(3, Action.LEFT))
    assert after.truncated.tolist() == [True, True, False]
    assert np.array_equal(after.final_pixels[:2], before.pixels[:2])
    assert not after.final_pixels[2].any()
    assert np.array_equal(after.pixels[:2, 0], after.pixels[:2, 2])
