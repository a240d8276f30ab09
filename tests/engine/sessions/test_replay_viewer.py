"""Recorded episodes of the practice game, gone through as a viewer does."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine import commands
from engine.commands import (
    Pause,
    Press,
    Resume,
    Save,
    Seek,
    SetSpeed,
    StepOnce,
    Stop,
    StopRecording,
    TakeOver,
)
from engine.config import EnvConfig, RunConfig
from engine.demos.demonstration import read_demo
from engine.demos.validation import validate
from engine.errors import CheckpointError, ReplayError
from engine.events import (
    REPLAY,
    CommandRefused,
    DecisionMade,
    EpisodeEnded,
    Event,
    FrameRendered,
    GameObserved,
    PayoutMade,
    RecordingChanged,
    RecordingEnded,
    RewardPaid,
    RunFailed,
    RunStarted,
    RunStopped,
    StatusChanged,
    TimelineChanged,
    WarningRaised,
)
from engine.runs.journal import read_journal
from engine.sessions.record import DemoPoint, RecordingPlan, RecordingSession
from engine.sessions.replay import ReplaySession
from engine.sessions.replay_player import KEPT_EVERY, Playback
from engine.sessions.replay_sources import RecordedEpisode
from engine.sessions.train import EngineSession
from engine.types import Action, Source

pytestmark = pytest.mark.slow


def one_episode(folder: Path, goal: str = "") -> RunConfig:
    """Return the settings of a run of one short episode that the rules play."""
    return RunConfig(
        save_dir=str(folder),
        headless=True,
        num_envs=1,
        workers=1,
        agent="rules",
        total_episodes=1,
        tensorboard=False,
        env=EnvConfig(goal=goal, max_steps=150, progress_steps=0),
    )


@pytest.fixture(scope="module")
def saves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short run that the planner plays: it reaches some milestones."""
    folder = tmp_path_factory.mktemp("saves")
    config = one_episode(folder)
    session = EngineSession(config)
    session.start()
    assert session.join(600)
    assert isinstance(session.mailbox.drain()[-1], RunStopped)
    return folder


@pytest.fixture(scope="module")
def recorded(saves: Path) -> EpisodeEnded:
    (path,) = saves.glob("runs/*/journal.jsonl")
    return next(event for event in read_journal(path) if isinstance(event, EpisodeEnded))


def latest(saves: Path) -> RecordedEpisode:
    return RecordedEpisode.find(str(saves), "latest", None)


class Viewer:
    """Reads a session's mailbox."""

    def __init__(self, session: ReplaySession | RecordingSession) -> None:
        self.session = session
        self.seen: list[Event] = []
        session.start()

    def of(self, kind: type) -> list:
        return [event for event in self.seen if isinstance(event, kind)]

    def until(self, is_enough: Callable[["Viewer"], bool], seconds: float = 300) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.seen += self.session.mailbox.drain()
            if is_enough(self):
                return
            time.sleep(0.005)
        raise AssertionError(self.seen[-5:])

    def send(self, *wanted: commands.Command) -> None:
        for command in wanted:
            self.session.send(command)

    @property
    def status(self) -> StatusChanged:
        return self.of(StatusChanged)[-1]

    def comes_to(self, step: int) -> None:
        self.until(lambda it: bool(it.of(StatusChanged)) and it.status.episode_steps == step)


@pytest.fixture(scope="module")
def viewer(saves: Path) -> Iterator[Viewer]:
    """The run's last episode, played to its end as fast as it goes."""
    session = ReplaySession(latest(saves), speed=0)
    watching = Viewer(session)
    watching.until(lambda it: bool(it.of(EpisodeEnded)) and it.status.is_paused)
    yield watching
    assert session.stop(300)


@pytest.fixture
def still(saves: Path) -> Iterator[Viewer]:
    """The same, paused within its first step."""
    session = ReplaySession(latest(saves), speed=0.01)
    watching = Viewer(session)
    session.send(Pause())
    watching.until(lambda it: bool(it.of(StatusChanged)) and it.status.is_paused)
    yield watching
    assert session.stop(300)


def test_the_rewards_are_those_that_were_recorded(viewer: Viewer, recorded: EpisodeEnded) -> None:
    summary = recorded.summary
    assert viewer.of(EpisodeEnded) == [recorded]
    paid = {name: value for name, value in viewer.of(RewardPaid)[-1].episode if value}
    assert paid == pytest.approx({name: value for name, value in summary.components if value})
    reached = {event.step for event in viewer.of(PayoutMade) if event.component == "milestone"}
    assert reached == {step for step in summary.steps_to_milestone.values() if step}
    assert viewer.of(GameObserved)[-1].milestones == set(summary.steps_to_milestone)
    assert not viewer.of(WarningRaised)
    status = viewer.status
    assert (status.episode_steps, status.done, status.total) == (150, 150, 150)
    assert status.phase == "paused"


def test_replay_viewer_says_that_it_is_a_replay_and_of_what(
    viewer: Viewer, recorded: EpisodeEnded
) -> None:
    (run,) = viewer.of(RunStarted)
    assert (run.mode, run.agent, run.num_envs) == (REPLAY, "rules", 1)
    assert Path(run.run_dir).name == run.run_id
    assert viewer.status.episode == recorded.episode
    assert viewer.of(FrameRendered)[0].frame.shape == (144, 160, 3)
    assert {event.decision.source for event in viewer.of(DecisionMade)} == {
        Source.PLANNER,
        Source.RULES,
    }


def test_steps_are_taken_one_by_one(still: Viewer) -> None:
    before = still.status.episode_steps
    still.send(StepOnce(), StepOnce(), StepOnce(), SetSpeed(0))
    still.comes_to(before + 3)
    still.send(Resume())
    still.until(lambda it: bool(it.of(EpisodeEnded)) and it.status.is_paused)
    assert still.status.episode_steps == 150
    still.send(Resume(), StepOnce())
    still.until(lambda it: len(it.of(CommandRefused)) == 2)
    assert {event.reason for event in still.of(CommandRefused)} == {
        "This is the end: seek back first."
    }


def test_going_back_and_forth_comes_to_the_same_game(still: Viewer) -> None:
    still.send(Seek(37))
    still.comes_to(37)
    first = still.of(GameObserved)[-1], still.of(RewardPaid)[-1], still.of(FrameRendered)[-1]
    still.send(Seek(9999))
    still.comes_to(150)
    still.until(lambda it: bool(it.of(EpisodeEnded)))
    for target in (120, 3, 37):
        still.send(Seek(target))
        still.comes_to(target)
    again = still.of(GameObserved)[-1], still.of(RewardPaid)[-1], still.of(FrameRendered)[-1]
    assert again[0].state.place == first[0].state.place
    assert again[0].milestones == first[0].milestones
    assert again[1] == first[1]
    assert (again[2].frame == first[2].frame).all()
    still.send(Seek(-5))
    still.comes_to(0)
    still.send(Seek(150))
    still.comes_to(150)
    still.send(StepOnce())
    still.until(lambda it: bool(it.of(CommandRefused)))  # all before it is told by now
    assert len(still.of(EpisodeEnded)) == 1
    assert not still.of(WarningRaised)


def test_replay_refuses_commands_that_would_change_it(still: Viewer) -> None:
    still.send(TakeOver(), Save())
    still.until(lambda it: len(it.of(CommandRefused)) == 2)
    assert {event.command for event in still.of(CommandRefused)} == {"TakeOver", "Save"}
    assert all("replay" in event.reason for event in still.of(CommandRefused))


def test_a_stop_ends_it_at_once(still: Viewer) -> None:
    still.send(Stop("quit"))
    still.until(lambda it: bool(it.of(RunStopped)))
    assert still.of(RunStopped) == [RunStopped("quit", still.status.episode_steps, "")]


def test_missing_runs_and_episodes_are_refused_before_anything_starts(saves: Path) -> None:
    with pytest.raises(CheckpointError, match="nobody"):
        RecordedEpisode.find(str(saves), "nobody", None)
    with pytest.raises(ReplayError, match="no recorded episode 99"):
        RecordedEpisode.find(str(saves), "latest", 99)


def test_another_game_fails_in_words(saves: Path, tmp_path: Path) -> None:
    forge(saves, tmp_path, lambda recording: recording.__setitem__(0, "0" * 40))
    watching = Viewer(ReplaySession(RecordedEpisode.find(str(tmp_path), "forged", None)))
    watching.until(lambda it: bool(it.of(RunFailed)))
    assert "a different ROM" in watching.of(RunFailed)[0].message


def test_another_end_is_told_with_its_step(saves: Path, tmp_path: Path) -> None:
    forge(saves, tmp_path, lambda recording: recording.__setitem__(-1, "0" * 40))
    session = ReplaySession(RecordedEpisode.find(str(tmp_path), "forged", None), speed=0)
    watching = Viewer(session)
    watching.until(lambda it: bool(it.of(WarningRaised)) and bool(it.of(EpisodeEnded)))
    assert "step 150" in watching.of(WarningRaised)[0].message
    assert session.stop(300)


def test_another_way_is_told_at_the_first_milestone_that_differs(saves: Path) -> None:
    episode = latest(saves)
    summary = episode.ended.summary
    key, step = next((key, step) for key, step in summary.steps_to_milestone.items() if step)
    for moved, words in (
        (step - 1, "not reached here, at step"),
        (step + 1, f"here, at step {step + 1} in the recording"),
    ):
        steps = {**summary.steps_to_milestone, key: moved}
        ended = replace(episode.ended, summary=replace(summary, steps_to_milestone=steps))
        playback = Playback(replace(episode, ended=ended))
        while not playback.divergence:
            playback.advance(renders=False)
        playback.close()
        assert playback.divergence.startswith(f"step {min(step, moved)}: {key}")
        assert words in playback.divergence


def test_paused_replay_comes_to_know_all_of_it_and_seeks_from_the_nearest_state(
    saves: Path,
) -> None:
    episode = latest(saves)
    session = ReplaySession(episode, place=0)
    watching = Viewer(session)
    watching.until(lambda it: any(e.known == e.length for e in it.of(TimelineChanged)))
    timeline = watching.of(TimelineChanged)[-1]
    assert timeline.length == episode.ended.summary.length
    steps = episode.ended.summary.steps_to_milestone
    assert {key: place for place, key in timeline.milestones} == steps
    rewarded = {place for place, _ in timeline.rewards}
    assert rewarded >= {step for step in steps.values() if step}
    assert watching.status.done == 0
    moves = counted_moves(session)
    session.send(Seek(timeline.length))
    watching.comes_to(timeline.length)
    assert len(moves) == timeline.length % KEPT_EVERY
    assert not watching.of(WarningRaised)
    assert session.stop(300)


def counted_moves(session: ReplaySession) -> list[int]:
    """Return the places that are played to from now on."""
    playback = session._playback
    places: list[int] = []
    moved = playback.survey.moved

    def count(place: int, reward: float, save: Callable[[], bytes]) -> None:
        places.append(place)
        moved(place, reward, save)

    playback.survey.moved = count  # type: ignore[method-assign]
    return places


def test_states_are_kept_so_that_going_back_is_short(saves: Path) -> None:
    playback = Playback(latest(saves))
    while not playback.is_at_end:
        playback.advance(renders=False)
    playback.go_back(KEPT_EVERY + 20)
    assert playback.step == KEPT_EVERY
    playback.go_back(20)
    assert playback.step == 0
    playback.go_back(KEPT_EVERY + 20)
    assert playback.step == KEPT_EVERY
    playback.close()


def test_a_person_plays_on_from_within_an_episode_and_it_is_recorded(saves: Path) -> None:
    episode = latest(saves)
    plan = RecordingPlan(start=DemoPoint(episode.source, 40), tags=("branched",))
    session = RecordingSession(episode.settings(), plan)
    viewer = Viewer(session)
    pressed = (Action.DOWN, Action.A, Action.RIGHT)
    for count, action in enumerate(pressed):
        viewer.until(lambda it: has_steps(it, count))  # noqa: B023
        viewer.send(Press(action))
    viewer.until(lambda it: has_steps(it, len(pressed)))
    viewer.send(StopRecording())
    viewer.until(lambda it: bool(it.of(RecordingEnded)))
    assert session.stop(300)
    (ended,) = viewer.of(RecordingEnded)
    demo = read_demo(Path(ended.path))
    assert (demo.begins_at, ended.steps, ended.human_steps) == (40, 3, 3)
    assert bytes(demo.actions) == episode.recording.actions[:40] + bytes(pressed)
    (found,) = validate([Path(ended.path)], episode.settings())
    assert (found.refusal, found.steps) == ("", 3)


def test_replay_viewer_is_told_where_the_goal_is_reached_and_nothing_can_be_recorded(
    tmp_path: Path,
) -> None:
    run = EngineSession(one_episode(tmp_path, goal="left_bedroom"))
    run.start()
    assert run.join(600)
    episode = latest(tmp_path)
    assert episode.ended.summary.is_success
    length = episode.ended.summary.length
    session = ReplaySession(episode, place=length)
    watching = Viewer(session)
    watching.comes_to(length)
    assert watching.status.is_goal_reached
    session.send(Seek(length - 1))
    watching.comes_to(length - 1)
    assert not watching.status.is_goal_reached
    assert session.stop(300)
    for place, is_refused in ((length, True), (length - 1, False)):
        plan = RecordingPlan(start=DemoPoint(episode.source, place))
        recording = RecordingSession(episode.settings(), plan)
        viewer = Viewer(recording)
        viewer.until(lambda it: bool(it.of(RunFailed)) or has_steps(it, 0))
        assert bool(viewer.of(RunFailed)) is is_refused
        assert recording.stop(300)


def has_steps(viewer: Viewer, count: int) -> bool:
    changes = viewer.of(RecordingChanged)
    return bool(changes) and changes[-1].is_recording and changes[-1].steps == count


def test_replay_loads_no_learning_library() -> None:
    code = "import sys, engine.sessions.replay; print('torch' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def forge(saves: Path, folder: Path, change: Callable[[list], None]) -> None:
    """Write a run with a changed recording."""
    run = folder / "runs" / "forged"
    run.mkdir(parents=True)
    (source,) = saves.glob("runs/*")
    (run / "config.json").write_text((source / "config.json").read_text())
    lines = (source / "journal.jsonl").read_text().splitlines()
    values = json.loads(next(line for line in lines if "EpisodeEnded" in line))
    recording = json.loads(values["summary"]["recording"])
    change(recording)
    values["summary"]["recording"] = json.dumps(recording)
    (run / "journal.jsonl").write_text(json.dumps(values) + "\n")
