"""The last seconds that a person played are kept though nothing was recorded."""

from pathlib import Path

import pytest

from engine.config import RunConfig
from engine.demos.demonstration import Demonstration, read_demo
from engine.demos.exact_replay import play
from engine.demos.recent_play import KEPT_S, SNAPSHOT_S, RecentPlay
from engine.emulator.base import GAME_BOY_FRAMES_PER_S as FRAMES_PER_S
from engine.env.stepping import SteppedEnv
from engine.errors import DemoError
from engine.types import Action
from tests.engine.led import action_of, rules_of

pytestmark = pytest.mark.slow

WALK = (Action.DOWN, Action.RIGHT, Action.DOWN, Action.LEFT, Action.A, Action.UP, Action.B)


@pytest.fixture
def recent(stepped: SteppedEnv) -> RecentPlay:
    recent = RecentPlay(stepped)
    recent.begin()
    return recent


def walk(stepped: SteppedEnv, recent: RecentPlay, count: int) -> None:
    for number in range(count):
        stepped.step(WALK[number * number % len(WALK)])
        recent.follow()


def walk_live(stepped: SteppedEnv, recent: RecentPlay, seconds: int) -> None:
    for number in range(seconds * 6):
        button = (Action.RIGHT, Action.DOWN, Action.LEFT, Action.UP)[number // 4 % 4]
        stepped.play_frames(frozenset({button}), 10, render=False)
        stepped.count_frames(is_over=False)
        recent.follow()


def replayed(path: Path, config: RunConfig) -> Demonstration:
    """Play it elsewhere: hashes, payments and ends must be those recorded."""
    demo = read_demo(path)
    for _ in play(demo, config, renders=False):
        pass
    return demo


def test_the_last_half_minute_becomes_a_demonstration_that_replays_exactly(
    stepped: SteppedEnv, recent: RecentPlay, demo_config: RunConfig, tmp_path: Path
) -> None:
    walk(stepped, recent, 110)
    before = stepped.save()
    kept = recent.keep(tmp_path, task="walk", tags=("late",))
    assert stepped.save() == before
    demo = replayed(kept.path, demo_config)
    shown_s = len(demo.shown) * demo.recording.frames.usual / FRAMES_PER_S
    assert KEPT_S <= shown_s <= KEPT_S + SNAPSHOT_S + 1
    assert demo.episode_length == 110
    assert (demo.by, demo.task, demo.tags) == ("human", "walk", {"late"})
    assert kept.facts.steps == kept.facts.human_steps == len(demo.shown)
    assert not list(tmp_path.glob("*.part"))


def test_steps_that_wait_for_a_question_count_with_all_their_frames(
    stepped: SteppedEnv, recent: RecentPlay, tmp_path: Path
) -> None:
    env, frames = stepped.env, list[int]()
    rules = rules_of(env)
    for _ in range(150):
        stepped.step(action_of(rules.advise(env.state, env.action_mask())))
        recent.follow()
        frames.append(env.step_frames)
    demo = recent.keep(tmp_path).demo
    kept = frames[-len(demo.shown) :]
    assert sum(kept) >= KEPT_S * FRAMES_PER_S
    assert sum(kept) <= (KEPT_S + SNAPSHOT_S) * FRAMES_PER_S + max(kept)
    assert sum(kept) > 1.5 * len(kept) * demo.recording.frames.usual


def test_real_time_play_is_kept_as_well(
    stepped: SteppedEnv, recent: RecentPlay, demo_config: RunConfig, tmp_path: Path
) -> None:
    walk(stepped, recent, 5)
    walk_live(stepped, recent, 7)
    stepped.count_frames(is_over=True)
    recent.follow()
    walk(stepped, recent, 5)
    demo = replayed(recent.keep(tmp_path).path, demo_config)
    assert demo.has_live
    assert (demo.episode_length, demo.begins_at) == (10, 0)


def test_play_is_kept_once_and_memory_is_bounded(
    stepped: SteppedEnv, recent: RecentPlay, tmp_path: Path
) -> None:
    walk(stepped, recent, 300)
    assert len(recent._points) <= KEPT_S // SNAPSHOT_S + 2
    recent.keep(tmp_path)
    with pytest.raises(DemoError, match="Nothing was pressed"):
        recent.keep(tmp_path)
    recent.end()
    walk(stepped, recent, 3)
    with pytest.raises(DemoError, match="Nothing was played by hand"):
        recent.keep(tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
