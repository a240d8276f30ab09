"""Saved runs over each other: their curves, how far they came, and what was set otherwise."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from engine.quoting import printable
from pokeTUI.dashboard.curves import WINDOWS, shared_curves
from pokeTUI.dashboard.overlay import (
    ALL_BUT_SEED,
    EACH_RUN,
    OverlaidRun,
    grouping_settings,
    load_run,
)
from pokeTUI.dialogs.prompt import ChoiceScreen
from pokeTUI.screens.comparison import SPREADS, Comparison
from pokeTUI.screens.listing import LEAVE_KEYS

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
