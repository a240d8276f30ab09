import dataclasses

import numpy as np
import pytest

from engine.config import EnvConfig, PressFrames
from engine.env.game_env import GameEnv
from engine.env.input_recording import Recording, Segment
from engine.env.input_replay import replay
from engine.errors import ReplayError
from tests.engine.env.test_game_env import play

SEGMENT = Segment((1, 255), bytes((0, 4, 4, 8)))
RECORDING = Recording("rom", "start", "2.8", PressFrames(8, 12), (SEGMENT,), "memory")


def with_actions(recording: Recording, actions: bytes) -> Recording:
    segment = dataclasses.replace(recording.segments[-1], actions=actions)
    return dataclasses.replace(recording, segments=(segment,))


def record(env: GameEnv, steps: int) -> tuple[Recording, list[float]]:
    env.reset(seed=5)
    rewards = [reward for _, reward in play(env, steps)]
    return env.recording(), rewards


def test_recording_survives_its_text() -> None:
    assert Recording.decode(RECORDING.encode()) == RECORDING
    led = dataclasses.replace(RECORDING, segments=(SEGMENT, Segment((0, 0), b"\x01")))
    assert Recording.decode(led.encode()) == led


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[1]",
        "null",
        RECORDING.encode()[:-9],
        RECORDING.encode().replace("eN", "!!"),
        dataclasses.replace(RECORDING, segments=()).encode(),
    ],
)
def test_damaged_text_is_refused(text: str) -> None:
    with pytest.raises(ReplayError, match="damaged"):
        Recording.decode(text)


def test_unknown_action_is_refused(env: GameEnv) -> None:
    env.reset(seed=0)
    with pytest.raises(ReplayError, match="actions"):
        next(replay(env, with_actions(env.recording(), b"\x09")))


def test_thousand_steps_take_less_than_a_kilobyte(env: GameEnv) -> None:
    """O
    from dataclasses import replace
    f whatever actions: random ones of all nine can be packed the least."""
    actions = np.random.default_rng(0).integers(0, 9, 1000, np.uint8).tobytes()
    recording = with_actions(record(env, 1)[0], actions)
    assert len(recording.actions) == 1000
    assert len(recording.encode()) < 1024


def test_episode_is_replayed_exactly(env: GameEnv, game_env) -> None:
    recording, rewards = record(env, 150)
    place, memory = env.state.place, env.recording().memory
    other = game_env()
    replayed = [reward for reward, *_ in replay(other, Recording.decode(recording.encode()))]
    assert replayed == rewards
    assert (other.state.place, other.recording().memory) == (place, memory)
    assert len(set(rewards)) > 3
    assert Recording.decode(env.summary().recording) == recording


def test_recording_continues_in_a_restored_environment(env: GameEnv, game_env) -> None:
    env.reset(seed=5)
    play(env, 60)
    other = game_env()
    other.restore(env.save())
    play(other, 60, seed=1)
    recording = other.recording()
    assert len(recording.actions) == 120
    assert len(list(replay(other, recording))) == 120


def test_other_way_is_noticed(env: GameEnv) -> None:
    recording, _ = record(env, 60)
    actions = bytes(recording.actions[:-1]) + bytes((2,))
    with pytest.raises(ReplayError, match="diverged"):
        list(replay(env, with_actions(recording, actions)))


def test_episode_from_an_archived_moment_is_replayed_exactly(env: GameEnv, game_env) -> None:
    """Also where that moment's episode began from an archived one itself."""
    env.reset(seed=5)
    play(env, 40)
    for steps in (25, 60):
        other = game_env()
        other.seed_random(steps)
        other.begin_from(env.save())
        rewards = [reward for _, reward in play(other, steps, seed=steps)]
        env.restore(other.save())
    recording = Recording.decode(env.recording().encode())
    assert [len(segment.actions) for segment in recording.segments] == [40, 25, 60]
    assert env.steps_from_start == 125
    another = game_env()
    assert [reward for reward, *_ in replay(another, recording)] == rewards
    assert another.recording() == recording


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rom": "0"}, "a different ROM"),
        ({"start": "0"}, "different start state"),
        ({"emulator": "1.0"}, "emulator 1.0"),
        ({"frames": (8, 16)}, "frames"),
    ],
)
def test_other_environment_is_refused(env: GameEnv, change: dict[str, object], words: str) -> None:
    recording = dataclasses.replace(record(env, 1)[0], **change)  # type: ignore[arg-type]
    with pytest.raises(ReplayError, match=words) as refused:
        next(replay(env, recording))
    assert ("--core" in refused.value.hint) == ("emulator" in change)


def test_a_recording_from_before_questions_were_waited_for_stays_as_it_was() -> None:
    text = RECORDING.encode()
    assert "[8,12]" in text
    assert Recording.decode(text).frames == (8, 12, 0)
    asking = dataclasses.replace(RECORDING, frames=PressFrames(8, 12, 240))
    assert Recording.decode(asking.encode()).frames == (8, 12, 240)
    assert EnvConfig.of_saved({}).press == (8, 12, 0)
