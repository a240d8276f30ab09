"""Print how battle policies fare, and the teams that are shipped."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from engine.battles.play.evaluation import Score, ratings, round_robin, win_rates
from engine.battles.play.players import SCRIPTED, Player, SearchSettings, find_player, past_policies
from engine.battles.sim.setup import find_simulator
from engine.battles.sim.teams import Format, Team, pool, read_teams, unseen
from engine.errors import ConfigurationError
from engine.ground.folders import user_path
from engine.ground.text import counted
from engine.runs.folder import LATEST
from pokeTUI.cli.progress import progress
from pokeTUI.terminal.printing import say

TEAM_SETS = ("one", "pool", "unseen")


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """What is to be played.

    Attributes:
        teams: One of `TEAM_SETS`, a team's file, or a folder of them.
        battles: Of each pair of players.
        checkpoint: "latest" or "best" of a run.
        search: Copies of the battle in which the evaluated policy looks ahead; 0: it does not.
        save_dir: Folder of the runs.
    """

    format: Format
    teams: str
    battles: int
    seed: int
    checkpoint: str
    is_greedy: bool
    search: int
    save_dir: str


def print_win_rates(
    plan: EvaluationPlan, name: str, opponents: Sequence[str], *, as_json: bool
) -> None:
    """Let a player meet each opponent in the simulator, and print its win rates.

    Raises:
        PokeTUIError: A player, a team or the simulator is unusable.
    """
    node = find_simulator()
    teams = _teams(plan)
    player = _evaluated(plan, name)
    foes = [_player(plan, opponent) for opponent in opponents or SCRIPTED]
    with _counting(plan.battles * len(foes)) as advance:
        scores = win_rates(
            player,
            foes,
            plan.format,
            [team.packed for team in teams],
            node,
            battles=plan.battles,
            seed=plan.seed,
            advance=advance,
        )
    found = list(zip((foe.name for foe in foes), scores, strict=True))
    _print_scores(plan, teams, player.name, found, as_json=as_json)


def print_server_win_rates(
    plan: EvaluationPlan, name: str, opponents: Sequence[str], *, as_json: bool
) -> None:
    """Let a policy meet poke-env's players on a server of our own, and print its win rates.

    Raises:
        PokeTUIError: The policy, a team, an opponent, poke-env or the server is unusable.
    """
    from engine.battles.play.matches import evaluate_over_websocket
    from engine.battles.sim.websocket import PLAYERS

    node = find_simulator()
    teams = _teams(plan)
    player = _evaluated(plan, name)
    if player.policy is None or plan.search:
        raise ConfigurationError(
            "Only a policy that does not search plays over a websocket.", "Use --backend sim."
        )
    names = list(opponents or PLAYERS)
    with _counting(plan.battles * len(names)) as advance:
        found = evaluate_over_websocket(
            player.policy,
            names,
            plan.battles,
            plan.format.id,
            [team.packed for team in teams],
            node,
            seed=plan.seed,
            greedy=plan.is_greedy,
            report=lambda score: advance(1),
        )
    scores = [(each.opponent, Score(each.won, each.tied, each.lost, each.turns)) for each in found]
    _print_scores(plan, teams, player.name, scores, as_json=as_json)
    if (void := sum(each.void for each in found)) and not as_json:
        say(f"{counted(void, 'battle')} stood still or ended with the server, and were replaced.")


def print_ratings(
    plan: EvaluationPlan, names: Sequence[str], opponents: Sequence[str], *, as_json: bool
) -> None:
    """Let all players meet each other, and the past policies of runs, and print Elo ratings.

    Raises:
        PokeTUIError: A player, a team or the simulator is unusable.
    """
    node = find_simulator()
    teams = _teams(plan)
    others = opponents or SCRIPTED
    players = [_player(plan, opponent) for opponent in others]
    for name in names:
        player = _evaluated(plan, name)
        if name in others and not plan.search:
            continue
        players += [*past_policies(name, plan.save_dir, is_greedy=plan.is_greedy), player]
    pairs = len(players) * (len(players) - 1) // 2
    with _counting(plan.battles * pairs) as advance:
        wins = round_robin(
            players,
            plan.format,
            [team.packed for team in teams],
            node,
            battles=plan.battles,
            seed=plan.seed,
            advance=advance,
        )
    found = ratings([player.name for player in players], wins)
    if as_json:
        _say_json(
            _head(plan, teams)
            | {
                "ratings": [
                    {"player": each.name, "elo": round(each.elo, 1), "error": round(each.error, 1)}
                    for each in found
                ],
                "players": [player.name for player in players],
                "wins": wins.tolist(),
            }
        )
        return
    say(_words(plan, teams))
    width = max(len(each.name) for each in found)
    say(f"{'player':<{width}}    Elo   95 %")
    for each in found:
        say(f"{each.name:<{width}} {each.elo:6.0f}  ±{1.96 * each.error:4.0f}")


def print_teams(format: Format, team: str, *, is_packed: bool) -> None:
    """Print the shipped teams of a format, or whether those of a file or folder are legal.

    Raises:
        PokeTUIError: The team is not legal, or the simulator is missing.
    """
    if team:
        for each in read_teams(user_path(team), format):
            say(each.packed if is_packed else f"{each.name} is legal in {format.id}.")
        return
    for heading, teams in ((format.id, pool(format)), ("unseen in training", unseen(format))):
        if teams and not is_packed:
            say(f"{heading}:")
        for each in teams:
            say(each.packed if is_packed else f"  {each.name}: {', '.join(each.species)}")


def _print_scores(
    plan: EvaluationPlan,
    teams: Sequence[Team],
    name: str,
    scores: Sequence[tuple[str, Score]],
    *,
    as_json: bool,
) -> None:
    if as_json:
        facts = [_facts(opponent, score) for opponent, score in scores]
        _say_json(_head(plan, teams) | {"player": name, "opponents": facts})
        return
    say(f"{name}: {_words(plan, teams)}")
    width = max(len("opponent"), *(len(opponent) for opponent, _ in scores))
    say(f"{'opponent':<{width}}  win rate   95 % interval   won  tied  lost  turns")
    for opponent, score in scores:
        low, high = (100 * bound for bound in score.interval)
        say(
            f"{opponent:<{width}}  {100 * score.win_rate:6.1f} %  {low:5.1f} to {high:5.1f} %"
            f"  {score.won:>4}  {score.tied:>4}  {score.lost:>4}  {score.mean_turns:5.1f}"
        )


def _player(plan: EvaluationPlan, name: str) -> Player:
    return find_player(name, plan.save_dir, checkpoint=plan.checkpoint, is_greedy=plan.is_greedy)


def _evaluated(plan: EvaluationPlan, name: str) -> Player:
    player = _player(plan, name)
    if plan.checkpoint != LATEST and (player.policy is None or user_path(name).is_file()):
        raise ConfigurationError(f"{name} has no checkpoints.", "Leave --checkpoint out.")
    if not plan.search:
        return player
    if player.policy is None:
        raise ConfigurationError(f"{name} does not search.", "Give a run or a policy's file.")
    settings = SearchSettings(samples=plan.search)
    return replace(player, name=f"{player.name} +search {plan.search}", search=settings)


def _teams(plan: EvaluationPlan) -> Sequence[Team]:
    """Return the teams of a plan.

    Raises:
        ConfigurationError: The format has none of that kind.
        BattleError: The team of a file is unusable.
    """
    if plan.teams not in TEAM_SETS:
        return read_teams(user_path(plan.teams), plan.format)
    if plan.teams == "unseen":
        if not (found := unseen(plan.format)):
            raise ConfigurationError(
                f"{plan.format.id} has no unseen teams.",
                "Use --teams one, pool, a file or a folder.",
            )
        return found
    return pool(plan.format)[: 1 if plan.teams == "one" else None]


def _head(plan: EvaluationPlan, teams: Sequence[Team]) -> dict[str, Any]:
    return {
        "format": plan.format.id,
        "teams": [team.name for team in teams],
        "pairings": _pairings(plan, teams),
        "battles": plan.battles,
        "seed": plan.seed,
        "greedy": plan.is_greedy,
    }


def _words(plan: EvaluationPlan, teams: Sequence[Team]) -> str:
    names = ", ".join(team.name for team in teams)
    met, all_ = _pairings(plan, teams), len(teams) ** 2
    few = (
        f", which meet in {met} of {all_} ways (--battles {2 * all_}: in all)" if met < all_ else ""
    )
    return f"{plan.format.id}, {counted(plan.battles, 'battle')} each, teams {names}{few}"


def _pairings(plan: EvaluationPlan, teams: Sequence[Team]) -> int:
    """Return how many pairs of teams meet: each plays two battles, with sides exchanged."""
    return min(plan.battles // 2, len(teams) ** 2)


def _facts(opponent: str, score: Score) -> dict[str, Any]:
    low, high = score.interval
    return {
        "opponent": opponent,
        "win_rate": score.win_rate,
        "low": low,
        "high": high,
        "won": score.won,
        "tied": score.tied,
        "lost": score.lost,
        "mean_turns": score.mean_turns,
    }


def _say_json(facts: Mapping[str, Any]) -> None:
    say(*json.dumps(facts, indent=1).split("\n"))


@contextmanager
def _counting(total: int) -> Iterator[Callable[[int], None]]:
    """Show how many battles have ended; yield what is called with their number."""
    done = 0
    with progress("playing battles") as show:

        def advance(count: int) -> None:
            nonlocal done
            done += count
            show(done, total)

        yield advance
