"""Define `poketui runs`: the saved runs as a table, and what is done with them."""

from typing import Annotated

import typer

from engine.errors import ConfigurationError
from engine.ground.text import counted
from pokeTUI.cli.completion import complete_runs_and_policies, words
from pokeTUI.cli.options import SaveDir
from pokeTUI.terminal.printing import confirm

COLUMN_KEYS = (
    "run", "name", "state", "steps", "episodes", "success", "return", "stage", "duration", "size",
    "when", "agent", "mode", "seed", "tags", "note",
)  # fmt: skip
"""Those of `pokeTUI.screens.run_table`, which takes too long to load while a shell waits."""


def runs(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN",
            help="One run: its curves; two: a comparison; more: a table. An id or a unique name; "
            "cloned policies, too.",
            autocompletion=complete_runs_and_policies,
        ),
    ] = None,
    sort: Annotated[
        str, typer.Option(metavar="COLUMN", help="Sort by it.", autocompletion=words(*COLUMN_KEYS))
    ] = "when",
    reverse: Annotated[bool, typer.Option("--reverse", help="Sort the other way round.")] = False,
    filter_: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            metavar="TEXT",
            help="List runs that match: a word, #tag, or COLUMN or setting with a value, such as "
            "agent=ppo, 'success>80%' or state=crashed; repeatable.",
        ),
    ] = None,
    group: Annotated[
        str, typer.Option(metavar="SETTING", help="Group by a setting, such as agent or ppo.clip.")
    ] = "",
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    watch_: Annotated[
        bool, typer.Option("--watch", help="Watch it: redraw every two seconds, until Ctrl-C.")
    ] = False,
    once: Annotated[
        bool, typer.Option("--once", help="Print it once, in spite of --watch.")
    ] = False,
    name: Annotated[
        str | None, typer.Option(help="Name the run; its id stays. Empty: no name.")
    ] = None,
    note: Annotated[str | None, typer.Option(help="Set the run's note. Empty: no note.")] = None,
    add_tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Add a tag; repeatable.")
    ] = None,
    untag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Remove a tag; repeatable.")
    ] = None,
    delete: Annotated[
        bool, typer.Option("--delete", help="Move the runs to the save folder's trash.")
    ] = False,
    restore: Annotated[
        bool, typer.Option("--restore", help="Restore deleted runs, by their ids.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    save_dir: SaveDir = None,
) -> None:
    """List saved runs and cloned policies, plot one, compare several; name, tag and delete runs."""
    from pokeTUI.cli import run_reports
    from pokeTUI.cli.reports import print_comparison, print_curves, print_overview
    from pokeTUI.saved import saves
    from pokeTUI.screens.run_table import TableView

    folder = saves(save_dir)
    named = names or []
    labels = name is not None or note is not None or bool(add_tag or untag)
    if sum((labels, delete, restore)) > 1:
        raise ConfigurationError(
            "Labels, --delete and --restore exclude each other.", "Do one after the other."
        )
    if (labels or delete or restore) and not named:
        raise ConfigurationError("No run is named.", "Example: poketui runs RUN --name baseline")
    if labels:
        run_reports.label(folder, named, name, note, add_tag or [], untag or [])
        return
    if delete:
        paths = run_reports.deletable(folder, named)
        if not yes and not confirm(f"Move {counted(len(paths), 'run')} to the trash?"):
            raise typer.Exit(1)
        run_reports.delete(folder, paths)
        return
    if restore:
        run_reports.restore(folder, named)
        return
    view = TableView(sort, reverse, " ".join(filter_ or []), group)
    if json_:
        run_reports.print_json(folder, view, named)
        return
    if named and (view != TableView() or watch_ or once):
        raise ConfigurationError(
            "The table lists all runs, and some were named.", "Choose runs with --filter TEXT."
        )
    match named:
        case []:
            run_reports.print_table(folder, view, is_watched=watch_ and not once)
        case [only]:
            print_curves(save_dir, only)
        case [first, second]:
            print_comparison(save_dir, first, second)
        case several:
            print_overview(save_dir, several)
