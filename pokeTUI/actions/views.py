"""What the keys do by which the screen is arranged, and by which other screens are opened."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from engine.commands import Watch
from engine.files import make_subfolder, write_file
from pokeTUI.actions.base import ActionsApp
from pokeTUI.layout import Arrangement
from pokeTUI.screens.help import HelpScreen
from pokeTUI.screens.mosaic import MosaicScreen
from pokeTUI.screens.settings import SettingsScreen
from pokeTUI.settings import as_steered
from pokeTUI.terminal.output import theme_after, theme_names


class ViewActions(ActionsApp):
    """The part of the cockpit that changes what is seen, and nothing of what continues."""

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

    def action_next_theme(self) -> None:
        """Use the next theme."""
        self.theme = theme_after(self)
        self.memory.remember(theme=self.theme)
        self.notify(f"Theme {self.theme}", timeout=2)

    def action_picture(self) -> None:
        """Write the screen as an SVG file."""
        run = self.dashboard.run
        folder = Path(run.run_dir if run and Path(run.run_dir).is_dir() else ".") / "screenshots"
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
        # Here, not above: it reads what nothing else in the cockpit needs.
        from engine.training.run_table import RunTable
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

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(HelpScreen(self.table))
