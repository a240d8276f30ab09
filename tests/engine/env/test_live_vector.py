"""Live play through worker processes, and in a process of one's own."""

import numpy as np

from engine.config import RunConfig
from engine.env.stepping import SteppedEnv, make_game_env
from engine.env.vector.world import GymnasiumEnv, LocalVector, VectorEnv
from engine.types import Action
from tests.engine.env.factories import SEEDS

LEFT = frozenset({Action.LEFT})
NOTHING: frozenset[Action] = frozenset()


def test_a_worker_plays_the_frames_that_a_single_environment_plays(
    config: RunConfig, vector: VectorEnv
) -> None:
    alone = SteppedEnv(make_game_env(config, 1))
    alone.begin(SEEDS[1])
    for buttons, frames in ((LEFT, 9), (LEFT, 30), (frozenset({Action.START}), 7), (NOTHING, 33)):
        alone.play_frames(buttons, frames, render=False)
        assert vector.play_frames(1, buttons, frames, shows=False) is None
        reward, *_ = alone.count_frames(is_over=False)
        batch = vector.count_frames(1, is_over=False)
        assert batch.rewards.tolist() == [0.0, np.float32(reward), 0.0]
    alone.count_frames(is_over=True)
    batch = vector.count_frames(1, is_over=True)
    assert np.array_equal(batch.features[1], alone.features)
    assert vector.save()[1] == alone.save()
    alone.close()


def test_the_other_games_stand_still(vector: VectorEnv) -> None:
    before = vector.save()
    vector.play_frames(2, LEFT, 40, shows=False)
    vector.count_frames(2, is_over=True)
    after = vector.save()
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, True, False]


def test_only_the_watched_game_shows_its_frames(vector: VectorEnv) -> None:
    assert vector.play_frames(0, LEFT, 2, shows=True) is None
    vector.watch(0)
    frame = vector.play_frames(0, LEFT, 2, shows=True)
    assert (frame.shape, frame.dtype) == ((144, 160, 3), np.uint8)
    assert frame.any()
    assert vector.play_frames(0, LEFT, 2, shows=False) is None
    assert vector.play_frames(1, LEFT, 2, shows=True) is None
    vector.watch(0, renders=False)
    assert vector.play_frames(0, LEFT, 2, shows=True) is None


def test_inspect_keeps_up_with_live_play(vector: VectorEnv) -> None:
    vector.watch(0)
    first = vector.inspect()
    for _ in range(6):
        vector.play_frames(0, LEFT, 10, shows=True)
    vector.count_frames(0, is_over=False)
    seen = vector.inspect()
    assert seen.state.place.x < first.state.place.x
    assert dict(seen.episode)["exploration"] > 0
    assert vector.inspect() is None


def test_the_agent_acts_after_live_play_as_if_nothing_was_held(vector: VectorEnv) -> None:
    vector.watch(0)
    vector.play_frames(0, LEFT, 20, shows=False)
    vector.count_frames(0, is_over=True)
    before = vector.inspect().state.place
    vector.step_one(0, Action.NOOP)
    after = vector.inspect().state
    assert (before.x, before.y) == (after.place.x, after.place.y)
    assert after.control.is_free


def test_a_lost_process_is_replaced_by_the_next_reading(vector: VectorEnv) -> None:
    vector._pool.processes[0]._process.kill()
    assert vector.play_frames(0, LEFT, 2, shows=True) is None
    batch = vector.count_frames(0, is_over=False)
    assert batch.summaries[0].is_aborted
    assert len(batch.warnings) == 1
    vector.play_frames(0, LEFT, 2, shows=False)
    assert vector.count_frames(0, is_over=False).warnings == ()


def test_an_environment_in_this_process_plays_live_too(game_env, config: RunConfig) -> None:
    env = game_env(config=config.env)
    vector = LocalVector(GymnasiumEnv(env))
    vector.reset([5])
    vector.watch(0)
    x = env.state.place.x
    assert vector.play_frames(0, LEFT, 30, shows=True).shape == (144, 160, 3)
    batch = vector.count_frames(0, is_over=True)
    assert env.state.place.x < x
    assert batch.rewards.shape == (1,)
    assert vector.stepped.observation["features"].tolist() == batch.features[0].tolist()
