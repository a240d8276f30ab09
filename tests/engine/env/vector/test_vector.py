import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.config import RunConfig
from engine.env.batch import Batch
from engine.env.observation.layout import layout_of
from engine.env.stepping import SteppedEnv, make_game_env
from engine.env.vector.world import PLAIN_FACTORY, VectorEnv
from engine.errors import CheckpointError, RomError, WorkerError
from engine.games.catalog import load_game
from engine.types import Action
from tests.engine.env.factories import SEEDS, are_same
from tests.engine.processes import is_gone

FACTORIES = "tests.engine.env.factories"


@pytest.fixture(scope="module")
def advised(config: RunConfig) -> Iterator[VectorEnv]:
    with VectorEnv(f"{FACTORIES}:advised", config, 3, 2) as vector:
        yield vector


def choose(mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(mask, rng.random(mask.shape), -1.0).argmax(1)


def test_batch_has_the_documented_arrays(vector: VectorEnv) -> None:
    batch = vector.reset(SEEDS)
    size = layout_of(load_game("")).size
    assert vector.feature_size == size
    assert vector.reward_weights[0][0] == "milestone"
    assert (batch.features.shape, batch.features.dtype) == ((3, size), np.float32)
    assert (batch.mask.shape, batch.mask.dtype) == ((3, 9), np.bool_)
    assert batch.mask.any(1).all()
    assert not batch.prior.any()
    assert not batch.rewards.any()
    assert batch.summaries == {}


def test_workers_play_what_a_single_environment_plays(config: RunConfig, vector: VectorEnv) -> None:
    alone = SteppedEnv(make_game_env(config, 1))
    alone.begin(SEEDS[1])
    rng = np.random.default_rng(0)
    lengths: list[int] = []
    batch = vector.reset(SEEDS)
    for _ in range(90):
        assert np.array_equal(batch.features[1], alone.features)
        assert np.array_equal(batch.mask[1], alone.mask)
        actions = choose(batch.mask, rng)
        batch = vector.step(actions)
        reward, terminated, truncated = alone.step(int(actions[1]))
        assert batch.rewards[1] == np.float32(reward)
        assert (batch.terminated[1], batch.truncated[1]) == (terminated, truncated)
        if truncated:
            assert np.array_equal(batch.final_features[1], alone.features)
            assert batch.summaries[1] == alone.summary()
            lengths.append(alone.summary().length)
            alone.begin()
        else:
            assert not batch.final_features[1].any()
    assert lengths == [40, 40]
    alone.close()


def test_batches_are_copies(vector: VectorEnv) -> None:
    first = vector.reset(SEEDS)
    before = first.features.copy()
    vector.step(np.full(3, Action.LEFT))
    assert np.array_equal(first.features, before)


def test_one_environment_steps_alone(vector: VectorEnv) -> None:
    before = vector.reset(SEEDS)
    after = vector.step_one(2, Action.LEFT)
    changed = (before.features != after.features).any(1)
    assert changed.tolist() == [False, False, True]
    assert after.rewards.astype(bool).tolist() == [False, False, True]


def test_saved_environments_continue_exactly(config: RunConfig, advised: VectorEnv) -> None:
    """Over the end of an episode, in other processes."""
    rng = np.random.default_rng(1)
    batch = advised.reset(SEEDS)
    for _ in range(25):
        batch = advised.step(choose(batch.mask, rng))
    states = advised.save()
    draws = np.random.default_rng(2).random((25, 3, 9))
    expected = [batch]
    for draw in draws:
        mask = expected[-1].mask
        expected.append(advised.step(np.where(mask, draw, -1.0).argmax(1)))
    assert any(one.truncated.all() for one in expected)
    with VectorEnv(f"{FACTORIES}:advised", config, 3, 1) as other:
        now = other.load(states)
        assert np.array_equal(now.features, batch.features)
        assert np.array_equal(now.prior, batch.prior)
        assert not now.rewards.any()
        for draw, wanted in zip(draws, expected[1:], strict=True):
            now = other.step(np.where(now.mask, draw, -1.0).argmax(1))
            assert are_same(now, wanted)


def test_damaged_state_is_refused(vector: VectorEnv) -> None:
    _, *good = vector.save()
    with pytest.raises(CheckpointError):
        vector.load([b"\0\0\0\0nonsense", *good])


def test_advice_fills_prior_confidence_goal_and_reason(advised: VectorEnv) -> None:
    batch = advised.reset(SEEDS)
    assert batch.prior[:, Action.RIGHT].tolist() == [1.0] * 3
    assert batch.advice_confidence.tolist() == [0.5] * 3
    advised.watch(0)
    advised.step(np.full(3, Action.NOOP))
    seen = advised.inspect()
    assert (seen.goal.text, seen.reason) == ("go right", "asked 2 times")


class TestWatching:
    def test_watched_environment_shows_its_newest_state_once(self, vector: VectorEnv) -> None:
        vector.watch(2)
        vector.step(np.full(3, Action.LEFT))
        vector.step(np.full(3, Action.LEFT))
        seen = vector.inspect()
        assert vector.inspect() is None
        assert (seen.frame.shape, seen.frame.dtype) == ((144, 160, 3), np.uint8)
        assert seen.frame.std() > 10
        assert seen.state.place.name == "HOME 2F"
        step = dict(seen.breakdown.components)["step"]
        assert step < 0.0
        assert dict(seen.paid.components)["step"] == pytest.approx(2 * step)
        assert dict(seen.episode)["step"] == pytest.approx(2 * step)

    def test_watching_changes_nothing_in_the_game(self, vector: VectorEnv) -> None:
        traces = []
        for watched in (None, 0):
            rng = np.random.default_rng(0)
            batch = vector.reset(SEEDS)
            vector.watch(watched)
            trace = []
            for _ in range(50):
                batch = vector.step(choose(batch.mask, rng))
                vector.inspect()
                trace.append(batch)
            traces.append(trace)
        assert all(map(are_same, *traces))

    def test_inspect_unrendered_has_no_frame_but_what_was_paid(self, vector: VectorEnv) -> None:
        vector.watch(2, renders=False)
        for _ in range(2):
            vector.step(np.full(3, Action.LEFT))
        seen = vector.inspect()
        assert seen.frame is None
        step = dict(seen.breakdown.components)["step"]
        assert dict(seen.paid.components)["step"] == pytest.approx(2 * step)
        vector.watch(2)
        vector.step(np.full(3, Action.LEFT))
        assert vector.inspect().frame is not None

    def test_watching_unrendered_renders_nothing(self, config: RunConfig) -> None:
        env = SteppedEnv(make_game_env(config, 0))
        env.begin(1)
        for is_watched, renders in ((True, False), (True, True), (False, True)):
            env.watch(is_watched, renders=renders)
            env.step(Action.LEFT)
            assert env.env.is_rendering == (is_watched and renders)
            assert (env.inspect().frame is None) == (not env.env.is_rendering)
        env.close()

    def test_watching_begins_at_once_and_can_move_and_end(self, vector: VectorEnv) -> None:
        assert vector.inspect() is None
        for index in (0, 2):
            vector.watch(index)
            assert vector.inspect().frame.std() > 10
            vector.step(np.full(3, Action.NOOP))
            assert vector.inspect() is not None
        vector.watch(None)
        vector.step(np.full(3, Action.NOOP))
        assert vector.inspect() is None


class TestFailures:
    def test_error_of_ours_crosses_with_its_hint(self, tmp_path: Path) -> None:
        config = RunConfig(rom_path=str(tmp_path / "none.gbc"), save_dir=str(tmp_path))
        with pytest.raises(RomError, match="There is no ROM file") as here:
            make_game_env(config, 0)
        with pytest.raises(RomError) as crossed:
            VectorEnv(PLAIN_FACTORY, config, 2, 1)
        assert crossed.value.hint
        assert crossed.value.message == here.value.message
        assert crossed.value.hint == here.value.hint

    def test_other_error_becomes_a_worker_error(self, config: RunConfig) -> None:
        with pytest.raises(WorkerError, match="ZeroDivisionError: oops"):
            VectorEnv(f"{FACTORIES}:broken", config, 1, 1)


@pytest.mark.usefixtures("started_workers")
class TestProcesses:
    @pytest.mark.slow
    def test_vector_of_another_thread_works_and_close_ends_its_workers(
        self, config: RunConfig
    ) -> None:
        results: list[Batch] = []
        pids: list[int] = []

        def work() -> None:
            vector = VectorEnv(PLAIN_FACTORY, config, 2, 2)
            pids.extend(vector.pids)
            vector.reset([1, 2])
            results.append(vector.step(np.array([6, 6])))
            vector.close()
            vector.close()

        thread = threading.Thread(target=work)
        thread.start()
        thread.join(600)
        assert results
        assert len(pids) == 2
        assert all(is_gone(pid) for pid in pids)

    def test_workers_ignore_what_the_terminal_sends(self, vector: VectorEnv) -> None:
        for number in (signal.SIGINT, signal.SIGHUP):
            os.kill(vector.pids[0], number)
        assert vector.step(np.full(3, Action.LEFT)).rewards.any()
        assert os.getsid(vector.pids[0]) != os.getsid(0)

    @pytest.mark.slow
    def test_workers_say_nothing_on_the_terminal(
        self, config: RunConfig, capfd: pytest.CaptureFixture[str]
    ) -> None:
        with VectorEnv(f"{FACTORIES}:talkative", config, 1, 1) as vector:
            vector.reset([1])
        assert capfd.readouterr() == ("", "")


def test_games_are_drawn_small_where_they_run_and_go_on_as_if_nobody_looked(
    vector: VectorEnv, config: RunConfig
) -> None:
    actions = np.array([Action.DOWN] * 3)
    unseen = [vector.step(actions) for _ in range(3)]
    vector.reset(SEEDS)
    vector.draw_games({0, 2})
    seen = [vector.step(actions)]
    pictures = vector.pictures(4)
    assert [(one.env_index, one.episode_steps) for one in pictures] == [(0, 1), (2, 1)]
    vector.watch(2)
    whole = vector.call(2, SteppedEnv.inspect).frame
    means = whole.reshape(36, 4, 40, 4, 3).mean((1, 3))
    assert np.array_equal(pictures[1].frame, means.astype(np.uint8))
    assert vector.pictures(4) == ()  # asked for once
    seen += [vector.step(actions) for _ in range(2)]
    assert all(map(are_same, seen, unseen))
