"""Demonstrations gone through as a viewer does, and played on from within them."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.commands import Pause, Resume, Seek, SetSpeed, StepOnce
from engine.config import RunConfig
from engine.demos.demonstration import NO_PROPOSAL, DemoEvent, Demonstration, write_demo
from engine.demos.recorder import head_of_env
from engine.demos.validation import validate
from engine.demos.writer import DemoWriter
from engine.env.game_env import GameEnv
from engine.env.stepping import make_game_env
from engine.errors import DemoError, ReplayError
from engine.events import (
    DecisionMade,
    EpisodeEnded,
    GameObserved,
    ReasoningLogged,
    RewardPaid,
    RunStarted,
    WarningRaised,
)
from engine.sessions.replay import ReplaySession
from engine.sessions.replay_player import Playback, open_at
from engine.sessions.replay_sources import RecordedDemo, find_recorded
from engine.types import Action, Source
from tests.engine.sessions.test_replay_viewer import Viewer

pytestmark = pytest.mark.slow

Recorded = tuple[Path, Demonstration]
Open = Callable[..., Viewer]


@pytest.fixture
def watch(demo_file: Recorded, demo_config: RunConfig) -> Iterator[Open]:
    """Return what opens a demonstration, changed as is asked for."""
    opened = []

    def open_viewer(*, speed: float = 0, place: int | None = None, **changes: Any) -> Viewer:
        demo = replace(demo_file[1], **changes)
        recorded = RecordedDemo.of(demo_file[0], demo, demo_config)
        opened.append(ReplaySession(recorded, speed=speed, place=place))
        return Viewer(opened[-1])

    yield open_viewer
    for session in opened:
        assert session.stop(300)


def is_at_end(viewer: Viewer) -> bool:
    return bool(viewer.of(EpisodeEnded)) and viewer.status.is_paused


def test_watched_says_who_played_what_and_how_it_ended(watch: Open, demo_file: Recorded) -> None:
    viewer = watch(task="reach the route", tags=frozenset({"clean", "first"}))
    viewer.until(is_at_end)
    (run,) = viewer.of(RunStarted)
    demo = demo_file[1]
    assert (run.mode, run.agent, run.run_id) == ("replay", demo.by, demo_file[0].stem)
    said = " | ".join(event.text for event in viewer.of(ReasoningLogged))
    assert "task: reach the route" in said
    assert f"played by {demo.by}" in said
    assert "tags: clean first" in said
    goal = viewer.of(GameObserved)[-1].goal
    assert goal.text == "reach the route"
    (ended,) = viewer.of(EpisodeEnded)
    assert ended.summary.total_reward == pytest.approx(demo.episode_return)
    paid = sum(value for _, value in viewer.of(RewardPaid)[-1].episode)
    assert paid == pytest.approx(demo.episode_return, abs=1e-4)
    assert not viewer.of(WarningRaised)


def test_stretches_that_a_person_played_are_known_by_place(
    demo_file: Recorded, demo_config: RunConfig
) -> None:
    demo = demo_file[1]
    is_intervention = np.zeros(demo.episode_length, np.bool_)
    is_intervention[[3, 4, 8]] = True
    for changes, stretches in (
        ({"is_intervention": is_intervention}, ((3, 5), (8, 9))),
        ({"by": "human"}, ((0, demo.episode_length),)),
        ({"by": "random"}, ()),
    ):
        recorded = RecordedDemo.of(demo_file[0], replace(demo, **changes), demo_config)
        with closing(Playback(recorded)) as playback:
            assert playback.by_person() == stretches


def test_pause_step_seek_and_speed_work(watch: Open) -> None:
    viewer = watch(speed=0.01)
    viewer.send(Pause(), Seek(60))
    viewer.comes_to(60)
    viewer.send(StepOnce(), StepOnce(), SetSpeed(0))
    viewer.comes_to(62)
    viewer.send(Seek(9))
    viewer.comes_to(9)
    viewer.send(Resume())
    viewer.until(is_at_end)
    assert viewer.status.episode_steps == 150
    assert not viewer.of(WarningRaised)


def test_watched_shows_the_agents_proposals_beside_a_persons_steps(watch: Open) -> None:
    proposals = np.full(150, NO_PROPOSAL, np.uint8)
    proposals[20] = Action.START
    is_intervention = np.zeros(150, np.bool_)
    is_intervention[20:40] = True
    viewer = watch(place=19, proposals=proposals, is_intervention=is_intervention)
    viewer.comes_to(19)
    assert viewer.status.is_paused
    decisions = []
    for step in (20, 21, 22):
        viewer.send(StepOnce())
        viewer.comes_to(step)
        viewer.until(lambda it: it.of(DecisionMade)[-1].step == step)  # noqa: B023
        decisions.append(viewer.of(DecisionMade)[-1].decision)
    assert [each.source for each in decisions] == [Source.RECORDED, Source.HUMAN, Source.HUMAN]
    assert decisions[0].reason.endswith("source not recorded")
    assert decisions[1].reason.endswith("(agent: START)")
    assert "agent" not in decisions[2].reason


def test_watched_shows_marks_at_their_step(watch: Open, demo_file: Recorded) -> None:
    events = (*(e for e in demo_file[1].events if e.step <= 30), DemoEvent(31, "note", "look here"))
    viewer = watch(events=events)
    viewer.until(is_at_end)
    told = [(event.step, event.text) for event in viewer.of(ReasoningLogged) if event.step]
    assert told == [(31, "note: look here")]


def test_watched_reports_a_divergence_at_its_step_and_continues(
    watch: Open, demo_file: Recorded
) -> None:
    rewards = demo_file[1].rewards.copy()
    rewards[41] += 1.0
    viewer = watch(rewards=rewards)
    viewer.until(is_at_end)
    (warning,) = viewer.of(WarningRaised)
    assert "at step 42: reward" in warning.message


def test_watched_begins_where_it_begins_to_show_something(watch: Open) -> None:
    viewer = watch(speed=0.001, begins_at=70)
    viewer.comes_to(71)  # after its first step it stands: the next is due in a thousand seconds
    viewer.send(Seek(3))
    viewer.comes_to(3)


def test_watched_steps_through_real_time_play_in_moves(
    demo_config: RunConfig, tmp_path: Path
) -> None:
    path = record_live(demo_config, tmp_path)
    recorded = find_recorded(str(path), demo_config)
    with closing(Playback(recorded)) as playback:
        seen = {}
        while not playback.is_at_end:
            playback.advance(renders=False)
            seen[playback.place] = playback.env.memory_digest()
        assert not playback.divergence
        assert (playback.step, playback.length) == (4, len(seen))
        assert playback.length > 5
        for place in (playback.length // 2, 3, playback.length - 1):
            playback.go_to(place)
            assert playback.env.memory_digest() == seen[place]
        playback.go_to(playback.length)
        assert playback.env.recording() == recorded.recording
        assert playback.place_of(4) == playback.length


@pytest.mark.parametrize("place", [0, 1, 37, 150])
def test_open_at_continues_from_any_step_with_all_that_led_there(
    place: int, demo_file: Recorded, demo_config: RunConfig, tmp_path: Path
) -> None:
    with closing(open_at(find_recorded(str(demo_file[0]), demo_config), place)) as env:
        writer = DemoWriter(tmp_path / "branch.demo", head_of_env(env))
        for action in (4, 4, 7, 0):
            reward, *ends = env.advance(action)
            writer.step(action, reward, done=any(ends))
        branch = writer.finish(env.memory_digest())
    assert branch.begins_at == place
    assert bytes(branch.actions) == bytes([*demo_file[1].actions[:place], 4, 4, 7, 0])
    (found,) = validate([tmp_path / "branch.demo"], demo_config)
    assert not found.refusal


def test_open_at_continues_from_within_real_time_play(
    demo_config: RunConfig, tmp_path: Path
) -> None:
    recorded = find_recorded(str(record_live(demo_config, tmp_path)), demo_config)
    with closing(open_at(recorded, 9)) as env:
        env.come_to_rest()
        writer = DemoWriter(tmp_path / "branch.demo", head_of_env(env))
        writer.step(7, env.advance(7)[0], done=False)
        writer.finish(env.memory_digest())
    (found,) = validate([tmp_path / "branch.demo"], demo_config)
    assert not found.refusal


def test_playing_on_stops_at_a_divergence(
    demo_file: Recorded, demo_config: RunConfig, tmp_path: Path
) -> None:
    rewards = demo_file[1].rewards.copy()
    rewards[41] += 1.0
    write_demo(tmp_path / "x.demo", replace(demo_file[1], rewards=rewards))
    recorded = find_recorded(str(tmp_path / "x.demo"), demo_config)
    open_at(recorded, 41).close()
    with pytest.raises(ReplayError, match="step 42"):
        open_at(recorded, 42)


def test_find_recorded_refuses_what_is_not_there(demo_config: RunConfig, tmp_path: Path) -> None:
    with pytest.raises(DemoError, match="does not exist"):
        find_recorded(str(tmp_path / "no.demo"), demo_config)
    with pytest.raises(ReplayError, match="not an episode number"):
        find_recorded("latest:x", demo_config)


def record_live(config: RunConfig, folder: Path) -> Path:
    """Record three seconds of real-time play before, and some within, four actions."""
    path = folder / "live.demo"
    with closing(make_game_env(config, 0)) as env:
        env.seed_random(5)
        env.begin_episode()
        writer = DemoWriter(path, head_of_env(env))
        play_live(env, writer, ((Action.RIGHT, 150), (Action.DOWN, 145)))
        for action in (7, 7):
            writer.step(action, env.advance(action)[0], done=False)
        play_live(env, writer, ((Action.LEFT, 100), (Action.A, 61)))
        for action in (5, 0):
            writer.step(action, env.advance(action)[0], done=False)
        writer.finish(env.memory_digest())
    return path


def play_live(env: GameEnv, writer: DemoWriter, held: tuple[tuple[Action, int], ...]) -> None:
    for button, frames in held:
        env.play_frames(frozenset({button}), frames)
        env.advance_live()
    env.come_to_rest()
    paid, *_ = env.advance_live()
    writer.live(env.recording().segments[-1].live[-1], paid)
