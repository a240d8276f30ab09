"""A table of saved runs, refreshed every two seconds: sorted, filtered, grouped, selected."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static

from engine.errors import PokeTUIError
from engine.ground.text import printable
from pokeTUI.draw.menu import Column, Menu, Row
from pokeTUI.draw.theme import Ink
from pokeTUI.panes.dialogs import ChoiceScreen
from pokeTUI.screens.listing import LEAVE_KEYS, ListScreen
from pokeTUI.screens.run_table import (
    COLUMNS,
    WORDS,
    RunColumn,
    RunGroup,
    TableView,
    arrange,
    differing_keys,
    fitting,
    note_of,
)

if TYPE_CHECKING:
    from engine.runs.table import RunRow, RunTable

_PAUSE_S = 2.0
_SELECTED = "✓"
_LEAD = 5
"""Cells before the first column: the cursor, the sign of a selected run, and a gap."""
_KEYS = "/ filter  s sort  S reverse  g group"
_FILTER_HINT = "a word, #tag, agent=ppo, success>80%, steps>10k, state=crashed, ppo.clip=0.1"
_INKS = {
    "running": Ink.good,
    "finished": Ink.info,
    "stopped": Ink.dim,
    "crashed": Ink.bad,
    "damaged": Ink.bad,
}


class RunListScreen(ListScreen):
    """Show the runs of a save folder; the id of the one that is chosen comes back, None on esc.

    Args:
        table: The runs; what it knows is shown at once, and then refreshed regularly.
        keys: What the keys do that choose a run.
        hint: A line about what can be done here.
        why_not: Why a run cannot be chosen, "" if it can.
        here: The id of the run that this is opened in.

    Attributes:
        key_line: More keys, and what they do.
    """

    key_line = ""
    DEFAULT_CSS = """
    RunListScreen #listing_box { width: 100%; height: 100%; }
    RunListScreen #listing_hint { padding-top: 0; color: $foreground; }
    #runs_filter { border: none; height: 1; padding: 0; background: $surface; }
    #runs_keys { height: 1; color: $stone; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(LEAVE_KEYS, "leave", show=False),
        Binding("slash,f", "filter", show=False),
        Binding("s", "sort", show=False),
        Binding("S", "reverse", show=False),
        Binding("g", "group", show=False),
    ]

    def __init__(
        self,
        title: str,
        table: "RunTable",
        *,
        keys: str,
        hint: str = "",
        why_not: "Callable[[RunRow], str]" = lambda row: "",
        here: str = "",
    ) -> None:
        super().__init__(
            title, (), hint=hint, keys=keys, empty="Reading the runs…", can_toggle=True
        )
        self._runs = table
        self._why_not = why_not
        self._here = here
        self._view = TableView()
        self._is_looked = bool(table.rows)
        self._columns: list[RunColumn] = []
        self._rows: dict[str, RunRow] = {}
        self._groups: dict[str, RunGroup] = {}
        self._selected: dict[str, None] = {}
        self._filter = Input(placeholder=_FILTER_HINT, id="runs_filter")
        self._filter.display = False

    def parts(self) -> ComposeResult:
        """Yield the filter, the table, two lines on the run under the cursor, and the keys."""
        yield self._filter
        yield from super().parts()
        yield Static(f"{_KEYS}  {self.key_line}", id="runs_keys")

    def on_mount(self) -> None:
        """Show what is known, and refresh it regularly."""
        self.run_worker(self._keep_looking())

    def on_resize(self) -> None:
        """Show the columns that there is room for."""
        self.call_after_refresh(self._draw)

    @property
    def selected(self) -> "list[RunRow]":
        """The selected runs that are shown, in the order in which they were selected."""
        return [self._rows[run_id] for run_id in self._selected if run_id in self._rows]

    # What is shown

    async def _keep_looking(self) -> None:
        while True:  # a pause between two looks: one may take longer than any interval
            await self._look()
            await asyncio.sleep(_PAUSE_S)

    async def _look(self) -> None:
        try:
            await asyncio.to_thread(self._runs.look)
        except PokeTUIError as error:
            self.report("")
            self.fill([], empty=str(error))
            return
        self._is_looked = True
        self._draw()

    def _draw(self) -> None:
        """Show the runs by the present filter, sorting and grouping."""
        width = self.menu.size.width - _LEAD
        if width <= 0:
            return
        try:
            groups = arrange(self._runs.rows, self._view)
        except PokeTUIError as error:
            self.report(str(error))
            return
        shown = [row for group in groups for row in group.rows]
        self._rows = {row.run_id: row for row in shown}
        self._groups = {f"group {number}": group for number, group in enumerate(groups)}
        self._columns = fitting(shown, width)
        if not shown:
            self.report(self._hint)
        self.menu.fill(
            list(self._menu_rows()),
            columns=[Column("", len(_SELECTED)), *map(self._menu_column, self._columns)],
            empty=self._nothing() if self._is_looked else None,
        )
        self.query_one("#listing_box").border_title = Content(printable(self._heading(len(shown))))

    def _menu_rows(self) -> Iterator[Row]:
        for key, group in self._groups.items():
            if self._view.group:
                cells = ("", *(group.text(column.key) for column in self._columns))
                yield Row(key, cells, inks=(Ink.accent,) * len(cells))
            for row in group.rows:
                is_selected = row.run_id in self._selected
                cells = (_SELECTED * is_selected, *(each.text(row) for each in self._columns))
                inks = [
                    _INKS[row.status] if each.key == "state" else Ink.text for each in self._columns
                ]
                yield Row(row.run_id, cells, why_not=self._why_not(row), inks=(Ink.key, *inks))

    def _menu_column(self, column: RunColumn) -> Column:
        sign = ""
        if column.key == self._view.sort:
            is_rising = (column.key in WORDS) != self._view.is_reversed
            sign = "↑" if is_rising else "↓"
        return Column(column.key + sign, column.width, column.is_right)

    def _heading(self, count: int) -> str:
        total = len(self._runs.rows)
        parts = [self._title, f"{count:,} of {total:,}" if count != total else f"{total:,}"]
        if self._view.group:
            parts.append(f"by {self._view.group}")
        if self.selected:
            parts.append(f"{len(self.selected):,} selected")
        return "   ".join(parts)

    def _nothing(self) -> str:
        """Return why there is nothing in the table."""
        if self._runs.rows:
            return f"No run matches: {self._view.words}"
        return f"There is no saved run in {self._runs.save_dir} yet: poketui run starts one."

    def about(self, row: Row) -> str:
        """Describe the run under the cursor in two lines."""
        run = self._rows.get(row.key)
        if run is None:
            return self._hint
        first = [run.run_id, run.labels.name, run.agent, run.mode, f"seed {run.seed}"]
        first.append("this run" if run.run_id == self._here else "")
        first.append(run.reason if run.status != "damaged" else "")
        tags = " ".join(f"#{tag}" for tag in run.labels.tags)
        labels = "   ".join(filter(None, (tags, note_of(run))))
        lines = ("  ".join(filter(None, first)), row.why_not or labels or self._hint)
        return "\n".join(map(printable, lines))

    # Choosing runs

    @property
    def _row(self) -> "RunRow | None":
        """The run under the cursor; None on a group."""
        return self._rows.get(self.menu.marked.key) if self.menu.marked is not None else None

    def pick(self, key: str) -> None:
        """Choose a run; groups cannot be."""
        if key in self._rows:
            self.dismiss(key)

    def on_menu_title_clicked(self, message: Menu.TitleClicked) -> None:
        """Sort by the column, or the other way round."""
        if message.column:
            self._sort_by(self._columns[message.column - 1].key)

    def on_menu_toggled(self, message: Menu.Toggled) -> None:
        """Select a run, or all of a group, or no longer."""
        group = self._groups.get(message.key)
        names = [row.run_id for row in group.rows] if group is not None else [message.key]
        if all(name in self._selected for name in names):
            for name in names:
                del self._selected[name]
        else:
            self._selected |= dict.fromkeys(names)
        self._draw()

    def action_leave(self) -> None:
        """Leave the filter, then the table."""
        if self._filter.display:
            self._filter.value = ""
            self._filter.display = False
            self.menu.focus()
        else:
            self.dismiss(None)

    # Filtering, sorting and grouping

    def action_filter(self) -> None:
        """Type what runs must match."""
        self._filter.display = True
        self._filter.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show the runs that match."""
        self._look_by(replace(self._view, words=event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Give the keys back to the table."""
        self._filter.display = bool(event.value)
        self.menu.focus()

    def action_sort(self) -> None:
        """Choose the column to sort by."""
        choices = [(column.key, column.key) for column in COLUMNS]
        self.app.push_screen(
            ChoiceScreen("Sort by", choices, self._view.sort),
            lambda key: self._sort_by(key) if key else None,
        )

    def action_reverse(self) -> None:
        """Sort the other way round."""
        self._look_by(replace(self._view, is_reversed=not self._view.is_reversed))

    def action_group(self) -> None:
        """Choose a setting to group by, of those that are not the same in all runs."""
        choices = [("", "no groups")]
        choices += [(key, key) for key in ("state", "tags", *differing_keys(self._runs.rows))]
        self.app.push_screen(
            ChoiceScreen("Group by", choices, self._view.group),
            lambda key: self._look_by(replace(self._view, group=key)) if key is not None else None,
        )

    def _sort_by(self, key: str) -> None:
        is_reversed = key == self._view.sort and not self._view.is_reversed
        self._look_by(replace(self._view, sort=key, is_reversed=is_reversed))

    def _look_by(self, view: TableView) -> None:
        """Change the view, and go to the top."""
        self._view = view
        self._told = None
        self._draw()
        self.menu.mark("")  # the first
