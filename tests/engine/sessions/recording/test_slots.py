"""Save slots of a set: loading one truncates the demonstration, or begins another there."""

from pathlib import Path

import pytest

from engine.commands import Branch, DiscardRecording, KeepState, LoadSlot, SaveSlot, StopRecording
from engine.config import RunConfig
from engine.events import CommandObeyed, StatesKept, WarningRaised
from engine.sessions.record import RecordingPlan, RecordingSession
from tests.engine.sessions.recording.conftest import Begin, Watcher, assert_replays

pytestmark = pytest.mark.slow

WALK = (5, 7, 5, 4, 7, 7, 5, 6)


def slots(watcher: Watcher) -> list[int]:
    """Wait for the next list of slots."""
    return [state.slot for state in watcher.next(StatesKept).states]


def test_loading_a_slot_of_the_demonstration_truncates_it(begin: Begin, config: RunConfig) -> None:
    watcher = begin()
    watcher.walk(*WALK[:3], steps=3)
    watcher.send(SaveSlot(2))
    assert "you saved slot 2" in watcher.next(CommandObeyed).text
    watcher.walk(*WALK[3:], steps=8)
    watcher.send(LoadSlot(2))
    assert "you loaded slot 2" in watcher.next(CommandObeyed).text
    assert watcher.recording(steps=3).rewindable == 3
    watcher.walk(4, 4, steps=5)
    assert bytes(watcher.keep().actions) == bytes((*WALK[:3], 4, 4))
    watcher.stop()
    assert len(assert_replays(config)) == 1


def test_a_slot_of_before_begins_another_demonstration_after_the_review(
    begin: Begin, config: RunConfig
) -> None:
    watcher = begin(has_review=True, has_reset=True)
    watcher.walk(*WALK[:3], steps=3)
    watcher.send(SaveSlot(1))
    watcher.walk(4, steps=4)
    watcher.send(StopRecording())
    watcher.recording(review="you stopped it")
    watcher.keep()
    watcher.status(phase="resetting")
    watcher.walk(7, 7, steps=2)
    watcher.send(LoadSlot(1))
    watcher.recording(review="you loaded slot 1", steps=2)
    watcher.send(DiscardRecording())
    assert watcher.status(phase="resetting").episode_steps == 3
    watcher.walk(5, 6, steps=2)
    watcher.send(StopRecording())
    watcher.recording(review="you stopped it")
    demo = watcher.keep()
    assert bytes(demo.actions) == bytes((*WALK[:3], 5, 6))
    assert demo.begins_at == 3
    watcher.stop()
    assert len(assert_replays(config)) == 2


def test_a_slot_within_a_reviewed_demonstration_is_played_on_from(
    begin: Begin, config: RunConfig
) -> None:
    watcher = begin(has_review=True)
    watcher.walk(*WALK[:3], steps=3)
    watcher.send(SaveSlot(1))
    watcher.walk(4, steps=4)
    watcher.send(StopRecording())
    watcher.recording(review="you stopped it")
    assert "keep it or discard it" in watcher.refusal(SaveSlot(2))
    watcher.send(LoadSlot(1))
    watcher.recording(review="", steps=3)
    watcher.stop()
    (demo,) = assert_replays(config)
    assert demo.episode_length == 3


def test_slots_are_there_when_the_set_is_recorded_on(begin: Begin, config: RunConfig) -> None:
    watcher = begin(set_name="walks")
    assert slots(watcher) == []
    watcher.walk(*WALK[:2], steps=2)
    watcher.send(SaveSlot(10))
    assert slots(watcher) == [10]
    watcher.send(KeepState(), KeepState())
    assert slots(watcher) == [10, 1]
    assert slots(watcher) == [10, 1, 2]
    assert "empty" in watcher.refusal(LoadSlot(5))
    assert "slots 1 to 10" in watcher.refusal(SaveSlot(11))
    watcher.stop()
    folder = Path(config.save_dir) / "demos" / "walks" / "states"
    (folder / "slot-1.slot").write_bytes(b"no slot")
    watcher = begin(set_name="walks")
    assert slots(watcher) == [10, 2]
    assert "slot-1.slot is damaged" in watcher.next(WarningRaised).message
    watcher.send(Branch(10))
    watcher.recording(is_recording=True, steps=0)
    watcher.walk(4, steps=1)
    watcher.stop()
    assert sorted(demo.begins_at for demo in assert_replays(config, "walks")) == [0, 2]


def test_a_slot_of_other_frames_a_press_is_refused(begin: Begin, config: RunConfig) -> None:
    watcher = begin()
    watcher.walk(5, steps=1)
    watcher.send(SaveSlot(1))
    slots(watcher)
    watcher.stop()
    slower = config.env.model_copy(update={"wait_frames": 30})
    session = RecordingSession(config.model_copy(update={"env": slower}), RecordingPlan())
    session.start()
    watcher = Watcher(session)
    message = watcher.next(WarningRaised).message
    assert "with 8 + 12 + 240 frames per press, not 8 + 30 + 240" in message
    assert "Add --set env.hold_frames=8 --set env.wait_frames=12" in message
    assert "empty" in watcher.refusal(LoadSlot(1))
    assert session.stop(300)
