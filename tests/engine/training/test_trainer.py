import pytest

from engine.agents.rules import RandomAgent
from engine.commands import (
    GiveBack,
    Hold,
    Pause,
    Press,
    Resume,
    Save,
    SetSpeed,
    StepOnce,
    Stop,
    TakeOver,
    Watch,
)
from engine.events import (
    CheckpointSaved,
    ControlChanged,
    CurriculumChanged,
    DecisionMade,
    EpisodeEnded,
    FrameRendered,
    GameObserved,
    PolicyUpdated,
    ReasoningLogged,
    RewardPaid,
    StatusChanged,
    SystemMeasured,
    WarningRaised,
)
from engine.loop.machine import MachineMeter
from engine.training import reporter
from engine.types import Action, Source
from tests.engine.toy import GOAL
from tests.engine.training.helpers import Clock, Run, played, raising

WHOLE_STEPS = 64 * 8


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Run:
    """A run from its beginning to its end, that nobody watches."""
    return played(tmp_path_factory.mktemp("runs") / "whole", total_steps=WHOLE_STEPS)


@pytest.fixture(scope="module")
def watched(tmp_path_factory) -> Run:
    """A run whose third environment is watched."""
    folder, clock = tmp_path_factory.mktemp("watched"), Clock(tick_s=0.01)
    return played(folder, Watch(2), total_steps=400, headless=False, clock=clock)


def test_a_run_ends_at_its_limit_of_steps_or_episodes(tmp_path):
    result = Run(tmp_path / "steps", total_steps=200).play()
    assert (result.total_steps, result.reason) == (200, "took 200 steps")
    assert len(played(tmp_path / "episodes", total_episodes=5).of(EpisodeEnded)) >= 5


def test_updates_come_once_a_rollout(whole):
    updates = [event.total_steps for event in whole.of(PolicyUpdated)]
    assert updates == list(range(64, WHOLE_STEPS + 1, 64))


def test_the_curriculum_moves_with_the_episodes(whole):
    changes = whole.of(CurriculumChanged)
    assert changes[0].stage == 1
    assert max(change.stage for change in changes) >= 2


def test_episodes_tell_the_planners_share(whole):
    assert max(event.summary.planner_share for event in whole.of(EpisodeEnded)) > 0.5


def test_a_headless_run_watches_nothing(whole):
    assert whole.vector.watched is None
    assert not whole.of(FrameRendered) + whole.of(DecisionMade) + whole.of(GameObserved)


def test_a_watched_run_tells_frames_decisions_and_rewards(watched):
    assert {event.env_index for event in watched.of(FrameRendered)} == {2}
    assert watched.of(RewardPaid)
    assert watched.of(GameObserved)[0].goal.text == "reach the corner"
    sources = {event.decision.source for event in watched.of(DecisionMade)}
    assert Source.PLANNER in sources
    assert all(0 <= event.decision.confidence <= 1 for event in watched.of(DecisionMade))
    assert any("goal: reach the corner" in event.text for event in watched.of(ReasoningLogged))


def test_measuring_the_machine_changes_no_step_and_no_line_of_the_journal(whole, tmp_path):
    run = Run(tmp_path / "run", total_steps=WHOLE_STEPS)
    run.trainer.machine = MachineMeter(tmp_path, Clock(tick_s=3.0))
    run.play()
    measured = run.of(SystemMeasured)
    assert len(measured) > 10
    assert measured[-1].checkpoints
    assert (run.curve, run.journal_text) == (whole.curve, whole.journal_text)


@pytest.mark.slow
@pytest.mark.parametrize(("speed", "most"), [(0.0, 10), (900.0, 30)])
def test_frames_come_at_most_ten_or_thirty_times_a_second(tmp_path, monkeypatch, speed, most):
    """Ten times where training goes as fast as it can, and thirty where a speed is set."""
    monkeypatch.setattr(reporter, "FAST_FRAME_INTERVAL_S", 0.1)
    clock = Clock(tick_s=1e-4)
    run = Run(tmp_path, total_steps=4000, headless=False, clock=clock)
    run.trainer.pace.limit(speed)
    began_s = clock.now_s
    run.play()
    elapsed_s = clock.now_s - began_s
    assert 1 <= len(run.of(FrameRendered)) <= most * elapsed_s + 2


@pytest.mark.parametrize("stop_at", [64 * 4, 64 * 4 + 20])
def test_a_resumed_run_goes_on_bit_for_bit(whole, tmp_path, stop_at):
    """Also from within a rollout."""
    first = played(tmp_path / "parts", total_steps=stop_at)
    second = Run(tmp_path / "parts", total_steps=WHOLE_STEPS, agent=None).resume()
    second.play()
    assert first.curve + second.curve == whole.curve
    assert (second.weights, second.journal_text) == (whole.weights, whole.journal_text)


def test_a_killed_run_goes_on_from_its_last_checkpoint_with_the_same_curve(whole, tmp_path):
    killed = Run(tmp_path / "killed", checkpoint_interval_s=1e-9)
    killed.vector.fail_at_step = 16 * 4 + 7
    with pytest.raises(RuntimeError):
        killed.play()
    killed.journal.close()
    resumed = Run(tmp_path / "killed", total_steps=WHOLE_STEPS).resume()
    assert resumed.trainer.state.metrics.total_steps == 16 * 4 * 4
    resumed.play()
    assert resumed.journal_text == whole.journal_text


def test_a_full_disk_is_a_warning_and_the_run_goes_on(tmp_path, monkeypatch):
    run = Run(tmp_path, total_steps=128)
    full = OSError(28, "No space left on device")
    monkeypatch.setattr("engine.runs.checkpoint.write_checkpoint", raising(full))
    assert run.play().total_steps == 128
    assert "No space left on device" in run.of(WarningRaised)[0].message


def test_a_paused_run_steps_once_when_asked(tmp_path):
    run = Run(tmp_path)
    for command in (Pause(), StepOnce(), StepOnce()):
        run.commands.put(command)
    stopper(run, idle_turns=3)
    assert run.play().total_steps == 2 * 4
    assert any(event.is_paused for event in run.of(StatusChanged))


def test_a_resumed_pause_steps_on(tmp_path):
    run = played(tmp_path, Pause(), Resume(), total_steps=64)
    assert run.trainer.state.metrics.total_steps == 64


def test_stop_says_why(tmp_path):
    run = Run(tmp_path)
    run.commands.put(Stop("lunch"))
    result = run.play()
    assert result.reason == "lunch"
    assert result.checkpoint.endswith(".zip")


@pytest.mark.parametrize(("commands", "saved_at"), [([], [0, 8]), ([Save()], [0, 0, 8])])
def test_save_writes_at_once_beside_the_first_and_last_checkpoint(tmp_path, commands, saved_at):
    saved = played(tmp_path, *commands, total_steps=8).of(CheckpointSaved)
    assert [event.total_steps for event in saved] == saved_at


def test_the_speed_can_be_limited_and_set_free(tmp_path):
    run = played(tmp_path, SetSpeed(500), total_steps=16)
    assert run.of(StatusChanged)[-1].speed == 500
    run.trainer.pace.limit(0)
    assert run.trainer.pace.wait_s() == 0


def test_a_person_acts_alone_and_nothing_is_learnt_from_it(tmp_path):
    run = Run(tmp_path, headless=False, agent=None)
    trainer, ppo = run.trainer, run.trainer.learning.agent.ppo
    run.steps(5)
    others = [game.save() for game in run.vector.games[1:]]
    run.obey(TakeOver())
    assert ppo.rollout.boundaries[4, 0]
    value = ppo.evaluate(trainer.state.batch.features, None, ppo.memory).values[0]
    assert ppo.rollout.boundary_values[4, 0] == pytest.approx(value)
    run.obey(Press(Action.A), Press(Action.B), Press(Action.A))
    assert [game.save() for game in run.vector.games[1:]] == others
    assert ppo.rollout.length == 5
    assert trainer.state.metrics.total_steps == 20
    run.obey(GiveBack())
    assert not trainer.handler.controls.is_human
    trainer.step()
    assert ppo.rollout.length == 6
    assert [event.is_human for event in run.of(ControlChanged)] == [True, False]
    human = [e for e in run.of(DecisionMade) if e.decision.source is Source.HUMAN]
    assert len(human) == 3


def test_an_episode_that_a_person_had_a_hand_in_does_not_count(tmp_path):
    run = Run(tmp_path, headless=False)
    game = run.vector.games[0]
    run.obey(TakeOver())
    game.x, game.y = GOAL[0] - 1, GOAL[1]
    run.obey(Press(Action.RIGHT))
    assert not run.of(EpisodeEnded)
    assert any("does not count" in event.text for event in run.of(ReasoningLogged))


def test_commands_that_cannot_be_obeyed_are_refused_with_a_reason(tmp_path):
    presses = Press(Action.A), GiveBack(), Press(9), Hold(frozenset({-1}))
    assert played(tmp_path, *presses, StepOnce(), Watch(4), total_steps=8).refusals == [
        "Take control first.",
        "The agent already has control.",
        "Valid actions: 0 to 8.",
        "Valid actions: 0 to 8.",
        "Pause first.",
        "Valid environments: 0 to 3.",
    ]


def test_baselines_train_nothing_but_play(tmp_path):
    run = played(tmp_path, total_steps=400, agent=RandomAgent(0))
    assert run.of(EpisodeEnded)
    assert not run.of(PolicyUpdated)


def stopper(run: Run, idle_turns: int) -> None:
    """Stop the run after some turns without a step."""
    idle, turns = run.trainer.reporter.idle, 0

    def count() -> None:
        nonlocal turns
        turns += 1
        if turns == idle_turns:
            run.commands.put(Stop())
        idle()

    run.trainer.reporter.idle = count
