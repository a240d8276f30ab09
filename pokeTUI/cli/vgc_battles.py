"""Define `poketui vgc watch` and `poketui vgc play`."""

from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from pokeTUI.cli import options
from pokeTUI.terminal.printing import complain, say

if TYPE_CHECKING:
    from pokeTUI.battles.commands import Outcome


def watch(
    what: Annotated[
        str,
        typer.Argument(
            metavar="[RUN|FILE]",
            help="A run or a policy's file, which plays; or a file of battles or a battle's log.",
            show_default="the latest run",
        ),
    ] = "latest",
    against: Annotated[
        str,
        typer.Option(
            help="Opponent: random, max_power, greedy, heuristics, a run or a policy's file. "
            "For a file of battles: whose view of the decisions is shown.",
            show_default="heuristics",
        ),
    ] = "",
    team: Annotated[
        str, typer.Option(help="File of the first side's team.", show_default="a shipped one")
    ] = "",
    battle_format: Annotated[
        str, typer.Option(help="Battle format.", show_default="gen9vgc2023regc")
    ] = "",
    checkpoint_dir: options.CheckpointDir = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
) -> None:
    """Watch a policy play, or replay battles, turn by turn."""
    from pokeTUI.battles import commands

    _end(
        commands.watch(
            what,
            against=against,
            save_dir=checkpoint_dir,
            team=team,
            battle_format=battle_format,
            seed=seed,
        )
    )


def play(
    against: Annotated[
        str,
        typer.Argument(
            metavar="[RUN|FILE|PLAYER]",
            help="Who plays against you: a run, a policy's file, or random, max_power, greedy, "
            "heuristics.",
            show_default="the latest run",
        ),
    ] = "latest",
    team: Annotated[
        str, typer.Option(help="File of your team, pasted or packed.", show_default="a shipped one")
    ] = "",
    battle_format: Annotated[
        str, typer.Option(help="Battle format.", show_default="gen9vgc2023regc")
    ] = "",
    checkpoint_dir: options.CheckpointDir = None,
    seed: Annotated[
        int | None, typer.Option(help="Random seed.", show_default="another each time")
    ] = None,
) -> None:
    """Play against a policy or a built-in player; your battles are saved as demonstrations."""
    from pokeTUI.battles import commands

    _end(
        commands.play(
            against,
            save_dir=checkpoint_dir,
            team=team,
            battle_format=battle_format,
            seed=commands.new_seed() if seed is None else seed,
        )
    )


def _end(outcome: "Outcome") -> NoReturn:
    """Say how it ended."""
    if outcome.text:
        complain(f"poketui: {outcome.text}") if outcome.is_failure else say(outcome.text)
    raise typer.Exit(outcome.exit_code)
