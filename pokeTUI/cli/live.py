"""Define the commands for runs in the background: attach, stop, serve."""

import socket
from functools import partial
from typing import Annotated

import typer

from pokeTUI.cli.completion import complete_live_runs
from pokeTUI.cli.options import Color, exclusive, refuse_if
from pokeTUI.terminal.printing import say

DEFAULT_PORT = 8080

LiveRun = Annotated[
    str | None,
    typer.Argument(
        metavar="[RUN]",
        help="A run in the background; a unique prefix of its id is enough.",
        show_default="the only one",
        autocompletion=complete_live_runs,
    ),
]


def attach(run: LiveRun = None, /, read_only: bool = False, color: Color = "auto") -> None:
    """Attach to a run in the background; q detaches.

    Args:
        read_only: Watch only; never take control.
    """
    from pokeTUI.app.launch import view

    raise typer.Exit(view(run, is_read_only=read_only, color=color)())


def stop(run: LiveRun = None, /, now: bool = False) -> None:
    """Save and stop a run in the background.

    Args:
        now: Do not save: progress since the last checkpoint is lost.
    """
    from pokeTUI.app.launch import stop_live

    raise typer.Exit(stop_live(run, is_now=now))


def serve(
    run: LiveRun = None,
    /,
    port: Annotated[int, typer.Option(min=0, max=65535)] = DEFAULT_PORT,
    control: bool = False,
    statistics: bool = False,
) -> None:
    """Show a run in a browser on this machine; whoever has the printed address can watch.

    Args:
        port: Port on 127.0.0.1; 0: any free one.
        control: Allow browsers to control the run.
        statistics: Serve the statistics page instead of the terminal.
    """
    import asyncio
    import importlib.util

    from engine.remote.folder import find_live_run

    exclusive(statistics and "--statistics", control and "--control")
    if statistics:
        from pokeTUI.serve.background import listen_for_page, serve_live

        live = find_live_run(run)
        announce = partial(_announce, live.run_id, "for its statistics")
        with listen_for_page(port, "--port") as listener:
            asyncio.run(serve_live(live, listener, announce))
        say("", "Stopped serving.")
        return
    refuse_if(
        importlib.util.find_spec("textual_serve") is None,
        "poketui serve needs the package textual-serve, which is not installed.",
        "Install it: pip install 'poketui[web]'.",
    )
    live = find_live_run(run)

    from pokeTUI.serve.server import Program
    from pokeTUI.serve.server import serve as serve_program

    options = () if control else ("--read-only",)
    program = Program(
        ("pokeTUI", "attach", live.run_id, *options),
        f"{live.run_id} - PokeTUI",
        f"Opening the run {live.run_id}",
    )
    aim = "to watch and control" if control else "to watch (--control also allows control)"
    asyncio.run(serve_program(program, port, partial(_announce, live.run_id, aim)))
    say("", f"Stopped serving; the run {live.run_id} continues: poketui attach {live.run_id}")


def _announce(run_id: str, aim: str, address: str) -> None:
    """Print the address: nothing else ever shows its token."""
    port = address.partition("/?")[0].rpartition(":")[2]
    say(f"Open the run {run_id} in a browser {aim}:")
    say(f"  {address}")
    say("Keep this address secret. From another machine, open a tunnel first:")
    say(f"  ssh -L {port}:127.0.0.1:{port} {socket.gethostname()}")
    say("Ctrl-C stops serving; the run continues.")
