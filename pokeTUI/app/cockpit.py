"""The application: polls the session, keeps the state, turns keys into commands.

Textual draws on stderr, so nothing here may print or log there.
"""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from textual.binding import BindingsMap
from textual.command import Provider
from textual.driver import Driver
from textual.events import CursorPosition

from engine.commands import Pause, Resume, Stop
from engine.config import RunConfig
from engine.errors import PokeTUIError
from engine.events import CheckpointSaved, RunStarted, RunStopped
from engine.runs.folder import resume_command
from engine.types import Frame
from pokeTUI.app.actions import ActionsProvider, GamepadActions, ViewActions
from pokeTUI.app.run_control import RunControlActions
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.draw.encoders import GameMode
from pokeTUI.draw.layout import Arrangement
from pokeTUI.input.playing import Playing
from pokeTUI.panes.pane import CommandWanted
from pokeTUI.preferences import layout_of
from pokeTUI.screens.board import Board
from pokeTUI.screens.first_run import RECORDING, FirstRunScreen
from pokeTUI.screens.mosaic import MosaicScreen
from pokeTUI.terminal.driver import with_releases
from pokeTUI.terminal.link import Session
from pokeTUI.terminal.output import QUESTION, Gate
from pokeTUI.terminal.probe import own_cell_size_px, probe_own_terminal
from pokeTUI.terminal.signals import end_on_hangup, suspend

FRAME_INTERVAL_S = 1 / 30
_SWITCH_INTERVAL_S = 0.0005
"""A tenth of Python's own: while the screen is drawn, the trainer beside it waits less."""
_AS_SHIFT_F3 = (1, 0)
FRAMES_PER_FIGURES = 6
"""Figures are drawn with every sixth poll, five times a second: Textual takes 6-10 ms each time."""
FRAMES_PER_FIGURES_AT_FULL_SPEED = 12
"""Nobody can follow them then, and drawing takes time from the training."""
FRAMES_PER_FIGURES_BY_HAND = 2
"""While a person steps or plays, little happens, and that must be seen at once."""


class CockpitApp(RunControlActions, GamepadActions, ViewActions):
    """Show a session and let a person steer it.

    Args:
        session: Not yet started; the application starts it.
        is_attached: The run continues without this application, and quitting only leaves it.
        arrangement: How the panes are arranged, which is not remembered; None: as remembered.

    Attributes:
        polls: How often the session was asked for events.
    """

    TITLE = "PokeTUI"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {ActionsProvider}

    def __init__(
        self,
        session: Session,
        config: RunConfig,
        *,
        is_attached: bool = False,
        color: str = "auto",
        make_session: Callable[[], Session] | None = None,
        arrangement: Arrangement | None = None,
        run_dir: str = "",
    ) -> None:
        super().__init__(
            session,
            color=color,
            run_dir=run_dir,
            resume=lambda: resume_command(run_dir),
            make_session=make_session,
        )
        self._color = color
        self.gate = Gate(self._ask_position, is_deaf=True)
        self._shown_frame: Frame | None = None
        self._figures_at = 0
        self._shown_hand = (False, False)
        preferences = self.memory.preferences
        self.pad_actions = preferences.pad_actions()
        where = f"{self._preference_file.path}: gamepad"
        self.table.check_names(preferences.gamepad.values(), where)
        self.config = config
        self.is_remote = is_attached
        self._is_arranged = arrangement is not None
        arrangement = arrangement or preferences.arrangement()
        self.board = Board(self.table, arrangement, id="board")
        if is_attached:
            self.board.game.starting.title = "Loading the run…"
        self.polls = 0
        self._is_save_wanted = False
        self._checkpoint_before: CheckpointSaved | None = None
        self._owns_process = self._knows_cell_size = False

    def _connect(self, session: Session) -> None:
        super()._connect(session)
        self.playing = Playing(self.link.send, self.table.buttons)

    def get_driver_class(self) -> type[Driver]:
        """Return what reads the keyboard."""
        return with_releases(super().get_driver_class())

    def run(self, *arguments: Any, **options: Any) -> None:
        """Run until the user or the engine ends it; SIGTERM and SIGHUP save before the end."""
        self.terminal = probe_own_terminal(self._color)
        is_browser = bool(os.environ.get("TEXTUAL_DRIVER"))  # answers, but only later
        self.gate.is_deaf = not (self.terminal.is_answering or is_browser)
        sys.setswitchinterval(_SWITCH_INTERVAL_S)
        self._knows_cell_size = own_cell_size_px() == self.terminal.cell_size_px
        self._owns_process = True
        with end_on_hangup(self._hang_up, lambda: self.link.is_alive and not self.is_remote):
            super().run(*arguments, **options)

    def _hang_up(self) -> None:
        if not self.is_remote:
            self.link.send(Stop("SIGHUP"))

    def on_resize(self) -> None:
        """Measure the cells again: the font may have changed."""
        size = own_cell_size_px() if self._knows_cell_size else None
        if size not in (None, self.terminal.cell_size_px):
            self.terminal = replace(self.terminal, cell_size_px=size)
            self.board.game.use_terminal(self.terminal)

    def on_mount(self) -> None:
        """Start the engine and begin to poll it."""
        self.board.game.use_terminal(self.terminal)
        view = self.memory.preferences.view
        if self.has_colors and view in {mode.value for mode in self.board.game.modes}:
            self.board.game.set_mode(GameMode(view))
        self.board.game.show_inputs(self.memory.preferences.input_display)
        if self._owns_process:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTSTP, self.action_suspend)
        self._open()
        if self._owns_process and not os.environ.get("TEXTUAL_DRIVER"):
            self.use_gamepads()  # a browser's are on another machine
        self._poll_later()
        self._explain()

    def _explain(self) -> None:
        """Explain the cockpit, or how to record in it, to a first-time user."""
        preferences = self.memory.preferences
        if self._is_arranged and not preferences.has_seen_recording:
            self.memory.remember(has_seen_recording=True)
            self.link.send(Pause())  # the time that a demonstration may take waits for the reader
            self.push_screen(FirstRunScreen(RECORDING), lambda _: self.link.send(Resume()))
        elif not (self._is_arranged or preferences.has_seen_first_run):
            self.memory.remember(has_seen_first_run=True)
            self.push_screen(FirstRunScreen())

    async def on_unmount(self) -> None:
        """Listen to gamepads no more."""
        self.leave_gamepads()

    def on_board_arranged(self, message: Board.Arranged) -> None:
        """Remember how the panes are arranged."""
        if not self._is_arranged:
            self.memory.remember(layout=layout_of(message.arrangement))

    # Events

    def _poll_later(self) -> asyncio.TimerHandle:
        # Not by Textual's timers: they cost several times what the loop's own do.
        return asyncio.get_running_loop().call_later(FRAME_INTERVAL_S, self._tick)

    def _tick(self) -> None:
        """Poll now and, while the application runs, again after the interval."""
        if not self._running:
            return
        next_tick = self._poll_later()
        try:
            self._poll()
        except Exception as error:  # as from what Textual itself calls: a crash, reported once
            next_tick.cancel()
            self._handle_exception(error)

    def _poll(self) -> None:
        """Fold what has happened and show it."""
        for event in self.link.poll():
            if isinstance(event, RunStarted):
                self._begin(event)
            self.playing.take(event)
            self.dashboard = fold(self.dashboard, event)
        state = self.dashboard
        self._settle(state)
        self.playing.look(is_covered=len(self.screen_stack) > 1)
        if state.is_human:
            self.say_refused_gamepad()
        self.polls += 1
        if self.gate.is_open:
            self._draw(state)
        if state.end is not None and self.end is None:
            self._show_figures(state)
            self._finish(state.end)

    def _begin(self, run: RunStarted) -> None:
        """Bind the keys of the game that is played."""
        self.table.use(run.actions)
        self._bindings = BindingsMap(self.table.bindings())
        self.playing.use(run, self.table.buttons)
        if self._owns_process:
            _freeze_garbage()

    def _draw(self, state: DashboardState) -> None:
        """Show the newest frame and, less often, the figures, once the terminal is ready."""
        is_new = state.frame is not self._shown_frame
        hand = (state.is_human, state.is_paused)
        is_answer = hand != self._shown_hand  # to a key: on a slow link no picture goes before it
        self._shown_hand = hand
        is_sent = False
        if isinstance(self.screen, MosaicScreen):
            is_new = self.screen.show(state)
        elif is_new:
            self._shown_frame = state.frame
            is_sent = self.board.game.show_frame(state, at_once=not is_answer)
        are_figures_due = is_answer or self.polls - self._figures_at >= _interval(state)
        if are_figures_due:
            self._figures_at = self.polls
            self._show_figures(state)
        if is_sent and not are_figures_due:
            self.gate.sent()
        elif is_new or are_figures_due:
            self.call_after_refresh(self.gate.sent)

    def _ask_position(self) -> None:
        """Ask where the cursor is: the answer means that all drawn before has arrived."""
        if self._driver is not None and self._running:
            self._driver.write(QUESTION)
            self._driver.flush()

    def on_cursor_position(self, event: CursorPosition) -> None:
        """Take the terminal's answer, or shift+F3, which most terminals send as an answer."""
        if (event.x, event.y) == _AS_SHIFT_F3 and not self.gate.is_asked:
            self.simulate_key("shift+f3")
        else:
            self.gate.acknowledged()

    def _show_figures(self, state: DashboardState) -> None:
        self.board.show(state)
        self._show_notices()
        saved = state.checkpoint
        if self._is_save_wanted and saved is not None and saved is not self._checkpoint_before:
            self._is_save_wanted = False
            self.notify(f"Saved at step {saved.total_steps:,}", timeout=3, markup=False)

    # Keys

    def on_command_wanted(self, message: CommandWanted) -> None:
        """Send what a pane wants."""
        self.link.send(message.command)

    async def action_go_on(self) -> None:
        """After a failure, start the run again from its checkpoint, or attach to it again."""
        if self._make_session is None or self.end is None or isinstance(self.end, RunStopped):
            return
        if self.link.is_alive:
            self.notify("The engine is still stopping: try again in a moment.", timeout=3)
            return
        try:
            session = await asyncio.to_thread(self._make_session)
        except PokeTUIError as error:
            self.notify(f"{error.message} {error.hint}", severity="error", markup=False)
            return
        self._connect(session)
        self._pop_all()
        self.link.start()

    def action_save(self) -> None:
        """Write a checkpoint."""
        self._is_save_wanted = True
        self._checkpoint_before = self.dashboard.checkpoint
        super().action_save()

    def action_suspend(self) -> None:
        """Leave the terminal to the shell until it continues the program."""
        suspend(self, _ATTACHED_MEANWHILE if self.is_remote else _MEANWHILE)

    def _close(self, reason: str) -> None:
        """Leave: a run that is this application's own ends with it."""
        if self.is_remote:
            self.exit(return_code=0)
        else:
            super()._close(reason)


_MEANWHILE = "Suspended: playing and training stop until `fg` resumes it."
_ATTACHED_MEANWHILE = "Suspended: the run continues in the background; `fg` shows it again."


def _freeze_garbage() -> None:
    """Exclude the libraries, which are all loaded now, from garbage collection.

    Each full collection would stop screen and trainer for a fifth of a second, every minute.
    """
    if gc.get_freeze_count():  # an earlier run of this process is among it
        gc.unfreeze()
        gc.collect()
    gc.freeze()


def _interval(state: DashboardState) -> int:
    """Return the number of polls between two drawings of the figures."""
    if state.is_human or state.is_paused:
        return FRAMES_PER_FIGURES_BY_HAND
    is_at_full_speed = state.status is not None and state.status.speed == 0
    return FRAMES_PER_FIGURES_AT_FULL_SPEED if is_at_full_speed else FRAMES_PER_FIGURES
