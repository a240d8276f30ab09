"""Two runs beside each other: what was set otherwise, how far they came, and their curves."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import MouseScrollDown, MouseScrollUp
from textual.screen import ModalScreen

from engine.errors import PokeTUIError
from pokeTUI.dashboard.curves import LENGTH, PLANNER, RETURN, SUCCESS, Curve, load_curves
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.rendering.lines import Line, beside, shorten
from pokeTUI.screens.listing import LEAVE_KEYS
from pokeTUI.theme import Ink
from pokeTUI.widgets.lines_widget import LinesWidget
from pokeTUI.widgets.plot import Axes, PlotLine, plot

_CURVES = (RETURN, SUCCESS, LENGTH, PLANNER)
_WINDOW = 30
_SIDE_BY_SIDE = 150
_PLOT_ROWS = 9
_INKS = (Ink.accent, Ink.warn)
_SIGNS = ("━━", "┅┅")


@dataclass(frozen=True, slots=True)
class Compared:
    """What was read of two runs: rows of a name and two values, states with their curves.

    The warnings say what of their journals is damaged.
    """

    rows: tuple[tuple[str, str, str], ...]
    states: tuple[DashboardState, DashboardState]
    warnings: tuple[str, ...] = ()


def compare(save_dir: str, first: str, second: str) -> Compared:
    """Read two runs; takes a moment.

    Raises:
        PokeTUIError: A run is not there, or is unreadable.
    """
    from engine.training.runs import find_run
    from pokeTUI.saved import comparison_rows

    folders = [find_run(save_dir, run) for run in (first, second)]
    warnings: list[str] = []
    rows = tuple(comparison_rows(save_dir, first, second, warnings.append))
    one, other = (load_curves(str(Path(folder)), folder.name) for folder in folders)
    return Compared(rows, (one, other), tuple(warnings))


class Comparison(LinesWidget):
    """The table, and the curves beside or below it."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.compared: Compared | None = None
        self.text = "Reading both runs…"
        self.curve: Curve = RETURN
        self.top = 0

    def draw(self, width: int, height: int) -> list[Line]:
        """Return both."""
        if self.compared is None:
            return [Line(width).add(self.text, Ink.dim)]
        if width >= _SIDE_BY_SIDE:
            table = self._table(width // 2 - 2, height)
            chart = self._chart(width - width // 2, height)
            return beside(table, chart, width // 2, width)
        rows = max(5, min(len(self.compared.rows) + 1, height - _PLOT_ROWS - 1))
        table = self._table(width, rows)
        return [*table, Line(width), *self._chart(width, height - len(table) - 1)]

    def scroll_by(self, rows: int) -> None:
        """Scroll the table."""
        most = len(self.compared.rows) - 3 if self.compared is not None else 0
        self.top = max(0, min(most, self.top + rows))
        self.redraw()

    def _table(self, width: int, height: int) -> list[Line]:
        assert self.compared is not None
        (_, *runs), *rows = self.compared.rows
        names = min(max(len(row[0]) for row in self.compared.rows) + 2, width // 3)
        cells = (width - names) // 2
        head = Line(width).add("", Ink.dim, names)
        for sign, ink, run in zip(_SIGNS, _INKS, runs, strict=True):
            head.add(f"{sign} ", ink).add(run, Ink.strong, cells - 3)
        lines = [head]
        room = height - 1
        self.top = max(0, min(self.top, len(rows) - room))
        for name, *values in rows[self.top : self.top + room]:
            line = Line(width).add(f"{name} ", Ink.dim, names)
            ink = Ink.text if values[0] != values[1] else Ink.dim
            for value in values:
                line.add(shorten(value, cells - 1), ink, cells)
            lines.append(line)
        left = len(rows) - self.top - room
        if left > 0 and len(lines) > 1:
            lines[-1] = Line(width).add(f"↓ {left + 1} more", Ink.dim)
        return lines

    def _chart(self, width: int, height: int) -> list[Line]:
        assert self.compared is not None
        curve = self.curve
        pairs = [curve.smoothed(state, _WINDOW) for state in self.compared.states]
        title = Line(width).add(curve.title, Ink.strong)
        title.add(f"  mean of {_WINDOW} episodes", Ink.dim)
        if not any(len(places) for places, _ in pairs):
            return [title, Line(width).add("Neither has finished an episode.", Ink.dim)]
        last = max(float(places[-1]) for places, _ in pairs if len(places))
        lines = [
            PlotLine(points, ink, is_dotted=number == 1)
            for number, (points, ink) in enumerate(zip(pairs, _INKS, strict=True))
            if len(points[0])
        ]
        axes = Axes(1.0, max(2.0, last), curve.unit, curve.text, is_share=curve.is_share)
        return [title, *plot(lines, axes, width, max(3, height - 1))[0]]


class CompareScreen(ModalScreen[None]):
    """Show two runs beside each other, the second dotted."""

    DEFAULT_CSS = """
    CompareScreen { align: center middle; background: $background 70%; }
    #compare_box {
        width: 100%; height: 100%; padding: 0 1; background: $panel;
        border: round $primary; border-title-color: $lichen; border-title-style: bold;
        border-subtitle-color: $stone;
    }
    #compare_lines { height: 1fr; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(f"{LEAVE_KEYS},enter", "dismiss", show=False),
        Binding("right_square_bracket,c,right,l", "curve(1)", show=False),
        Binding("left_square_bracket,left,h", "curve(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("pagedown,space", "scroll(8)", show=False),
        Binding("pageup", "scroll(-8)", show=False),
    ]

    def __init__(self, save_dir: str, first: str, second: str) -> None:
        super().__init__()
        self._save_dir = save_dir
        self._pair = (first, second)
        self._lines = Comparison(id="compare_lines")

    def compose(self) -> ComposeResult:
        """Yield the box."""
        with Vertical(id="compare_box") as box:
            box.border_title = "Compare"
            box.border_subtitle = "c another curve   ↑↓ scroll   esc goes back"
            yield self._lines

    def on_mount(self) -> None:
        """Read the runs."""
        self.run_worker(self._read())

    async def _read(self) -> None:
        try:
            self._lines.compared = await asyncio.to_thread(compare, self._save_dir, *self._pair)
        except PokeTUIError as error:
            self._lines.text = str(error)
        else:
            for text in self._lines.compared.warnings:
                self.notify(text, severity="warning", markup=False)
        self._lines.redraw()

    def action_curve(self, step: int) -> None:
        """Draw another curve."""
        at = _CURVES.index(self._lines.curve)
        self._lines.curve = _CURVES[(at + step) % len(_CURVES)]
        self._lines.redraw()

    def action_scroll(self, rows: int) -> None:
        """Scroll the table."""
        self._lines.scroll_by(rows)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Scroll the table."""
        self._lines.scroll_by(1)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Scroll the table."""
        self._lines.scroll_by(-1)
