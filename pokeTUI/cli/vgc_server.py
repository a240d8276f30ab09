"""Define `poketui vgc server` and `poketui vgc ladder`: battles on a server of this machine."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import ConfigurationError, WorkerError
from engine.ground.folders import user_path
from engine.ground.text import counted
from pokeTUI.cli import options
from pokeTUI.terminal.printing import say

if TYPE_CHECKING:
    from engine.battles.play.ladder import Game

_PORT = 8000
_RESULTS = {1: "won", 0: "tie", -1: "lost"}


def server(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free one.")
    ] = _PORT,
) -> None:
    """Run a battle server for this machine only, without accounts, until Ctrl-C."""
    from engine.battles.sim.server import ShowdownServer
    from engine.battles.sim.setup import find_simulator

    with ShowdownServer(find_simulator(), port) as running:
        say(
            f"Battle server at http://localhost:{running.port}, without passwords. Ctrl-C stops it."
        )
        say(f"Let a policy play there: poketui vgc ladder --server {running.address}")
        running.wait()
    raise WorkerError("The battle server stopped.", "Start it again.")


def ladder(
    player: Annotated[
        str,
        typer.Argument(
            metavar="[RUN|FILE]",
            help="A run or a policy's file.",
            show_default="the latest run",
        ),
    ] = "latest",
    server: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Battle server on this machine.")
    ] = f"127.0.0.1:{_PORT}",
    battles: Annotated[int, typer.Option(min=1, max=1_000_000, help="Number of battles.")] = 10,
    challenge: Annotated[
        str, typer.Option(metavar="USER", help="Challenge this user instead of waiting.")
    ] = "",
    matchmaking: Annotated[
        bool, typer.Option("--matchmaking", help="Let the server's ladder find opponents.")
    ] = False,
    user: Annotated[str, typer.Option(help="Its name on the server.")] = "poketui",
    team: Annotated[
        str,
        typer.Option(help="File of its team, pasted or packed.", show_default="a shipped one"),
    ] = "",
    battle_format: Annotated[str, typer.Option(help="Battle format.")] = "gen9vgc2023regc",
    sample: Annotated[
        bool, typer.Option("--sample", help="Draw choices instead of taking the likeliest.")
    ] = False,
    checkpoint_dir: options.CheckpointDir = None,
) -> None:
    """Let a policy play the users of a battle server on this machine.

    It accepts challenges, or challenges a user, or searches. Training uses the simulator only.
    """
    from engine.battles.play.ladder import Seat, play_on_server
    from engine.battles.play.players import find_player
    from engine.battles.sim.setup import find_simulator
    from engine.battles.sim.teams import find_format, pool, read_team
    from pokeTUI.battles.commands import saves

    if challenge and matchmaking:
        raise ConfigurationError("Opponents are challenged or searched.", "Use one of the two.")
    format = find_format(battle_format)
    policy = find_player(player, saves(checkpoint_dir)).policy
    if policy is None:
        raise ConfigurationError(f"{player} plays in the simulator only.", "Give a run or a file.")
    packed = read_team(user_path(team), format) if team else pool(format)[0].packed
    played: list[Game] = []

    def report(game: "Game") -> None:
        played.append(game)
        say(
            f"{len(played):>4}  {_RESULTS[game.result]:<4}  {game.opponent}, "
            f"{counted(game.turns, 'turn')}"
        )

    doing = f"challenging {challenge}" if challenge else "searching" if matchmaking else "waiting"
    say(f"{user} plays {format.id} at {server}, {doing}. Ctrl-C ends it.")
    try:
        play_on_server(
            policy,
            Seat(server, user, format.id, packed),
            battles,
            find_simulator(),
            challenge=challenge,
            is_searching=matchmaking,
            greedy=not sample,
            report=report,
        )
    finally:
        say(*_table(played))


def _table(games: Sequence["Game"]) -> list[str]:
    """Return the lines of the results by opponent."""
    by_opponent: dict[str, list[int]] = defaultdict(list)
    for game in games:
        by_opponent[game.opponent].append(game.result)
    width = max(map(len, ("opponent", *by_opponent)))
    lines = [f"{'opponent':<{width}}   won  tied  lost"] if games else []
    for opponent, results in sorted(by_opponent.items()):
        counts = "  ".join(f"{results.count(result):>4}" for result in _RESULTS)
        lines.append(f"{opponent:<{width}}  {counts}")
    return lines
