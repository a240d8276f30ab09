"""Do what a person asks of a running trainer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.commands import (
    Branch,
    Command,
    DescribeRecording,
    DiscardRecording,
    GiveBack,
    Hold,
    KeepState,
    LookAway,
    MarkRecording,
    Pause,
    PlayLive,
    Press,
    Restart,
    Resume,
    Rewind,
    Save,
    Seek,
    SetGoal,
    SetMode,
    SetSpeed,
    SetStrategy,
    SetWeight,
    SkipEvaluation,
    StartRecording,
    StepOnce,
    Stop,
    StopRecording,
    TakeOver,
    Watch,
    Wish,
)
from engine.events import CommandRefused, ControlChanged
from engine.training.branching import branch, keep_state, restart
from engine.training.course import set_goal, set_mode, set_strategy, set_weight, wish
from engine.types import Action, Decision, Source

if TYPE_CHECKING:
    from engine.training.trainer import Trainer


def obey(trainer: Trainer, command: Command) -> None:
    """Carry out a command, or refuse it with a reason."""
    refusal = _carry_out(trainer, command)
    if refusal:
        trainer.emit(CommandRefused(type(command).__name__, refusal))


def _carry_out(trainer: Trainer, command: Command) -> str:
    """Return why the command had no effect, or ""."""
    controls = trainer.controls
    match command:
        case Pause():
            controls.is_paused = True
            trainer.reporter.status()
        case Resume():
            controls.is_paused, controls.steps_due = False, 0
            trainer.reporter.status()
        case StepOnce():
            if not controls.is_paused:
                return "Pause first."
            controls.steps_due += 1
        case SetSpeed(actions_per_s):
            trainer.pace.limit(actions_per_s)
            trainer.reporter.status()
        case Watch(env_index):
            return _watch(trainer, env_index)
        case LookAway():
            if trainer.controls.is_human:
                return "Give control back first."
            trainer.reporter.look_away(trainer.vector)
        case TakeOver():
            return _take_over(trainer)
        case GiveBack():
            return _give_back(trainer)
        case Press(action):
            return _press(trainer, action)
        case PlayLive(is_live):
            return _play_live(trainer, is_live)
        case Hold(buttons):
            return _hold(trainer, buttons)
        case Restart():
            return restart(trainer)
        case KeepState():
            return keep_state(trainer)
        case Branch(number):
            return branch(trainer, number)
        case SetMode(mode):
            return set_mode(trainer, mode)
        case SetStrategy(strategy):
            return set_strategy(trainer, strategy)
        case SetGoal(milestone):
            return set_goal(trainer, milestone)
        case Wish(text):
            return wish(trainer, text)
        case SetWeight(component, weight):
            return set_weight(trainer, component, weight)
        case Save():
            trainer.save()
        case SkipEvaluation():
            if not trainer.reporter.is_evaluating:
                return "No evaluation is going on."
            controls.skips_evaluation = True
        case Seek():
            return "Only a replay can go back and forth."
        case StartRecording(task, tags):
            return trainer.recording.start(trainer, task, tags)
        case StopRecording():
            return trainer.recording.stop(trainer)
        case DiscardRecording(again):
            return trainer.recording.discard(trainer, again)
        case Rewind(actions):
            return trainer.recording.rewind(trainer, actions)
        case MarkRecording() | DescribeRecording():
            return trainer.recording.describe(trainer, command)
        case Stop(reason):
            controls.stop_reason = reason or "asked to stop"
        case _:
            return "This is not possible yet."
    return ""


def _watch(trainer: Trainer, env_index: int) -> str:
    if not 0 <= env_index < trainer.vector.num_envs:
        return f"There are environments 0 to {trainer.vector.num_envs - 1}."
    if trainer.controls.is_human:
        return "Give control back first."
    if trainer.recording.is_recording:
        return "Stop the recording first: it is of the game you watch."
    trainer.reporter.watch(trainer.vector, env_index)
    return ""


def _take_over(trainer: Trainer) -> str:
    """Let a person act; what the agent lived through ends here with the worth of this state."""
    if trainer.controls.is_human:
        return "You have control already."
    env_index = trainer.controls.watched_env
    trainer.agent.cut(env_index, trainer.batch)
    trainer.shaping.forget(env_index)
    trainer.controls.is_human = True
    trainer.emit(ControlChanged(is_human=True))
    trainer.recording.take_over(trainer)
    trainer.reporter.status()
    return ""


def _give_back(trainer: Trainer) -> str:
    if not trainer.controls.is_human:
        return "The agent has control already."
    trainer.live.end(trainer)
    trainer.controls.is_human = False
    trainer.recording.give_back(trainer)
    trainer.emit(ControlChanged(is_human=False))
    trainer.reporter.status()
    return ""


def _press(trainer: Trainer, action: Action) -> str:
    if not trainer.controls.is_human:
        return "Take control first."
    if trainer.controls.is_live:
        return "The game runs in real time."
    env_index = trainer.controls.watched_env
    if refusal := trainer.recording.foresee(trainer):
        return refusal
    batch = trainer.vector.step_one(env_index, action)
    trainer.tally.steps[env_index] += 1
    trainer.tally.is_touched[env_index] = True
    decision = Decision(action, Source.HUMAN, 1.0, _beside(action, trainer.recording.proposal))
    trainer.reporter.pressed(trainer.vector, decision, int(trainer.tally.steps[env_index]))
    trainer.accept(batch)
    trainer.recording.tell(trainer)
    return ""


def _beside(action: Action, proposal: Action | None) -> str:
    """Return in words what a person did, and what the agent would have done, if it was asked."""
    text = "You pressed it."
    if proposal is None:
        return text
    same = proposal == action
    return (
        f"{text} The agent would, too."
        if same
        else f"{text} The agent would press {proposal.name}."
    )


def _play_live(trainer: Trainer, is_live: bool) -> str:
    if not trainer.controls.is_human:
        return "Take control first." if is_live else ""
    if is_live and not trainer.controls.is_live:
        trainer.live.begin(trainer)
    elif not is_live:
        trainer.live.end(trainer)
    return ""


def _hold(trainer: Trainer, buttons: frozenset[Action]) -> str:
    """Hold buttons; what comes too late, after live play has ended, needs no word."""
    if trainer.controls.is_live:
        trainer.live.hold(buttons - {Action.NOOP})
    elif buttons:
        return "The game does not run in real time."
    return ""
