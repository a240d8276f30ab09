"""Compare, rename, note, tag and delete saved runs in their table."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from engine.errors import PokeTUIError
from engine.ground.text import counted
from pokeTUI.panes.dialogs import ChoiceScreen, PromptScreen
from pokeTUI.screens.run_list import RunListScreen

if TYPE_CHECKING:
    from engine.runs.labels import RunLabels
    from engine.runs.table import RunRow, RunTable


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


class RunsScreen(RunListScreen):
    """Show the runs of a save folder, to compare and change them; see `RunListScreen`.

    Args:
        verb: What choosing a run does to it.
        why_not: None: runs are compared, and nothing comes back.
        here: The id of the run that this is opened in, which others are compared with.
        can_change: Runs can be renamed, tagged and deleted.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
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
        super().__init__(
            title,
            table,
            keys=f"enter {verb}   space select{compare}   esc back",
            hint=hint,
            why_not=why_not or (lambda row: ""),
            here=here,
        )
        self._compares = why_not is None
        self._can_change = can_change
        self.key_line = "r rename  t tag  n note  D delete" if can_change else ""

    def pick(self, key: str) -> None:
        """Choose the run, or compare."""
        if self._compares:
            self.action_compare()
        else:
            super().pick(key)

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
        from engine.runs.trash import delete_run, restore_command

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
