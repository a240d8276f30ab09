"""Sessions that record demonstrations of the practice game, driven as the cockpit drives them."""

import json
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from engine.commands import (
    Branch,
    DescribeRecording,
    DiscardRecording,
    GiveBack,
    Hold,
    KeepRecent,
    MarkRecording,
    Pause,
    PlayLive,
    Press,
    Restart,
    Resume,
    Rewind,
    RunBackwards,
    Save,
    SetGoal,
    SetSpeed,
    StartRecording,
    StepOnce,
    Stop,
    StopRecording,
    TakeOver,
)
from engine.config import RunConfig
from engine.demos.demonstration import NO_PROPOSAL, SUFFIX, Demonstration, read_demo
from engine.demos.live_recorder import LiveRecorder
from engine.demos.recorder import record_policy, rules_policy
from engine.env.stepping import SteppedEnv, make_game_env
from engine.errors import CheckpointError, ConfigurationError
from engine.events import (
    RECORD,
    ControlChanged,
    DecisionMade,
    EpisodeEnded,
    FrameRendered,
    GameObserved,
    PayoutMade,
    ReasoningLogged,
    RecordingChanged,
    RecordingEnded,
    RewardPaid,
    RunFailed,
    RunStarted,
    RunStopped,
    WarningRaised,
)
from engine.sessions.record import DemoPoint, RecordingPlan, RecordingSession
from engine.types import Action, Source
from tests.engine.sessions.recording.conftest import Begin, assert_replays

pytestmark = pytest.mark.slow

WALK = (5, 7, 5, 4, 7, 7, 5, 6)


@pytest.fixture(scope="module")
def won(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Demonstration]:
    """A game that the rules played to its goal, and its file."""
    folder = tmp_path_factory.mktemp("rules")
    config = RunConfig(save_dir=str(folder))
    ((path, demo),) = record_policy(rules_policy(1), config, 1, folder, max_steps=0)
    assert demo.is_success
    return path, demo


def test_a_person_records_a_set_by_turns(begin: Begin, config: RunConfig) -> None:
    watcher = begin(set_name="walks", episodes=2, task="walk", tags=("one",))
    assert watcher.next(RunStarted).mode == RECORD
    assert watcher.next(ControlChanged).is_human
    watcher.recording(is_recording=True, steps=0, saved=0, wanted=2)
    watcher.press(WALK)
    now = watcher.recording(steps=8)
    assert (now.human_steps, now.rewindable, now.task, now.tags) == (8, 8, "walk", ("one",))
    watcher.send(MarkRecording(), DescribeRecording("walk about", ("two",)))
    watcher.recording(is_marked=True, tags=("one", "two"), task="walk about")
    first = watcher.keep()
    watcher.recording(is_recording=True, steps=0, saved=1)
    watcher.walk(4, 4)
    watcher.keep()
    assert "has its 2 demonstrations" in watcher.next(RunStopped).reason
    assert (first.by, first.is_success, first.tags) == ("human", True, {"one", "two"})
    lengths = [demo.episode_length for demo in assert_replays(config, "walks")]
    assert sorted(lengths) == [2, 8]
    assert len(watcher.all(EpisodeEnded)) == 2


def test_a_mark_is_taken_back_and_a_note_is_none(begin: Begin) -> None:
    watcher = begin()
    watcher.recording(is_recording=True, steps=0)
    watcher.send(MarkRecording())
    watcher.recording(is_marked=True)
    watcher.send(MarkRecording())
    watcher.recording(is_marked=False)
    watcher.walk(4, 4)
    watcher.send(MarkRecording("a door"))
    watcher.next(ReasoningLogged, lambda line: line.text == "you noted: a door")
    assert not watcher.recording().is_marked
    demo = watcher.keep()
    assert (demo.is_success, demo.notes) == (False, (("a door", 2),))


def test_recording_session_publishes_what_panes_show(
    begin: Begin, won: tuple[Path, Demonstration]
) -> None:
    actions = won[1].actions[:40]
    watcher = begin()
    watcher.recording(is_recording=True)
    watcher.press(actions[:1])
    decision = watcher.next(DecisionMade).decision
    assert (int(decision.action), decision.source) == (actions[0], Source.HUMAN)
    assert watcher.next(FrameRendered).frame.shape == (144, 160, 3)
    watcher.press(actions[1:])
    assert watcher.next(PayoutMade).component == "milestone"
    watcher.recording(steps=40)
    observed = watcher.all(GameObserved)[-1]
    assert observed.goal is not None
    assert observed.visited is not None
    assert sum(value for _, value in watcher.all(RewardPaid)[-1].episode) > 0
    watcher.press(actions[:1])
    status = watcher.status(is_human=True, phase="recording")
    assert dict(status.shares)["human"] == 1.0


def test_a_set_is_resumed_with_what_a_crash_left(begin: Begin, config: RunConfig) -> None:
    folder = Path(config.save_dir) / "demos" / "walks"
    with closing(SteppedEnv(make_game_env(config, 0))) as env:
        for steps in (6, 3, 0):
            env.begin(1)
            recorder = LiveRecorder(env, folder)
            recorder.begin()
            for action in WALK[:steps]:
                recorder.step(action, env.step(action)[0], done=False, is_human=True)
            (recorder.finish if steps == 6 else recorder.close)()
    (folder / f"torn{SUFFIX}").write_bytes(b"no demonstration")
    watcher = begin(set_name="walks", episodes=3)
    assert "3 steps" in watcher.next(ReasoningLogged).text
    assert "torn" in watcher.next(WarningRaised).message
    watcher.recording(is_recording=True, saved=2, wanted=3)
    assert len(list(folder.glob(f"*{SUFFIX}.part"))) == 1  # the one that is being written
    watcher.walk(5)
    watcher.send(StopRecording())
    assert "has its 3" in watcher.next(RunStopped).reason
    (folder / f"torn{SUFFIX}").unlink()
    assert len(assert_replays(config, "walks")) == 3
    again = begin(set_name="walks", episodes=3)
    assert "has its 3" in again.next(RunStopped).reason


def test_stop_saves_what_was_played_and_nothing_else(begin: Begin, config: RunConfig) -> None:
    watcher = begin()
    watcher.walk(5, 7, 5)
    watcher.send(Stop("enough"))
    assert watcher.saved().episode_length == 3
    assert watcher.next(RunStopped).reason == "enough"
    watcher = begin()
    watcher.recording(is_recording=True, saved=1)
    watcher.stop()
    assert len(assert_replays(config)) == 1


def test_a_demonstration_is_saved_when_its_time_is_up(begin: Begin, config: RunConfig) -> None:
    watcher = begin(limit_s=0.5, episodes=1)
    watcher.recording(is_recording=True, limit_s=0.5)
    watcher.press((5, 7))
    assert watcher.next(RecordingEnded).reason == "it reached the time limit"
    watcher.next(RunStopped)
    assert len(assert_replays(config)) == 1


def test_time_stands_still_in_a_pause(begin: Begin) -> None:
    watcher = begin(limit_s=600)
    watcher.recording(is_recording=True)
    watcher.send(Pause())
    assert watcher.status(is_paused=True).phase == "paused"
    first = watcher.recording(is_recording=True)
    assert "resume" in watcher.refusal(Press(Action.A))
    assert "Valid actions: 0 to 8" in watcher.refusal(Press(9))
    assert "Valid actions: 0 to 8" in watcher.refusal(Hold(frozenset({9})))
    assert watcher.recording(is_recording=True).elapsed_s == first.elapsed_s
    watcher.send(Resume())
    watcher.press((5,))
    assert watcher.recording(steps=1).elapsed_s >= first.elapsed_s


def test_real_time_in_which_nothing_is_pressed_is_not_saved_and_is_followed_by_a_pause(
    begin: Begin, config: RunConfig
) -> None:
    watcher = begin(is_live=True, limit_s=1.0, pause_s=600)
    watcher.recording(is_recording=True)
    assert watcher.status(phase="resetting").total == 600
    watcher.stop()
    assert list((Path(config.save_dir) / "demos").iterdir()) == []


def test_between_two_demonstrations_there_is_time(begin: Begin, config: RunConfig) -> None:
    watcher = begin(pause_s=600)
    watcher.walk(5)
    watcher.send(StopRecording())
    assert watcher.status(phase="resetting").total == 600
    assert not watcher.recording().is_recording
    assert "resume" in watcher.refusal(Press(Action.A))
    watcher.send(Resume())
    watcher.recording(is_recording=True, steps=0, saved=1)
    watcher.walk(5, 5)
    watcher.stop()
    assert len(assert_replays(config)) == 2


@pytest.mark.parametrize("is_live", [False, True])
def test_the_next_demonstration_begins_with_the_first_press(
    begin: Begin, config: RunConfig, is_live: bool
) -> None:
    watcher = begin(has_reset=True)
    watcher.walk(5)
    watcher.send(StopRecording())
    assert watcher.status(phase="resetting").total == 0
    assert not watcher.recording(saved=1).is_recording
    assert "first press" in watcher.refusal(Restart())
    watcher.send(Pause())
    assert "Paused" in watcher.refusal(Press(Action.A))
    watcher.send(PlayLive(is_live), Resume())
    assert not watcher.recording().is_recording
    watcher.send(Hold(frozenset({Action.A})) if is_live else Press(Action.A))
    watcher.recording(is_recording=True, steps=1, saved=1)
    watcher.stop()
    assert len(assert_replays(config)) == 2


def test_actions_are_taken_back(begin: Begin, config: RunConfig) -> None:
    watcher = begin()
    watcher.recording(is_recording=True)
    assert "nothing to undo" in watcher.refusal(Rewind(1))
    watcher.walk(*WALK)
    watcher.send(Rewind(5))
    assert watcher.recording(steps=3).rewindable == 3
    watcher.walk(4, 4, steps=5)
    assert bytes(watcher.keep().actions) == bytes((*WALK[:3], 4, 4))
    watcher.stop()
    assert_replays(config)


def test_a_demonstration_is_thrown_away_and_recorded_again(begin: Begin, config: RunConfig) -> None:
    watcher = begin()
    watcher.walk(*WALK)
    watcher.send(DiscardRecording(again=True))
    assert watcher.next(RecordingEnded).path == ""
    watcher.recording(is_recording=True, steps=0, rewindable=0, saved=0)
    watcher.walk(4, 4, 7)
    watcher.send(DiscardRecording())
    watcher.recording(is_recording=False)
    watcher.press((5, 5))  # nobody records that
    watcher.send(StartRecording("later", ("word",)))
    watcher.recording(is_recording=True, steps=0, task="later")
    assert "already" in watcher.refusal(StartRecording())
    watcher.walk(6)
    watcher.send(Restart())
    demo = watcher.saved()
    assert bytes(demo.actions) == bytes((4, 4, 7, 5, 5, 6))
    assert (demo.begins_at, demo.task, demo.tags) == (5, "later", {"word"})
    watcher.recording(is_recording=True, steps=0, saved=1)
    watcher.stop()
    assert_replays(config)


def test_real_time_play_advances_frame_by_frame_with_the_held_buttons(
    begin: Begin, config: RunConfig
) -> None:
    watcher = begin(is_live=True)
    watcher.recording(is_recording=True)
    right, down = (frozenset({action}) for action in (Action.RIGHT, Action.DOWN))
    watcher.send(StepOnce())
    watcher.status(is_paused=True, is_live=True)
    watcher.send(Hold(right), *[StepOnce()] * 5, Hold(frozenset()), Hold(down), StepOnce())
    watcher.send(PlayLive(False))
    watcher.status(is_paused=False, is_live=False)
    before = watcher.next(RecordingChanged).steps
    watcher.send(StepOnce())
    watcher.recording(steps=before + 1)
    demo = watcher.keep()
    assert demo.actions.tolist() == [Action.NOOP]
    *_, one, other, _ = demo.recording.segments[-1].live[0].spans()
    assert (one, other) == ((right, 5), (down, 1))
    watcher.stop()
    assert_replays(config)


def test_what_a_player_played_without_a_recording_is_not_kept_as_a_persons(begin: Begin) -> None:
    watcher = begin(player="random", speed=30.0)
    watcher.next(RecordingChanged, lambda now: now.steps > 2)
    watcher.send(DiscardRecording())
    watcher.recording(is_recording=False)
    watcher.next(DecisionMade)
    assert "Nothing was played by hand" in watcher.refusal(KeepRecent())
    watcher.send(TakeOver())
    watcher.status(is_human=True)
    watcher.press((4, 4))
    watcher.send(KeepRecent())
    assert watcher.saved().by == "human"


def test_a_demonstration_runs_backwards_while_that_is_on(begin: Begin, config: RunConfig) -> None:
    watcher = begin()
    assert watcher.recording(is_recording=True).steps == 0
    watcher.walk(*WALK)
    watcher.send(RunBackwards(True))
    watcher.status(phase="rewinding")
    now = watcher.next(RecordingChanged, lambda now: now.steps < 6)
    watcher.send(RunBackwards(False))
    watcher.status(phase="recording")
    left = watcher.next(RecordingChanged).steps
    assert 0 <= left <= now.steps
    watcher.send(RunBackwards(True))
    watcher.recording(steps=0)
    watcher.press((4, 4))  # ends it
    watcher.recording(steps=2)
    assert bytes(watcher.keep().actions) == bytes((4, 4))
    watcher.send(DiscardRecording())
    assert "Nothing is being recorded" in watcher.refusal(RunBackwards(True))
    watcher.stop()
    assert_replays(config)


def test_what_was_played_without_a_recording_is_kept_afterwards(
    begin: Begin, config: RunConfig
) -> None:
    watcher = begin(task="walk", episodes=1)
    watcher.walk(*WALK)
    assert "recorded already" in watcher.refusal(KeepRecent())
    watcher.send(DiscardRecording())
    watcher.recording(is_recording=False)
    watcher.press((4, 4, 7))
    watcher.send(KeepRecent())
    demo = watcher.saved()
    assert bytes(demo.actions[demo.begins_at :]) == bytes((4, 4, 7))
    assert (demo.task, demo.by) == ("walk", "human")
    assert "has its demonstration" in watcher.next(RunStopped).reason
    assert_replays(config)


def test_real_time_play_is_recorded(begin: Begin, config: RunConfig) -> None:
    watcher = begin(is_live=True)
    watcher.status(is_live=True)
    watcher.send(Hold(frozenset({Action.RIGHT})))
    watcher.next(RecordingChanged, lambda now: now.rewindable >= 3)  # seconds
    assert "real time" in watcher.refusal(Press(Action.A))
    watcher.send(Pause())
    watcher.status(is_paused=True, is_live=True)
    then = watcher.next(RecordingChanged)  # by now it may be more
    watcher.send(Rewind(2))
    now = watcher.next(RecordingChanged, lambda now: now.rewindable < then.rewindable)
    watcher.send(Hold(frozenset()), Resume(), Hold(frozenset({Action.DOWN})))
    watcher.next(RecordingChanged, lambda later: later.rewindable > now.rewindable + 1)
    watcher.send(PlayLive(False))
    watcher.status(is_live=False)
    rested = watcher.next(RecordingChanged)
    watcher.send(PlayLive(True), RunBackwards(True))
    watcher.status(phase="rewinding")
    watcher.next(RecordingChanged, lambda now: now.rewindable < rested.rewindable - 1)
    watcher.send(RunBackwards(False))
    watcher.status(phase="recording", is_paused=False, is_live=True)
    watcher.send(PlayLive(False))
    watcher.status(is_live=False)
    rested = watcher.next(RecordingChanged)
    assert rested.steps == rested.human_steps > 0
    watcher.walk(5, 7, steps=rested.steps + 2)
    watcher.send(PlayLive(True), StopRecording())
    assert watcher.saved().has_live
    watcher.recording(is_recording=True, saved=1)  # continues in real time
    watcher.status(is_live=True)
    watcher.stop()
    for demo in assert_replays(config):
        assert demo.has_live


def test_a_person_takes_over_from_a_player(begin: Begin, config: RunConfig) -> None:
    watcher = begin(player="rules", episodes=1, speed=10.0)  # so that it does not end before
    assert watcher.next(RunStarted).agent == "rules"
    assert not watcher.next(ControlChanged).is_human
    watcher.recording(is_recording=True)
    assert "Take control first" in watcher.refusal(Press(Action.A))
    watcher.next(DecisionMade, lambda event: event.decision.source is Source.PLANNER)
    watcher.send(TakeOver())
    watcher.status(is_human=True)
    watcher.press((4, 4, 6))
    by_hand = watcher.next(DecisionMade, lambda event: event.decision.source is Source.HUMAN)
    assert "rules" in by_hand.decision.reason
    watcher.recording(human_steps=3)
    watcher.send(SetSpeed(0), GiveBack())
    demo = watcher.saved()
    assert watcher.next(RunStopped)
    assert (demo.by, demo.is_success) == ("rules", True)
    assert demo.is_intervention.sum() == 3
    assert (demo.proposals != NO_PROPOSAL).tolist() == demo.is_intervention.tolist()
    assert_replays(config)


def test_recording_events_count_their_own_demonstration(
    begin: Begin, won: tuple[Path, Demonstration]
) -> None:
    path, other = won
    assert other.rewards[:40].sum() > 1
    watcher = begin(start=DemoPoint(str(path), 40), set_name="later")
    watcher.walk(4, 5, 6)
    watcher.send(StopRecording())
    ended = watcher.next(RecordingEnded)
    demo = read_demo(Path(ended.path))
    assert (ended.steps, ended.human_steps) == (3, 3)
    assert ended.total_reward == pytest.approx(demo.episode_return)
    assert ended.total_reward == pytest.approx(float(demo.rewards[40:].sum()))
    watcher.walk(4, 5)
    watcher.send(DiscardRecording(again=False))
    assert abs(watcher.next(RecordingEnded).total_reward) < 1


def test_a_demonstration_begins_within_another(
    begin: Begin, config: RunConfig, won: tuple[Path, Demonstration]
) -> None:
    path, other = won
    watcher = begin(start=DemoPoint(str(path), 40), set_name="later")
    for _ in range(2):
        watcher.recording(is_recording=True, steps=0)
        watcher.walk(4, 5, 6)
        demo = watcher.keep()
        assert bytes(demo.actions) == bytes((*other.actions[:40], 4, 5, 6))
        assert demo.begins_at == 40
        assert len(demo.shown) == 3
    watcher.stop()
    assert len(assert_replays(config, "later")) == 2


def test_no_demonstration_begins_after_the_goal(
    begin: Begin, won: tuple[Path, Demonstration]
) -> None:
    path, other = won
    watcher = begin(start=DemoPoint(str(path), other.episode_length))
    with pytest.raises(AssertionError, match="goal is already reached"):
        watcher.next(RunStopped)
    assert isinstance(watcher.seen[-1], RunFailed)


def test_a_goal_ends_a_persons_demonstration(
    begin: Begin, config: RunConfig, won: tuple[Path, Demonstration]
) -> None:
    other = won[1]
    watcher = begin(episodes=1)
    watcher.recording(is_recording=True)
    watcher.press(tuple(other.actions))
    assert watcher.next(RecordingEnded).reason == "the goal was reached"
    watcher.next(RunStopped)
    (demo,) = assert_replays(config)
    assert bytes(demo.actions) == bytes(other.actions)


def test_recording_session_refuses_what_it_cannot_do_in_a_line(begin: Begin) -> None:
    watcher = begin()
    hold = Hold(frozenset({Action.A}))
    for command in (Save(), SetGoal("badge"), Branch(1), GiveBack(), TakeOver(), hold):
        reason = watcher.refusal(command)
        assert reason, command
        assert "\n" not in reason, command


def test_recording_plan_refuses_impossible_values() -> None:
    for wrong in (
        {"episodes": -1},
        {"limit_s": float("nan")},
        {"pause_s": -1.0},
        {"set_name": "../up"},
        {"set_name": ".hidden"},
        {"task": "two\nlines"},
        {"tags": ("two words",)},
    ):
        with pytest.raises(ConfigurationError):
            RecordingPlan(**wrong)  # type: ignore[arg-type]


def test_an_unwritable_folder_is_refused_at_once(config: RunConfig) -> None:
    (Path(config.save_dir) / "demos").write_text("a file")
    with pytest.raises(ConfigurationError, match="Cannot write"):
        RecordingSession(config, RecordingPlan())


def test_play_goes_on_where_nothing_can_be_written(begin: Begin, config: RunConfig) -> None:
    folder = Path(config.save_dir) / "demos" / "set"
    watcher = begin(set_name="set")
    watcher.walk(5)
    shutil.rmtree(folder)
    folder.write_text("no folder any more")
    watcher.send(StopRecording())
    assert "Cannot write" in watcher.next(WarningRaised).message
    assert "Nothing is recorded" in watcher.next(WarningRaised).message
    watcher.status(phase="playing")
    watcher.press((5,))
    folder.unlink()
    watcher.send(StartRecording())
    watcher.walk(7)
    watcher.stop()
    (demo,) = assert_replays(config, "set")
    assert bytes(demo.actions) == bytes((5, 7))


def test_a_session_is_left_before_it_has_begun(config: RunConfig) -> None:
    session = RecordingSession(config, RecordingPlan())
    session.send(Stop("no"))
    session.start()
    assert session.join(300)
    (end,) = (event for event in session.mailbox.drain() if isinstance(event, RunStopped))
    assert (end.reason, end.total_steps) == ("no", 0)
    assert assert_replays(config) == []


def test_an_unknown_player_is_refused(begin: Begin) -> None:
    with pytest.raises(CheckpointError, match="Unknown player 'nobody'"):
        begin(player="nobody")


def test_recording_session_loads_no_learning_library(config: RunConfig) -> None:
    code = (
        "import json, sys\n"
        "from engine.config import RunConfig\n"
        "from engine.sessions.record import RecordingPlan, record_headless\n"
        "plan = RecordingPlan('few', episodes=1, player='random')\n"
        "from engine.config import EnvConfig\n"
        "env = EnvConfig(max_steps=30, progress_steps=0)\n"
        "end = record_headless(RunConfig(save_dir=sys.argv[1], env=env), plan)\n"
        "print(json.dumps([end.reason, 'torch' in sys.modules]))\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, config.save_dir], capture_output=True, check=True, text=True
    )
    assert json.loads(told.stdout) == ["the set has its demonstration", False]
    (demo,) = assert_replays(config, "few")
    assert (demo.by, demo.episode_length) == ("random", 30)
