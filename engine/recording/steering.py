"""Do what a person asks while demonstrations are recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.commands import (
    Command,
    DescribeRecording,
    DiscardRecording,
    GiveBack,
    Hold,
    LookAway,
    MarkRecording,
    Pause,
    PlayLive,
    Press,
    Restart,
    Resume,
    Rewind,
    SetSpeed,
    StartRecording,
    StepOnce,
    Stop,
    StopRecording,
    TakeOver,
    Watch,
)
from engine.demos.live_recorder import said_of_mark
from engine.errors import DemoError
from engine.events import CommandRefused
from engine.types import Action

if TYPE_CHECKING:
    from engine.recording.loop import RecordingLoop

_BUSY = "A demonstration is being recorded already."
_IDLE = "Nothing is being recorded."
_NOTHING = "Nothing is played yet."
_RESETTING = "The next demonstration begins in a moment; resume, and it begins now."
_NOT_HERE = "Not while demonstrations are recorded: nothing is trained."


def obey(loop: RecordingLoop, command: Command) -> None:
    """Carry out a command, or refuse it with a reason."""
    try:
        refusal = _carry_out(loop, command)
    except DemoError as error:
        refusal = str(error)
    if refusal:
        loop.emit(CommandRefused(type(command).__name__, refusal))
    else:
        loop.teller.status()


def _carry_out(loop: RecordingLoop, command: Command) -> str:
    """Return why the command had no effect, or ""."""
    controls = loop.controls
    match command:
        case Pause():
            controls.is_paused = True
        case Resume():
            if loop.is_waiting and not controls.is_paused:
                loop.record()
            controls.is_paused, controls.steps_due = False, 0
        case StepOnce():
            if controls.is_human:
                return "You play: press a button."
            if not controls.is_paused:
                return "Pause first."
            controls.steps_due += 1
        case SetSpeed(actions_per_s):
            loop.pace.limit(actions_per_s)
        case Press(action):
            return _press(loop, action)
        case TakeOver():
            return _take_over(loop)
        case GiveBack():
            return _give_back(loop)
        case PlayLive(is_live):
            return _play_live(loop, is_live)
        case Hold(buttons):
            return _hold(loop, buttons)
        case Watch(0):
            loop.look()
        case LookAway():
            loop.game.watch(True, renders=False)
        case Stop(reason):
            loop.rest()
            controls.stop_reason = reason or "asked to stop"
        case _:
            return _change_recording(loop, command)
    return ""


def _change_recording(loop: RecordingLoop, command: Command) -> str:
    match command:
        case StartRecording(task, tags):
            return _start(loop, task, tags)
        case Restart():
            if loop.is_waiting:
                return _RESETTING
            loop.rest()
            loop.end_episode("you began another episode")
        case StopRecording():
            return _stop(loop)
        case DiscardRecording(again):
            return _discard(loop, again)
        case Rewind(actions):
            return _rewind(loop, actions)
        case MarkRecording(text):
            if not loop.recorder.is_recording:
                return _IDLE
            loop.recorder.mark(text)
            loop.teller.say("human", said_of_mark(text, is_marked=loop.recorder.facts.is_marked))
        case DescribeRecording(task, tags):
            loop.recorder.describe(task, tags)
        case _:
            return _NOT_HERE
    return ""


def _press(loop: RecordingLoop, action: Action) -> str:
    if not loop.controls.is_human:
        return "Take control first."
    if loop.controls.is_live:
        return "The game runs in real time."
    if loop.is_waiting:
        return _RESETTING
    if loop.controls.is_paused:
        return "Paused: resume first."
    if not loop.is_over:  # else the next episode begins before the next press
        loop.press(action)
    return ""


def _take_over(loop: RecordingLoop) -> str:
    if loop.controls.is_human:
        return "You have control already."
    if loop.is_waiting:
        return _RESETTING
    loop.hand_control(is_human=True)
    return ""


def _give_back(loop: RecordingLoop) -> str:
    if loop.player is None:
        return "Nobody else plays here."
    if not loop.controls.is_human:
        return f"{loop.player.by} has control already."
    loop.end_live()
    loop.hand_control(is_human=False)
    return ""


def _play_live(loop: RecordingLoop, is_live: bool) -> str:
    if not loop.controls.is_human:
        return "Take control first." if is_live else ""
    if is_live:
        loop.begin_live()
    else:
        loop.end_live()
    return ""


def _hold(loop: RecordingLoop, buttons: frozenset[Action]) -> str:
    """Hold buttons; what comes too late, after live play has ended, needs no word."""
    if loop.controls.is_live:
        loop.live.hold(buttons - {Action.NOOP})
    elif buttons:
        return "The game does not run in real time."
    return ""


def _start(loop: RecordingLoop, task: str, tags: tuple[str, ...]) -> str:
    if loop.recorder.is_recording:
        return _BUSY
    loop.recorder.describe(task, tags)
    loop.rest()
    if not loop.is_over:
        loop.record()
    return ""


def _stop(loop: RecordingLoop) -> str:
    if not loop.recorder.is_recording:
        return _IDLE
    loop.rest()
    if not loop.recorder.is_recording or loop.recorder.is_empty:
        return _NOTHING
    loop.end_episode("you stopped it")
    return ""


def _discard(loop: RecordingLoop, again: bool) -> str:
    if not loop.recorder.is_recording:
        return _IDLE
    loop.teller.demo_ended("", loop.recorder.facts, loop.recorder.paid, "you threw it away")
    if again:
        loop.recorder.back_to_start()
        loop.go_on_from_past()
        loop.progress.elapsed_s = 0.0
    else:
        loop.recorder.discard()
        loop.teller.phase = "playing"
        loop.teller.say("run", "nothing is recorded until you begin to record, or restart")
    loop.teller.show()
    return ""


def _rewind(loop: RecordingLoop, actions: int) -> str:
    if not loop.recorder.is_recording:
        return _IDLE
    taken_back = loop.recorder.rewind(actions)
    if not taken_back:
        return "There is nothing to take back."
    loop.go_on_from_past()
    many = "the last action" if taken_back == 1 else f"the last {taken_back:,} actions"
    loop.teller.say("human", f"you took back {many}")
    loop.teller.show()
    return ""
