import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.config import RunConfig
from engine.demos import live_recorder
from engine.demos.dataset import DemoSet
from engine.demos.demonstration import MAP, Demonstration, decode_demo, encode_demo, read_demo
from engine.demos.exact_replay import play
from engine.demos.live_recorder import LiveRecorder
from engine.demos.writer import DemoWriter, recover
from engine.emulator.base import GAME_BOY_FRAMES_PER_S as FRAMES_PER_S
from engine.env.live import LiveStretch
from engine.env.stepping import SteppedEnv
from engine.errors import DemoError
from engine.types import Action
from tests.engine.demos.heads import make_head
from tests.engine.processes import child_process

pytestmark = pytest.mark.slow

WALK = (Action.DOWN, Action.RIGHT, Action.DOWN, Action.LEFT, Action.A, Action.UP, Action.B)


@pytest.fixture
def recorder(stepped: SteppedEnv, tmp_path: Path) -> LiveRecorder:
    """Records since the episode began."""
    recorder = LiveRecorder(stepped, tmp_path)
    recorder.begin()
    return recorder


def play_on(stepped: SteppedEnv, recorder: LiveRecorder, count: int, first: int = 0) -> None:
    for number in range(first, first + count):
        action = WALK[number * number % len(WALK)]
        reward, is_terminated, is_truncated = stepped.step(action)
        done = is_terminated or is_truncated
        recorder.step(action, reward, done=done, proposal=2, is_human=number % 2 == 0)


def play_live(stepped: SteppedEnv, recorder: LiveRecorder, seconds: int, *, rests: bool) -> None:
    """Walk to and fro in real time, read six times a second."""
    for number in range(seconds * 6):
        button = (Action.RIGHT, Action.DOWN, Action.LEFT, Action.NOOP)[number // 4 % 4]
        stepped.play_frames(frozenset({button} - {Action.NOOP}), 10, render=False)
        reward, done, _ = stepped.count_frames(is_over=False)
        recorder.live(reward, done=done)
    if rests:
        reward, done, _ = stepped.count_frames(is_over=True)
        recorder.live(reward, done=done, is_over=True)


def everything(stepped: SteppedEnv) -> dict[str, Any]:
    """Return all that can be told of an environment."""
    env = stepped.env
    return {
        "machine": env.emulator.save_state(),
        **{
            name: getattr(stepped, name).tobytes()
            for name in ("features", "mask", "prior", "pixels")
        },
        "confidence": stepped.confidence,
        "state": repr(env.state),
        "sums": env.episode_sums,
        "breakdown": env.breakdown,
        "milestones": env.milestones,
        "steps": env.episode_steps,
        "recording": env.recording(),
        "blocked": env.blocked,
        "saved": stepped.save(),
    }


def assert_alike(now: dict[str, Any], then: dict[str, Any]) -> None:
    assert [name for name in then if now[name] != then[name]] == []


def finish(recorder: LiveRecorder, config: RunConfig) -> Demonstration:
    """Play it in another environment: hashes, payments and ends must be those recorded."""
    _, demo = recorder.finish()
    check(demo, config)
    return demo


def check(demo: Demonstration, config: RunConfig) -> None:
    shown = [step for step in play(demo, config, renders=False) if not step.is_live]
    assert [step.action for step in shown] == list(demo.actions[demo.begins_at :])


def test_a_live_recording_replays_exactly(
    stepped: SteppedEnv, demo_config: RunConfig, tmp_path: Path
) -> None:
    recorder = LiveRecorder(stepped, tmp_path, task="walk", tags=("one", "two"), clock=lambda: 5.0)
    recorder.begin()
    play_on(stepped, recorder, 120)
    recorder.mark("there")
    assert not recorder.facts.is_marked  # a note marks nothing
    recorder.mark()
    recorder.describe("walk about", ("three",))
    facts = recorder.facts
    path, demo = recorder.finish()
    assert (facts.steps, facts.human_steps, facts.rewindable) == (120, 60, 120)
    assert (facts.task, facts.tags) == ("walk about", ("one", "two", "three"))
    assert facts.is_marked
    assert demo.is_success
    assert demo.is_intervention.sum() == 60
    assert (demo.created_s, demo.task) == (5.0, "walk about")
    assert np.array_equal(read_demo(path).rewards, demo.rewards)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    check(demo, demo_config)


@pytest.mark.parametrize("actions", [1, 8, 21])
def test_rewinding_brings_everything_back(
    actions: int,
    stepped: SteppedEnv,
    recorder: LiveRecorder,
    demo_config: RunConfig,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_recorder, "SNAPSHOT_EVERY", 8)
    play_on(stepped, recorder, 40 - actions)
    then = everything(stepped)
    play_on(stepped, recorder, actions, first=100)
    assert recorder.rewind(actions) == actions
    assert_alike(everything(stepped), then)
    assert recorder.facts.steps == recorder.facts.rewindable == 40 - actions
    play_on(stepped, recorder, 30, first=7)
    assert finish(recorder, demo_config).episode_length == 70 - actions


def test_stepping_back_goes_through_live_play_frame_by_frame(
    stepped: SteppedEnv, recorder: LiveRecorder, demo_config: RunConfig
) -> None:
    play_on(stepped, recorder, 3)
    digests = {}
    for number in range(13):
        button = (Action.RIGHT, Action.DOWN, Action.LEFT)[number // 4 % 3]
        for _ in range(10):
            stepped.play_frames(frozenset({button}), 1, render=False)
            digests[stepped.env.last_live.frames] = stepped.env.memory_digest()
        recorder.live(stepped.count_frames(is_over=False)[0])
    stretch = stepped.env.last_live
    for frames in range(122, 50, -8):
        assert recorder.step_back(8)
        assert stepped.env.last_live == stretch.cut(frames)
        assert stepped.env.memory_digest() == digests[frames]
    play_on(stepped, recorder, 2)
    demo = finish(recorder, demo_config)
    assert (demo.episode_length, demo.recording.segments[-1].live) == (5, (stretch.cut(frames),))


def test_stepping_back_ends_where_the_recording_began(stepped: SteppedEnv, tmp_path: Path) -> None:
    stepped.play_frames(frozenset({Action.RIGHT}), 30, render=False)
    stepped.count_frames(is_over=True)
    recorder = LiveRecorder(stepped, tmp_path)
    recorder.begin()
    before = stepped.env.recording()
    play_live(stepped, recorder, 1, rests=False)
    play_on(stepped, recorder, 2)
    steps = 0
    while recorder.step_back(8):
        steps += 1
    assert steps == 2 + 60 // 8 + 1
    assert stepped.env.recording() == before
    assert recorder.is_empty


def test_loading_a_snapshot_of_the_recording_truncates_it(
    stepped: SteppedEnv, demo_config: RunConfig, tmp_path: Path
) -> None:
    recorder = LiveRecorder(stepped, tmp_path)
    before = stepped.snapshot()
    stepped.step(Action.DOWN)
    recorder.begin()
    play_on(stepped, recorder, 4)
    at_step, digest = stepped.snapshot(), stepped.env.memory_digest()
    play_live(stepped, recorder, 1, rests=True)
    in_live, live_digest = stepped.snapshot(), stepped.env.memory_digest()
    play_live(stepped, recorder, 1, rests=True)
    play_on(stepped, recorder, 3)
    assert not recorder.load(before)
    assert recorder.facts.episode_steps == 8
    assert recorder.load(in_live)
    assert (stepped.env.memory_digest(), recorder.facts.episode_steps) == (live_digest, 5)
    play_on(stepped, recorder, 2)
    ahead = stepped.snapshot()
    assert recorder.load(at_step)
    assert (stepped.env.memory_digest(), recorder.facts.steps) == (digest, 4)
    assert not recorder.load(ahead)  # of a moment that is no more
    play_on(stepped, recorder, 2, first=1)
    assert recorder.rewind(1) == 1
    _, demo = recorder.finish()
    assert (demo.episode_length, demo.has_live) == (6, False)
    check(demo, demo_config)


@pytest.mark.parametrize("lead_s", [0, 1])
def test_the_moves_of_a_recording_lead_from_its_start_to_its_end(
    lead_s: int, stepped: SteppedEnv, tmp_path: Path
) -> None:
    recorder = LiveRecorder(stepped, tmp_path)
    if lead_s:  # it begins amidst real-time play
        stepped.play_frames(frozenset({Action.RIGHT}), 60 * lead_s, render=False)
        stepped.count_frames(is_over=True)
    recorder.begin()
    play_live(stepped, recorder, 1, rests=True)
    play_on(stepped, recorder, 9)
    play_live(stepped, recorder, 1, rests=False)
    moves, then = recorder.moves(), stepped.env.recording()
    stepped.restore(recorder.start)
    for move in moves:
        if isinstance(move, LiveStretch):
            for buttons, frames in move.spans():
                stepped.play_frames(buttons, frames, render=False)
            stepped.count_frames(is_over=False)
        else:
            stepped.step(move)
    assert stepped.env.recording() == then  # the memory's hash is part of it


def test_real_time_play_is_taken_back_by_the_second(
    stepped: SteppedEnv, recorder: LiveRecorder, demo_config: RunConfig
) -> None:
    play_on(stepped, recorder, 11)
    play_live(stepped, recorder, 3, rests=False)
    then = everything(stepped)
    shown = recorder.facts.steps
    play_live(stepped, recorder, 2, rests=True)
    rested = recorder.facts.steps
    assert 11 < shown < rested
    play_on(stepped, recorder, 5)
    assert recorder.rewind(5) == 5
    assert recorder.facts.steps == rested
    assert recorder.rewind(3) == 3  # two seconds, and their coming to rest
    assert recorder.facts.steps == shown
    kept = {name: then[name] for name in ("machine", "recording", "sums", "steps")}
    assert_alike(everything(stepped), kept)
    play_live(stepped, recorder, 1, rests=True)
    play_on(stepped, recorder, 9, first=3)
    demo = finish(recorder, demo_config)
    assert demo.has_live
    total = stepped.env.summary().total_reward
    assert demo.live_return + demo.rewards.sum() == pytest.approx(total)


def test_a_demonstration_begins_amidst_an_episode(
    stepped: SteppedEnv, demo_config: RunConfig, tmp_path: Path
) -> None:
    play_on_silently(stepped, 25)
    then = everything(stepped)
    recorder = LiveRecorder(stepped, tmp_path)
    recorder.begin()
    play_live(stepped, recorder, 2, rests=True)
    play_on(stepped, recorder, 12)
    assert recorder.rewind(100) == 12 + 3
    assert_alike(everything(stepped), then)
    play_on(stepped, recorder, 4)
    demo = finish(recorder, demo_config)
    assert not demo.has_live
    assert (demo.begins_at, demo.episode_length) == (25, 29)


def test_recorder_counts_presses_since_it_began_only(
    stepped: SteppedEnv, demo_config: RunConfig, tmp_path: Path
) -> None:
    play_on_silently(stepped, 25)
    stepped.play_frames(frozenset({Action.RIGHT}), 90, render=False)
    stepped.count_frames(is_over=True)
    recorder = LiveRecorder(stepped, tmp_path)
    recorder.begin()
    assert (recorder.facts.steps, recorder.is_empty) == (0, True)
    stepped.play_frames(frozenset(), 200, render=False)
    recorder.live(stepped.count_frames(is_over=False)[0])
    assert (recorder.facts.steps, recorder.is_empty) == (0, True)
    play_live(stepped, recorder, 2, rests=True)
    live = recorder.facts.steps
    assert recorder.facts.human_steps == live > 3
    play_on(stepped, recorder, 4)
    assert (recorder.facts.steps, recorder.facts.human_steps) == (live + 4, live + 2)
    paid = recorder.paid
    path, demo = recorder.finish()
    assert len(demo.shown) == len(list(play(demo, demo_config))) == live + 4
    assert demo.live_s == pytest.approx((200 + 120 + 2) / FRAMES_PER_S)  # two to come to rest
    assert demo.episode_return == pytest.approx(paid)
    assert sum(steps for _, steps in demo.maps()) == live + 4
    found = DemoSet(tmp_path).statistics()
    assert found.lengths == (live + 4,)
    assert sum(times for _, times in found.actions) == live + 4
    assert encode_demo(read_demo(path)) == encode_demo(demo)


def test_a_mark_can_be_taken_back_wherever_it_was_made(
    stepped: SteppedEnv, recorder: LiveRecorder, tmp_path: Path
) -> None:
    recorder.mark()
    play_on(stepped, recorder, 3)
    assert recorder.facts.is_marked
    recorder.mark("a door")
    recorder.mark()
    assert not recorder.facts.is_marked
    recorder.mark()
    recorder.rewind(1)
    assert not recorder.facts.is_marked
    play_on(stepped, recorder, 2)
    _, demo = recorder.finish()
    assert (demo.is_success, demo.notes) == (False, ())
    assert DemoSet(tmp_path).statistics().successes == 0


def test_maps_that_are_crossed_in_real_time_are_known(tmp_path: Path) -> None:
    writer = DemoWriter(tmp_path / "x.demo", make_head(b"s", taken=bytes(2)))
    writer.event(MAP, "HOME")
    held = LiveStretch(2).then(frozenset({Action.UP}), 40)
    writer.live(held)
    writer.event(MAP, "TOWN")
    writer.live(held.then(frozenset(), 5).then(frozenset({Action.A}), 3))
    writer.step(0, 0.0)
    demo = writer.finish()
    assert demo.maps() == (("HOME", 2), ("TOWN", 2))
    assert decode_demo(encode_demo(demo), "x").maps() == demo.maps()
    assert [each.action for each in demo.shown] == [4, 4, 0, 0]


def test_discarding_leaves_nothing(
    stepped: SteppedEnv, recorder: LiveRecorder, tmp_path: Path
) -> None:
    play_on(stepped, recorder, 5)
    recorder.discard()
    recorder.discard()
    assert list(tmp_path.iterdir()) == []
    assert not recorder.is_recording
    with pytest.raises(DemoError, match="Nothing is being recorded"):
        recorder.rewind(1)


def test_recording_again_begins_where_it_began(
    stepped: SteppedEnv, demo_config: RunConfig, tmp_path: Path
) -> None:
    play_on_silently(stepped, 10)
    then = everything(stepped)
    recorder = LiveRecorder(stepped, tmp_path, task="again")
    recorder.begin()
    play_on(stepped, recorder, 30)
    recorder.back_to_start()
    assert_alike(everything(stepped), then)
    assert recorder.facts.steps == 0
    play_on(stepped, recorder, 6)
    _, demo = recorder.finish()
    assert (demo.begins_at, demo.episode_length, demo.task) == (10, 16, "again")
    assert len(list(tmp_path.iterdir())) == 1
    check(demo, demo_config)


def play_on_silently(stepped: SteppedEnv, count: int) -> None:
    for number in range(count):
        stepped.step(WALK[number % len(WALK)])


def test_rewind_stops_at_the_oldest_snapshot(
    stepped: SteppedEnv, recorder: LiveRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_recorder, "MAX_SNAPSHOTS", 3)
    monkeypatch.setattr(live_recorder, "SNAPSHOT_EVERY", 8)
    play_on(stepped, recorder, 50)
    assert recorder.facts.rewindable == 18
    assert recorder.rewind(40) == 18
    assert recorder.facts.steps == 32
    recorder.back_to_start()
    assert stepped.env.episode_steps == 0


def test_a_recorder_that_cannot_rewind_records_alike(
    stepped: SteppedEnv, demo_config: RunConfig, tmp_path: Path
) -> None:
    recorder = LiveRecorder(stepped, tmp_path, can_rewind=False)
    recorder.begin()
    assert recorder.is_empty
    play_on(stepped, recorder, 10)
    assert (recorder.facts.steps, recorder.facts.human_steps) == (10, 5)
    play_live(stepped, recorder, 1, rests=True)
    facts = recorder.facts
    assert (facts.steps, facts.human_steps, facts.rewindable) == (10 + 3, 5 + 3, 0)
    assert not recorder.is_empty
    assert recorder.rewind(3) == 0
    finish(recorder, demo_config)


def test_rewound_steps_stay_away_when_the_process_is_killed(
    demo_config: RunConfig, tmp_path: Path
) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from engine.config import RunConfig\n"
        "from engine.demos.live_recorder import LiveRecorder\n"
        "from engine.env.stepping import SteppedEnv, make_game_env\n"
        "stepped = SteppedEnv(make_game_env(RunConfig(save_dir=sys.argv[1]), 0))\n"
        "stepped.begin(3)\n"
        "recorder = LiveRecorder(stepped, Path(sys.argv[2]))\n"
        "recorder.begin()\n"
        "def press(*actions):\n"
        "    for action in actions:\n"
        "        reward, *ends = stepped.step(action)\n"
        "        recorder.step(action, reward, done=any(ends), is_human=True)\n"
        "press(5, 7, 5, 4, 7, 7, 5, 5, 6, 6, 6)\n"
        "recorder.rewind(4)\n"
        "for _ in range(12):\n"
        "    stepped.play_frames(frozenset({7}), 10, render=False)\n"
        "    recorder.live(stepped.count_frames(is_over=False)[0])\n"
        "recorder.rewind(1)\n"
        "recorder.live(stepped.count_frames(is_over=True)[0], is_over=True)\n"
        "press(4, 4, 7)\n"
        "assert 'torch' not in sys.modules\n"
        "print('played', flush=True); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code, demo_config.save_dir, str(tmp_path)]
    with child_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"played\n"
        os.kill(process.pid, signal.SIGKILL)
    (log,) = tmp_path.iterdir()
    demo = recover(log)
    assert bytes(demo.actions) == bytes((5, 7, 5, 4, 7, 7, 5, 4, 4, 7))
    assert [stretch.after for stretch in demo.recording.segments[-1].live] == [7]
    check(demo, demo_config)


@pytest.mark.parametrize("seed", range(8))
def test_recording_with_rewinds_replays_exactly(
    seed: int,
    stepped: SteppedEnv,
    demo_config: RunConfig,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_recorder, "SNAPSHOT_EVERY", 5)
    monkeypatch.setattr(live_recorder, "MAX_SNAPSHOTS", 12)
    rng = np.random.default_rng(seed)
    play_on_silently(stepped, seed % 3 * 4)
    before = stepped.env.summary().total_reward
    recorder = LiveRecorder(stepped, tmp_path)
    recorder.begin()
    kinds = ["play"] * 15 + ["live"] * 5 + ["stop"] * 4 + ["rewind"] * 8 + ["again"]
    for kind in rng.choice(kinds, 40):
        if kind == "play":
            play_on(stepped, recorder, int(rng.integers(1, 9)), first=int(rng.integers(100)))
        elif kind == "again":
            recorder.back_to_start()
        elif kind == "rewind":
            then, wanted = recorder.facts.rewindable, int(rng.integers(1, 12))
            assert recorder.rewind(wanted) == min(wanted, then)
            assert recorder.facts.rewindable == max(0, then - wanted)
        else:
            button = frozenset({Action(int(rng.choice((0, 4, 5, 6, 7))))})
            stepped.play_frames(button, int(rng.integers(3, 90)), render=False)
            is_over = kind == "stop"
            recorder.live(stepped.count_frames(is_over=is_over)[0], is_over=is_over)
    log = next(tmp_path.glob("*.part")).read_bytes()
    path, demo = recorder.finish()
    paid = stepped.env.summary().total_reward - before
    assert demo.episode_return == pytest.approx(paid, abs=1e-3)
    check(demo, demo_config)
    path.unlink()
    path.with_name(path.name + ".part").write_bytes(log)
    assert recover(path).recording.segments == demo.recording.segments
