"""The application: polls the session, keeps the state, turns keys into commands.

Textual draws on stderr, so nothing here may print or log there.
"""

import asyncio
import os
import signal
import threading
from math import inf
from pathlib import Path
from typing import Any, ClassVar, Literal

from textual.app import App
from textual.binding import BindingType
from textual.events import CursorPosition
from textual.screen import Screen

from engine.commands import (
    GiveBack,
    Pause,
    ReleaseControl,
    RequestControl,
    Resume,
    Save,
    SetSpeed,
    StepOnce,
    Stop,
    TakeOver,
    Watch,
)
from engine.config import RunConfig
from engine.events import CheckpointSaved, ConnectionLost, RunFailed, RunStopped
from engine.types import Action, Frame
from pokeTUI.actions import SPEEDS, bindings, is_enabled
from pokeTUI.hangup import end_on_hangup
from pokeTUI.link import Link, Session
from pokeTUI.screens.closing import ClosingScreen
from pokeTUI.screens.cockpit import Board, CockpitScreen
from pokeTUI.screens.failure import FailureScreen
from pokeTUI.screens.help import HelpScreen
from pokeTUI.state import DashboardState, fold
from pokeTUI.terminal.colors import follow_depth
from pokeTUI.terminal.gate import QUESTION, Gate
from pokeTUI.terminal.probe import probe_own_terminal, terminal_of
from pokeTUI.theme import MOSSLIGHT, THEMES

FRAME_INTERVAL_S = 1 / 30
FRAMES_PER_FIGURES = 6
"""Figures are drawn with every sixth poll, five times a second: Textual takes 6-10 ms each time."""
FRAMES_PER_FIGURES_BY_HAND = 2
"""While a person steps or plays, little happens, and that must be seen at once."""


class CockpitApp(App[None]):
    """Show a session and let a person steer it.

    Args:
        session: Not yet started; the application starts it.
        config: Its configuration.
        is_attached: The run goes on without this application, and quitting only leaves it.

    Attributes:
        end: How the run ended, None if the user left without waiting.
        polls: How often the session was asked for events.
    """

    TITLE = "PokeTUI"
    CSS_PATH = Path(__file__).parent / "styles" / "cockpit.tcss"
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = list(bindings())

    def __init__(
        self,
        session: Session,
        config: RunConfig,
        *,
        is_attached: bool = False,
        color: str = "auto",
    ) -> None:
        super().__init__()
        self._color = color
        self.terminal = terminal_of(os.environ, color)
        self.gate = Gate(self._ask_position, is_deaf=True)
        self._shown_frame: Frame | None = None
        self._figures_at = 0
        follow_depth(self, self.terminal.depth)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = MOSSLIGHT.name
        self.config = config
        self.is_remote = is_attached
        self.end: RunStopped | RunFailed | ConnectionLost | None = None
        self._link = Link(session)
        self._cockpit = CockpitScreen()
        self._dashboard = DashboardState()
        self.polls = 0
        self._last_notice = 0
        self._speed: float | None = None
        self._is_save_wanted = False
        self._checkpoint_before: CheckpointSaved | None = None
        self._is_closing = False

    @property
    def failure(self) -> RunFailed | None:
        """How the run failed, if it did."""
        return self._dashboard.failure

    @property
    def dashboard(self) -> DashboardState:
        """What the screen shows."""
        return self._dashboard

    @property
    def board(self) -> Board:
        """The panes."""
        return self._cockpit.board

    def get_default_screen(self) -> Screen[None]:
        """Return the main screen."""
        return self._cockpit

    def run(self, *arguments: Any, **options: Any) -> None:
        """Run until the user or the engine ends it; SIGTERM and SIGHUP save before the end."""
        self.terminal = probe_own_terminal(self._color)
        self.gate = Gate(self._ask_position, is_deaf=not self.terminal.is_answering)
        with end_on_hangup(self._hang_up, lambda: self._link.is_alive and not self.is_remote):
            super().run(*arguments, **options)

    def _hang_up(self) -> None:
        if not self.is_remote:
            self._link.send(Stop("SIGHUP"))

    def on_mount(self) -> None:
        """Start the engine and begin to poll it."""
        if threading.current_thread() is threading.main_thread():
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGTERM, self._close, "SIGTERM")
        self.board.game.use_terminal(self.terminal)
        self._link.start()
        self.set_interval(FRAME_INTERVAL_S, self._poll)

    # Events

    def _poll(self) -> None:
        """Fold what has happened and show it."""
        for event in self._link.poll():
            self._dashboard = fold(self._dashboard, event)
        state = self._dashboard
        if state.status is not None and state.status.speed == self._speed:
            self._speed = None
        self.polls += 1
        if self.gate.is_open:
            self._draw(state)
        if state.end is not None and self.end is None:
            self._finish(state.end)

    def _draw(self, state: DashboardState) -> None:
        """Show the newest frame and, less often, the figures, once the terminal is ready."""
        is_new = state.frame is not self._shown_frame
        if is_new:
            self._shown_frame = state.frame
            self.board.game.show_frame(state)
        is_by_hand = state.is_human or state.is_paused
        interval = FRAMES_PER_FIGURES_BY_HAND if is_by_hand else FRAMES_PER_FIGURES
        are_figures_due = self.polls - self._figures_at >= interval
        if are_figures_due:
            self._figures_at = self.polls
            self._show_figures(state)
        if is_new or are_figures_due:
            self.call_after_refresh(self.gate.sent)

    def _ask_position(self) -> None:
        """Ask where the cursor is: the answer tells that all drawn before has arrived."""
        if self._driver is not None and self._running:
            self._driver.write(QUESTION)
            self._driver.flush()

    def on_cursor_position(self, event: CursorPosition) -> None:
        """Take the terminal's answer."""
        self.gate.acknowledged()

    def _show_figures(self, state: DashboardState) -> None:
        self.board.show(state)
        for notice in state.notices:
            if notice.number > self._last_notice:
                self._last_notice = notice.number
                self.notify(
                    notice.text, severity=_severity(notice.severity), timeout=4, markup=False
                )
        is_saved = state.checkpoint is not None and state.checkpoint is not self._checkpoint_before
        if self._is_save_wanted and state.checkpoint is not None and is_saved:
            self._is_save_wanted = False
            self.notify(f"Saved at step {state.checkpoint.total_steps:,}", timeout=3, markup=False)

    def _finish(self, end: RunStopped | RunFailed | ConnectionLost) -> None:
        """Leave when the run ended as asked; stay when it failed, and say what happened."""
        self.end = end
        self._show_figures(self._dashboard)
        if isinstance(end, RunStopped):
            self.exit(return_code=0)
            return
        if isinstance(self.screen, ModalScreens):
            self.pop_screen()
        self.push_screen(FailureScreen(end))

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let an action happen only when the table says that it makes sense now."""
        if action in ("press", "next_pane") and isinstance(self.screen, ModalScreens):
            return False
        argument = parameters[0] if parameters else None
        return is_enabled(action, argument, self._dashboard)

    def action_toggle_pause(self) -> None:
        """Pause or go on."""
        self._link.send(Resume() if self._dashboard.is_paused else Pause())

    def action_step_once(self) -> None:
        """Take one step."""
        self._link.send(StepOnce())

    def action_change_speed(self, direction: int) -> None:
        """Go to the next speed up or down."""
        status = self._dashboard.status
        if self._speed is None:
            self._speed = status.speed if status is not None else 0.0
        self._speed = next_speed(self._speed, direction)
        self._link.send(SetSpeed(self._speed))

    def action_toggle_control(self) -> None:
        """Take the game over, or give it back."""
        self._link.send(GiveBack() if self._dashboard.is_human else TakeOver())

    def action_press(self, name: str) -> None:
        """Press a button of the game."""
        self._link.press(Action[name])

    def action_watch(self, direction: int) -> None:
        """Watch the next game, or the one before."""
        state = self._dashboard
        if state.run is not None:
            watched = state.status.watched_env if state.status is not None else 0
            self._link.send(Watch((watched + direction) % state.run.num_envs))

    def action_next_view(self) -> None:
        """Draw the game in the next way."""
        mode = self.board.game.next_mode()
        self.notify(f"Game as {mode.value}", timeout=2)

    def action_show_pane(self, key: str) -> None:
        """Show a pane where panes share a place."""
        if self.board.plan.has_tabs:
            self.board.activate(key)

    def action_next_pane(self, direction: int) -> None:
        """Show the next pane, or the one before, where panes share a place."""
        if self.board.plan.has_tabs:
            self.board.cycle(direction)

    def action_save(self) -> None:
        """Write a checkpoint."""
        self._is_save_wanted = True
        self._checkpoint_before = self._dashboard.checkpoint
        self._link.send(Save())

    def action_help(self) -> None:
        """Show the keys."""
        if not isinstance(self.screen, ModalScreens):
            self.push_screen(HelpScreen())

    def action_quit_run(self) -> None:
        """Save and quit; asked again, offer to leave at once. In the help: leave the help."""
        if isinstance(self.screen, HelpScreen):
            self.pop_screen()
        elif self.end is not None:
            self.exit(return_code=0 if isinstance(self.end, RunStopped) else 1)
        elif self.is_remote:
            self.exit(return_code=0)
        elif isinstance(self.screen, ClosingScreen):
            self.screen.ask()
        else:
            self._close("quit")

    def action_stop_run(self) -> None:
        """Save and end a run that would go on without this application."""
        if self._dashboard.viewers is not None and not self._dashboard.viewers.is_yours:
            self.notify("Another viewer is in control: press C to ask for it.", severity="warning")
        else:
            self._end("quit")

    def action_toggle_steering(self) -> None:
        """Ask to be the viewer that steers, or leave that to another."""
        viewers = self._dashboard.viewers
        is_ours = viewers is not None and viewers.is_yours
        self._link.send(ReleaseControl() if is_ours else RequestControl())

    def _close(self, reason: str) -> None:
        """Leave: a run that is this application's own ends with it."""
        if self.is_remote:
            self.exit(return_code=0)
        else:
            self._end(reason)

    def _end(self, reason: str) -> None:
        if self._is_closing:
            return
        self._is_closing = True
        self._link.send(Stop(reason))
        if isinstance(self.screen, ModalScreens):
            self.pop_screen()
        self.push_screen(ClosingScreen())


ModalScreens = (HelpScreen, ClosingScreen, FailureScreen)


def next_speed(speed: float, direction: int) -> float:
    """Return the speed after `speed` in SPEEDS (0 is unlimited, the fastest), or the one before."""
    ordered = [value or inf for value in SPEEDS]
    nearest = min(range(len(ordered)), key=lambda index: _gap(ordered[index], speed or inf))
    return SPEEDS[max(0, min(len(SPEEDS) - 1, nearest + direction))]


def _gap(a: float, b: float) -> float:
    return 0.0 if a == b else abs(a - b)


def _severity(name: str) -> Literal["information", "warning", "error"]:
    return "warning" if name == "warning" else "error" if name == "error" else "information"
