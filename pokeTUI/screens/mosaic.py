"""All games at once, small, to choose which one is watched."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Click, Resize
from textual.screen import ModalScreen
from textual.widgets import Static

from engine.commands import MAX_SHOWN, MAX_SHRINK, Command, ShowGames
from engine.events import GamesShown
from engine.types import GAME_BOY_FRAME_SHAPE, EpisodeSummary, Frame, SmallPicture
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.colors import ColorDepth
from pokeTUI.draw.encoders import FrameEncoder, GameMode, fit, pixels_per_cell, resample
from pokeTUI.draw.game_view import GameView
from pokeTUI.draw.lines import Line
from pokeTUI.draw.lines_widget import LinesWidget
from pokeTUI.draw.theme import Ink
from pokeTUI.screens.listing import LEAVE_KEYS

_LEAST_COLUMNS, _LEAST_ROWS = 16, 7
_FLASH_PICTURES = 6
"""How many pictures long the end of an episode is shown: a second and a half."""

CellMode = Callable[[int, int], tuple[GameMode, ColorDepth]]


@dataclass(frozen=True, slots=True)
class Grid:
    """Where pictures lie: `across` by `down` places of `columns` x `rows` cells each.

    Between two places is a column; above each row of places is a line of words.
    """

    across: int
    down: int
    columns: int
    rows: int

    @property
    def size(self) -> int:
        """How many places there are."""
        return self.across * self.down


def make_grid(games: int, columns: int, rows: int, shape: tuple[int, ...]) -> Grid:
    """Return the grid with the largest pictures that shows all games, or as many as fit legibly."""
    fits = max(1, (columns + 1) // (_LEAST_COLUMNS + 1)) * max(1, rows // (_LEAST_ROWS + 1))
    games = max(1, min(games, MAX_SHOWN, fits))
    grids = []
    for across in range(1, games + 1):
        down = -(-games // across)
        wide, high = (columns + 1) // across - 1, rows // down - 1
        if wide > 0 and high > 0:
            grids.append(Grid(across, down, *fit(wide, high, shape)))
    return max(grids, key=lambda grid: grid.columns * grid.rows, default=Grid(1, 1, 1, 1))


class Labels(LinesWidget):
    """The words above a row of pictures."""

    def __init__(self) -> None:
        super().__init__(classes="mosaic_labels")
        self.line: Callable[[int], Line] = Line

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the line."""
        return [self.line(width)]


class MosaicScreen(ModalScreen[int | None]):
    """Show all games that fit; the index of the one that is chosen comes back, None on esc.

    Games are drawn only for as long as this screen wants them, and only those that are seen.
    """

    DEFAULT_CSS = """
    MosaicScreen { background: $background; }
    #mosaic_box {
        width: 100%; height: 100%; background: $panel; border: round $primary;
        border-title-color: $lichen; border-title-style: bold; border-subtitle-color: $stone;
    }
    .mosaic_labels { height: 1; width: 100%; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(f"{LEAVE_KEYS},A", "dismiss", show=False),
        Binding("enter,space", "watch", show=False),
        Binding("left,h", "move(-1)", show=False),
        Binding("right,l", "move(1)", show=False),
        Binding("up,k", "move_row(-1)", show=False),
        Binding("down,j", "move_row(1)", show=False),
        Binding("home", "move(-1000000)", show=False),
        Binding("end", "move(1000000)", show=False),
    ]

    def __init__(
        self, state: DashboardState, cell_mode: CellMode, send: Callable[[Command], None]
    ) -> None:
        super().__init__()
        self._state = state
        self._cell_mode = cell_mode
        self._send = send
        self._games = state.run.num_envs if state.run is not None else 1
        self._chosen = state.status.watched_env if state.status is not None else 0
        self._shape = (state.run and state.run.frame_shape) or GAME_BOY_FRAME_SHAPE
        self._grid = Grid(1, 1, 1, 1)
        self._pixels = (1, 1)
        self._wanted: ShowGames | None = None
        self._shown: GamesShown | None = state.games  # of an earlier look
        self._pictures: dict[int, SmallPicture] = {}
        self._ends = dict(state.last_ends)
        self._flashes: dict[int, int] = {}
        self._box = Vertical(id="mosaic_box")
        self._rows: list[tuple[Labels, GameView]] = []

    def compose(self) -> ComposeResult:
        """Yield the box; rows come once its size is known."""
        self._box.border_title = "All games"
        self._box.border_subtitle = "←↑↓→ choose   enter watch   esc back"
        with self._box:
            yield Static("Loading…")

    async def on_resize(self, event: Resize) -> None:
        """Fit the pictures into the new size."""
        width, height = event.size.width - 2, event.size.height - 2
        grid = make_grid(self._games, width, height, self._shape)
        self._grid = grid
        mode, depth = self._cell_mode(grid.columns, grid.rows)
        self._pixels = pixels_per_cell(mode)
        self._rows = []  # nothing is drawn while the rows are made: pictures may come meanwhile
        await self._box.remove_children()
        rows = [(Labels(), GameView()) for _ in range(grid.down)]
        for _, view in rows:
            across = grid.across * (grid.columns + 1) - 1
            view.configure(FrameEncoder(mode, across, grid.rows, depth))
        await self._box.mount_all([widget for row in rows for widget in row])
        self._rows = rows
        self._ask()
        self._draw()

    def on_unmount(self) -> None:
        """Let nothing be drawn any more, however this screen was left."""
        self._send(ShowGames(frozenset()))

    def show(self, state: DashboardState) -> bool:
        """Show the newest pictures; return whether there are any."""
        is_new = state.games is not None and state.games is not self._shown
        self._state, self._shown = state, state.games
        if not is_new or state.games is None:
            return False
        self._pictures |= {picture.env_index: picture for picture in state.games.pictures}
        self._flashes = {game: left - 1 for game, left in self._flashes.items() if left > 1}
        for game, end in state.last_ends.items():
            if self._ends.get(game) is not end:
                self._flashes[game] = _FLASH_PICTURES
        self._ends = dict(state.last_ends)
        self._draw()
        return True

    def action_watch(self) -> None:
        """Watch the chosen game."""
        self.dismiss(self._chosen)

    def action_move(self, places: int) -> None:
        """Choose another game."""
        self._choose(max(0, min(self._games - 1, self._chosen + places)))

    def action_move_row(self, rows: int) -> None:
        """Choose the game above or below."""
        chosen = self._chosen + rows * self._grid.across
        if 0 <= chosen < self._games:
            self._choose(chosen)

    def on_click(self, event: Click) -> None:
        """Choose what was clicked; twice: watch it."""
        grid = self._grid
        across = (event.screen_x - 1) // (grid.columns + 1)
        down = (event.screen_y - 1) // (grid.rows + 1)
        game = self._first + int(down) * grid.across + int(across)
        if not (0 <= across < grid.across and 0 <= down < grid.down and game < self._games):
            return
        self._choose(game)
        if event.chain > 1:
            self.dismiss(game)

    @property
    def _first(self) -> int:
        """The first game of those that are seen."""
        return self._chosen // self._grid.size * self._grid.size

    @property
    def _seen(self) -> range:
        return range(self._first, min(self._games, self._first + self._grid.size))

    def _choose(self, game: int) -> None:
        self._chosen = game
        self._ask()
        self._draw()

    def _ask(self) -> None:
        """Ask for pictures of what is seen, no larger than needed."""
        grid = self._grid
        wide, high = grid.columns * self._pixels[0], grid.rows * self._pixels[1]
        shrink = min(self._shape[0] // high, self._shape[1] // wide)
        wanted = ShowGames(frozenset(self._seen), max(1, min(MAX_SHRINK, shrink)))
        if wanted != self._wanted:
            self._wanted = wanted
            self._send(wanted)

    def _draw(self) -> None:
        seen, games = self._seen, self._games
        is_part = len(seen) < games
        part = f"{seen.start + 1}-{seen.stop} of " if is_part else ""
        self._box.border_title = f"All games: {part}{games}"
        across = self._grid.across
        for number, (labels, view) in enumerate(self._rows):
            row = seen[number * across : (number + 1) * across]
            labels.line = lambda width, row=row: self._words(row, width)  # type: ignore[misc]
            labels.redraw()
            view.show(self._joined(row), at_once=False)

    def _joined(self, row: range) -> Frame:
        """Return the pictures of a row side by side, in the pixels of its cells."""
        grid, (wide, high) = self._grid, self._pixels
        width, height = grid.columns * wide, grid.rows * high
        gap = wide
        joined = np.zeros((height, grid.across * (width + gap) - gap, 3), np.uint8)
        for place, game in enumerate(row):
            picture = self._pictures.get(game)
            if picture is not None:
                left = place * (width + gap)
                joined[:, left : left + width] = resample(picture.frame, width, height)
        return joined

    def _words(self, row: range, width: int) -> Line:
        """Return what stands above a row of pictures."""
        line = Line(width)
        for place, game in enumerate(row):
            line.skip_to(place * (self._grid.columns + 1))
            line.append(self._label(game, self._grid.columns))
        return line

    def _label(self, game: int, width: int) -> Line:
        """Return a game's number, whether it is chosen and watched, and how far it is."""
        line = Line(width)
        status, picture = self._state.status, self._pictures.get(game)
        is_chosen = game == self._chosen
        mark = "►" if status is not None and status.watched_env == game else " "
        line.add(f"{mark}{game + 1} ", Ink.badge if is_chosen else Ink.strong)
        if game in self._flashes:
            end = self._state.last_ends[game]
            return line.add(*_end_words(end))
        if picture is None:
            line.add("loading…", Ink.dim)
        else:
            line.add(f"{picture.episode_steps:,} ", Ink.dim).add(self._reached(picture), Ink.text)
        return line

    def _reached(self, picture: SmallPicture) -> str:
        """Return the last milestone in the game's order that was reached."""
        milestones = self._state.run.milestones if self._state.run is not None else ()
        reached = [text for key, text in milestones if key in picture.milestones]
        return reached[-1] if reached else ""


def _end_words(end: EpisodeSummary) -> tuple[str, Ink]:
    if end.is_success:
        return f" ✓ WON {end.length:,} ", Ink.badge
    return f" ✗ {'LEFT' if end.is_aborted else 'LOST'} {end.length:,} ", Ink.badge_bad
