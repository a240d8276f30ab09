"""What a person wants of the games, on the practice game in worker processes."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import numpy as np
import pytest

from engine.config import EnvConfig, RunConfig
from engine.env.batch import Batch
from engine.env.stepping import SteppedEnv, make_game_env
from engine.env.vector.world import GymnasiumEnv, LocalVector, VectorEnv
from engine.planning.goals.planned import PlannedAdvisor, make_env
from engine.planning_types import UserOverrides
from engine.types import Action

FACTORY = "engine.planning.goals.planned:make_env"
SEEDS = [5, 6]
SETTINGS = {"seed": 3, "num_envs": 2, "env": EnvConfig(max_steps=400, progress_steps=0)}


@pytest.fixture(scope="module")
def shared() -> Iterator[VectorEnv]:
    with VectorEnv(FACTORY, RunConfig(**SETTINGS), 2, 1) as vector:
        yield vector


@pytest.fixture
def vector(shared: VectorEnv) -> VectorEnv:
    """Nothing is ordered or watched yet."""
    shared.override(UserOverrides())
    shared.watch(None)
    shared.reset(SEEDS)
    return shared


def follow(vector, batch: Batch) -> Batch:
    """Step by the prior, by B where there is none."""
    return vector.step(np.where(batch.prior.any(1), batch.prior.argmax(1), int(Action.B)))


def until_walked(vector, batch: Batch, steps: int) -> Batch:
    for _ in range(steps):
        batch = follow(vector, batch)
    return batch


@pytest.fixture
def watched() -> Iterator[Callable[[], SteppedEnv]]:
    """Make environments that are watched and have begun."""
    with ExitStack() as opened:

        def begin() -> SteppedEnv:
            env = make_env(RunConfig(**SETTINGS), 0)
            opened.callback(env.close)
            env.watch(True)
            env.begin(seed=1)
            return env

        yield begin


def advance(env: SteppedEnv) -> None:
    env.step(int(env.prior.argmax()) if env.prior.any() else int(Action.B))


def test_weights_are_listed_and_changed_in_every_game(vector: VectorEnv) -> None:
    assert dict(vector.reward_weights)["step"] == 0.001
    batch = vector.reset(SEEDS)
    vector.override(UserOverrides(weights=(("exploration", 0.0), ("step", 5.0))))
    batch = follow(vector, batch)
    assert batch.rewards == pytest.approx(-5.0)
    vector.watch(1)
    watched = vector.inspect()
    assert dict(watched.breakdown.components)["step"] == -5.0


def test_a_process_that_is_replaced_knows_what_was_ordered(vector: VectorEnv) -> None:
    batch = vector.reset(SEEDS)
    vector.override(UserOverrides(weights=(("exploration", 0.0), ("step", 5.0))))
    os.kill(vector.pids[0], signal.SIGKILL)
    batch = follow(vector, batch)
    assert batch.warnings
    assert follow(vector, batch).rewards == pytest.approx(-5.0)


def test_a_goal_of_a_persons_is_pursued_before_all_others(vector: VectorEnv) -> None:
    batch = vector.reset(SEEDS)
    vector.watch(0)
    vector.override(UserOverrides(goal="entered_lab"))
    batch = follow(vector, batch)
    assert vector.inspect().goal.key == "entered_lab"
    for _ in range(200):
        batch = follow(vector, batch)
        if "entered_lab" in vector.inspect().milestones:
            break
    follow(vector, batch)
    assert vector.inspect().goal.key == "got_starter"


def test_a_goal_set_before_saving_is_not_yet_in_what_was_advised(vector: VectorEnv) -> None:
    batch = until_walked(vector, vector.reset(SEEDS), 3)
    overrides = UserOverrides(goal="first_badge")
    vector.override(overrides)
    states = vector.save()
    expected = [follow(vector, batch)]
    expected.append(follow(vector, expected[0]))
    with VectorEnv(FACTORY, RunConfig(**SETTINGS), 2, 1) as other:
        other.override(overrides)
        again = other.load(states)
        assert np.array_equal(again.prior, batch.prior)
        for one in expected:
            again = follow(other, again)
            assert np.array_equal(again.prior, one.prior)
            assert np.array_equal(again.features, one.features)


def test_advice_is_switched_in_mid_episode(vector: VectorEnv) -> None:
    assert_advice_is_switched(vector, is_advised=True)


def test_advice_is_switched_on_in_a_run_without() -> None:
    with VectorEnv(FACTORY, RunConfig(**SETTINGS | {"mode": "rl_only"}), 2, 1) as vector:
        assert_advice_is_switched(vector, is_advised=False)


def assert_advice_is_switched(vector: VectorEnv, is_advised: bool) -> None:
    batch = vector.reset(SEEDS)
    assert batch.prior.any() == is_advised
    vector.override(UserOverrides(is_advised=not is_advised))
    states = vector.save()
    assert vector.load(states).prior.any() == is_advised
    batch = follow(vector, batch)
    assert batch.prior.any() != is_advised
    vector.override(UserOverrides())
    assert follow(vector, batch).prior.any() == is_advised


def test_the_way_to_the_goal_is_shown_tile_by_tile(watched) -> None:
    env, seen = watched(), 0
    for _ in range(120):
        before, path = env.env.state.place, env.inspect().path
        advance(env)
        after = env.env.state.place
        if path and after.map == before.map and (after.x, after.y) != (before.x, before.y):
            assert (after.x, after.y) == path[0]
            seen += 1
        for one, other in zip(((before.x, before.y), *path), path, strict=False):
            assert abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1
    assert seen > 30


def test_the_tiles_that_were_stood_on_are_shown(watched) -> None:
    env, stood = watched(), set()
    for _ in range(60):
        place, view = env.env.state.place, env.env.state.map
        if env.is_walking:
            stood.add((place.map, place.x, place.y))
        visited = env.inspect().visited
        assert visited.shape == (view.height, view.width)
        tiles = {(place.map, int(x), int(y)) for y, x in np.argwhere(visited)}
        assert tiles == {tile for tile in stood if tile[0] == place.map}
        advance(env)
    assert len(stood) > 20


def test_looking_changes_nothing(watched) -> None:
    seen, unseen = watched(), watched()
    for _ in range(40):
        seen.inspect()
        advance(seen)
        advance(unseen)
    assert seen.save() == unseen.save()


def test_hidden_pane_reads_no_history(watched) -> None:
    env = watched()
    env.watch(True, renders=False)
    env.step(int(Action.B))
    shown = env.inspect()
    assert (shown.frame, shown.path, shown.visited) == (None, (), None)


@pytest.fixture
def local() -> Iterator[LocalVector]:
    env = make_game_env(RunConfig(**SETTINGS), 0)
    yield LocalVector(GymnasiumEnv(env, PlannedAdvisor(env.game)))
    env.close()


@pytest.mark.parametrize("kind", ["vector", "local"])
def test_an_episode_is_left_for_the_start_or_a_moment(
    kind: str, request: pytest.FixtureRequest
) -> None:
    vector = request.getfixturevalue(kind)
    start = vector.reset(SEEDS[: vector.num_envs])
    there = until_walked(vector, start, 12)
    snapshot, place = vector.snapshot(0), vector.place(0)
    assert place
    batch = until_walked(vector, there, 5)
    before = batch.features[-1].copy()
    batch = vector.begin_now(0)
    assert batch.summaries[0].is_aborted
    assert batch.truncated[0]
    assert vector.place(0) == "HOME 2F"
    if vector.num_envs > 1:
        assert np.array_equal(batch.features[1], before)
        assert not batch.truncated[1]
    batch = vector.begin_now(0, snapshot)
    assert vector.place(0) == place
    assert batch.prior[0].any()
    assert np.array_equal(batch.mask[0], there.mask[0])


def test_what_begins_at_a_snapshot_has_a_limit_of_its_own(vector: VectorEnv) -> None:
    vector.reset(SEEDS)
    vector.begin_now(0, vector.snapshot(0), "here", max_steps=3)
    for _ in range(3):
        batch = vector.step(np.zeros(vector.num_envs, np.int64))
    assert batch.truncated.tolist() == [True] + [False] * (vector.num_envs - 1)
    assert (batch.summaries[0].start, batch.summaries[0].length) == ("here", 3)


def test_a_process_that_fails_at_it_is_replaced(vector: VectorEnv) -> None:
    vector.reset(SEEDS)
    batch = vector.begin_now(0, b"no moment")
    assert batch.warnings
    assert batch.summaries[0].is_aborted
    assert batch.summaries[1].is_aborted
    assert vector.place(0) == "HOME 2F"
