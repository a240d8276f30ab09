"""The review of a demonstration that has ended, before it is saved."""

import shutil
from pathlib import Path

import pytest

from engine.commands import (
    Command,
    DiscardRecording,
    Hold,
    MarkRecording,
    PlayLive,
    Press,
    Restart,
    ReviewRecording,
    Rewind,
    StopRecording,
)
from engine.config import RunConfig
from engine.demos.demonstration import read_demo
from engine.events import EpisodeEnded, RecordingEnded, RunStopped
from engine.sessions.record import resume_set
from engine.types import Action
from tests.engine.sessions.recording.conftest import Begin, Watcher, assert_replays

pytestmark = pytest.mark.slow

WALK = (5, 7, 5, 4, 7, 7, 5, 6)


def reviewed(begin: Begin, **plan: object) -> Watcher:
    """Record a walk, and end it."""
    watcher = begin(has_review=True, **plan)
    watcher.recording(is_recording=True, has_review=True, review="")
    watcher.walk(*WALK)
    watcher.send(StopRecording())
    watcher.recording(is_recording=True, steps=8, review="you stopped it", saved=0)
    return watcher


def test_a_demonstration_is_saved_when_its_review_keeps_it(begin: Begin, config: RunConfig) -> None:
    watcher = reviewed(begin, episodes=1)
    folder = Path(config.save_dir) / "demos"
    assert not list(folder.glob("*.demo"))
    watcher.send(MarkRecording())
    watcher.recording(is_marked=True, review="you stopped it")
    watcher.send(StopRecording())
    ended = watcher.next(RecordingEnded)
    assert (ended.reason, ended.steps) == ("you stopped it", 8)
    watcher.next(RunStopped)
    (demo,) = assert_replays(config)
    assert demo.is_success
    assert len(watcher.all(EpisodeEnded)) == 1


@pytest.mark.parametrize(
    "command", [Press(Action.A), Hold(frozenset({Action.A})), PlayLive(True), Restart()]
)
def test_nothing_is_played_in_a_review(begin: Begin, command: Command) -> None:
    assert "keep it or discard it" in reviewed(begin).refusal(command)


def test_a_demonstration_is_watched_again_in_its_review(begin: Begin, config: RunConfig) -> None:
    watcher = reviewed(begin)
    end = watcher.status(phase="reviewing")
    watcher.send(ReviewRecording())
    assert watcher.status(phase="reviewing", done=1).total == 8
    watcher.status(phase="reviewing", done=8)
    assert watcher.status(phase="reviewing", total=0).episode_steps == end.episode_steps
    watcher.send(ReviewRecording())
    watcher.status(phase="reviewing", done=3)
    watcher.send(StopRecording())  # amidst it
    assert watcher.saved().episode_length == 8
    watcher.recording(is_recording=True, steps=0, review="")
    assert "Only a demonstration that has ended" in watcher.refusal(ReviewRecording())
    watcher.stop()
    assert len(assert_replays(config)) == 1


def test_a_reviewed_demonstration_is_discarded_or_retaken(begin: Begin, config: RunConfig) -> None:
    watcher = reviewed(begin)
    watcher.send(ReviewRecording())
    watcher.status(phase="reviewing", done=2)
    watcher.send(DiscardRecording(again=True))
    assert watcher.next(RecordingEnded).path == ""
    watcher.recording(is_recording=True, steps=0, review="")
    watcher.walk(4, 4)
    watcher.send(StopRecording())
    watcher.recording(review="you stopped it", steps=2)
    watcher.send(DiscardRecording())
    assert watcher.next(RecordingEnded).path == ""
    watcher.recording(is_recording=True, steps=0, review="", saved=0)
    assert len(watcher.all(EpisodeEnded)) == 1
    watcher.stop()
    assert assert_replays(config) == []


def test_a_reviewed_demonstration_is_played_on_after_an_undo(
    begin: Begin, config: RunConfig
) -> None:
    watcher = reviewed(begin)
    watcher.send(Rewind(5))
    watcher.recording(steps=3, review="")
    watcher.walk(4, steps=4)
    watcher.send(Restart())
    watcher.recording(review="you started another episode")
    assert bytes(watcher.keep().actions) == bytes((*WALK[:3], 4))
    watcher.stop()
    assert_replays(config)


def test_a_demonstration_is_kept_where_its_review_is_cut_off(
    begin: Begin, config: RunConfig, tmp_path: Path
) -> None:
    watcher = reviewed(begin)
    watcher.send(ReviewRecording())
    watcher.status(phase="reviewing", done=2)
    killed = tmp_path / "killed"
    shutil.copytree(Path(config.save_dir) / "demos", killed)
    count, rescued, _ = resume_set(killed)
    assert (count, len(rescued)) == (1, 1)
    (path,) = killed.glob("*.demo")
    assert read_demo(path).episode_length == 8
    watcher.stop()  # it keeps it, too
    (demo,) = assert_replays(config)
    assert demo.episode_length == 8


def test_what_a_player_plays_is_saved_without_a_review(begin: Begin) -> None:
    watcher = begin(has_review=True, player="random", episodes=1, speed=10.0)
    watcher.recording(is_recording=True, has_review=False, steps=3)
    watcher.keep()
