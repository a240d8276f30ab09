"""What the cockpit and the battle screen share: how a session is opened, steered and ended."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import cast

from textual.app import App
from textual.binding import BindingsMap
from textual.events import Key
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widget import Widget

from engine.commands import Command, Pause, Resume, Save, Stop
from engine.events import ConnectionLost, RunFailed, RunStopped
from engine.ground.files import make_subfolder, write_file
from pokeTUI.dashboard.conditions import only_records
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.input.keymap import KeyTable, RefusedKeys
from pokeTUI.preferences import Memory, PreferenceFile
from pokeTUI.screens.endings import ClosingScreen, FailureScreen
from pokeTUI.screens.help import HelpScreen
from pokeTUI.screens.planned import BoardScreen
from pokeTUI.terminal.link import Link, Session
from pokeTUI.terminal.output import known_theme, set_up_output, theme_after
from pokeTUI.terminal.probe import terminal_of


class SessionApp(App[None]):
    """Show a session and carry out the actions that need no more than its `DashboardState`.

    A subclass has a `board`, calls `_open` when it is mounted, folds what `link` polls into
    `dashboard`, and calls `_finish` when the session has ended.

    Args:
        session: Not yet started; `_open` starts it.
        screen: Whose keys: `BATTLES` for the battle screen, "" for the cockpit.
        run_dir: The run's folder; "": there is none, or it is not known.
        resume: Returns the command that resumes the run, "" if there is nothing to resume.
        make_session: Makes a session that continues the run from its checkpoint, or attaches to
            it again; None: that cannot be done from here.

    Attributes:
        end: How the session ended, None if the user left without waiting.
    """

    CSS_PATH = Path(__file__).with_name("cockpit.tcss")
    ALLOW_SELECT = False

    board: Widget

    def __init__(
        self,
        session: Session,
        *,
        color: str,
        screen: str = "",
        run_dir: str = "",
        resume: Callable[[], str],
        make_session: Callable[[], Session] | None = None,
    ) -> None:
        super().__init__()
        self.terminal = terminal_of(os.environ, color)
        self._theme_mistakes = set_up_output(self, self.terminal.depth)
        self._preference_file = PreferenceFile()
        self.memory = Memory(self._preference_file, self._complain)
        self.theme = known_theme(self, self.memory.preferences.theme)
        self.table = KeyTable(self.memory.preferences.keys, str(self._preference_file.path), screen)
        # Not by Textual's set_keymap: it drops all other bindings of a key that it moves, and
        # here the game's buttons, the panes and the application share keys.
        self._bindings = BindingsMap(self.table.bindings())
        self.refused_keys = RefusedKeys(self.table)
        self._run_dir = run_dir
        self._resume = resume
        self._make_session = make_session
        self._connect(session)

    def _connect(self, session: Session) -> None:
        """Begin to show a session that is not yet started."""
        self.end: RunStopped | RunFailed | ConnectionLost | None = None
        self.dashboard = DashboardState()
        self.link = Link(session)
        self._last_notice = 0
        self._is_closing = self._stays = False

    def get_default_screen(self) -> Screen[None]:
        """Return the main screen."""
        return BoardScreen(self.board)

    def _open(self) -> None:
        """Take over the signals that end the program, and start the session."""
        if threading.current_thread() is threading.main_thread():
            loop = asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGINT):  # ctrl+c is a key, and comes as one
                loop.add_signal_handler(number, self._close, number.name)
        self.app_resume_signal.subscribe(self, lambda _: self.screen.refresh())
        self.link.start()

    def on_mount(self) -> None:
        """Say what is wrong with the user's own themes."""
        for mistake in self._theme_mistakes:
            self._complain(f"{mistake.message} {mistake.hint}")

    async def on_unmount(self) -> None:
        """Write what the preferences have not saved yet."""
        await self.memory.flush()

    def _complain(self, text: str) -> None:
        if self._running:
            self.notify(text, severity="warning", markup=False)

    def send_command(self, command: Command) -> None:
        """Ask the engine for something; what comes of it is reported by events."""
        self.link.send(command)

    # Keys

    @property
    def focused_pane(self) -> str:
        """The pane that has the keyboard; "" where panes have no keys of their own."""
        return ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let an action happen only when the table says that it makes sense now."""
        entry = self.table.find(action, parameters)
        if entry is None:
            return True
        if entry.pane and entry.pane != self.focused_pane:
            return False
        return not self.table.refusal(entry, self.dashboard)

    def on_key(self, event: Key) -> None:
        """Say why a key does nothing; all that has the keyboard before the board keeps quiet."""
        if len(self.screen_stack) == 1:
            self.say_refusal(event.key)

    def say_refusal(self, key: str) -> None:
        """Say why a key does nothing, if it does nothing."""
        why = self.refused_keys.why(key, self.dashboard, self.focused_pane)
        if why:
            self.notify(why, timeout=3, markup=False)

    # The run

    def action_toggle_pause(self) -> None:
        """Pause or resume."""
        self.send_command(Resume() if self.dashboard.is_paused else Pause())

    def action_save(self) -> None:
        """Write a checkpoint."""
        self.send_command(Save())

    def action_stop_run(self) -> None:
        """Save and end the run; the screen stays as it was."""
        self._stays = True
        self.send_command(Stop("quit"))

    # The screen

    def action_next_theme(self) -> None:
        """Use the next theme."""
        self.theme = theme_after(self)
        self.memory.remember(theme=self.theme)
        self.notify(f"Theme {self.theme}", timeout=2)

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(HelpScreen(self.table))

    @property
    def _picture_dir(self) -> Path:
        """Where the folder of screenshots belongs."""
        return Path(self._run_dir or ".")

    def action_picture(self) -> None:
        """Write the screen as an SVG file."""
        folder = self._picture_dir / "screenshots"
        path = folder / f"{datetime.now():%Y-%m-%d_%H-%M-%S}.svg"
        try:
            make_subfolder(folder)
            write_file(path, self.export_screenshot().encode())
        except OSError as error:
            self.notify(
                f"{error.filename or path}: {error.strerror}", severity="error", markup=False
            )
        else:
            self.notify(f"Screenshot saved: {path}", markup=False)

    def _show_notices(self) -> None:
        """Show the notices that are new."""
        for notice in self.dashboard.notices:
            if notice.number > self._last_notice:
                self._last_notice = notice.number
                severity = cast(SeverityLevel, notice.severity)
                self.notify(notice.text, severity=severity, timeout=4, markup=False)

    # The end

    def _finish(self, end: RunStopped | RunFailed | ConnectionLost) -> None:
        """Leave when the session ended as asked; stay when it failed, and say what happened."""
        self.end = end
        if isinstance(end, RunStopped):
            if self._stays:
                self.notify("The run is saved and has ended. q quits.", markup=False)
            else:
                self.exit(return_code=0)
            return
        has_checkpoint = not isinstance(end, RunFailed) or end.has_checkpoint
        resume = self._resume() if has_checkpoint else ""
        is_there = bool(resume) or (isinstance(end, ConnectionLost) and end.is_running)
        can_go_on = is_there and self._make_session is not None
        self._show_alone(FailureScreen(end, resume, can_go_on=can_go_on))

    def action_quit_run(self) -> None:
        """Save and quit; asked again, offer to leave at once."""
        if self.end is not None:
            self.exit(return_code=0 if isinstance(self.end, RunStopped) else 1)
        elif isinstance(self.screen, ClosingScreen):
            self.screen.ask()
        else:
            self._close("quit")

    def action_leave(self) -> None:
        """Leave what is in front of the board; if nothing is, save and quit."""
        is_ending = isinstance(self.screen, ClosingScreen | FailureScreen)
        if len(self.screen_stack) > 1 and not is_ending:
            self.pop_screen()
        else:
            self.action_quit_run()

    @property
    def _is_saved(self) -> bool:
        """Whether there is something to save, for which the user has to wait."""
        return True

    def _close(self, reason: str) -> None:
        """End the session; while it saves, say so."""
        if self._is_closing:
            return
        self._is_closing = True
        self.link.send(Stop(reason))
        if self._is_saved:
            self._show_alone(ClosingScreen(is_recording=only_records(self.dashboard)))

    def _show_alone(self, screen: Screen[None]) -> None:
        """Show a screen in front of the board, in place of whatever is there."""
        self._pop_all()
        self.push_screen(screen)

    def _pop_all(self) -> None:
        while len(self.screen_stack) > 1:
            self.pop_screen()
