"""Define `poketui vgc`: Pokémon VGC doubles battles on the real simulator."""

import typer

from pokeTUI.cli.options import Panels
from pokeTUI.printing import say

vgc_app = typer.Typer(help="VGC doubles battles: install, train, play.", no_args_is_help=True)


@vgc_app.command("setup", cls=Panels)
def setup() -> None:
    """Install the battle simulator (Pokémon Showdown, by npm); needs Node 18 or newer."""
    from engine.battles.setup import install

    install(say)
