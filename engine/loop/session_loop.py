"""Run the one loop of all sessions: obey, advance, report.

Training, recording and replay differ in their `Activity`: what is advanced, and which other
commands it knows.
"""

from dataclasses import dataclass
from typing import Protocol

from engine.commands import (
    Command,
    Hold,
    Pause,
    PlayLive,
    Press,
    Resume,
    RunBackwards,
    SetSpeed,
    StepOnce,
    Stop,
)
from engine.events import CommandRefused
from engine.loop.controls import CommandQueue, Controls, Pace
from engine.loop.live import BackwardLoop, RealTimeLoop
from engine.loop.reporter import Reporter
from engine.types import Action, ActionSet

IDLE_S = 0.1
"""Longest wait for a command while nothing is due."""


class Activity(Protocol):
    """What a session does: train, record, or replay."""

    not_here: str
    """The refusal of commands that only other activities know."""

    def is_over(self) -> bool:
        """Return whether there is nothing more to do."""

    def wait_s(self) -> float | None:
        """Return the seconds to wait for commands; None: until the next step or frame is due."""

    def obey(self, command: Command) -> str | None:
        """Carry out a command in this activity's own way.

        Returns:
            Why it had no effect, "" if it had one; None: handle it as in every session.
        """

    def advance(self) -> None:
        """Do what is due."""


@dataclass(frozen=True, slots=True)
class SessionLoop:
    """Advance an activity, and obey commands between two steps."""

    activity: Activity
    controls: Controls
    pace: Pace
    reporter: Reporter
    """Publishes refusals, and the status after every other command."""
    commands: CommandQueue
    actions: ActionSet
    live: RealTimeLoop | None = None
    """Play in real time; None: there is none."""
    backwards: BackwardLoop | None = None
    """Runs a recorded game backwards; None: nothing is recorded."""

    def run(self) -> None:
        """Obey and advance until the activity is over."""
        while not self.activity.is_over():
            self.obey_waiting(self._wait_s())
            if not self.controls.stop_reason:
                self.activity.advance()

    def obey_waiting(self, wait_s: float = 0.0) -> None:
        """Obey the waiting commands; wait up to `wait_s` for the first."""
        for command in self.commands.drain(wait_s):
            self.obey(command)

    def obey(self, command: Command) -> None:
        """Carry out a command, or refuse it with a reason."""
        refusal = self._unknown_action(command) or self.activity.obey(command)
        if refusal is None:
            refusal = self._carry_out(command)
        if refusal:
            self.reporter.emit(CommandRefused(type(command).__name__, refusal))
        else:
            self.reporter.status()

    def _unknown_action(self, command: Command) -> str:
        """Refuse a command with an action that the game does not have; return "" otherwise."""
        match command:
            case Press(action):
                named = frozenset({action})
            case Hold(buttons):
                named = buttons
            case _:
                return ""
        is_known = named <= set(range(len(self.actions)))
        return "" if is_known else f"Valid actions: 0 to {len(self.actions) - 1}."

    def _wait_s(self) -> float:
        wait_s, controls = self.activity.wait_s(), self.controls
        if self.backwards is not None and self.backwards.is_on:
            return min(IDLE_S, self.backwards.wait_s())
        if wait_s is not None:
            return wait_s
        if self.live is not None and controls.is_live and not controls.is_paused:
            return min(IDLE_S, self.live.wait_s())
        return min(IDLE_S, self.pace.wait_s()) if controls.may_step else IDLE_S

    def _carry_out(self, command: Command) -> str:
        """Handle a command as in every session; return why it had no effect, or ""."""
        controls = self.controls
        match command:
            case Pause():
                controls.is_paused = True
            case Resume():
                controls.is_paused, controls.steps_due = False, 0
            case StepOnce() if controls.is_human:
                return self._step_by_hand()
            case StepOnce():
                if not controls.is_paused:
                    return "Pause first."
                controls.steps_due += 1
            case SetSpeed(actions_per_s):
                self.pace.limit(actions_per_s)
            case Stop(reason):
                controls.stop_reason = reason or "asked to stop"
            case PlayLive(is_live) if self.live is not None:
                if not controls.is_human:
                    return "Take control first." if is_live else ""
                if is_live:
                    self.live.begin()
                else:
                    self.live.end()
            case Hold(buttons) if self.live is not None:
                if controls.is_live:
                    self.live.hold(buttons)
                elif buttons:  # letting go after real-time play has ended is no mistake
                    return "The game does not run in real time."
            case RunBackwards(is_on) if self.backwards is not None:
                if is_on:
                    self.backwards.begin()
                else:
                    self.backwards.end()
            case _:
                return self.activity.not_here
        return ""

    def _step_by_hand(self) -> str:
        """Run one frame in real time, or wait one action turn-based; return why not, or ""."""
        if self.live is not None and self.controls.is_live:
            self.live.step()
            return ""
        idle = self.actions.index(Action.NOOP)
        if idle is None:
            return "Press a button: each press is one step."
        return self.activity.obey(Press(idle)) or ""
