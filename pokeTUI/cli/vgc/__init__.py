"""Define `poketui vgc`: Pokémon VGC doubles battles on the real simulator."""

import typer

from engine.battles.sim.setup import install, is_installed
from engine.battles.sim.simulator import Simulator
from pokeTUI.cli.options import command
from pokeTUI.cli.vgc.battles import ladder, play, server, watch
from pokeTUI.cli.vgc.cloning import bc, import_battles
from pokeTUI.cli.vgc.coach import advise, coach
from pokeTUI.cli.vgc.distilling import distill
from pokeTUI.cli.vgc.evaluation import evaluate
from pokeTUI.cli.vgc.exploiting import exploit
from pokeTUI.cli.vgc.league import league
from pokeTUI.cli.vgc.teams import list_teams
from pokeTUI.cli.vgc.training import train
from pokeTUI.terminal.printing import say

vgc_app = typer.Typer()


@command(vgc_app)
def setup() -> None:
    """Install the battle simulator (Pokémon Showdown, by npm); needs Node 18 or newer."""
    is_new = not is_installed()
    node = install(say)
    if is_new:
        with Simulator([], node) as simulator:  # tests its speed patch, once
            say(simulator.hello["warning"] or "It works.")


command(vgc_app)(train)
command(vgc_app)(bc)
command(vgc_app, "import")(import_battles)
command(vgc_app, "eval")(evaluate)
command(vgc_app)(exploit)
command(vgc_app)(league)
command(vgc_app)(distill)
command(vgc_app)(play)
command(vgc_app)(watch)
command(vgc_app)(coach)
command(vgc_app)(advise)
command(vgc_app, "teams")(list_teams)
command(vgc_app)(ladder)
command(vgc_app)(server)
