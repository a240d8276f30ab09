"""Define `poketui vgc`: Pokémon VGC doubles battles on the real simulator."""

from typing import Annotated

import typer

from pokeTUI.cli import options
from pokeTUI.cli.completion import words
from pokeTUI.cli.options import Panels
from pokeTUI.printing import say

_RUNS = "saves/vgc"
BattleFormat = Annotated[str, typer.Option(help="Battle format.", show_default="gen9vgc2023regc")]
vgc_app = typer.Typer(help="VGC doubles battles: install, train, play.", no_args_is_help=True)


@vgc_app.command("setup", cls=Panels)
def setup() -> None:
    """Install the battle simulator (Pokémon Showdown, by npm); needs Node 18 or newer."""
    from engine.battles.setup import install

    install(say)


@vgc_app.command("eval", cls=Panels)
def evaluate(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN|FILE]...",
            help="A run, a policy's file, or one of the simulator's players.",
            show_default="the latest run",
        ),
    ] = None,
    opponent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|RUN|FILE",
            help="Whom to meet; repeatable.",
            show_default="random, max_power, greedy and heuristics",
        ),
    ] = None,
    battles: Annotated[
        int, typer.Option(min=2, max=1_000_000, help="Battles against each opponent.")
    ] = 1000,
    teams: Annotated[
        str,
        typer.Option(
            metavar="one|pool|unseen|FILE",
            help="Teams of both sides: one shipped, four, four unseen in training, or your own.",
            autocompletion=words("one", "pool", "unseen"),
        ),
    ] = "one",
    battle_format: BattleFormat = "gen9vgc2023regc",
    elo: Annotated[
        bool, typer.Option("--elo", help="Let all meet each other, and rate them.")
    ] = False,
    search: Annotated[
        int, typer.Option(min=0, max=1000, help="Look ahead in this many copies of the battle.")
    ] = 0,
    sample: Annotated[
        bool, typer.Option("--sample", help="Draw choices instead of taking the likeliest.")
    ] = False,
    checkpoint: Annotated[
        str,
        typer.Option(
            metavar="latest|best",
            help="Of a run.",
            autocompletion=words("latest", "best"),
        ),
    ] = "latest",
    seed: options.Seed = None,
    checkpoint_dir: Annotated[
        str | None, typer.Option(help="Folder of the runs.", show_default="saves/vgc")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure a battle policy: win rates with 95 % intervals, or Elo ratings."""
    from engine.battles.formats import find_format
    from pokeTUI.cli.vgc_reports import EvaluationPlan, print_ratings, print_win_rates

    plan = EvaluationPlan(
        find_format(battle_format),
        teams,
        battles,
        seed or 0,
        checkpoint,
        not sample,
        search,
        checkpoint_dir or _RUNS,
    )
    names = players or ["latest"]
    if elo:
        print_ratings(plan, names, opponent or (), as_json=json_)
        return
    for name in names:
        print_win_rates(plan, name, opponent or (), as_json=json_)


@vgc_app.command("teams", cls=Panels)
def list_teams(
    team: Annotated[
        str, typer.Argument(metavar="[FILE]", help="Check this team instead, pasted or packed.")
    ] = "",
    battle_format: BattleFormat = "gen9vgc2023regc",
    packed: Annotated[
        bool, typer.Option("--packed", help="Print teams as the simulator takes them.")
    ] = False,
) -> None:
    """List the teams that are shipped, or check your own by the simulator's rules."""
    from engine.battles.formats import find_format
    from pokeTUI.cli.vgc_reports import print_teams

    print_teams(find_format(battle_format), team, is_packed=packed)
