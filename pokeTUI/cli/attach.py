"""Define the commands for runs that go on in the background: attach, stop."""

from typing import Annotated

import typer

from pokeTUI.cli.completion import complete_live_runs
from pokeTUI.cli.options import Color

LiveRunName = Annotated[
    str | None,
    typer.Argument(
        metavar="[RUN]",
        help="A run that goes on in the background; the beginning of its id is enough.",
        show_default="the only one",
        autocompletion=complete_live_runs,
    ),
]


def attach(
    run: LiveRunName = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Watch only; never be the one who steers.")
    ] = False,
    color: Color = "auto",
) -> None:
    """Show a run that goes on in the background; q leaves it again."""
    from pokeTUI.attach import view

    raise typer.Exit(view(run, is_read_only=read_only, color=color)())


def stop(
    run: LiveRunName = None,
    now: Annotated[
        bool, typer.Option("--now", help="Do not save: what came after its checkpoint is lost.")
    ] = False,
) -> None:
    """Save and end a run that goes on in the background."""
    from pokeTUI.attach import stop_live

    raise typer.Exit(stop_live(run, is_now=now))
