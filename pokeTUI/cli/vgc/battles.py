"""Define `poketui vgc watch`, `play`, `server` and `ladder`: battles that are seen or played."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from engine.battles.play.players import find_player
from engine.battles.sim.setup import find_simulator
from engine.battles.sim.teams import DEFAULT_FORMAT, find_format, pool, read_team
from engine.errors import ConfigurationError, WorkerError
from engine.ground.folders import user_path
from engine.ground.text import counted
from pokeTUI.battles import commands
from pokeTUI.cli.options import CheckpointDir, refuse_if
from pokeTUI.terminal.printing import complain, say, say_table

if TYPE_CHECKING:
    from engine.battles.play.ladder import Game

BattleFormat = Annotated[str, typer.Option(help="Battle format.", show_default=DEFAULT_FORMAT.id)]
Search = Annotated[int, typer.Option(min=0, max=1000)]

_PORT = 8000
_RESULTS = {1: "won", 0: "tie", -1: "lost"}


def watch(
    what: str = "latest",
    /,
    against: str = "",
    team: str = "",
    battle_format: BattleFormat = "",
    search: Search = 0,
    checkpoint_dir: CheckpointDir = None,
    seed: int = 0,
) -> None:
    """Watch a policy play, or replay battles, turn by turn.

    Args:
        what ([RUN|FILE]): A run or a policy's file, which plays; or a file of battles or a battle's
            log. Default: the latest run, or shipped: the policy that comes along.
        against: Opponent: random, max_power, greedy, heuristics, a run or a policy's file. For a
            file of battles: whose view of the decisions is shown. Default: heuristics.
        team: File of the first side's team. Default: a shipped one.
        search: Let the policy look ahead in up to this many copies of the battle.
        seed: Random seed.
    """
    outcome = commands.watch(
        what, against=against, save_dir=checkpoint_dir, team=team, battle_format=battle_format,
        search=search, seed=seed,
    )  # fmt: skip
    _end(outcome)


def play(
    against: str = "latest",
    /,
    team: str = "",
    battle_format: BattleFormat = "",
    best_of: int | None = None,
    search: Search = 0,
    checkpoint_dir: CheckpointDir = None,
    seed: int | None = None,
) -> None:
    """Play against a policy or a built-in player; your battles are saved as demonstrations.

    Args:
        against ([RUN|FILE|PLAYER]): Who plays against you: a run, a policy's file, or random,
            max_power, greedy, heuristics. Default: the latest run, or shipped: the policy that
            comes along.
        team: File of your team, pasted or packed. Default: a shipped one.
        best_of (1|3): Play single battles, or sets of up to three. Default: as the format says.
        search: Let the policy look ahead in up to this many copies of the battle, for at most 1 s.
        seed: Random seed. Default: another each time.
    """
    is_odd = best_of not in (None, 1, 3)
    refuse_if(is_odd, f"There is no best of {best_of}.", "Use --best-of 1 or --best-of 3.")
    outcome = commands.play(
        against, save_dir=checkpoint_dir, team=team, battle_format=battle_format, search=search,
        best_of=best_of or 0, seed=commands.new_seed() if seed is None else seed,
    )  # fmt: skip
    _end(outcome)


def _end(outcome: commands.Outcome) -> NoReturn:
    """Print the outcome and exit."""
    if outcome.text:
        complain(f"poketui: {outcome.text}") if outcome.is_failure else say(outcome.text)
    raise typer.Exit(outcome.exit_code)


def server(port: Annotated[int, typer.Option(min=0, max=65535)] = _PORT) -> None:
    """Run a battle server for this machine only, without accounts, until Ctrl-C.

    Args:
        port: Port to listen on; 0 for any free one.
    """
    from engine.battles.sim.server import ShowdownServer

    with ShowdownServer(find_simulator(), port) as running:
        say(
            f"Battle server at http://localhost:{running.port}, without passwords. Ctrl-C stops it."
        )
        say(f"Let a policy play there: poketui vgc ladder --server {running.address}")
        running.wait()
    raise WorkerError("The battle server stopped.", "Start it again.")


def ladder(
    player: str = "latest",
    /,
    server: str = f"127.0.0.1:{_PORT}",
    battles: Annotated[int, typer.Option(min=1, max=1_000_000)] = 10,
    challenge: str = "",
    matchmaking: bool = False,
    user: str = "poketui",
    team: str = "",
    battle_format: str = DEFAULT_FORMAT.id,
    sample: bool = False,
    checkpoint_dir: CheckpointDir = None,
) -> None:
    """Let a policy play the users of a battle server on this machine.

    It accepts challenges, or challenges a user, or searches. Training uses the simulator only.

    Args:
        player ([RUN|FILE]): A run or a policy's file. Default: the latest run, or shipped: the
            policy that comes along.
        server (HOST:PORT): Battle server on this machine.
        battles: Number of battles, or of sets in a format of best of three (...bo3).
        challenge (USER): Challenge this user instead of waiting.
        matchmaking: Let the server's ladder find opponents.
        user: Its name on the server.
        team: File of its team, pasted or packed. Default: a shipped one.
        battle_format: Battle format.
        sample: Draw choices instead of taking the likeliest.
    """
    from engine.battles.play.ladder import Seat, play_on_server

    is_both = challenge and matchmaking
    refuse_if(is_both, "Opponents are challenged or searched.", "Use one of the two.")
    format = find_format(battle_format)
    policy = find_player(player, commands.saves(checkpoint_dir)).policy
    if policy is None:
        raise ConfigurationError(f"{player} plays in the simulator only.", "Give a run or a file.")
    packed = read_team(user_path(team), format) if team else pool(format)[0].packed
    played: list[Game] = []

    def report(game: "Game") -> None:
        if game.result is None:
            say(f"      game {len(game.games)} {_RESULTS[game.games[-1]]}, {game.score}")
            return
        played.append(game)
        result = f"{_RESULTS[game.result]:<4}" + f" {game.score}" * bool(game.games)
        say(f"{len(played):>4}  {result}  {game.opponent}, {counted(game.turns, 'turn')}")

    doing = f"challenging {challenge}" if challenge else "searching" if matchmaking else "waiting"
    say(f"{user} plays {format.name} at {server}, {doing}. Ctrl-C ends it.")
    try:
        play_on_server(
            policy, Seat(server, user, format, packed), battles, find_simulator(),
            challenge=challenge, is_searching=matchmaking, greedy=not sample, report=report,
        )  # fmt: skip
    finally:
        _print_results(played)


def _print_results(games: Sequence["Game"]) -> None:
    """Print the results by opponent."""
    by_opponent: dict[str, list[int | None]] = defaultdict(list)
    for game in games:
        by_opponent[game.opponent].append(game.result)
    rows = [("opponent", " won", "tied", "lost")] if games else []
    for opponent, results in sorted(by_opponent.items()):
        won, tied, lost = (str(results.count(result)) for result in _RESULTS)
        rows.append((opponent, won, tied, lost))
    say_table(rows, right=(1, 2, 3))
