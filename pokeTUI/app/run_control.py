"""The actions that steer a run, a recording or a replay."""

import time
from collections.abc import Callable
from functools import partial
from math import inf

from engine.commands import (
    Command,
    GiveBack,
    KeepRecent,
    KeepState,
    LoadSlot,
    MarkRecording,
    ReleaseControl,
    RequestControl,
    Restart,
    ReviewRecording,
    Rewind,
    SaveSlot,
    Seek,
    SetSpeed,
    SkipEvaluation,
    StartRecording,
    StepOnce,
    StopRecording,
    TakeOver,
    Watch,
)
from pokeTUI.app.actions import ActionsApp
from pokeTUI.dashboard.conditions import is_recording, is_replay, only_records, takeable
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.input.actions import SPEEDS
from pokeTUI.panes.dialogs import (
    Question,
    ask_description,
    ask_discard,
    ask_game,
    ask_goal,
    ask_mark,
    ask_mode,
    ask_rewind,
    ask_state,
    ask_strategy,
    ask_wish,
)
from pokeTUI.screens.bars import SeekBar
from pokeTUI.terminal.driver import KeyReleased
from pokeTUI.terminal.key_names import shown_key


def _sends(command: Callable[[], Command]) -> Callable[[ActionsApp], None]:
    """Return an action that sends a command."""
    return lambda app: app.send_command(command())


def _asks(question: Callable[[DashboardState], Question]) -> Callable[[ActionsApp], None]:
    """Return an action that asks the user, and sends what comes of it."""
    return lambda app: app.ask(question(app.dashboard))


class RunControlActions(ActionsApp):
    """The part of the cockpit that steers the run, plays and records."""

    action_step_once = _sends(StepOnce)
    action_skip_evaluation = _sends(SkipEvaluation)
    action_restart = _sends(Restart)
    action_keep_recent = _sends(KeepRecent)
    action_keep_state = _sends(KeepState)
    action_mark_recording = _sends(MarkRecording)
    action_review_recording = _sends(ReviewRecording)

    action_watch_number = _asks(ask_game)
    action_set_mode = _asks(ask_mode)
    action_set_strategy = _asks(ask_strategy)
    action_set_goal = _asks(ask_goal)
    action_wish = _asks(ask_wish)
    action_rewind_more = _asks(ask_rewind)
    action_record_again = _asks(partial(ask_discard, again=True))
    action_discard_recording = _asks(partial(ask_discard, again=False))
    action_mark_in_words = _asks(ask_mark)
    action_describe_recording = _asks(ask_description)

    _speed: float | None = None
    _sought: int | None = None
    _plays_on = _branches = False

    def _settle(self, state: DashboardState) -> None:
        """Act on requests that are fulfilled now: a speed, a step, a saved state."""
        if state.status is not None and state.status.speed == self._speed:
            self._speed = None
        if state.status is not None and state.status.episode_steps == self._sought:
            self._sought = None
            if self._plays_on:
                self._plays_on = False
                self._play_on(state)
        if self._branches and not state.is_keeping:
            self._branches = False
            if state.kept_states:  # else it was refused, and a notice says so
                self.ask(ask_state(state, time.time()))

    def action_branch(self) -> None:
        """Ask from which state to branch, once one that is being saved is among them."""
        self._branches = True
        if self.dashboard.is_keeping:
            self.notify("Waiting for the state that is being saved", timeout=2)
        self._settle(self.dashboard)

    def action_change_speed(self, direction: int) -> None:
        """Go to the next speed up or down."""
        status = self.dashboard.status
        if self._speed is None:
            self._speed = status.speed if status is not None else 0.0
        self._speed = next_speed(self._speed, direction)
        self.send_command(SetSpeed(self._speed))

    def action_seek(self, steps: int) -> None:
        """In a replay, go so many steps forward; presses in quick succession add up."""
        status = self.dashboard.status
        if status is not None:
            now = self._sought if self._sought is not None else status.episode_steps
            self._seek(min(int(status.total), max(0, now + steps)))

    def action_seek_to(self, share: float) -> None:
        """In a replay, go to its beginning or its end."""
        status = self.dashboard.status
        if status is not None:
            self._seek(round(share * status.total))

    def on_seek_bar_sought(self, message: SeekBar.Sought) -> None:
        """In a replay, go to the place under the pointer."""
        self._seek(message.place)

    def _seek(self, step: int) -> None:
        self._sought = step
        self.send_command(Seek(step))

    def action_watch(self, direction: int) -> None:
        """Watch the next game, or the one before."""
        state = self.dashboard
        if state.run is not None:
            watched = state.status.watched_env if state.status is not None else 0
            self.send_command(Watch((watched + direction) % state.run.num_envs))

    def action_toggle_steering(self) -> None:
        """Ask for control of the run, or give it to another viewer."""
        viewers = self.dashboard.viewers
        is_ours = viewers is not None and viewers.is_yours
        self.send_command(ReleaseControl() if is_ours else RequestControl())

    # Playing

    def action_toggle_control(self) -> None:
        """Take the game over or give it back; a replay is left, and the game continues."""
        if is_replay(self.dashboard) and self.dashboard.status is not None:
            if self._sought is None:
                self._play_on(self.dashboard)
            else:  # only there it is known whether something is left to play for
                self._plays_on = True
            return
        self.send_command(GiveBack() if self.dashboard.is_human else TakeOver())

    def _play_on(self, state: DashboardState) -> None:
        """Leave a replay to play on from here, unless there is nothing left to play for."""
        why_not = takeable(state)
        if why_not:
            self.notify(f"t (play): {why_not}", timeout=3, markup=False)
        elif state.status is not None:
            self.branch_at = state.status.episode_steps
            self.exit(return_code=0)

    def action_press(self, action: int) -> None:
        """Press a button of the game."""
        self.playing.press(action)
        if (chosen := self.playing.chosen) is not None:
            names = " ".join(self.dashboard.actions.name(button) for button in sorted(chosen))
            self.notify(f"Held in the next frames: {names or 'nothing'}", timeout=2, markup=False)

    def action_load_slot(self, slot: int) -> None:
        """Go back to what a slot holds."""
        self.send_command(LoadSlot(slot))

    def action_save_slot(self, slot: int) -> None:
        """Keep the game in a slot."""
        self.send_command(SaveSlot(slot))

    def action_run_back(self) -> None:
        """Rewind while the key is held."""
        self.playing.run_back()

    def action_toggle_live(self) -> None:
        """Play in real time, or by turns."""
        self.playing.toggle_live()

    def on_key_released(self, event: KeyReleased) -> None:
        """A key of the game may have gone up."""
        if event.key in self._keys_of("hold_rewind"):
            self.playing.stop_back()
        self.playing.release(event.key)

    def on_releases_reported(self) -> None:
        """The terminal reports when keys go up."""
        self.playing.report_releases()

    def on_app_blur(self) -> None:
        """Let go of all keys: without focus their releases are not reported."""
        self.playing.let_go()

    # Recording

    def action_toggle_recording(self) -> None:
        """Begin a demonstration, or save it; tell who plays on that it is not recorded."""
        state = self.dashboard
        if not is_recording(state):
            self.send_command(StartRecording())
            return
        self.send_command(StopRecording())
        if state.is_human and not only_records(state):  # there the next begins by itself
            keys = self._keys_of("record")
            again = f": {shown_key(keys[0])} records again" if keys else ""
            self.notify(f"Recording stops here{again}", timeout=6, markup=False)

    def _keys_of(self, name: str) -> tuple[str, ...]:
        return next((one.keys for one in self.table.entries if one.id == name), ())

    def action_rewind(self, actions: int) -> None:
        """Undo the last actions, or as many as there are."""
        now = self.dashboard.recording
        if now is not None and now.rewindable:
            self.send_command(Rewind(min(actions, now.rewindable)))


def next_speed(speed: float, direction: int) -> float:
    """Return the speed after `speed` in SPEEDS (0 is unlimited, the fastest), or the one before."""
    ordered = [value or inf for value in SPEEDS]
    nearest = min(range(len(ordered)), key=lambda index: _gap(ordered[index], speed or inf))
    return SPEEDS[max(0, min(len(SPEEDS) - 1, nearest + direction))]


def _gap(a: float, b: float) -> float:
    return 0.0 if a == b else abs(a - b)
