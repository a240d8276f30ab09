"""Define `poketui runs`: the saved runs as a table, and what is done with them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from pokeTUI.cli.completion import complete_runs_and_policies, words
from pokeTUI.cli.options import SaveDir, refuse_if

if TYPE_CHECKING:
    from engine.runs.labels import RunLabels

COLUMN_KEYS = (
    "run", "name", "state", "steps", "episodes", "success", "return", "stage", "duration", "size",
    "when", "agent", "mode", "seed", "tags", "note",
)  # fmt: skip
"""The columns of `pokeTUI.screens.run_table`, which is too slow to load for completion."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Which runs the table has, and how.

    Attributes:
        sort (COLUMN): Sort by it.
        reverse: Sort the other way round.
        filter_ (TEXT): List runs that match: a word, #tag, or COLUMN or setting with a value, such
            as agent=ppo, 'success>80%' or state=crashed; repeatable.
        group (SETTING): Group by a setting, such as agent or ppo.clip.
    """

    sort: Annotated[str, words(*COLUMN_KEYS)] = "when"
    reverse: bool = False
    filter_: list[str] | None = None
    group: str = ""


@dataclass(frozen=True, slots=True)
class LabelOptions:
    """What runs are to be called.

    Attributes:
        name: Name the run; its id stays. Empty: no name.
        note: Set the run's note. Empty: no note.
        add_tag (TAG): Add a tag; repeatable.
        untag (TAG): Remove a tag; repeatable.
    """

    name: str | None = None
    note: str | None = None
    add_tag: Annotated[list[str] | None, typer.Option("--tag")] = None
    untag: list[str] | None = None

    def changed(self, before: "RunLabels") -> "RunLabels":
        """Return a run's labels with these changes."""
        return before.changed(
            name=self.name, note=self.note, add=self.add_tag or (), remove=self.untag or ()
        )

    def are_given(self) -> bool:
        """Return whether a label is to change."""
        return self.name is not None or self.note is not None or bool(self.add_tag or self.untag)


def runs(
    names: Annotated[list[str] | None, complete_runs_and_policies] = None,
    /,
    *,
    table: TableOptions,
    json_: bool = False,
    watch_: bool = False,
    once: bool = False,
    labels: LabelOptions,
    delete: bool = False,
    restore: bool = False,
    yes: Annotated[bool, typer.Option("--yes", "-y")] = False,
    save_dir: SaveDir = None,
) -> None:
    """List saved runs and cloned policies, plot one, compare several; name, tag and delete runs.

    Args:
        names (RUN): One run: its curves; two: a comparison; more: a table. An id or a unique name;
            cloned policies, too.
        json_: Print JSON.
        watch_: Watch it: redraw every two seconds, until Ctrl-C.
        once: Print it once, in spite of --watch.
        delete: Move the runs to the save folder's trash.
        restore: Restore deleted runs, by their ids.
        yes: Do not ask.
    """
    from pokeTUI.cli import run_reports
    from pokeTUI.saved import saves
    from pokeTUI.screens.run_table import TableView

    folder = saves(save_dir)
    named = names or []
    is_labelling = labels.are_given()
    refuse_if(
        sum((is_labelling, delete, restore)) > 1,
        "Labels, --delete and --restore exclude each other.",
        "Do one after the other.",
    )
    hint = "Example: poketui runs RUN --name baseline"
    refuse_if((is_labelling or delete or restore) and not named, "No run is named.", hint)
    if is_labelling:
        is_one_name = labels.name and len(named) > 1
        refuse_if(is_one_name, f"{len(named)} runs cannot have one name.", "Use --tag.")
        run_reports.label(folder, named, labels.changed)
        return
    if delete:
        run_reports.delete(folder, named, must_ask=not yes)
        return
    if restore:
        run_reports.restore(folder, named)
        return
    view = TableView(table.sort, table.reverse, " ".join(table.filter_ or []), table.group)
    if json_:
        run_reports.print_json(folder, view, named)
        return
    refuse_if(
        named and (view != TableView() or watch_ or once),
        "The table lists all runs, and some were named.",
        "Choose runs with --filter TEXT.",
    )
    match named:
        case []:
            run_reports.print_table(folder, view, is_watched=watch_ and not once)
        case [only]:
            run_reports.print_curves(folder, only)
        case [first, second]:
            run_reports.print_comparison(folder, first, second)
        case several:
            run_reports.print_overview(folder, several)
