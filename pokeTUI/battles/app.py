"""The battle screen's application: polls the session, keeps the state, turns keys into commands."""

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from textual.command import Provider
from textual.driver import Driver

from engine.commands import ChooseInBattle, Stop, Watch
from engine.events import BattleShown
from pokeTUI.app.actions import ActionsProvider
from pokeTUI.app.session_app import SessionApp
from pokeTUI.battles.board import BattleBoard, Shown
from pokeTUI.battles.choosing import (
    Choosing,
    begin,
    gimmick_verb,
    pick,
    undone,
    verb,
    with_gimmick,
)
from pokeTUI.battles.layout import LOG, POLICY, RATES, SHEETS, VIEWS, WORKERS
from pokeTUI.battles.panes import Scene
from pokeTUI.battles.playback import BattlesState, Cursor, fold_battles
from pokeTUI.dashboard.state import BattleMoment, fold
from pokeTUI.draw.menu import Menu
from pokeTUI.input.entry import BATTLES
from pokeTUI.screens.bars import SeekBar
from pokeTUI.terminal.driver import with_job_control
from pokeTUI.terminal.link import Session
from pokeTUI.terminal.signals import end_on_hangup, suspend

POLL_INTERVAL_S = 1 / 15


class BattleApp(SessionApp):
    """Show the battles of a session, and let a person steer it or play.

    Args:
        session: Not yet started; the application starts it.
        run_dir: The folder of a run that is trained; "": nothing is.
        resume: Returns the command that resumes it, "" if there is nothing to resume.

    Attributes:
        cursor: Where in the battle the screen is.
        choosing: The choice that the user is making; None: none is.
    """

    TITLE = "PokeTUI battles"
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
    board: BattleBoard

    def __init__(
        self,
        session: Session,
        *,
        color: str = "auto",
        run_dir: str = "",
        resume: Callable[[], str] = lambda: "",
    ) -> None:
        super().__init__(session, color=color, screen=BATTLES, run_dir=run_dir, resume=resume)
        self.battles = BattlesState()
        self.cursor = Cursor()
        self.choosing: Choosing | None = None
        self._is_played = False
        self._next_battle: BattleShown | None = None
        self._is_asked = False
        self.board = BattleBoard(self.table)

    def get_driver_class(self) -> type[Driver]:
        """Return what reads the keyboard."""
        return with_job_control(super().get_driver_class())

    def show_until_the_end(self) -> None:
        """Run until the user or the engine ends it; SIGHUP saves before the end."""
        with end_on_hangup(lambda: self.link.send(Stop("SIGHUP")), lambda: self.link.is_alive):
            self.run()

    def on_mount(self) -> None:
        """Start the session and begin to poll it."""
        self._open()
        self.set_interval(POLL_INTERVAL_S, self.poll)

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
        self._show_notices()
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
            self.board.screen.set_focus(menu if has_menu else None)

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
            menu=verb(choosing) if choosing is not None and self._has_menu() else "",
            gimmick=gimmick_verb(choosing) if choosing is not None else "",
            has_picked=choosing is not None and bool(choosing.chosen or choosing.move is not None),
            views=self._views(),
        )

    def _views(self) -> tuple[str, ...]:
        """Return the views that have something to show."""
        battles = self.battles
        place = min(self.cursor.place, battles.playback.end)
        is_trained = self.dashboard.run is not None
        shown = {
            LOG: not battles.playback.view(place).is_preview,
            POLICY: battles.shown is not None and bool(battles.shown.decisions),
            SHEETS: True,
            RATES: is_trained,
            WORKERS: is_trained,
        }
        return tuple(key for key in VIEWS if shown[key])

    @property
    def _is_saved(self) -> bool:
        return bool(self._run_dir)

    # Keys

    def on_seek_bar_sought(self, message: SeekBar.Sought) -> None:
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

    def action_suspend(self) -> None:
        """Leave the terminal to the shell until it continues the program."""
        suspend(self, "Suspended: `fg` resumes it.")

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
