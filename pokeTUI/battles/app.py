"""The battle screen's application: polls the session, keeps the state, turns keys into commands."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import ClassVar, cast

from textual.app import App
from textual.binding import BindingsMap
from textual.command import Provider
from textual.driver import Driver
from textual.events import Key
from textual.notifications import SeverityLevel
from textual.screen import Screen

from engine.commands import ChooseInBattle, Pause, Resume, Save, Stop, Watch
from engine.events import BattleShown, ConnectionLost, RunFailed, RunStopped
from engine.ground.files import make_subfolder, write_file
from pokeTUI.app.actions import ActionsProvider
from pokeTUI.battles.bars import TurnBar
from pokeTUI.battles.board import BattleScreen, Shown
from pokeTUI.battles.choosing import Choosing, begin, pick, undone, with_gimmick
from pokeTUI.battles.panes import Scene
from pokeTUI.battles.playback import BattlesState, Cursor, fold_battles
from pokeTUI.dashboard.state import BattleMoment, DashboardState, fold
from pokeTUI.draw.menu import Menu
from pokeTUI.input.entry import BATTLES
from pokeTUI.input.keymap import KeyTable, RefusedKeys
from pokeTUI.preferences import Memory, PreferenceFile
from pokeTUI.screens.endings import ClosingScreen, FailureScreen
from pokeTUI.screens.help import HelpScreen
from pokeTUI.terminal.driver import with_job_control
from pokeTUI.terminal.link import Link, Session
from pokeTUI.terminal.output import known_theme, set_up_output, theme_after
from pokeTUI.terminal.probe import terminal_of
from pokeTUI.terminal.signals import end_on_hangup, suspend

POLL_INTERVAL_S = 1 / 15


class BattleApp(App[None]):
    """Show the battles of a session, and let a person steer it or play.

    Args:
        session: Not yet started; the application starts it.
        run_dir: The folder of a run that is trained; "": nothing is.
        resume: Returns the command that resumes it, "" if there is nothing to resume.

    Attributes:
        end: How the session ended, None if the user left without waiting.
        cursor: Where in the battle the screen is.
        choosing: The choice that the user is making; None: none is.
    """

    TITLE = "PokeTUI battles"
    CSS_PATH = Path(__file__).parents[1] / "app" / "cockpit.tcss"
    CSS = """
    #battle_board { width: 100%; height: 100%; overflow: hidden; }
    #head, #turns, #battle_keys { background: $panel; }
    #views { background: $background; }
    #choice_head { height: 1; }
    #choice_menu { height: 1fr; }
    .-small .pane { border: none; padding: 0; }
    .-small #field { background: $background; }
    """
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {ActionsProvider}
    ALLOW_SELECT = False

    def __init__(
        self,
        session: Session,
        *,
        color: str = "auto",
        run_dir: str = "",
        resume: Callable[[], str] = lambda: "",
    ) -> None:
        super().__init__()
        mistakes = set_up_output(self, terminal_of(os.environ, color).depth)
        self._mistakes = [f"{one.message} {one.hint}" for one in mistakes]
        file = PreferenceFile()
        self.memory = Memory(file, self._complain)
        self.theme = known_theme(self, self.memory.preferences.theme)
        self.table = KeyTable(self.memory.preferences.keys, str(file.path), BATTLES)
        self._bindings = BindingsMap(self.table.bindings())
        self._refused_keys = RefusedKeys(self.table)
        self._run_dir = run_dir
        self._resume = resume
        self.link = Link(session)
        self.dashboard, self.battles = DashboardState(), BattlesState()
        self.end: RunStopped | RunFailed | ConnectionLost | None = None
        self.cursor = Cursor()
        self.choosing: Choosing | None = None
        self._is_played = False
        self._next_battle: BattleShown | None = None
        self._is_asked = False
        self._last_notice = 0
        self._is_closing = self._stays = False
        self._screen = BattleScreen(self.table)
        self.board = self._screen.board

    def get_default_screen(self) -> Screen[None]:
        """Return the main screen."""
        return self._screen

    def get_driver_class(self) -> type[Driver]:
        """Return what reads the keyboard."""
        return with_job_control(super().get_driver_class())

    def show_until_the_end(self) -> None:
        """Run until the user or the engine ends it; SIGHUP saves before the end."""
        with end_on_hangup(lambda: self.link.send(Stop("SIGHUP")), lambda: self.link.is_alive):
            self.run()

    def on_mount(self) -> None:
        """Start the session and begin to poll it."""
        if threading.current_thread() is threading.main_thread():
            loop = asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGINT):  # ctrl+c is a key, and comes as one
                loop.add_signal_handler(number, self._close, number.name)
        self.app_resume_signal.subscribe(self, lambda _: self.screen.refresh())
        self.link.start()
        self.set_interval(POLL_INTERVAL_S, self.poll)
        for mistake in self._mistakes:
            self._complain(mistake)

    async def on_unmount(self) -> None:
        """Write down what is to be remembered."""
        await self.memory.flush()

    def _complain(self, text: str) -> None:
        if self._running:
            self.notify(text, severity="warning", markup=False)

    # Events

    def poll(self) -> None:
        """Fold what has happened and show it."""
        before = self.battles
        for event in self.link.poll():
            self.dashboard = fold(self.dashboard, event)
            if isinstance(event, BattleShown) and self._is_kept_back(event):
                self._next_battle = event
                continue
            self.battles = fold_battles(self.battles, event)
        self.cursor.tick(self.battles.playback)
        self._follow(before)
        self.show()
        for notice in self.dashboard.notices:
            if notice.number > self._last_notice:
                self._last_notice = notice.number
                severity = cast(SeverityLevel, notice.severity)
                self.notify(notice.text, severity=severity, timeout=4, markup=False)
        if self.dashboard.end is not None and self.end is None:
            self._finish(self.dashboard.end)

    def _is_kept_back(self, event: BattleShown) -> bool:
        """Return whether a battle has to wait: the user looks back at another one."""
        shown = self.battles.shown
        if shown is None or shown.battle == event.battle:
            return False
        if self.cursor.looks_back(self.battles.playback) and not self._is_asked:
            return True
        self._is_asked, self._next_battle = False, None
        return False

    def _follow(self, before: BattlesState) -> None:
        """Go on to the end of a battle in progress; line by line while a person plays.

        What is to be chosen is shown when all that led to it was.
        """
        now, cursor = self.battles, self.cursor
        playback = now.playback
        was, shown = before.shown, now.shown
        if shown is not None and (was is None or was.battle != shown.battle):
            cursor.enter(playback)
            self._is_played = False
        if now.wanted is not before.wanted:
            self._choose(None)
            self._is_played = self._is_played or now.wanted is not None
        cursor.follow(playback, is_line_by_line=self._is_played)
        if now.wanted is not None and self.choosing is None and cursor.place == playback.end:
            view = playback.view(min(now.wanted.place, playback.end))
            self._choose(begin(now.wanted, view, playback.own))

    def show(self) -> None:
        """Show the state on the board; the menu has the keyboard while it is seen."""
        self.dashboard = replace(self.dashboard, battle=self._moment())
        scene = Scene(self.battles, min(self.cursor.place, self.battles.playback.end))
        self.board.show(Shown(scene, self.dashboard, self.choosing))
        menu = self.board.chooser.menu
        if (has_menu := self._has_menu()) != menu.has_focus:
            self._screen.set_focus(menu if has_menu else None)

    def _has_menu(self) -> bool:
        return self.choosing is not None and self.board.chooser.display

    def _moment(self) -> BattleMoment:
        """Return which keys make sense now."""
        battles, choosing = self.battles, self.choosing
        playback, count = battles.playback, battles.shown.count if battles.shown else 0
        is_over = playback.view(playback.end).has_ended
        return BattleMoment(
            has_turns=len(playback.stops) > 1,
            has_next=count > 1 or is_over or self._next_battle is not None,
            is_playing=self.cursor.is_playing,
            has_menu=self._has_menu(),
            has_gimmick=choosing is not None and bool(choosing.gimmick),
            has_picked=choosing is not None and bool(choosing.chosen or choosing.move is not None),
        )

    def _finish(self, end: RunStopped | RunFailed | ConnectionLost) -> None:
        """Leave when it ended as asked; stay when it failed, and say what happened."""
        self.end = end
        if isinstance(end, RunStopped):
            if self._stays:
                self.notify("The run is saved and has ended. q quits.", markup=False)
            else:
                self.exit(return_code=0)
            return
        self._pop_all()
        has_checkpoint = not isinstance(end, RunFailed) or end.has_checkpoint
        self.push_screen(FailureScreen(end, self._resume() if has_checkpoint else ""))

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let an action happen only when the table says that it makes sense now."""
        entry = self.table.find(action, parameters)
        return entry is None or not self.table.refusal(entry, self.dashboard)

    def on_key(self, event: Key) -> None:
        """Say why a key does nothing."""
        if len(self.screen_stack) == 1:
            why = self._refused_keys.why(event.key, self.dashboard, "")
            if why:
                self.notify(why, timeout=3, markup=False)

    def on_turn_bar_sought(self, message: TurnBar.Sought) -> None:
        """Go to a place."""
        self.cursor.go(self.battles.playback, message.place)
        self.show()

    def action_turn(self, turns: int) -> None:
        """Go some turns on or back, to the end where there is none left."""
        self.cursor.turn(self.battles.playback, turns)
        self.show()

    def action_toggle_replay(self) -> None:
        """Play the battle line by line, or stop; from its end: from the beginning."""
        self.cursor.toggle(self.battles.playback, is_line_by_line=self._is_played)
        self.show()

    def action_line_on(self) -> None:
        """Go one line on."""
        playback = self.battles.playback
        self.cursor.go(playback, playback.next_sentence(self.cursor.place))
        self.show()

    def action_battle(self, step: int) -> None:
        """Watch another battle, or play the next one."""
        shown = self.battles.shown
        if shown is None:
            return
        self._is_asked = True
        if self._next_battle is not None:
            self.battles = fold_battles(self.battles, self._next_battle)
            self._next_battle, self._is_asked = None, False
            self.cursor.enter(self.battles.playback)
            self.show()
        elif shown.count > 1:
            self.link.send(Watch((shown.number + step) % shown.count))
        else:
            self.link.send(Watch(shown.number + 1))

    def action_view(self, key: str) -> None:
        """Bring a view to the front."""
        self.board.view(key)
        self.show()

    def action_next_view(self, step: int) -> None:
        """Bring the next view to the front."""
        self.board.next_view(step)
        self.show()

    def action_scroll(self, rows: int) -> None:
        """Scroll the view in front."""
        self.board.scroll_view(rows)

    def action_toggle_pause(self) -> None:
        """Pause the training, or resume it."""
        status = self.dashboard.status
        self.link.send(Resume() if status is not None and status.is_paused else Pause())

    def action_save(self) -> None:
        """Write a checkpoint."""
        self.link.send(Save())

    def action_stop_run(self) -> None:
        """Save and end the run; the screen stays."""
        self._stays = True
        self.link.send(Stop("quit"))

    # Choosing

    def _choose(self, choosing: Choosing | None) -> None:
        self.choosing = choosing
        self.show()
        if choosing is not None:
            self.board.chooser.show(choosing)

    def action_choose_marked(self) -> None:
        """Choose what is marked."""
        menu = self.board.chooser.menu
        if menu.marked is not None:
            menu.choose(menu.marked.key)

    def on_menu_chosen(self, message: Menu.Chosen) -> None:
        """Take a part of the choice; send the choice when it is complete."""
        if self.choosing is None or message.menu is not self.board.chooser.menu:
            return
        choosing = pick(self.choosing, int(message.key))
        code = choosing.code
        if code is None:
            self._choose(choosing)
            return
        self.link.send(ChooseInBattle(code))
        self.battles = replace(self.battles, wanted=None)
        self.cursor.is_following = True
        self._choose(None)

    def on_menu_refused(self, message: Menu.Refused) -> None:
        """Say why something cannot be chosen."""
        row = message.menu.marked
        name = f"{row.cells[0]}: " if row is not None else ""
        self.clear_notifications()
        self.notify(f"{name}{message.reason}.", severity="warning", timeout=4, markup=False)

    def action_undo_choice(self) -> None:
        """Take the last part of the choice back."""
        if self.choosing is not None:
            self._choose(undone(self.choosing))

    def action_toggle_gimmick(self) -> None:
        """Use the gimmick with this move, or not."""
        if self.choosing is None:
            return
        choosing, why_not = with_gimmick(self.choosing)
        if why_not:
            self.notify(why_not[:1].upper() + why_not[1:] + ".", timeout=3, markup=False)
        self._choose(choosing)

    # The program

    def action_next_theme(self) -> None:
        """Use the next theme."""
        self.theme = theme_after(self)
        self.memory.remember(theme=self.theme)
        self.notify(f"Theme {self.theme}", timeout=2)

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(HelpScreen(self.table))

    def action_picture(self) -> None:
        """Write the screen as an SVG file."""
        folder = Path(self._run_dir or ".") / "screenshots"
        path = folder / f"{datetime.now():%Y-%m-%d_%H-%M-%S}.svg"
        try:
            make_subfolder(folder)
            write_file(path, self.export_screenshot().encode())
        except OSError as error:
            self.notify(f"{path}: {error.strerror}", severity="error", markup=False)
        else:
            self.notify(f"Screenshot saved: {path}", markup=False)

    def action_quit_run(self) -> None:
        """Leave: a run that is trained is saved first; asked again, offer to leave at once."""
        if self.end is not None:
            self.exit(return_code=0 if isinstance(self.end, RunStopped) else 1)
        elif isinstance(self.screen, ClosingScreen):
            self.screen.ask()
        else:
            self._close("quit")

    def _close(self, reason: str) -> None:
        if self._is_closing:
            return
        self._is_closing = True
        self.link.send(Stop(reason))
        if self._run_dir:
            self._pop_all()
            self.push_screen(ClosingScreen())

    def action_leave(self) -> None:
        """Leave what is in front of the battle; if nothing is, quit."""
        if len(self.screen_stack) > 1 and not isinstance(
            self.screen, ClosingScreen | FailureScreen
        ):
            self.pop_screen()
        else:
            self.action_quit_run()

    def action_suspend(self) -> None:
        """Leave the terminal to the shell until it continues the program."""
        suspend(self, "Suspended: `fg` resumes it.")

    def _pop_all(self) -> None:
        while len(self.screen_stack) > 1:
            self.pop_screen()
