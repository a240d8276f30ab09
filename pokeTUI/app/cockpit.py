"""The application: polls the session, keeps the state, turns keys into commands.

Textual draws on stderr, so nothing here may print or log there.
"""

import asyncio
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, cast

from textual.binding import BindingsMap
from textual.command import Provider
from textual.driver import Driver
from textual.events import CursorPosition, Key
from textual.notifications import SeverityLevel
from textual.screen import Screen

from engine.commands import Pause, Resume, Save, Stop
from engine.config import RunConfig
from engine.errors import PokeTUIError
from engine.events import CheckpointSaved, ConnectionLost, RunFailed, RunStarted, RunStopped
from engine.runs.folder import resume_command
from engine.types import Frame
from pokeTUI.app.actions import ActionsProvider, GamepadActions, ViewActions
from pokeTUI.app.run_control import RunControlActions
from pokeTUI.dashboard.conditions import only_records
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.draw.encoders import GameMode
from pokeTUI.draw.layout import Arrangement
from pokeTUI.input.keymap import KeyTable, RefusedKeys
from pokeTUI.input.playing import Playing
from pokeTUI.panes.pane import CommandWanted
from pokeTUI.preferences import Memory, PreferenceFile, layout_of
from pokeTUI.screens.board import Board, CockpitScreen
from pokeTUI.screens.endings import ClosingScreen, FailureScreen
from pokeTUI.screens.first_run import RECORDING, FirstRunScreen
from pokeTUI.screens.mosaic import MosaicScreen
from pokeTUI.terminal.driver import with_releases
from pokeTUI.terminal.gate import QUESTION, Gate
from pokeTUI.terminal.link import Link, Session
from pokeTUI.terminal.output import known_theme, set_up_output
from pokeTUI.terminal.probe import own_cell_size_px, probe_own_terminal, terminal_of
from pokeTUI.terminal.signals import end_on_hangup, suspend

FRAME_INTERVAL_S = 1 / 30
_SWITCH_INTERVAL_S = 0.0005
"""A tenth of Python's own: while the screen is drawn, the trainer beside it waits less."""
_AS_SHIFT_F3 = (1, 0)
FRAMES_PER_FIGURES = 6
"""Figures are drawn with every sixth poll, five times a second: Textual takes 6-10 ms each time."""
FRAMES_PER_FIGURES_AT_FULL_SPEED = 12
"""They cannot be followed then, and what is drawn is taken from the training."""
FRAMES_PER_FIGURES_BY_HAND = 2
"""While a person steps or plays, little happens, and that must be seen at once."""


class CockpitApp(RunControlActions, GamepadActions, ViewActions):
    """Show a session and let a person steer it.

    Args:
        session: Not yet started; the application starts it.
        is_attached: The run continues without this application, and quitting only leaves it.
        make_session: Makes a session that continues with the run from its checkpoint, or is
            attached to it again; None: that cannot be done from here.
        arrangement: How the panes are arranged, which is not remembered; None: as remembered.
        run_dir: The run's folder; "": not known.

    Attributes:
        end: How the run ended, None if the user left without waiting.
        polls: How often the session was asked for events.
    """

    TITLE = "PokeTUI"
    CSS_PATH = Path(__file__).with_name("cockpit.tcss")
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {ActionsProvider}
    ALLOW_SELECT = False

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
        super().__init__()
        self._color = color
        self.terminal = terminal_of(os.environ, color)
        self.gate = Gate(self._ask_position, is_deaf=True)
        self._shown_frame: Frame | None = None
        self._figures_at = 0
        self._shown_hand = (False, False)
        self._theme_mistakes = set_up_output(self, self.terminal.depth)
        file = PreferenceFile()
        self.memory = Memory(file, self._complain)
        preferences = self.memory.preferences
        self.theme = known_theme(self, preferences.theme)
        self.table = KeyTable(preferences.keys, str(file.path))
        # Not by Textual's set_keymap: it drops all other bindings of a key that it moves, and
        # here the game's buttons, the panes and the application share keys.
        self.pad_actions = preferences.pad_actions()
        self.table.check_names(preferences.gamepad.values(), f"{file.path}: gamepad")
        self._bindings = BindingsMap(self.table.bindings())
        self.refused_keys = RefusedKeys(self.table)
        self.config = config
        self.is_remote = is_attached
        self._connect(session)
        self._is_arranged = arrangement is not None
        self._cockpit = CockpitScreen(self.table, arrangement or preferences.arrangement())
        self.board = self._cockpit.board
        if is_attached:
            self.board.game.starting.title = "Loading the run…"
        self.polls = 0
        self._is_save_wanted = False
        self._checkpoint_before: CheckpointSaved | None = None
        self._owns_process = self._knows_cell_size = False
        self._make_session = make_session
        self._run_dir = run_dir

    def _connect(self, session: Session) -> None:
        """Begin to show a session that is not yet started."""
        self.end: RunStopped | RunFailed | ConnectionLost | None = None
        self.dashboard = DashboardState()
        self.link = Link(session)
        self.playing = Playing(self.link.send, self.table.buttons)
        self._last_notice = 0
        self._is_closing = self._stays = False

    def get_default_screen(self) -> Screen[None]:
        """Return the main screen."""
        return self._cockpit

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
        """Look how large cells are now: the font may be another one."""
        size = own_cell_size_px() if self._knows_cell_size else None
        if size not in (None, self.terminal.cell_size_px):
            self.terminal = replace(self.terminal, cell_size_px=size)
            self.board.game.use_terminal(self.terminal)

    def on_mount(self) -> None:
        """Start the engine and begin to poll it."""
        if threading.current_thread() is threading.main_thread():
            loop = asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGINT):  # ctrl+c is a key, and comes as one
                loop.add_signal_handler(number, self._close, number.name)
            if self._owns_process:
                loop.add_signal_handler(signal.SIGTSTP, self.action_suspend)
        self.app_resume_signal.subscribe(self, lambda _: self.screen.refresh())
        self.board.game.use_terminal(self.terminal)
        view = self.memory.preferences.view
        if self.has_colors and view in {mode.value for mode in self.board.game.modes}:
            self.board.game.set_mode(GameMode(view))
        self.board.game.show_inputs(self.memory.preferences.input_display)
        self.link.start()
        if self._owns_process and not os.environ.get("TEXTUAL_DRIVER"):
            self.use_gamepads()  # a browser's are on another machine
        self._poll_later()
        self._explain()
        for mistake in self._theme_mistakes:
            self._complain(f"{mistake.message} {mistake.hint}")

    def _explain(self) -> None:
        """Explain the cockpit, or how to record in it, to who sees it for the first time."""
        preferences = self.memory.preferences
        if self._is_arranged and not preferences.has_seen_recording:
            self.memory.remember(has_seen_recording=True)
            self.link.send(Pause())  # the time that a demonstration may take waits for the reader
            self.push_screen(FirstRunScreen(RECORDING), lambda _: self.link.send(Resume()))
        elif not (self._is_arranged or preferences.has_seen_first_run):
            self.memory.remember(has_seen_first_run=True)
            self.push_screen(FirstRunScreen())

    async def on_unmount(self) -> None:
        """Write down what is to be remembered."""
        self.leave_gamepads()
        await self.memory.flush()

    def on_board_arranged(self, message: Board.Arranged) -> None:
        """Remember how the panes are arranged."""
        if not self._is_arranged:
            self.memory.remember(layout=layout_of(message.arrangement))

    def _complain(self, text: str) -> None:
        if self._running:
            self.notify(text, severity="warning", markup=False)

    # Events

    def _poll_later(self) -> asyncio.TimerHandle:
        # Not by Textual's timers: they cost several times what the loop's own do.
        return asyncio.get_running_loop().call_later(FRAME_INTERVAL_S, self._tick)

    def _tick(self) -> None:
        """Poll again and again, while there is something to show it on."""
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
            self._finish(state.end)

    def _begin(self, run: RunStarted) -> None:
        """Take the keys of the game that is played."""
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
        for notice in state.notices:
            if notice.number > self._last_notice:
                self._last_notice = notice.number
                severity = cast(SeverityLevel, notice.severity)
                self.notify(notice.text, severity=severity, timeout=4, markup=False)
        saved = state.checkpoint
        if self._is_save_wanted and saved is not None and saved is not self._checkpoint_before:
            self._is_save_wanted = False
            self.notify(f"Saved at step {saved.total_steps:,}", timeout=3, markup=False)

    def _finish(self, end: RunStopped | RunFailed | ConnectionLost) -> None:
        """Leave when the run ended as asked; stay when it failed, and say what happened."""
        self.end = end
        self._show_figures(self.dashboard)
        if isinstance(end, RunStopped):
            if self._stays:
                self.notify("The run is saved and has ended. q quits.", markup=False)
            else:
                self.exit(return_code=0)
            return
        self._pop_all()
        has_checkpoint = not isinstance(end, RunFailed) or end.has_checkpoint
        resume = resume_command(self._run_dir) if has_checkpoint else ""
        is_there = bool(resume) or (isinstance(end, ConnectionLost) and end.is_running)
        can_go_on = is_there and self._make_session is not None
        self.push_screen(FailureScreen(end, resume, can_go_on=can_go_on))

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let an action happen only when the table says that it makes sense now."""
        entry = self.table.find(action, parameters)
        if entry is None:
            return True
        if entry.pane and entry.pane != self.board.focused:
            return False
        return not self.table.refusal(entry, self.dashboard)

    def on_key(self, event: Key) -> None:
        """Say why a key does nothing; all that has the keyboard before the panes keeps quiet."""
        if len(self.screen_stack) == 1:
            self.say_refusal(event.key)

    def on_command_wanted(self, message: CommandWanted) -> None:
        """Send what a pane wants."""
        self.link.send(message.command)

    def action_stop_run(self) -> None:
        """Save and end the run; the screen stays as it was."""
        self._stays = True
        self.link.send(Stop("quit"))

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
        self.link.send(Save())

    def action_quit_run(self) -> None:
        """Save and quit; asked again, offer to leave at once."""
        if self.end is not None:
            self.exit(return_code=0 if isinstance(self.end, RunStopped) else 1)
        elif isinstance(self.screen, ClosingScreen):
            self.screen.ask()
        else:
            self._close("quit")

    def action_suspend(self) -> None:
        """Leave the terminal to the shell until it continues the program."""
        suspend(self, _ATTACHED_MEANWHILE if self.is_remote else _MEANWHILE)

    def action_leave(self) -> None:
        """Leave what is in front of the cockpit; if nothing is, save and quit."""
        if len(self.screen_stack) > 1 and not isinstance(self.screen, _AT_THE_END):
            self.pop_screen()
        else:
            self.action_quit_run()

    def _close(self, reason: str) -> None:
        """Leave: a run that is this application's own ends with it."""
        if self.is_remote:
            self.exit(return_code=0)
        elif not self._is_closing:
            self._is_closing = True
            self.link.send(Stop(reason))
            self._pop_all()
            self.push_screen(ClosingScreen(is_recording=only_records(self.dashboard)))

    def _pop_all(self) -> None:
        """Leave whatever is in front of the cockpit."""
        while len(self.screen_stack) > 1:
            self.pop_screen()


_AT_THE_END = (ClosingScreen, FailureScreen)
_MEANWHILE = "Suspended: playing and training stop until `fg` resumes it."
_ATTACHED_MEANWHILE = "Suspended: the run continues in the background; `fg` shows it again."


def _freeze_garbage() -> None:
    """Look no more for garbage among the libraries, which are all loaded now and stay.

    That would stop screen and trainer for a fifth of a second every minute.
    """
    if gc.get_freeze_count():  # an earlier run of this process is among it
        gc.unfreeze()
        gc.collect()
    gc.freeze()


def _interval(state: DashboardState) -> int:
    """Return after how many polls figures are drawn again."""
    if state.is_human or state.is_paused:
        return FRAMES_PER_FIGURES_BY_HAND
    is_at_full_speed = state.status is not None and state.status.speed == 0
    return FRAMES_PER_FIGURES_AT_FULL_SPEED if is_at_full_speed else FRAMES_PER_FIGURES
