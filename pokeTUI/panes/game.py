"""The game, as large as it can be read."""

import os
from collections.abc import Callable

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widget import Widget

from engine.events import ProgressReported, RecordingChanged
from engine.ground.text import printable
from engine.types import DIRECTIONS, GAME_BOY_FRAME_SHAPE
from pokeTUI.dashboard.conditions import is_live, is_recording, is_reviewing, takeable
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.colors import ColorDepth
from pokeTUI.draw.encoders import FrameEncoder, GameMode, exact_size, fit, is_legible
from pokeTUI.draw.game_view import Encoder, GameView, Painter, PictureEncoder
from pokeTUI.draw.graphics import ItermPainter, KittyPainter, SharedPictures, SixelPainter
from pokeTUI.draw.lines import Line, add_bar, wrap
from pokeTUI.draw.lines_widget import LinesWidget
from pokeTUI.draw.theme import Ink
from pokeTUI.draw.units import TimeLeft
from pokeTUI.panes.inputs import PAD_ROWS, InputDisplay
from pokeTUI.terminal.key_names import shown_key
from pokeTUI.terminal.probe import Terminal, terminal_of

_BESIDE_BAR = len(" 100% 0:00:00 left")


class GamePane(Vertical):
    """The picture in the middle, and around it what there is room for.

    Below it is the game's text where the picture is too coarse, and below or beside that the input
    display.
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self.border_title = self._title = "Game"
        self.mode = GameMode.AUTO
        self._terminal = terminal_of(os.environ)
        self._memory = SharedPictures()
        self._view = GameView(id="game_view")
        self._stage = Stage(self._configure, self._view, id="game_stage")
        self._stage.display = False  # until there is a frame, its place is the progress'
        self._text = GameText(id="game_text")
        self._inputs = InputDisplay(id="inputs")
        self._inputs.display = False
        self._input_choice = "auto"
        self.starting = Starting(id="starting")
        self._recording: RecordingChanged | None = None
        self._look = self._below = ""
        self._text_rows = 0
        self._shape: tuple[int, ...] = GAME_BOY_FRAME_SHAPE

    def compose(self) -> ComposeResult:
        """Yield the parts."""
        yield self.starting
        yield self._stage
        yield self._text
        yield self._inputs

    def use_terminal(self, terminal: Terminal) -> None:
        """Draw with what `terminal` can show."""
        self._terminal = terminal
        self.set_mode(self.mode)

    @property
    def modes(self) -> tuple[GameMode, ...]:
        """The modes that the terminal can show."""
        return self._terminal.modes

    def cell_mode(self, columns: int, rows: int) -> tuple[GameMode, ColorDepth]:
        """Return how to draw a picture in cells in so much room, and in which colours."""
        best = self._terminal.best_cell_mode(columns, rows, self._shape)
        is_chosen = self.mode is not GameMode.AUTO and not self.mode.is_picture
        return self.mode if is_chosen else best, self._terminal.depth

    def set_mode(self, mode: GameMode) -> None:
        """Draw the game in `mode`; in the best there is if the terminal cannot show that."""
        self.mode = mode if mode in self.modes else GameMode.AUTO
        self._configure()

    def next_mode(self) -> GameMode:
        """Draw the game in the next way and return it."""
        modes = self.modes
        self.set_mode(modes[(modes.index(self.mode) + 1) % len(modes)])
        return self.mode

    def set_text_rows(self, rows: int) -> None:
        """Give the decoded text `rows` rows where the picture is too coarse; 0 hides it."""
        self._text_rows = rows
        self._text.styles.height = rows
        self._place_text()

    def show_inputs(self, choice: str) -> None:
        """Show the input display: "auto" where the picture leaves room, always "on", or "off"."""
        self._input_choice = choice
        self._place_text()

    def toggle_inputs(self) -> str:
        """Show the input display, or hide it, and return the choice that this means."""
        if self._inputs.display:
            self.show_inputs("off")
        else:
            self.show_inputs("auto")
            if not self._inputs.display:
                self.show_inputs("on")
        return self._input_choice

    def on_resize(self) -> None:
        """Arrange the parts for the new size."""
        self._place_text()

    def show_frame(self, state: DashboardState, *, at_once: bool) -> bool:
        """Show the newest frame as `GameView.show` does."""
        if state.frame is None:
            return False
        if not self._stage.display:
            self.starting.display = False
            self._stage.display = True
        self._text.show(state)  # at once: it is part of the picture
        if state.frame.shape != self._shape:
            self._shape = state.frame.shape
            self._configure()
        if state.is_human or (state.status is not None and state.status.speed > 0):
            self._inputs.show(state)  # at full speed `show` does it, less often
        return self._view.show(state.frame, at_once=at_once)

    def show(self, state: DashboardState) -> None:
        """Show the figures around the picture."""
        self._text.show(state)
        needed = self._inputs.upright_size
        self._inputs.show(state)
        if self._inputs.upright_size != needed:
            self._place_text()
        if state.frame is None:
            self.starting.show(state)
        title = fitting_title(game_title(state), self.size.width - 4)
        if title != self._title:
            self._title = title
            self.border_title = Content(printable(title))
        self._recording = state.recording if is_recording(state) else None
        self._label_border()
        self.set_class(state.is_human, "-human")
        self.set_class(state.is_paused and not state.is_human, "-paused")

    def _configure(self) -> None:
        room = self._stage.size
        if not room or not self._stage.display:
            return
        mode = self._mode_in(*room)
        self._place_text()
        size, depth = self._grid(mode, *room), self._terminal.depth
        encoder: Encoder = (
            PictureEncoder(self._painter(mode), *size, depth)
            if mode.is_picture
            else FrameEncoder(mode, *size, depth)
        )
        now = self._view.encoder
        if now is None or _look(now) != _look(encoder):
            self._view.configure(encoder)
        is_exact = mode is GameMode.HALF_BLOCKS and encoder.columns == exact_size(self._shape)[0]
        scale = "every pixel" if is_exact else f"{encoder.columns}x{encoder.rows}"
        self._look = f"{mode.value} {scale}"
        self._label_border()

    def _place_text(self) -> None:
        """Show the text where the picture would be too coarse to read even in its place."""
        room = self.content_size
        mode = self._mode_in(*room)
        size = self._grid(mode, *room)
        can_be_read = is_legible(mode, *size, self._terminal.cell_size_px, self._shape)
        self._text.display = self._text_rows > 0 and not can_be_read
        if room and self._stage.display:
            self._place_inputs(mode, *room)

    def _place_inputs(self, mode: GameMode, columns: int, rows: int) -> None:
        """Show the buttons below the picture or beside it, where it leaves room or they must."""
        rows -= self._text_rows * self._text.display
        wide, high = self._grid(mode, columns, rows)
        width, height = self._inputs.upright_size
        below = PAD_ROWS if rows - high >= PAD_ROWS else min(1, rows - high)
        is_beside = not below and columns - wide >= width and rows >= height
        if self._input_choice == "on" and not is_beside:
            below = max(1, below)
        is_shown = self._input_choice != "off" and bool(below or is_beside)
        self._inputs.display = is_shown
        styles = self._inputs.styles
        styles.dock = "right" if is_beside else "bottom"
        styles.width, styles.height = (width, "100%") if is_beside else ("100%", below)

    def _label_border(self) -> None:
        """Say in the lower border how the recording stands, else how the game is drawn."""
        text = self._look
        if self._recording is not None:
            text = recording_text(self._recording, self.size.width - 4)
        if text != self._below:
            self._below = text
            # Content, for a bare string would be read as markup, and a person wrote some of it.
            self.border_subtitle = Content(text)

    def _mode_in(self, columns: int, rows: int) -> GameMode:
        if self.mode is GameMode.AUTO:
            return self._terminal.best_mode(columns, rows, self._shape)
        return self.mode

    def _painter(self, mode: GameMode) -> Painter:
        terminal = self._terminal
        if mode is GameMode.SIXEL and terminal.cell_size_px is not None:
            return SixelPainter(terminal.cell_size_px, terminal.sixel_colors)
        if mode is GameMode.ITERM:
            return ItermPainter()
        return KittyPainter(self._memory if terminal.has_shared_memory else None)

    def _grid(self, mode: GameMode, columns: int, rows: int) -> tuple[int, int]:
        """Return the cells of the picture in so much room."""
        if not mode.is_picture:
            return fit(columns, rows, self._shape)
        width, height = self._terminal.cell_size_px or (1, 2)
        if mode is GameMode.SIXEL:
            widest, highest = self._terminal.sixel_size_px
            columns, rows = min(columns, widest // width), min(rows, highest // height)
        return fit(columns, rows, self._shape, cell_shape=height / width, max_rows=rows)


def game_title(state: DashboardState) -> str:
    """Return the name of the game, or that a person plays it, and by which keys."""
    if not state.is_human:
        name = state.run.game if state.run else "Game"
        return f"{name}: the screen fades  . one step" if _is_blank(state) else name
    if not state.is_played_here:
        return "▲ ANOTHER VIEWER PLAYS"
    if is_reviewing(state) and state.recording is not None:
        return f"● KEEP IT? {state.recording.review}"
    if is_live(state) and state.is_paused:
        return "▲ FRAME BY FRAME  . next frame  p plays on  l by turns"
    if is_live(state):
        return "▲ YOU PLAY in real time  l by turns"
    buttons = [one for one in state.actions if one.keys and one.button not in DIRECTIONS]
    keys = "".join(f"  {shown_key(one.keys[0])} {one.name}" for one in buttons[:2])
    recorded = " ● recorded" if is_recording(state) else ""
    back = "" if takeable(state) else "  t gives back"
    if recorded:  # where there is little room, the buttons stand in the last line of the screen
        return f"▲ YOU PLAY{recorded}{back}{keys}"
    return f"▲ YOU PLAY{keys}{back}"


def fitting_title(title: str, width: int) -> str:
    """Return a title without the hints at its end that do not fit whole into `width` cells."""
    while len(title) > width and "  " in title:
        title = title.rpartition("  ")[0]
    return title


def _is_blank(state: DashboardState) -> bool:
    """Return whether the run was paused at a picture of one colour, which looks like a fault."""
    frame = state.frame
    return state.is_paused and frame is not None and bool((frame == frame[0, 0]).all())


def recording_text(now: RecordingChanged, width: int) -> str:
    """Return how a demonstration stands in at most `width` cells; "" if nothing fits."""
    # Here, not above: it loads what the first screen can do without.
    from engine.demos.demonstration import INTERVENTION

    what = "intervention: " if INTERVENTION in now.tags else ""
    steps = f"{what}{now.steps:,} step{'s' * (now.steps != 1)}"
    yours = f"{now.human_steps:,} by you" if now.human_steps != now.steps else ""
    back = f"u undoes up to {now.rewindable:,}" if now.rewindable else ""
    short_back = f"{now.rewindable:,} can be undone" if now.rewindable else ""
    marked = "✓ marked" if now.is_marked else ""
    task = f"“{printable(now.task)}”" if now.task else ""
    forms = (
        (task, steps, yours, back, marked),
        (steps, yours, back, marked),
        (steps, yours, short_back, "✓" if now.is_marked else ""),
        (steps, yours, "✓" if now.is_marked else ""),
        (steps,),
    )
    for form in forms:
        text = "● " + " · ".join(part for part in form if part)
        if cell_len(text) <= width:
            return text
    return ""


def _look(encoder: Encoder) -> tuple[object, ...]:
    painter = encoder.painter if isinstance(encoder, PictureEncoder) else None
    return encoder.mode, encoder.columns, encoder.rows, encoder.depth, painter


class Stage(Container):
    """Where the picture is shown; `fit` fits it into a new size.

    It gets its size late where another screen lies above: Textual arranges what is covered only
    once it is seen.
    """

    def __init__(self, fit: Callable[[], None], *children: Widget, id: str) -> None:
        super().__init__(*children, id=id)
        self._fit = fit

    def on_resize(self) -> None:
        """Fit the picture."""
        self._fit()


class GameText(LinesWidget):
    """The text in the game's boxes, decoded from its tile map."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._text: tuple[str, ...] = ()

    def show(self, state: DashboardState) -> None:
        """Show the current text."""
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
    """Shows what the run does until its first frame comes.

    Attributes:
        title: Heading above the lines of progress.
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._progress: tuple[str, ...] = ()
        self._work: ProgressReported | None = None
        self._left = TimeLeft()
        self._is_over = False
        self.title = "Starting…"

    def show(self, state: DashboardState) -> None:
        """Show the progress so far."""
        is_over = state.end is not None
        is_same = state.progress == self._progress and state.work is self._work
        if not is_same or is_over != self._is_over:
            self._progress, self._work, self._is_over = state.progress, state.work, is_over
            self.redraw()

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the last lines of progress in the middle; the newest is marked."""
        indent = max(1, width // 2 - 18)
        shown: list[Line] = []
        for index, text in enumerate(self._progress):
            is_last = index == len(self._progress) - 1 and not self._is_over
            sign, ink = ("► ", Ink.accent) if is_last else ("✓ ", Ink.dim)
            for part in wrap(text, max(1, width - indent - 2), 2):
                line = Line(width).skip_to(indent).add(sign, ink)
                shown.append(line.add(part, Ink.text if is_last else Ink.dim))
                sign = "  "
        shown = shown[-max(1, height - 4) :]
        lines = [Line(width) for _ in range(max(0, (height - len(shown) - 2) // 2))]
        title = "This run is over." if self._is_over else self.title
        lines += [Line(width).skip_to(indent).add(title, Ink.strong), Line(width), *shown]
        if self._work is not None and self._work.total > 0 and not self._is_over:
            lines.append(self._bar(self._work, width, indent))
        return lines

    def _bar(self, work: ProgressReported, columns: int, indent: int) -> Line:
        """Return how much of the work is done, and how long the rest will take."""
        line = Line(columns).skip_to(indent + 2)
        share = f" {work.done / work.total:.0%} "
        left = self._left.text(work.text, work.done, work.total)
        width = min(24, line.room - _BESIDE_BAR)
        add_bar(line, work.done / work.total, width, Ink.accent, Ink.faint)
        return line.add(share, Ink.text).add_whole(left, Ink.dim)
