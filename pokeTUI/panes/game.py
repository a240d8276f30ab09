"""The game, as large as it can be read."""

from textual.app import ComposeResult
from textual.containers import Container, Vertical

from pokeTUI.rendering.colors import ColorDepth
from pokeTUI.rendering.encoders import FRAME_COLUMNS, FrameEncoder, GameMode, fit
from pokeTUI.rendering.lines import Line
from pokeTUI.state import DashboardState
from pokeTUI.theme import Ink
from pokeTUI.widgets.game_view import GameView
from pokeTUI.widgets.lines_widget import LinesWidget


class GamePane(Vertical):
    """The picture in the middle, and below it the game's text where the picture is too coarse."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self.border_title = "Game"
        self._mode = GameMode.HALF_BLOCKS
        self._view = GameView(id="game_view")
        self._stage = Container(self._view, id="game_stage")
        self._text = GameText(id="game_text")
        self._starting = Starting(id="starting")

    def compose(self) -> ComposeResult:
        """Yield the parts."""
        yield self._starting
        yield self._stage
        yield self._text

    def on_mount(self) -> None:
        """Start with what suits the terminal."""
        if self.app.no_color:
            self._mode = GameMode.ASCII
        self._stage.display = False

    @property
    def mode(self) -> GameMode:
        """How the game is drawn."""
        return self._mode

    def next_mode(self) -> GameMode:
        """Draw the game in the next way and return it."""
        modes = list(GameMode)
        self._mode = modes[(modes.index(self._mode) + 1) % len(modes)]
        self._configure()
        return self._mode

    def set_text_rows(self, rows: int) -> None:
        """Give the decoded text `rows` rows; 0 hides it."""
        self._text.display = rows > 0
        self._text.styles.height = rows

    def on_resize(self) -> None:
        """Fit the picture once the parts have their sizes."""
        self.call_after_refresh(self._configure)

    def show_frame(self, state: DashboardState) -> None:
        """Show the newest frame."""
        if state.frame is None:
            return
        if not self._stage.display:
            self._starting.display = False
            self._stage.display = True
            self.call_after_refresh(self._configure)
        self._view.show(state.frame)

    def show(self, state: DashboardState) -> None:
        """Show the figures around the picture."""
        self._text.show(state)
        if state.frame is None:
            self._starting.show(state)
        title = state.run.game if state.run else "Game"
        if state.is_human:
            title = "▲ YOU PLAY  z A  x B  t gives back"
        if self.border_title != title:
            self.border_title = title
        self.set_class(state.is_human, "-human")
        self.set_class(state.is_paused and not state.is_human, "-paused")

    def _configure(self) -> None:
        columns, rows = fit(*self._stage.size)
        if not self._stage.size or not self._stage.display:
            return
        encoder = self._view.encoder
        if (
            encoder is not None
            and encoder.mode is self._mode
            and (encoder.columns, encoder.rows) == (columns, rows)
        ):
            return
        self._view.configure(
            FrameEncoder(
                self._mode,
                columns,
                rows,
                color_depth(self.app.console.color_system),
                is_grey=self.app.no_color,
            )
        )
        scale = "" if columns == FRAME_COLUMNS else f" {columns}x{rows}"
        self.border_subtitle = f"{self._mode.value}{scale}"


class GameText(LinesWidget):
    """The text in the game's boxes, decoded from its tile map."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._text: tuple[str, ...] = ()

    def show(self, state: DashboardState) -> None:
        """Show the text of now."""
        text = state.game.state.screen_text if state.game else ()
        if text != self._text:
            self._text = text
            self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the text; lines that do not fit below each other are joined."""
        text = [part for part in (line.strip() for line in self._text) if part]
        if len(text) > height:
            per_row = -(-len(text) // height)
            text = [
                "  ".join(text[start : start + per_row]) for start in range(0, len(text), per_row)
            ]
        indent = max(1, (width - max((len(part) for part in text), default=0)) // 2)
        return [Line(width).skip_to(indent).add(part, Ink.strong) for part in text[:height]]


class Starting(LinesWidget):
    """What is being done before the first frame is there."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._progress: tuple[str, ...] = ()
        self._is_over = False

    def show(self, state: DashboardState) -> None:
        """Show the progress so far."""
        if (state.progress, state.end is not None) != (self._progress, self._is_over):
            self._progress, self._is_over = state.progress, state.end is not None
            self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the last lines of progress in the middle; the newest is marked."""
        shown = self._progress[-max(1, height - 4) :]
        lines = [Line(width) for _ in range(max(0, (height - len(shown) - 2) // 2))]
        indent = max(1, width // 2 - 18)
        title = "This run is over." if self._is_over else "Starting…"
        lines.append(Line(width).skip_to(indent).add(title, Ink.strong))
        lines.append(Line(width))
        for index, text in enumerate(shown):
            is_last = index == len(shown) - 1 and not self._is_over
            line = Line(width).skip_to(indent)
            line.add("► " if is_last else "✓ ", Ink.accent if is_last else Ink.dim)
            lines.append(line.add(text, Ink.text if is_last else Ink.dim))
        return lines


def color_depth(color_system: str | None) -> ColorDepth:
    """Return the depth for what Rich found out about the terminal; None is a test's or a pipe's."""
    return ColorDepth(color_system or ColorDepth.TRUECOLOR)
