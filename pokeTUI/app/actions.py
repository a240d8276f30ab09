"""What the cockpit's keys, palette and gamepads do; `run_control` has what steers the run."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from engine.commands import Command, KeepState, SaveSlot, Watch
from engine.config import RunConfig
from pokeTUI.app.session_app import SessionApp
from pokeTUI.draw.colors import ColorDepth
from pokeTUI.draw.layout import Arrangement
from pokeTUI.draw.lines import shorten
from pokeTUI.draw.splits import GAME
from pokeTUI.input.entry import KeyAction
from pokeTUI.input.keymap import worded
from pokeTUI.input.playing import Playing
from pokeTUI.panes.dialogs import Question
from pokeTUI.panes.kinds import title_of
from pokeTUI.screens.board import Board
from pokeTUI.screens.mosaic import MosaicScreen
from pokeTUI.screens.settings import SettingsScreen
from pokeTUI.settings import as_steered
from pokeTUI.terminal.gamepad import NO_PERMISSION, Gamepads, InputDevices
from pokeTUI.terminal.key_names import shown_key
from pokeTUI.terminal.output import theme_names


class ActionsApp(SessionApp):
    """What the parts of the cockpit share; Textual finds their `action_` methods by name.

    Attributes:
        branch_at: Step of a replay from which the user wants to continue by hand, None if not.
    """

    config: RunConfig
    board: Board
    playing: Playing
    branch_at: int | None = None

    @property
    def has_colors(self) -> bool:
        """Whether the terminal shows colours."""
        return self.terminal.depth is not ColorDepth.NONE

    def send_command(self, command: Command) -> None:
        """Ask the engine for something, and note that a state is being saved."""
        if isinstance(command, KeepState | SaveSlot):
            self.dashboard = replace(self.dashboard, is_keeping=True)
        super().send_command(command)

    @property
    def focused_pane(self) -> str:
        """The pane that has the keyboard."""
        return self.board.focused

    def ask(self, question: Question) -> None:
        """Ask the user, and send what comes of it."""

        def take(answer: str | None) -> None:
            if answer is not None:
                self.send_command(question.command(answer))

        self.push_screen(question.screen, take)


# Gamepads: a control presses a button of the game, or does what a key of the table does.

_HELD = "hold_rewind"
"""The only action besides the game's buttons that lasts while its key is held."""


class GamepadActions(ActionsApp):
    """The part of the cockpit that listens to gamepads.

    Attributes:
        gamepads: None until they are used.
        pad_actions: Name of an action of the table by control.
    """

    gamepads: Gamepads | None = None
    pad_actions: Mapping[str, str]
    _has_said = False

    def use_gamepads(self, devices: InputDevices | None = None) -> None:
        """Listen to the gamepads of this machine from now on."""
        self.gamepads = Gamepads(self._on_control, devices)
        self.gamepads.start()

    def leave_gamepads(self) -> None:
        """Listen no more."""
        if self.gamepads is not None:
            self.gamepads.close()

    def say_refused_gamepad(self) -> None:
        """Tell the player, once, of a gamepad that may not be read."""
        if self.gamepads is None or not self.gamepads.refused or self._has_said:
            return
        self._has_said = True
        self.notify(
            f"The gamepad {self.gamepads.refused} may not be read: {NO_PERMISSION}",
            severity="warning",
            timeout=10,
            markup=False,
        )

    def _on_control(self, control: str, is_down: bool) -> None:
        """A control went down or up."""
        entry = self.table.named(self.pad_actions.get(control, ""))
        if entry is None:
            return
        if not is_down:
            if entry.is_button:
                self.playing.let_up(entry.button)
            elif entry.id == _HELD:
                self.playing.stop_back()
            return
        if len(self.screen_stack) > 1 or not self.app_focus:
            return
        if entry.refusal(self.dashboard):
            self.say_refusal(entry.keys[0] if entry.keys else "")
        elif entry.is_button:
            self.playing.hold(entry.button)
        elif entry.id == _HELD:
            self.playing.run_back(has_release=True)
        else:
            self.call_later(self.run_action, entry.action)


# The command palette: every action of the table with its keys, and why some make no sense now.

_WIDTH = 66
"""Columns of a line at most: those of the palette in a terminal of 80."""
_BY_SYNONYM = 10.0
"""Score of a synonym: more than scattered letters of the name."""
_IMPOSSIBLE = 0.001
"""Factor for the score of what is not possible now, so that it comes last."""


class ActionsProvider(Provider):
    """Offer the table's actions."""

    @property
    def _cockpit(self) -> ActionsApp:
        return cast(ActionsApp, self.app)  # or the battle screen, whose entries have no pane

    async def discover(self) -> Hits:
        """Offer all of them: first what is possible now."""
        for entry in sorted(self._offered(), key=lambda one: bool(self._refusal(one))):
            yield DiscoveryHit(
                Content(_name(entry)), lambda e=entry: self._do(e), _name(entry), self._help(entry)
            )

    async def search(self, query: str) -> Hits:
        """Offer what `query` names: by a synonym, or by letters of the name or the sentence."""
        matcher = self.matcher(query)
        for entry in self._offered():
            score = max(matcher.match(_name(entry)), 0.5 * matcher.match(entry.help))
            if _is_called(entry, query):
                score += _BY_SYNONYM
            if score > 0:
                yield Hit(
                    score * (_IMPOSSIBLE if self._refusal(entry) else 1.0),
                    matcher.highlight(_name(entry)),
                    lambda e=entry: self._do(e),
                    _name(entry),
                    self._help(entry),
                )

    def _offered(self) -> list[KeyAction]:
        app = self._cockpit
        return [worded(one, app.dashboard) for one in app.table.entries if one.id != "palette"]

    def _help(self, entry: KeyAction) -> str:
        keys = "  ".join(shown_key(key) for key in entry.keys) or "no key"
        refusal = self._refusal(entry)
        return shorten(f"{keys}   " + (f"not now: {refusal}" if refusal else entry.group), _WIDTH)

    def _refusal(self, entry: KeyAction) -> str:
        return self._cockpit.table.refusal(entry, self._cockpit.dashboard)

    async def _do(self, entry: KeyAction) -> None:
        app = self._cockpit
        refusal = self._refusal(entry)
        if refusal:
            app.notify(f"{_name(entry)}: {refusal}", severity="warning", markup=False)
            return
        if entry.pane:
            app.board.activate(entry.pane)
        await app.run_action(entry.action)


def _name(entry: KeyAction) -> str:
    name = f"{title_of(entry.pane)}: {entry.title}" if entry.pane else entry.title
    if entry.id == f"pane_{GAME}":
        name = "Show or hide: Game"
    elif entry.id.startswith("pane_"):
        name = entry.help.rstrip(".")  # its title is the same for all panes
    return shorten(name, _WIDTH)


def _is_called(entry: KeyAction, query: str) -> bool:
    """Return whether a synonym of `entry` begins with `query`."""
    wanted = query.strip().casefold()
    return bool(wanted) and any(word.startswith(wanted) for word in entry.synonyms)


# Arranging the screen, and opening others.


class ViewActions(ActionsApp):
    """The part of the cockpit that changes what is shown, and nothing of the run."""

    def action_act(self, pane: str, name: str) -> None:
        """Let a pane do what one of its keys stands for."""
        self.board.pane(pane).act(name)

    def action_next_view(self) -> None:
        """Draw the game in the next way."""
        mode = self.board.game.next_mode()
        if self.has_colors:  # a view for a screen without colour is none to remember
            self.memory.remember(view=mode.value)
        self.notify(f"Game as {mode.value}", timeout=2)

    def action_toggle_inputs(self) -> None:
        """Show the buttons beside the game, or hide them."""
        choice = self.board.game.toggle_inputs()
        self.memory.remember(input_display=choice)
        self.notify(f"Input display {'off' if choice == 'off' else 'on'}", timeout=2)

    def action_show_pane(self, key: str) -> None:
        """Show a pane, or hide it."""
        if not self.board.toggle(key):
            self.notify("The last pane stays open.", timeout=2)

    def action_next_pane(self, direction: int) -> None:
        """Give the keyboard to the next pane, or the one before."""
        self.board.cycle(direction)

    def action_zoom(self) -> None:
        """Let one pane fill the screen, or put it back."""
        self.board.zoom()

    def action_present(self) -> None:
        """Show the game large, or all as before."""
        wishes = self.board.arrangement
        self.board.arrange_as(
            replace(wishes, is_presentation=not wishes.is_presentation, zoomed="")
        )

    def action_resize(self, way: str) -> None:
        """Make the pane with the keyboard wider, narrower, taller or lower."""
        self.board.resize(way)

    def action_reset_layout(self) -> None:
        """Forget how the panes were arranged."""
        self.board.arrange_as(
            replace(
                Arrangement(),
                absent=self.board.arrangement.absent,
                frame_shape=self.board.arrangement.frame_shape,
            )
        )

    @property
    def _picture_dir(self) -> Path:
        run = self.dashboard.run
        return Path(run.run_dir if run and Path(run.run_dir).is_dir() else ".")

    def action_mosaic(self) -> None:
        """Show all games at once."""

        def watch(env_index: int | None) -> None:
            if env_index is not None:
                self.send_command(Watch(env_index))

        if self.dashboard.run is None:
            return
        screen = MosaicScreen(self.dashboard, self.board.game.cell_mode, self.send_command)
        self.push_screen(screen, watch)

    def action_settings(self) -> None:
        """Show the settings."""
        self.push_screen(
            SettingsScreen(
                as_steered(self.config, self.dashboard.steering),
                self.memory.preferences,
                self.send_command,
                self._prefer,
                Path("poketui.toml"),
                theme_names(self),
            )
        )

    def _prefer(self, name: str, value: str) -> None:
        """Take a preference from the settings."""
        self.memory.remember(**{name: value})
        if name == "theme":
            self.theme = value

    def action_runs(self) -> None:
        """Show the runs that are saved beside this one, to compare them with it."""
        run = self.dashboard.run
        if run is None:
            return
        # Imported here: nothing else in the cockpit needs them.
        from engine.runs.table import RunTable
        from pokeTUI.screens.runs import RunsScreen

        here, viewers = Path(run.run_dir), self.dashboard.viewers
        self.push_screen(
            RunsScreen(
                "Runs",
                RunTable(str(here.parent.parent)),
                hint="enter compares a run with this one; space selects others.",
                here=here.name,
                can_change=viewers is None or not viewers.is_read_only,
            )
        )
