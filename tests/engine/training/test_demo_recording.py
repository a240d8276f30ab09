"""Recording in a run on the practice game: a person takes over from a policy that plays."""

import contextlib
import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.commands import (
    Branch,
    DescribeRecording,
    DiscardRecording,
    GiveBack,
    Hold,
    KeepRecent,
    KeepState,
    LoadSlot,
    MarkRecording,
    Pause,
    PlayLive,
    Press,
    Restart,
    Resume,
    Rewind,
    RunBackwards,
    SaveSlot,
    StartRecording,
    StepOnce,
    StopRecording,
    TakeOver,
    Watch,
)
from engine.config import EnvConfig, RunConfig
from engine.demos.demonstration import NO_PROPOSAL, Demonstration, read_demo
from engine.demos.exact_replay import play
from engine.demos.recorded_env import RecordedEnv
from engine.demos.recording_log import log_path, read_log
from engine.env.choices import BeginDemo, DemoFacts, DemoRequest
from engine.env.stepping import SteppedEnv
from engine.env.vector.world import ENV_FACTORY, VectorEnv
from engine.events import EpisodeEnded, RecordingChanged, RecordingEnded, RunStopped, WarningRaised
from engine.planning.goals.planned import make_env as make_advised_env
from engine.types import Action
from tests.engine.training.helpers import Clock, Run

pytestmark = pytest.mark.slow

MOVES = (Action.LEFT, Action.LEFT, Action.DOWN, Action.A, Action.RIGHT, Action.UP, Action.B)


class _Cramped(RecordedEnv):
    """Has room for a few steps of a demonstration on its disk."""

    def record(self, order: DemoRequest) -> DemoFacts:
        facts = super().record(order)
        if isinstance(order, BeginDemo):
            most = log_path(Path(facts.path)).stat().st_size + 300
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        return facts


def cramped(config: RunConfig, env_index: int) -> SteppedEnv:
    return make_advised_env(config, env_index, _Cramped)


@contextlib.contextmanager
def playing(
    folder: Path, factory: str = ENV_FACTORY, processes: int = 1, **settings
) -> Iterator[Run]:
    """Make a run that shows its second game."""
    given = {"num_envs": 2, "env": EnvConfig(max_steps=200), "clock": Clock(1e-3)} | settings
    run = Run(
        folder / "run",
        make_vector=lambda config: VectorEnv(factory, config, config.num_envs, processes),
        save_dir=str(folder),
        headless=False,
        **given,
    )
    run.trainer.reporter.watch(1)
    with run.vector:
        yield run


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    with playing(tmp_path) as made:
        yield made


def press(run: Run, *actions: Action) -> None:
    run.obey(*map(Press, actions))


def intervene(run: Run, *actions: Action) -> None:
    run.obey(TakeOver(), *map(Press, actions), GiveBack())


def saved(run: Run) -> list[Path]:
    return [Path(event.path) for event in run.of(RecordingEnded) if event.path]


def interventions(folder: Path) -> list[Path]:
    return sorted((folder / "demos" / "interventions").glob("*"))


def own(demo: Demonstration) -> bytes:
    return demo.actions[demo.begins_at :].tobytes()


def replayed(path: Path, folder: Path) -> int:
    """Play a demonstration in this process, which checks memory and rewards; count its steps."""
    config = RunConfig(save_dir=str(folder))
    return sum(1 for _ in play(read_demo(path), config, renders=False))


def test_an_intervention_is_saved_with_the_agents_proposals_and_replays_elsewhere(run, tmp_path):
    run.steps(20)
    intervene(run, *MOVES)
    (path,) = saved(run)
    assert [path] == interventions(tmp_path)
    demo = read_demo(path)
    assert (demo.begins_at, own(demo)) == (20, bytes(MOVES))
    assert demo.is_intervention.tolist() == [False] * 20 + [True] * len(MOVES)
    assert (demo.proposals[20:] != NO_PROPOSAL).all()
    assert (demo.by, demo.tags) == ("human", {"intervention"})
    assert replayed(path, tmp_path) == len(MOVES)
    (ended,) = run.of(RecordingEnded)
    assert (ended.steps, ended.human_steps) == (len(MOVES), len(MOVES))
    assert ended.total_reward == pytest.approx(float(demo.rewards[20:].sum()))
    assert ended.reason == "you gave control back"
    told = run.of(RecordingChanged)
    assert [told[0].is_recording, told[-2].is_recording, told[-1].is_recording] == [1, 1, 0]
    assert (told[-2].human_steps, told[-1].saved) == (len(MOVES), 1)
    assert not run.refusals


def test_takeover_without_a_step_saves_no_demonstration(run, tmp_path):
    run.steps(3)
    intervene(run)
    assert interventions(tmp_path) == []
    assert run.of(RecordingEnded) == []
    assert not run.of(RecordingChanged)[-1].is_recording


def test_what_was_just_played_is_kept_though_nothing_was_recorded(tmp_path):
    with playing(tmp_path, record_interventions=False) as run:
        run.steps(9)
        run.obey(KeepRecent(), TakeOver(), *map(Press, MOVES))
        assert run.of(RecordingChanged) == []
        assert not (tmp_path / "demos").exists()
        before = run.vector.save()
        run.obey(KeepRecent(), KeepRecent(), GiveBack(), KeepRecent())
        assert run.vector.save() == before
        run.steps(2)
    (path,) = saved(run)
    demo = read_demo(path)
    assert path.parent == tmp_path / "demos"
    assert (demo.by, demo.begins_at, own(demo)) == ("human", 9, bytes(MOVES))
    assert replayed(path, tmp_path) == len(MOVES)
    (ended,) = run.of(RecordingEnded)
    assert (ended.steps, ended.reason) == (len(MOVES), "kept from what you had just played")
    by_hand, pressed, again = run.refusals
    assert by_hand == again
    assert "by hand" in by_hand
    assert "Nothing was pressed" in pressed


def test_loading_a_slot_truncates_the_demonstration_that_it_lies_within(run, tmp_path):
    run.steps(4)
    run.obey(LoadSlot(1), SaveSlot(2))
    run.steps(1)
    run.obey(TakeOver(), *map(Press, MOVES[:3]), SaveSlot(1), *map(Press, MOVES[3:]), LoadSlot(1))
    assert run.trainer.state.tally.steps[1] == 8
    assert run.of(RecordingChanged)[-1].steps == 3
    press(run, Action.UP)
    run.obey(LoadSlot(2))  # before it: that branches, and the demonstration is saved
    assert run.trainer.state.tally.steps[1] == 0
    press(run, Action.DOWN)
    run.obey(GiveBack())
    first, second = saved(run)
    assert own(read_demo(first)) == bytes((*MOVES[:3], Action.UP))
    assert own(read_demo(second)) == bytes((Action.DOWN,))
    assert (replayed(first, tmp_path), replayed(second, tmp_path)) == (4, 1)
    assert run.refusals == ["Slot 1 is empty."]


def test_what_was_played_since_a_recording_was_saved_is_kept(run, tmp_path):
    run.obey(TakeOver(), *map(Press, MOVES))
    run.obey(KeepRecent(), StopRecording(), Press(Action.UP), Press(Action.DOWN))
    run.obey(KeepRecent())
    _, path = saved(run)
    assert own(read_demo(path)) == bytes((Action.UP, Action.DOWN))
    assert replayed(path, tmp_path) == 2
    assert run.refusals == ["A demonstration is already being recorded."]


def test_taken_back_actions_are_in_neither_game_nor_demonstration(run, tmp_path):
    run.steps(5)
    run.obey(TakeOver(), *map(Press, MOVES[:3]))
    before, batch = run.vector.save()[1], run.trainer.state.batch
    press(run, *MOVES[3:])
    run.obey(Rewind(len(MOVES) - 3))
    assert run.vector.save()[1] == before
    assert (run.trainer.state.batch.features == batch.features).all()
    assert (run.trainer.state.batch.mask == batch.mask).all()
    assert run.trainer.state.tally.steps[1] == 8
    assert run.of(RecordingChanged)[-1].steps == 3
    press(run, Action.UP)
    run.obey(GiveBack())
    (path,) = saved(run)
    assert own(read_demo(path)) == bytes((*MOVES[:3], Action.UP))
    assert replayed(path, tmp_path) == 4


def test_a_demonstration_of_a_run_runs_backwards_while_that_is_on(run, tmp_path):
    run.steps(5)
    run.obey(RunBackwards(True), TakeOver(), *map(Press, MOVES), RunBackwards(True))
    run.trainer.advance()
    run.trainer.handler.clock.now_s += 1.0
    run.trainer.advance()
    run.obey(RunBackwards(False))
    run.trainer.advance()
    assert run.trainer.state.tally.steps[1] == 5 + len(MOVES) - 2
    press(run, Action.UP)
    run.obey(GiveBack())
    (path,) = saved(run)
    assert own(read_demo(path)) == bytes((*MOVES[:-2], Action.UP))
    assert replayed(path, tmp_path) == len(MOVES) - 1
    assert run.refusals == ["Take control first."]


def test_real_time_play_in_a_run_advances_frame_by_frame(run, tmp_path):
    right = frozenset({Action.RIGHT})
    run.obey(TakeOver(), PlayLive(True), Hold(right), StepOnce(), StepOnce())
    run.trainer.handler.clock.now_s += 100.0
    run.trainer.advance()  # however long it takes, it is not played by turns again
    assert run.trainer.handler.controls.is_live
    run.obey(Hold(frozenset()), StepOnce(), StepOnce(), GiveBack())
    assert not run.trainer.handler.controls.is_paused
    (path,) = saved(run)
    (stretch,) = read_demo(path).recording.segments[-1].live
    assert next(stretch.spans()) == (right, 2)
    assert replayed(path, tmp_path) > 0


def test_more_is_not_taken_back_than_was_recorded(run):
    run.steps(5)
    run.obey(TakeOver(), Rewind(1), *map(Press, MOVES[:2]), Rewind(50), Rewind(1))
    assert run.trainer.state.tally.steps[1] == 5
    assert run.refusals == ["There are no steps to undo."] * 2


def test_discarded_demonstration_leaves_no_file_and_the_game_goes_on(run, tmp_path):
    run.obey(TakeOver(), *map(Press, MOVES), DiscardRecording())
    assert interventions(tmp_path) == []
    assert run.trainer.state.tally.steps[1] == len(MOVES)
    (ended,) = run.of(RecordingEnded)
    assert (ended.path, ended.steps) == ("", len(MOVES))
    assert not run.of(RecordingChanged)[-1].is_recording
    press(run, Action.LEFT)
    run.obey(DiscardRecording(), GiveBack())
    assert interventions(tmp_path) == []
    assert run.refusals == ["Nothing is being recorded."]


def test_recording_again_begins_where_it_had_begun(run, tmp_path):
    run.steps(4)
    before = run.vector.save()[1]
    run.obey(TakeOver(), *map(Press, MOVES), DiscardRecording(again=True))
    assert run.vector.save()[1] == before
    assert run.trainer.state.tally.steps[1] == 4
    press(run, Action.DOWN, Action.DOWN)
    run.obey(GiveBack())
    (path,) = saved(run)
    assert own(read_demo(path)) == bytes((Action.DOWN, Action.DOWN))
    assert replayed(path, tmp_path) == 2


def test_the_agents_steps_and_a_persons_are_told_apart(run, tmp_path):
    run.steps(3)
    run.obey(StartRecording("show the door", ("door",)), MarkRecording("a door"), MarkRecording())
    run.steps(4)
    intervene(run, *MOVES)
    run.obey(DescribeRecording("show both doors", ("both",)))
    run.steps(2)
    assert run.of(RecordingChanged)[-1].is_marked
    run.obey(StopRecording())
    (path,) = saved(run)
    assert path.parent == tmp_path / "demos"
    demo = read_demo(path)
    count = len(MOVES)
    assert demo.is_intervention[3:].tolist() == [False] * 4 + [True] * count + [False] * 2
    assert ((demo.proposals != NO_PROPOSAL) == demo.is_intervention)[3:].all()
    assert (demo.task, demo.tags) == ("show both doors", {"door", "both"})
    assert (demo.is_success, demo.notes, demo.by) == (True, (("a door", 3),), "ppo")
    assert replayed(path, tmp_path) == 6 + count


def test_an_agents_play_can_be_taken_back(run):
    run.steps(3)
    run.obey(StartRecording())
    before = run.vector.save()[1]
    run.steps(5)
    run.obey(Rewind(5))
    assert run.vector.save()[1] == before
    assert run.trainer.state.tally.is_touched.tolist() == [False, True]
    rollout = run.trainer.learning.agent.ppo.rollout
    assert rollout.boundaries[7].tolist() == [False, True]
    run.steps(30)
    assert not run.refusals


def test_an_episodes_end_ends_the_demonstration_and_begins_another(tmp_path):
    with playing(tmp_path, env=EnvConfig(max_steps=16, progress_steps=0)) as run:
        run.steps(10)
        intervene(run, *[Action.LEFT, Action.RIGHT] * 5)
        first, second = saved(run)
        demo = read_demo(first)
        assert (len(demo.actions), demo.dones[-1]) == (16, True)
        assert replayed(first, tmp_path) == 6
        demo = read_demo(second)
        assert (demo.begins_at, own(demo)) == (0, bytes([Action.LEFT, Action.RIGHT] * 2))
        assert (demo.proposals != NO_PROPOSAL).all()
        assert replayed(second, tmp_path) == 4
        run.obey(StartRecording())
        run.steps(12)
        assert len(saved(run)) == 3
        assert not run.trainer.handler.recording.is_recording
    assert run.of(EpisodeEnded)


def test_play_in_real_time_is_recorded(tmp_path):
    clock = Clock()
    with playing(tmp_path, clock=clock) as run:
        run.obey(TakeOver(), PlayLive(True), Hold(frozenset({Action.LEFT})))
        for _ in range(90):
            clock.now_s += 1 / 60
            run.trainer.handler.live.advance()
        run.obey(PlayLive(False), Press(Action.DOWN), GiveBack())
        (path,) = saved(run)
    demo = read_demo(path)
    assert demo.has_live
    assert own(demo) == bytes((Action.DOWN,))
    assert replayed(path, tmp_path) == len(demo.shown) > 1
    (ended,) = run.of(RecordingEnded)
    assert ended.steps == ended.human_steps == len(demo.shown)
    assert ended.total_reward == pytest.approx(demo.episode_return)
    told = run.of(RecordingChanged)
    assert told[-2].steps == told[-2].human_steps == len(demo.shown)


def test_another_episode_saves_what_was_played_and_is_recorded_itself(run):
    run.steps(4)
    run.obey(TakeOver(), KeepState(), *map(Press, MOVES), Restart(), Press(Action.LEFT), Branch(1))
    run.obey(Press(Action.RIGHT), GiveBack())
    demos = [read_demo(path) for path in saved(run)]
    assert [(demo.begins_at, own(demo)) for demo in demos] == [
        (4, bytes(MOVES)),
        (0, bytes((Action.LEFT,))),
        (0, bytes((Action.RIGHT,))),
    ]


def test_commands_without_a_recording_are_refused_in_a_line(run):
    run.obey(StopRecording(), DiscardRecording(), Rewind(1), MarkRecording(), DescribeRecording())
    assert run.refusals == ["Nothing is being recorded."] * 5
    run.obey(StartRecording(), StartRecording(), Watch(0))
    assert run.refusals[5:] == [
        "A demonstration is already being recorded.",
        "Stop recording first: it records the game you watch.",
    ]
    run.obey(DescribeRecording(tags=("two words",)))
    assert len(run.refusals) == 8
    assert "\n" not in run.refusals[-1]
    assert run.trainer.handler.recording.is_recording


def test_games_that_cannot_record_say_so_and_are_played_as_before(tmp_path):
    run = Run(tmp_path, headless=False, save_dir=str(tmp_path))
    run.trainer.reporter.watch(0)
    run.obey(StartRecording(), TakeOver(), Press(Action.A), GiveBack())
    assert run.refusals == ["This world cannot be recorded."]
    assert run.of(RecordingChanged) == []
    assert run.of(WarningRaised) == []


def test_the_runs_end_saves_what_is_being_recorded(tmp_path):
    with playing(tmp_path) as run:
        run.obey(TakeOver(), *map(Press, MOVES))
        run.trainer.handler.controls.stop_reason = "asked to stop"
        assert isinstance(run.play(), RunStopped)
        (path,) = saved(run)
        assert own(read_demo(path)) == bytes(MOVES)
        assert run.of(RecordingEnded)[0].reason == "the run ended"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_lost_process_costs_one_warning_and_no_demonstration(tmp_path, how):
    with playing(tmp_path, processes=2) as run:
        run.steps(4)
        run.obey(TakeOver(), *map(Press, MOVES))
        patience_s = run.vector._pool.answer_timeout_s
        os.kill(run.vector.pids[1], how)
        if how is signal.SIGSTOP:  # the new process, too, has to answer in this time
            run.vector._pool.answer_timeout_s = 8.0
        press(run, Action.LEFT)
        run.vector._pool.answer_timeout_s = patience_s
        (refusal,) = run.refusals
        assert refusal == "This failed, as the warning says. Try again."
        assert len(run.of(WarningRaised)) == 1
        (path,) = saved(run)
        assert own(read_demo(path)) == bytes(MOVES)
        assert replayed(path, tmp_path) == len(MOVES)
        assert run.trainer.handler.recording.is_recording
        press(run, Action.RIGHT, Action.RIGHT)
        assert run.refusals == [refusal]
        run.obey(GiveBack())
        assert own(read_demo(saved(run)[1])) == bytes((Action.RIGHT, Action.RIGHT))
        run.steps(3)
        assert len(run.of(WarningRaised)) == 1


def test_demonstration_of_a_killed_engine_is_recovered(tmp_path):
    with playing(tmp_path) as run:
        run.obey(TakeOver(), *map(Press, MOVES))
        run.vector.close()
    (log,) = interventions(tmp_path)
    assert own(read_log(log)) == bytes(MOVES)


def test_full_disk_ends_the_recording_and_nothing_else(run, tmp_path):
    (tmp_path / "demos").write_text("a file where the folder should be")
    intervene(run, *MOVES)
    (warning,) = run.of(WarningRaised)
    assert warning.message.startswith("What you play is not recorded.")
    assert "\n" not in warning.message
    run.obey(StartRecording())
    assert len(run.refusals) == 1
    run.steps(3)


def test_a_disk_that_fills_up_ends_the_recording_and_not_the_play(tmp_path):
    with playing(tmp_path, f"{__name__}:cramped") as run:
        run.obey(StartRecording())
        (log,) = (tmp_path / "demos").glob("*")
        while run.trainer.handler.recording.is_recording:
            run.steps(1)
            assert run.trainer.state.tally.steps.sum() < 380
        assert run.of(WarningRaised)[0].message.endswith(f"poketui demos recover {log}")
        run.steps(3)
        assert len(run.of(WarningRaised)) == 1
        assert len(read_log(log).actions) > 3


def test_training_goes_on_as_if_nobody_had_asked_the_agent(tmp_path):
    ends = []
    for wanted in (True, False):
        with playing(tmp_path / str(wanted), record_interventions=wanted) as run:
            run.steps(20)
            intervene(run, *MOVES)
            run.steps(30)
            facts, arrays = run.trainer.learning.agent.save()
            weights = {name: np.asarray(array).tobytes() for name, array in arrays.items()}
            features = run.trainer.state.batch.features.tobytes()
            ends.append((facts, weights, run.vector.save(), features))
    assert ends[0] == ends[1]


def test_the_game_is_not_moved_while_an_evaluation_goes_on(run):
    run.obey(TakeOver(), *map(Press, MOVES))
    run.trainer.reporter.phase("evaluating", 0, 1)
    run.obey(Rewind(1), DiscardRecording(again=True), StopRecording(), StartRecording())
    assert len(saved(run)) == 1
    assert run.refusals == ["Wait until the evaluation is over."] * 3


def test_the_clock_of_a_recording_stands_still_in_a_pause(tmp_path):
    clock = Clock()
    with playing(tmp_path, clock=clock) as run:
        run.obey(TakeOver())
        for seconds, commands in ((3.0, [Pause()]), (60.0, [Resume()]), (2.0, [])):
            clock.now_s += seconds
            run.trainer.handler.recording.tick()
            run.obey(*commands)
        assert run.of(RecordingChanged)[-1].elapsed_s == pytest.approx(5.0)
