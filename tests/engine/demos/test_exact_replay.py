import hashlib
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from engine.config import RunConfig
from engine.demos.demonstration import GOAL, MAP, MILESTONE, DemoEvent, Demonstration
from engine.demos.exact_replay import END, play, unchecked
from engine.demos.layout import decisions, directions_of
from engine.demos.recorder import head_of_env, note_step, record_policy, rules_policy
from engine.demos.writer import DemoWriter
from engine.env.live import LiveStretch
from engine.env.stepping import make_game_env
from engine.errors import ReplayError
from engine.types import GAME_BOY_ACTIONS, Action

Recorded = tuple[Path, Demonstration]


def test_exact_replay_goes_as_it_was_recorded(demo_file: Recorded, demo_config: RunConfig) -> None:
    demo = demo_file[1]
    steps = list(play(demo, demo_config, with_end=True))
    assert [step.action for step in steps] == [*demo.actions, END]
    assert np.array_equal(np.array([s.reward for s in steps[:-1]], np.float32), demo.rewards)
    assert [step.number for step in steps] == list(range(151))
    assert all(step.frame is not None and step.frame.shape == (144, 160, 3) for step in steps)
    assert not np.array_equal(steps[0].features, steps[-1].features)


def test_exact_replay_renders_the_same_pictures_every_time(
    demo_file: Recorded, demo_config: RunConfig
) -> None:
    first, second = (play(demo_file[1], demo_config) for _ in range(2))
    for one, other in islice(zip(first, second, strict=True), 60):
        assert np.array_equal(one.frame, other.frame)


def test_exact_replay_finds_a_changed_action(demo_file: Recorded, demo_config: RunConfig) -> None:
    demo = demo_file[1]
    (own,) = demo.recording.segments
    actions = bytearray(own.actions)
    actions[60:90] = bytes([Action.RIGHT]) * 30
    changed = replace(own, actions=bytes(actions))
    demo = replace(demo, recording=replace(demo.recording, segments=(changed,)))
    with pytest.raises(ReplayError, match=r"diverges at step \d+"):
        list(play(demo, demo_config, renders=False))


def test_exact_replay_finds_a_changed_reward_at_its_step(
    demo_file: Recorded, demo_config: RunConfig
) -> None:
    rewards = demo_file[1].rewards.copy()
    rewards[41] += 1.0
    with pytest.raises(ReplayError, match="at step 42: reward"):
        played(replace(demo_file[1], rewards=rewards), demo_config)


@pytest.fixture(scope="module")
def won(demo_config: RunConfig, tmp_path_factory: pytest.TempPathFactory) -> Demonstration:
    """Return a demonstration of the rules that reaches the goal."""
    folder = tmp_path_factory.mktemp("won")
    ((_, demo),) = record_policy(rules_policy(0), demo_config, 1, folder, by="rules")
    assert demo.is_success
    return demo


def played(demo: Demonstration, config: RunConfig) -> int:
    return len(list(play(demo, config, renders=False)))


def test_exact_replay_compares_events_with_those_that_happen(
    won: Demonstration, demo_config: RunConfig
) -> None:
    assert len(won.milestones) > 2
    assert played(won, demo_config) == won.episode_length
    half = won.milestones[1][1]
    rewards = won.rewards.copy()
    rewards[:half] = 0.0
    events = tuple(event for event in won.events if event.step > half)
    later = replace(won, begins_at=half, rewards=rewards, events=events)
    assert played(later, demo_config) == won.episode_length - half


@pytest.mark.parametrize("kind", ["goal", "milestone"])
def test_exact_replay_finds_an_event_that_is_left_out(
    kind: str, won: Demonstration, demo_config: RunConfig
) -> None:
    event = next(event for event in won.events if event.kind == kind)
    less = tuple(each for each in won.events if each != event)
    words = f"at step {event.step}: {kind} {event.text}: reached but not recorded"
    with pytest.raises(ReplayError, match=words):
        played(replace(won, events=less), demo_config)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (DemoEvent(0, GOAL, "badge"), "at step 0: goal badge: recorded but not reached"),
        (DemoEvent(30, MILESTONE, "nobody"), "at step 30: milestone nobody: recorded"),
        (DemoEvent(150, GOAL, "badge"), "at step 150: goal badge: recorded"),
        (DemoEvent(30, MAP, "NOWHERE"), "at step 30: map .*, expected NOWHERE"),
    ],
)
def test_exact_replay_finds_a_forged_event_at_its_step(
    event: DemoEvent, words: str, demo_file: Recorded, demo_config: RunConfig
) -> None:
    demo = demo_file[1]
    events = tuple(sorted((*demo.events, event), key=lambda each: each.step))
    with pytest.raises(ReplayError, match=words):
        played(replace(demo, events=events), demo_config)


def test_unchecked_names_what_nothing_is_compared_with(
    demo_file: Recorded, demo_config: RunConfig
) -> None:
    demo = demo_file[1]
    assert unchecked(demo, demo_config) == ()
    hashes = tuple(each for each in demo.memory_hashes if each[0] == 100)
    torn = replace(demo, recording=replace(demo.recording, memory=""), memory_hashes=hashes)
    assert unchecked(torn, demo_config) == ("memory after step 100",)
    plain = replace(torn, memory_hashes=(), settings="")
    named = ("memory (none recorded)", "rewards", "milestones and goal")
    assert unchecked(plain, demo_config) == named


def test_exact_replay_refuses_another_rom(demo_file: Recorded, demo_config: RunConfig) -> None:
    demo = demo_file[1]
    demo = replace(demo, recording=replace(demo.recording, rom="0" * 40))
    with pytest.raises(ReplayError, match="different ROM"):
        list(play(demo, demo_config))


@pytest.mark.parametrize(
    ("emulator", "said"),
    [("9.9.9", r"recorded with emulator 9\.9\.9, not \d"), ("", "start state is damaged")],
)
def test_exact_replay_says_why_a_start_cannot_be_loaded(
    demo_file: Recorded, demo_config: RunConfig, emulator: str, said: str
) -> None:
    demo, torn = demo_file[1], b"torn"
    recording = replace(
        demo.recording,
        emulator=emulator or demo.recording.emulator,
        start=hashlib.sha1(torn, usedforsecurity=False).hexdigest(),
    )
    with pytest.raises(ReplayError, match=said):
        list(play(replace(demo, recording=recording, start_state=torn), demo_config))


def test_takeover_and_live_play_come_back_in_another_game(
    demo_config: RunConfig, tmp_path: Path
) -> None:
    """A person takes over after 20 steps, runs about in real time, then continues step by step."""
    with closing(make_game_env(demo_config, 0)) as env:
        env.seed_random(5)
        env.begin_episode()
        for number in range(20):
            env.advance((7, 4, 6, 5)[number % 4])
        writer = DemoWriter(tmp_path / "x.demo", head_of_env(env))
        for buttons, frames in (({Action.RIGHT}, 50), (set(), 10), ({Action.DOWN}, 45)):
            env.play_frames(frozenset(buttons), frames)
            env.advance_live()
        env.come_to_rest()
        paid, *_ = env.advance_live()
        writer.live(env.recording().segments[-1].live[-1], paid)
        for action in (7, 7, 5, 0):
            reward, *ends = env.advance(action)
            writer.step(action, reward, done=any(ends), proposal=3, is_intervention=True)
            note_step(writer, env, is_terminated=ends[0])
        demo = writer.finish(env.memory_digest())
    steps = list(play(demo, demo_config, renders=False))
    shown = [(step.number, step.action, step.is_live) for step in steps]
    assert shown[:3] == [(20, Action.RIGHT, True)] * 3
    assert (20, Action.DOWN, True) in shown
    own = [(number, action) for number, action, is_live in shown if not is_live]
    assert own == [(20, 7), (21, 7), (22, 5), (23, 0)]
    assert {step.proposal for step in steps if not step.is_live} == {3}
    assert demo.begins_at == 20


def test_a_held_direction_is_a_decision_a_tile() -> None:
    stretch = LiveStretch(0).then(frozenset(), 9).then(frozenset({Action.UP}), 50)
    stretch = stretch.then(frozenset(), 7).then(frozenset({Action.A}), 90)
    cut = list(decisions(stretch, 20, directions_of(GAME_BOY_ACTIONS.names)))
    assert [action for action, _ in cut] == [None, Action.UP, Action.UP, Action.UP, Action.A]
    assert sum(frames for _, parts in cut for _, frames in parts) == stretch.frames
