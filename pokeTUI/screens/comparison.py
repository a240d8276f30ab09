"""Draw runs over each other: the plot, its legend with figures, and the table of what differs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from string import ascii_letters
from types import MappingProxyType
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import MouseScrollDown, MouseScrollUp
from textual.screen import ModalScreen
from textual.worker import get_current_worker

from engine.errors import PokeTUIError
from engine.ground.text import counted, printable
from pokeTUI.dashboard.curves import WINDOWS, Curve, shared_curves
from pokeTUI.dashboard.overlay import (
    ALL_BUT_SEED,
    EACH_RUN,
    Group,
    OverlaidRun,
    Overlay,
    Summary,
    View,
    grouping_settings,
    load_run,
    make_groups,
)
from pokeTUI.draw.lines import Line, beside, shorten
from pokeTUI.draw.lines_widget import LinesWidget
from pokeTUI.draw.theme import SERIES, Ink
from pokeTUI.panes.dialogs import ChoiceScreen
from pokeTUI.panes.plot import Axes, PlotLine, plot
from pokeTUI.screens.listing import LEAVE_KEYS

SPREADS: Mapping[str, str] = MappingProxyType(
    {
        "range": "band: lowest to highest",
        "quartiles": "band: quartiles",
        "runs": "a line for each run",
    }
)
"""How the runs of a group are drawn; with a band, the line is their mean."""
_SIDE_BY_SIDE = 150
_LEAST_PLOT_ROWS = 9
_LEAST_CELL = 16
_RANGE_FROM = 90
"""Cells from which the legend has the range of the last values."""
_VALUE = 8
_INKS = tuple(SERIES)


class Comparison(LinesWidget):
    """The plot, with the legend and the table beside or below it.

    Attributes:
        text: Shown while there is no run.
        by: What the runs are grouped by.
        spread: Which of SPREADS is drawn.
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.overlay = Overlay()
        self.view = View()
        self.text = "Reading the runs…"
        self.by = ALL_BUT_SEED
        self.spread = "range"
        self._groups: list[Group] = []
        self._rows: list[tuple[str, ...]] = []
        self._marked: int | None = None
        self._top = 0

    # What is shown

    @property
    def has_seeds(self) -> bool:
        """Return whether several runs are a group."""
        return any(len(group.runs) > 1 for group in self._groups)

    def add(self, run: OverlaidRun) -> None:
        """Draw one more run."""
        self.overlay.runs.append(run)
        self._group()

    def group_by(self, by: str) -> None:
        """Group the runs otherwise."""
        self.by, self._marked = by, None
        self._group()

    def _group(self) -> None:
        from pokeTUI.saved import comparison_rows  # here, not above: it loads what reads runs

        self._groups = make_groups(self.overlay.runs, self.by)
        runs = [run for group in self._groups for run in group.runs]
        self._rows = comparison_rows([run.digest for run in runs])
        self.redraw()

    def mark(self, step: int) -> None:
        """Mark the next group, or the one before; before the first none is."""
        at = -1 if self._marked is None else self._marked
        at = max(-1, min(len(self._groups) - 1, at + step))
        self._marked = None if at < 0 else at
        self.redraw()

    def scroll_by(self, rows: int) -> None:
        """Scroll the table."""
        self._top = max(0, min(len(self._rows) - 3, self._top + rows))
        self.redraw()

    # Drawing

    def draw(self, width: int, height: int) -> list[Line]:
        """Return all of it."""
        if not self.overlay.runs:
            return [Line(width).add(self.text, Ink.dim)]
        if width >= _SIDE_BY_SIDE:
            at = width * 3 // 5
            tables = self._tables(width - at, height)
            return beside(self._chart(at - 2, height), tables, at, width)
        wanted = len(self._groups) + 2 + len(self._rows)
        rows = max(_LEAST_PLOT_ROWS, height * 2 // 5, height - wanted - 1)
        chart = self._chart(width, min(rows, height))
        return [*chart, Line(width), *self._tables(width, height - len(chart) - 1)]

    def _tables(self, width: int, height: int) -> list[Line]:
        """Return the legend, and below it the table."""
        room = max(height // 2, height - 1 - len(self._rows))
        legend = self._legend(width, max(2, min(len(self._groups) + 1, room)))
        return [*legend, Line(width), *self._table(width, height - len(legend) - 1)]

    def _chart(self, width: int, height: int) -> list[Line]:
        curve, view = self.view.curve, self.view
        title = Line(width).add(curve.title, Ink.strong)
        if curve.source != "evaluations":
            title.add(f"  mean of {view.window} {curve.unit}s" if view.window > 1 else "", Ink.dim)
        lines = [line for line in self._plot_lines() if len(line.points[0])]
        if not lines:
            return [title, Line(width).add("None of these runs has this figure yet.", Ink.dim)]
        left = 0.0 if view.is_by_steps else 1.0
        right = max(left + 1, *(float(line.points[0][-1]) for line in lines))
        unit = "step" if view.is_by_steps else curve.unit
        axes = Axes(left, right, unit, curve.text, is_share=curve.is_share)
        return [title, *plot(lines, axes, width, max(3, height - 1))[0]]

    def _plot_lines(self) -> list[PlotLine]:
        """Return the lines, those of the marked group on top; all others are dimmed then."""
        numbers = list(range(len(self._groups)))
        if self._marked is not None:
            numbers.insert(0, numbers.pop(self._marked))
        return [line for number in numbers for line in self._lines_of(number)]

    def _lines_of(self, number: int) -> list[PlotLine]:
        group, letter = self._groups[number], _letter(number)
        ink, is_dotted = self._look(number)
        band_ink = SERIES[ink]
        is_dimmed = self._marked not in (None, number)
        if is_dimmed:
            ink = band_ink
        if self.spread == "runs" or len(group.runs) == 1:
            lines = [self.overlay.thin_line(run, self.view) for run in group.runs]
            return [PlotLine(points, ink, is_dotted, label=letter) for points in lines]
        is_quartiles = self.spread == "quartiles"
        band = self.overlay.band(group, self.view, is_quartiles=is_quartiles)
        limits = None if is_dimmed else (band.low, band.high)
        points = band.places, band.mean
        return [PlotLine(points, ink, is_dotted, label=letter, band=limits, band_ink=band_ink)]

    def _look(self, number: int) -> tuple[Ink, bool]:
        """Return a group's ink, and whether its lines are dotted."""
        pair = number if self.app.no_color else number // len(_INKS)
        return _INKS[number % len(_INKS)], pair % 2 == 1

    def _legend(self, width: int, height: int) -> list[Line]:
        """Return a line for each group: how it is drawn, and its last and best values."""
        curve, room = self.view.curve, height - 1
        has_seeds = self.has_seeds
        has_range = has_seeds and width >= _RANGE_FROM
        name = width - 6 - 6 * has_seeds - 2 * _VALUE - 13 - 18 * has_range
        name = min(name, max(12, *(len(group.label) + 2 for group in self._groups)))
        marked = -1 if self._marked is None else self._marked
        first = max(0, min(marked - room // 2, len(self._groups) - room))
        what = counted(len(self._groups), "group") if has_seeds else "run"
        if room < len(self._groups):
            what = f"{first + 1}-{first + room} of {len(self._groups)}"
        head = Line(width).add("", Ink.dim, 6).add(what, Ink.dim, name)
        head.add("runs" if has_seeds else "", Ink.dim, 6 * has_seeds, right=True)
        head.add("last", Ink.dim, _VALUE, right=True)
        head.add("from … to" if has_range else "", Ink.dim, 18 * has_range, right=True)
        head.add("lowest" if curve.is_lower_better else "highest", Ink.dim, _VALUE, right=True)
        unit = "step" if self.view.is_by_steps else curve.unit
        lines = [head.add(f"at {unit}", Ink.dim, 13, right=True)]
        for number in range(first, min(len(self._groups), first + room)):
            group, (ink, is_dotted) = self._groups[number], self._look(number)
            is_marked = number == marked
            line = Line(width).add("▸" if is_marked else " ", Ink.key)
            line.add(f"{_letter(number) or ' '} {'┅┅' if is_dotted else '━━'} ", ink)
            line.add(shorten(group.label, name - 1), Ink.strong if is_marked else Ink.text, name)
            line.add(str(len(group.runs)) if has_seeds else "", Ink.dim, 6 * has_seeds, right=True)
            found = self.overlay.summary(group, self.view)
            lines.append(_add_figures(line, curve, found, has_range=has_range))
        return lines

    def _table(self, width: int, height: int) -> list[Line]:
        """Return what differs: a column a run, from the marked group's first on."""
        if height < 2:
            return []
        runs = [(number, run) for number, group in enumerate(self._groups) for run in group.runs]
        names = min(max(len(row[0]) for row in self._rows) + 2, width // 3)
        count = max(1, min(len(runs), (width - names) // _LEAST_CELL))
        cells = (width - names) // count
        marked = -1 if self._marked is None else self._marked
        first = next((at for at, (number, _) in enumerate(runs) if number >= marked), 0)
        first = min(first, len(runs) - count)
        what = f"{first + 1}-{first + count} of {len(runs)} runs" if count < len(runs) else ""
        head = Line(width).add(what, Ink.dim, names)
        for number, run in runs[first : first + count]:
            head.add(f"{_letter(number) or ' '} ", self._look(number)[0])
            name = run.digest.run_id
            if len(name) > cells - 3:
                name = f"…{name[4 - cells :]}"  # ids begin alike: the end says which
            head.add(name, Ink.strong, cells - 2)
        room = height - 1
        rows = self._rows[1:]
        self._top = max(0, min(self._top, len(rows) - room))
        lines = [head]
        for title, *values in rows[self._top : self._top + room]:
            line = Line(width).add(f"{shorten(title, names - 1)} ", Ink.dim, names)
            ink = Ink.text if len(set(values)) > 1 else Ink.dim
            for value in values[first : first + count]:
                line.add(shorten(value, cells - 1), ink, cells)
            lines.append(line)
        left = len(rows) - self._top - room
        if left > 0 and len(lines) > 1:
            lines[-1] = Line(width).add(f"↓ {left + 1} more", Ink.dim)
        return lines


def _letter(number: int) -> str:
    """Return the letter of a group, "" where letters do not reach."""
    return ascii_letters[number : number + 1]


def _add_figures(line: Line, curve: Curve, found: Summary | None, *, has_range: bool) -> Line:
    """Add the mean of the last values, their range, and the best of all with its place."""
    if found is None:
        return line.add("–", Ink.dim, _VALUE, right=True)
    line.add(curve.text(found.last), Ink.strong, _VALUE, right=True)
    if has_range:
        limits = f"{curve.text(found.low)} … {curve.text(found.high)}"
        line.add(limits if found.low < found.high else "", Ink.dim, 18, right=True)
    line.add(curve.text(found.best), Ink.text, _VALUE, right=True)
    return line.add(f"{found.best_at:,.0f}", Ink.dim, 13, right=True)


# The screen that shows them, and its keys.

_BY: Mapping[str, str] = MappingProxyType(
    {ALL_BUT_SEED: "all settings but the seed", EACH_RUN: "nothing: each run by itself"}
)


class CompareScreen(ModalScreen[None]):
    """Show any number of runs over each other; those that differ only in the seed are a group.

    Two runs are lines of their own at first, whatever they differ in.
    """

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
        Binding("g", "group", show=False),
        Binding("b", "spread", show=False),
        Binding("m", "smooth", show=False),
        Binding("x", "axis", show=False),
        Binding("down,j", "mark(1)", show=False),
        Binding("up,k", "mark(-1)", show=False),
        Binding("pagedown,space", "scroll(8)", show=False),
        Binding("pageup", "scroll(-8)", show=False),
    ]

    def __init__(self, save_dir: str, names: Sequence[str]) -> None:
        super().__init__()
        self._save_dir = save_dir
        self._names = tuple(dict.fromkeys(names))
        self._read_so_far = 0
        self.lines = Comparison(id="compare_lines")
        if len(self._names) == 2:
            self.lines.by = EACH_RUN

    def compose(self) -> ComposeResult:
        """Yield the box."""
        with Vertical(id="compare_box") as box:
            box.border_subtitle = (
                "c curve  g group  b bands  m mean  x axis  ↑↓ mark  pgdn scroll  esc"
            )
            yield self.lines

    def on_mount(self) -> None:
        """Read the runs beside the event loop: a long run has a long journal."""
        self._entitle()
        self.run_worker(self._read, thread=True)

    def _read(self) -> None:
        worker = get_current_worker()
        for name in self._names:
            warnings: list[str] = []
            try:
                run = load_run(self._save_dir, name, warnings.append)
            except PokeTUIError as error:
                run, warnings = None, [str(error)]
            if worker.is_cancelled:
                return
            self.app.call_from_thread(self._add, run, warnings)

    def _add(self, run: OverlaidRun | None, warnings: Sequence[str]) -> None:
        self._read_so_far += 1
        if run is not None:
            self.lines.add(run)
        elif self._read_so_far == len(self._names) and not self.lines.overlay.runs:
            self.lines.text = warnings[0]
            self.lines.redraw()
            return
        for text in warnings:
            self.notify(text, severity="warning", markup=False)
        self._entitle()

    def _entitle(self) -> None:
        """Say in the border how much is read, and how it is drawn."""
        lines, count = self.lines, len(self._names)
        title = f"Compare {count} runs" if count > 1 else "Compare"
        if self._read_so_far < count:
            title = f"{title}: {self._read_so_far} read"
        elif lines.has_seeds:
            title = f"{title} by {_BY.get(lines.by, lines.by)}, {SPREADS[lines.spread]}"
        self.query_one("#compare_box").border_title = Content(printable(title))

    def action_curve(self, step: int) -> None:
        """Draw another curve."""
        if not self.lines.overlay.runs:
            return
        known = shared_curves([run.state for run in self.lines.overlay.runs])
        at = known.index(self.lines.view.curve) + step
        self._look(curve=known[at % len(known)])

    def action_smooth(self) -> None:
        """Average over more episodes, or fewer."""
        at = WINDOWS.index(self.lines.view.window) + 1
        self._look(window=WINDOWS[at % len(WINDOWS)])

    def action_axis(self) -> None:
        """Draw against the run's steps, or its episodes."""
        self._look(is_by_steps=not self.lines.view.is_by_steps)

    def _look(self, **changes: Any) -> None:
        self.lines.view = replace(self.lines.view, **changes)
        self.lines.redraw()

    def action_spread(self) -> None:
        """Draw bands of the lowest and highest values, of quartiles, or single lines."""
        ways = list(SPREADS)
        self.lines.spread = ways[(ways.index(self.lines.spread) + 1) % len(ways)]
        self.lines.redraw()
        self._entitle()

    def action_group(self) -> None:
        """Ask by which setting runs are grouped."""
        settings = grouping_settings(self.lines.overlay.runs)
        choices = [*_BY.items(), *((key, key) for key in settings)]

        def group(by: str | None) -> None:
            if by is not None:
                self.lines.group_by(by)
                self._entitle()

        self.app.push_screen(ChoiceScreen("Group runs by", choices, self.lines.by), group)

    def action_mark(self, step: int) -> None:
        """Mark another group."""
        self.lines.mark(step)

    def action_scroll(self, rows: int) -> None:
        """Scroll the table."""
        self.lines.scroll_by(rows)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Scroll the table."""
        self.lines.scroll_by(1)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Scroll the table."""
        self.lines.scroll_by(-1)
