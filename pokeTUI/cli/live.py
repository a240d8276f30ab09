"""Define the commands for runs in the background: attach, stop, serve."""

import socket
from typing import Annotated

import typer

from engine.errors import ConfigurationError
from pokeTUI.cli.completion import complete_live_runs
from pokeTUI.cli.options import Color
from pokeTUI.printing import say

DEFAULT_PORT = 8080

LiveRunName = Annotated[
    str | None,
    typer.Argument(
        metavar="[RUN]",
        help="A run in the background; a unique prefix of its id is enough.",
        show_default="the only one",
        autocompletion=complete_live_runs,
    ),
]


def attach(
    run: LiveRunName = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Watch only; never take control.")
    ] = False,
    color: Color = "auto",
) -> None:
    """Attach to a run in the background; q detaches."""
    from pokeTUI.attach import view

    raise typer.Exit(view(run, is_read_only=read_only, color=color)())


def stop(
    run: LiveRunName = None,
    now: Annotated[
        bool, typer.Option("--now", help="Do not save: progress since the last checkpoint is lost.")
    ] = False,
) -> None:
    """Save and stop a run in the background."""
    from pokeTUI.attach import stop_live

    raise typer.Exit(stop_live(run, is_now=now))


def serve(
    run: LiveRunName = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0: any free one.")
    ] = DEFAULT_PORT,
    control: Annotated[
        bool, typer.Option("--control", help="Allow browsers to control the run.")
    ] = False,
) -> None:
    """Show a run in a browser on this machine; whoever has the printed address can watch."""
    import asyncio
    import importlib.util

    from engine.remote.folder import find_live_run

    if importlib.util.find_spec("textual_serve") is None:
        raise ConfigurationError(
            "poketui serve needs the package textual-serve, which is not installed.",
            "Install it: pip install 'poketui[web]'.",
        )
    run_id = find_live_run(run).run_id

    from pokeTUI.serve.server import Program
    from pokeTUI.serve.server import serve as serve_program

    options = () if control else ("--read-only",)
    program = Program(
        ("pokeTUI", "attach", run_id, *options), f"{run_id} - PokeTUI", f"Opening the run {run_id}"
    )
    asyncio.run(
        serve_program(program, port, lambda address: _announce(address, run_id, is_steered=control))
    )
    say("", f"Stopped serving; the run {run_id} continues: poketui attach {run_id}")


def _announce(address: str, run_id: str, *, is_steered: bool) -> None:
    """Print the address, the only time that the token is seen."""
    port = address.partition("/?")[0].rpartition(":")[2]
    steered = "to watch and control" if is_steered else "to watch (--control also allows control)"
    say(f"Open the run {run_id} in a browser {steered}:")
    say(f"  {address}")
    say("Keep this address secret. From another machine, open a tunnel first:")
    say(f"  ssh -L {port}:127.0.0.1:{port} {socket.gethostname()}")
    say("Ctrl-C stops serving; the run continues.")
