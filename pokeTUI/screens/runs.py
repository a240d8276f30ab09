"""A table of saved runs, refreshed every two seconds.

They are sorted, filtered, grouped and selected; compared, renamed, noted, tagged and deleted.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static

from engine.errors import PokeTUIError
from engine.ground.text import counted, printable
from pokeTUI.draw.menu import Column, Menu, Row
from pokeTUI.draw.theme import Ink
from pokeTUI.panes.dialogs import ChoiceScreen, PromptScreen
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
    from engine.runs.labels import RunLabels
    from engine.runs.table import RunRow, RunTable

_PAUSE_S = 2.0
_SELECTED = "✓"
_LEAD = 5
"""Cells before the first column: the cursor, the sign of a selected run, and a gap."""
_KEYS = "/ filter  s sort  S reverse  g group"
_CHANGE_KEYS = "r rename  t tag  n note  D delete"
_FILTER_HINT = "a word, #tag, agent=ppo, success>80%, steps>10k, state=crashed, ppo.clip=0.1"
_INKS = {
    "running": Ink.good,
    "finished": Ink.info,
    "stopped": Ink.dim,
    "crashed": Ink.bad,
    "damaged": Ink.bad,
}


def why_not_resume(row: "RunRow", live: Sequence[str] = ()) -> str:
    """Return why a run cannot be resumed, "" if it can; `live` are in the background."""
    if row.is_running:
        is_live = row.run_id in live
        return (
            "It is running in the background: attach to it."
            if is_live
            else "It is running in another terminal."
        )
    if row.status == "damaged":
        return f"It cannot be read: {row.reason}."
    return "" if row.num_checkpoints else "It has no checkpoint to resume from."


class RunsScreen(ListScreen):
    """Show the runs of a save folder, to compare and change them.

    The id of the one that is chosen comes back, None on esc.

    Args:
        table: The runs; what it knows is shown at once, and then refreshed regularly.
        hint: A line about what can be done here.
        verb: What choosing a run does to it.
        why_not: Why a run cannot be chosen, "" if it can; None: runs are compared, and nothing
            comes back.
        here: The id of the run that this is opened in, which others are compared with.
        can_change: Runs can be renamed, tagged and deleted.
    """

    DEFAULT_CSS = """
    RunsScreen #listing_box { width: 100%; height: 100%; }
    RunsScreen #listing_hint { padding-top: 0; color: $foreground; }
    #runs_filter { border: none; height: 1; padding: 0; background: $surface; }
    #runs_keys { height: 1; color: $stone; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(LEAVE_KEYS, "leave", show=False),
        Binding("slash,f", "filter", show=False),
        Binding("s", "sort", show=False),
        Binding("S", "reverse", show=False),
        Binding("g", "group", show=False),
        Binding("c", "compare", show=False),
        Binding("r", "rename", show=False),
        Binding("t", "tag", show=False),
        Binding("n", "note", show=False),
        Binding("D,delete", "delete", show=False),
    ]

    def __init__(
        self,
        title: str,
        table: "RunTable",
        *,
        hint: str = "",
        verb: str = "compare",
        why_not: "Callable[[RunRow], str] | None" = None,
        here: str = "",
        can_change: bool = True,
    ) -> None:
        compare = "" if why_not is None else "   c compare"
        keys = f"enter {verb}   space select{compare}   esc back"
        super().__init__(
            title, (), hint=hint, keys=keys, empty="Reading the runs…", can_toggle=True
        )
        self._runs = table
        self._compares = why_not is None
        self._why_not = why_not or (lambda row: "")
        self._here = here
        self._can_change = can_change
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
        changes = _CHANGE_KEYS if self._can_change else ""
        yield Static(f"{_KEYS}  {changes}", id="runs_keys")

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
        """Choose the run, or compare; groups cannot be chosen."""
        if self._compares:
            self.action_compare()
        elif key in self._rows:
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

    # Comparing and changing runs

    def action_compare(self) -> None:
        """Compare the selected runs; without any, the run under the cursor with this one."""
        names = [row.run_id for row in self.selected]
        if not names and self._row is not None:
            names = [self._row.run_id]
        if self._here and len(names) == 1:
            names = list(dict.fromkeys((self._here, *names)))
        if len(names) < 2:
            key = "enter" if self._compares else "c"
            self.report(f"Select at least two runs with space, then press {key}.")
            return
        # Imported here: the start screen needs it only now.
        from pokeTUI.screens.comparison import CompareScreen

        self.app.push_screen(CompareScreen(self._runs.save_dir, names))

    def action_rename(self) -> None:
        """Ask for the run's name."""
        row = self._changeable()
        if row is None:
            return
        self._ask(
            f"Name of {row.run_id}",
            row.labels.name,
            "Shown in place of the id, which stays; empty: no name.",
            [row],
            lambda labels, text: labels.changed(name=text),
        )

    def action_note(self) -> None:
        """Ask for the run's note."""
        row = self._changeable()
        if row is None:
            return
        self._ask(
            f"Note on {row.shown_name}",
            row.labels.note,
            "Empty: no note.",
            [row],
            lambda labels, text: labels.changed(note=text),
        )

    def action_tag(self) -> None:
        """Ask for the tags of the run, or for those that all selected runs have."""
        row = self._changeable()
        if row is None:
            return
        rows = self.selected or [row]
        common = [
            tag for tag in rows[0].labels.tags if all(tag in each.labels.tags for each in rows)
        ]

        def change(labels: "RunLabels", text: str) -> "RunLabels":
            words = [word.lstrip("#") for word in text.split()]
            return labels.changed(add=words, remove=set(common) - set(words))

        name = row.shown_name if rows == [row] else counted(len(rows), "run")
        self._ask(f"Tags of {name}", " ".join(common), "Words with spaces between.", rows, change)

    def _changeable(self) -> "RunRow | None":
        """Return the run under the cursor, if it may be changed here."""
        if not self._can_change:
            self.report("This viewer is read-only.")
            return None
        return self._row

    def _ask(
        self,
        title: str,
        value: str,
        hint: str,
        rows: "Sequence[RunRow]",
        change: "Callable[[RunLabels, str], RunLabels]",
    ) -> None:
        """Ask for a text, and change the labels of runs by it."""
        from engine.runs.labels import read_labels, write_labels

        def wrong(text: str) -> str:
            try:
                for row in rows:
                    change(row.labels, text)
            except PokeTUIError as error:
                return str(error)
            return ""

        async def take(text: str | None) -> None:
            if text is None:
                return
            try:
                for row in rows:
                    write_labels(row.path, change(read_labels(row.path), text))
            except PokeTUIError as error:
                self.report(str(error))
            else:
                await self._look()

        self.app.push_screen(PromptScreen(title, value, hint=hint, check=wrong), take)

    def action_delete(self) -> None:
        """Ask whether the selected runs, or the one under the cursor, go to the trash."""
        row = self._changeable()
        rows = self.selected or ([row] if row is not None else [])
        if not rows or not self._can_change:
            return
        running = [each.shown_name for each in rows if each.is_running]
        if running:
            self.report(f"{running[0]} is running: stop it first.")
            return
        name = rows[0].shown_name if len(rows) == 1 else counted(len(rows), "run")
        choices = [("no", "cancel"), ("yes", f"move to {self._runs.save_dir}/trash")]

        async def take(answer: str | None) -> None:
            if answer == "yes":
                await self._delete([each.run_id for each in rows])

        self.app.push_screen(ChoiceScreen(f"Delete {name}?", choices), take)

    async def _delete(self, names: Sequence[str]) -> None:
        from engine.runs.folder import delete_run, restore_command

        text = f"Deleted. Restore with: {restore_command(self._runs.save_dir, names)}"
        try:
            for name in names:
                await asyncio.to_thread(delete_run, self._runs.save_dir, name)
                self._selected.pop(name, None)
        except PokeTUIError as error:
            text = str(error)
        await self._look()
        if self.menu.marked is not None:
            self._told = self.about(self.menu.marked)  # until the cursor moves, this is said:
        self.report(text)
