"""Define `poketui vgc`: Pokémon VGC doubles battles on the real simulator."""

from collections.abc import Callable

import typer

from pokeTUI.cli.options import Panels
from pokeTUI.cli.vgc_battles import play, watch
from pokeTUI.cli.vgc_cloning import bc, import_battles
from pokeTUI.cli.vgc_evaluation import evaluate, list_teams
from pokeTUI.cli.vgc_server import ladder, server
from pokeTUI.cli.vgc_training import train
from pokeTUI.terminal.printing import say

vgc_app = typer.Typer(help="VGC doubles battles: install, train, play.", no_args_is_help=True)


@vgc_app.command(cls=Panels)
def setup() -> None:
    """Install the battle simulator (Pokémon Showdown, by npm); needs Node 18 or newer."""
    from engine.battles.sim.setup import install, is_installed
    from engine.battles.sim.simulator import Simulator

    is_new = not is_installed()
    node = install(say)
    if is_new:
        with Simulator([], node) as simulator:  # tests its speed patch, once
            say(simulator.hello["warning"] or "It works.")


_COMMANDS: dict[str, Callable[..., None]] = {
    "train": train,
    "bc": bc,
    "import": import_battles,
    "eval": evaluate,
    "play": play,
    "watch": watch,
    "teams": list_teams,
    "ladder": ladder,
    "server": server,
}
for name, command in _COMMANDS.items():
    vgc_app.command(name, cls=Panels)(command)
