"""Define `poketui vgc eval` and `poketui vgc teams`."""

from typing import Annotated

import typer

from engine.errors import ConfigurationError
from pokeTUI.cli import options
from pokeTUI.cli.completion import words

BattleFormat = Annotated[str, typer.Option(help="Battle format.", show_default="gen9vgc2023regc")]


def evaluate(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN|FILE",
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
            metavar="one|pool|unseen|FILE|FOLDER",
            help="Teams of both sides: one shipped, four, four unseen in training, or your own.",
            autocompletion=words("one", "pool", "unseen"),
        ),
    ] = "one",
    backend: Annotated[
        str,
        typer.Option(
            metavar="sim|websocket",
            help="In the simulator, or on a server of its own against poke-env's players.",
            autocompletion=words("sim", "websocket"),
        ),
    ] = "sim",
    battle_format: Annotated[
        str | None, typer.Option(help="Battle format.", show_default="the run's")
    ] = None,
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
            help="Checkpoint of a run: latest or best.",
            autocompletion=words("latest", "best"),
        ),
    ] = "latest",
    seed: options.Seed = None,
    checkpoint_dir: options.CheckpointDir = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure a battle policy: win rates with 95 % intervals, or Elo ratings."""
    from engine.battles.play.players import format_of
    from engine.battles.sim.teams import find_format
    from pokeTUI.battles.commands import saves
    from pokeTUI.cli import vgc_reports

    if backend not in ("sim", "websocket"):
        raise ConfigurationError(f"There is no backend {backend!r}.", "Use sim or websocket.")
    if checkpoint not in ("latest", "best"):
        raise ConfigurationError(f"There is no checkpoint {checkpoint!r}.", "Use latest or best.")
    if battles % 2:
        raise ConfigurationError(
            f"--battles {battles}: the players exchange sides, so that the number is even.",
            f"Use {battles + 1}.",
        )
    is_remote = backend == "websocket"
    if elo and is_remote:
        raise ConfigurationError("Ratings are of battles in the simulator.", "Use --backend sim.")
    names, folder = players or ["latest"], saves(checkpoint_dir)
    plan = vgc_reports.EvaluationPlan(
        find_format(battle_format) if battle_format else format_of(names[0], folder),
        teams,
        battles,
        seed or 0,
        checkpoint,
        not sample,
        search,
        folder,
    )
    if elo:
        vgc_reports.print_ratings(plan, names, opponent or (), as_json=json_)
        return
    meet = vgc_reports.print_server_win_rates if is_remote else vgc_reports.print_win_rates
    for name in names:
        meet(plan, name, opponent or (), as_json=json_)


def list_teams(
    team: Annotated[
        str, typer.Argument(metavar="[FILE|FOLDER]", help="Check your own instead, in any form.")
    ] = "",
    battle_format: BattleFormat = "gen9vgc2023regc",
    packed: Annotated[
        bool, typer.Option("--packed", help="Print teams as the simulator takes them.")
    ] = False,
) -> None:
    """List the teams that are shipped, or check your own by the simulator's rules."""
    from engine.battles.sim.teams import find_format
    from pokeTUI.cli.vgc_reports import print_teams

    print_teams(find_format(battle_format), team, is_packed=packed)
