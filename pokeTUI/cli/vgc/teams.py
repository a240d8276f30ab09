"""Define `poketui vgc teams`: list, check and generate teams."""

from pathlib import Path
from typing import Annotated

import typer

from engine.battles.sim.setup import find_simulator
from engine.battles.sim.simulator import Simulator
from engine.battles.sim.teams import (
    DEFAULT_FORMAT,
    Format,
    Team,
    find_format,
    generate_teams,
    pool,
    read_teams,
    unseen,
)
from engine.ground.files import make_folder, write_file
from engine.ground.folders import user_path
from engine.ground.text import counted
from pokeTUI.cli import options
from pokeTUI.cli.options import refuse_if
from pokeTUI.cli.vgc.battles import BattleFormat
from pokeTUI.terminal.printing import say

_LISTED = 8


def list_teams(
    team: str = "",
    /,
    battle_format: BattleFormat = DEFAULT_FORMAT.id,
    packed: bool = False,
    all_: Annotated[bool, typer.Option("--all")] = False,
    generate: Annotated[int, typer.Option(min=0, max=1000)] = 0,
    seed: options.Seed = None,
    out: Path | None = None,
) -> None:
    """List the teams that are shipped, check your own by the simulator's rules, or generate new.

    Args:
        team ([FILE|FOLDER]): Check your own instead, in any form.
        packed: Print or write teams as the simulator takes them.
        all_: List all of them, also those that are unseen in training.
        generate: Generate this many legal teams instead.
        out: Folder to write them into, a file each. Default: print them.
    """
    refuse_if(bool(team) and generate > 0, "A team is checked or generated.", "Use one of the two.")
    is_alone = (out is not None or seed is not None) and not generate
    refuse_if(is_alone, "--seed and --out are for generated teams.", "Add --generate 10, say.")
    format = find_format(battle_format)
    if generate:
        _generate(format, generate, seed or 0, out, packed)
        return
    if team:
        for each in read_teams(user_path(team), format):
            say(each.packed if packed else f"{each.name} is legal in {format.id}.")
        return
    _list(f"{format.id}: {{}} teams to train with", pool(format), packed, all_)
    _list("unseen in training: {} teams", unseen(format), packed, all_)


def _list(heading: str, teams: tuple[Team, ...], is_packed: bool, is_whole: bool) -> None:
    """Print teams, the first few of them unless all are wanted."""
    shown = teams if is_whole or is_packed else teams[:_LISTED]
    if not is_packed:
        more = "" if len(shown) == len(teams) else f", the first {_LISTED} (--all lists them all)"
        say(f"{heading.format(len(teams))}{more}:")
    for team in shown:
        say(team.packed if is_packed else f"  {team.name}: {', '.join(team.species)}")


def _generate(format: Format, count: int, seed: int, out: Path | None, is_packed: bool) -> None:
    """Generate teams that no shipped one resembles; print them, or write a file for each."""
    folder = user_path(out) if out else None
    with Simulator((), find_simulator()) as simulator:
        shipped = (*pool(format), *unseen(format))
        teams = generate_teams(simulator, format, count, seed, shipped)
        texts = [team.packed if is_packed else simulator.sheet(team.packed) for team in teams]
    if folder is None:
        for team, text in zip(teams, texts, strict=True):
            heading = f"=== [{format.id}] {team.name} ==="
            for line in [text] if is_packed else [heading, "", *text.splitlines()]:
                say(line)
        return
    make_folder(folder)
    for number, (team, text) in enumerate(zip(teams, texts, strict=True), 1):
        write_file(folder / f"{number:03}-{team.name}.txt", f"{text.rstrip()}\n".encode())
    say(f"{counted(count, 'team')} in {folder}. Train with them: poketui vgc train --team {folder}")
