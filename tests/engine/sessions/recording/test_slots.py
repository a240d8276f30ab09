"""Save slots of a set: loading one truncates the demonstration, or begins another there."""

from pathlib import Path

import pytest

from engine.commands import (
    Branch,
    DiscardRecording,
    KeepState,
    LoadSlot,
    SaveSlot,
    Stop,
    StopRecording,
)
from engine.config import RunConfig
from engine.events import CommandObeyed, RunStopped, StatesKept, WarningRaised
from engine.sessions.record import RecordingPlan, RecordingSession
from tests.engine.sessions.recording.conftest import Begin, Watcher, assert_replays

pytestmark = pytest.mark.slow

WALK = (5, 7, 5, 4, 7, 7, 5, 6)


def slots(watcher: Watcher) -> list[int]:
    """Wait for the next list of slots."""
    return [state.slot for state in watcher.next(StatesKept).states]


def walk(watcher: Watcher, *actions: int, steps: int) -> None:
    watcher.press(actions)
    watcher.recording(steps=steps)


def stop(watcher: Watcher) -> None:
    watcher.send(Stop())
    watcher.next(RunStopped)


def test_loading_a_slot_of_the_demonstration_truncates_it(begin: Begin, config: RunConfig) -> None:
    watcher = begin()
    walk(watcher, *WALK[:3], steps=3)
    watcher.send(SaveSlot(2))
    assert "you saved slot 2" in watcher.next(CommandObeyed).text
    walk(watcher, *WALK[3:], steps=8)
    watcher.send(LoadSlot(2))
    assert "you loaded slot 2" in watcher.next(CommandObeyed).text
    assert watcher.recording(steps=3).rewindable == 3
    walk(watcher, 4, 4, steps=5)
    watcher.send(StopRecording())
    assert bytes(watcher.saved().actions) == bytes((*WALK[:3], 4, 4))
    stop(watcher)
    assert len(assert_replays(config)) == 1


def test_a_slot_of_before_begins_another_demonstration_after_the_review(
    begin: Begin, config: RunConfig
) -> None:
    watcher = begin(has_review=True, has_reset=True)
    walk(watcher, *WALK[:3], steps=3)
    watcher.send(SaveSlot(1))
    walk(watcher, 4, steps=4)
    watcher.send(StopRecording())
    watcher.recording(review="you stopped it")
    watcher.send(StopRecording())
    watcher.saved()
    watcher.status(phase="resetting")
    walk(watcher, 7, 7, steps=2)
    watcher.send(LoadSlot(1))
    watcher.recording(review="you loaded slot 1", steps=2)
    watcher.send(DiscardRecording())
    assert watcher.status(phase="resetting").episode_steps == 3
    walk(watcher, 5, 6, steps=2)
    watcher.send(StopRecording())
    watcher.recording(review="you stopped it")
    watcher.send(StopRecording())
    demo = watcher.saved()
    assert bytes(demo.actions) == bytes((*WALK[:3], 5, 6))
    assert demo.begins_at == 3
    stop(watcher)
    assert len(assert_replays(config)) == 2


def test_a_slot_within_a_reviewed_demonstration_is_played_on_from(
    begin: Begin, config: RunConfig
) -> None:
    watcher = begin(has_review=True)
    walk(watcher, *WALK[:3], steps=3)
    watcher.send(SaveSlot(1))
    walk(watcher, 4, steps=4)
    watcher.send(StopRecording())
    watcher.recording(review="you stopped it")
    assert "keep it or discard it" in watcher.refusal(SaveSlot(2))
    watcher.send(LoadSlot(1))
    watcher.recording(review="", steps=3)
    stop(watcher)
    (demo,) = assert_replays(config)
    assert demo.episode_length == 3


def test_slots_are_there_when_the_set_is_recorded_on(begin: Begin, config: RunConfig) -> None:
    watcher = begin(set_name="walks")
    assert slots(watcher) == []
    walk(watcher, *WALK[:2], steps=2)
    watcher.send(SaveSlot(10))
    assert slots(watcher) == [10]
    watcher.send(KeepState(), KeepState())
    assert slots(watcher) == [10, 1]
    assert slots(watcher) == [10, 1, 2]
    assert "empty" in watcher.refusal(LoadSlot(5))
    assert "slots 1 to 10" in watcher.refusal(SaveSlot(11))
    stop(watcher)
    folder = Path(config.save_dir) / "demos" / "walks" / "states"
    (folder / "slot-1.slot").write_bytes(b"no slot")
    watcher = begin(set_name="walks")
    assert slots(watcher) == [10, 2]
    assert "slot-1.slot is damaged" in watcher.next(WarningRaised).message
    watcher.send(Branch(10))
    watcher.recording(is_recording=True, steps=0)
    walk(watcher, 4, steps=1)
    stop(watcher)
    assert sorted(demo.begins_at for demo in assert_replays(config, "walks")) == [0, 2]


def test_a_slot_of_other_frames_a_press_is_refused(begin: Begin, config: RunConfig) -> None:
    watcher = begin()
    walk(watcher, 5, steps=1)
    watcher.send(SaveSlot(1))
    slots(watcher)
    stop(watcher)
    slower = config.env.model_copy(update={"wait_frames": 30})
    session = RecordingSession(config.model_copy(update={"env": slower}), RecordingPlan())
    session.start()
    watcher = Watcher(session)
    assert "of another ROM, start or emulator" in watcher.next(WarningRaised).message
    assert "empty" in watcher.refusal(LoadSlot(1))
    assert session.stop(300)
