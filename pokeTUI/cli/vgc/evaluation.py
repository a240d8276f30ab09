"""Define `poketui vgc eval`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.battles.play.best_response import exploit_folder, worst_exploit
from engine.battles.play.evaluation import Score, mean_interval, ratings, round_robin, win_rates
from engine.battles.play.players import (
    SCRIPTED,
    SHIPPED,
    Player,
    find_player,
    format_of,
    origin_of,
    past_policies,
    settings_of,
    trained_against,
)
from engine.battles.sim.setup import find_simulator
from engine.battles.sim.teams import (
    DEFAULT_FORMAT,
    Format,
    Team,
    find_format,
    pool,
    read_teams,
    unseen,
)
from engine.errors import ConfigurationError
from engine.ground.files import os_errors_as
from engine.ground.folders import user_path
from engine.ground.text import counted
from engine.runs.folder import LATEST
from pokeTUI.battles.commands import saves
from pokeTUI.cli import options
from pokeTUI.cli.completion import words
from pokeTUI.cli.options import refuse_if
from pokeTUI.cli.vgc.scores import (
    Row,
    Sheet,
    counting,
    pooled,
    print_sheet,
    refuse_odd,
    row_facts,
    write_matrix,
)
from pokeTUI.terminal.printing import say, say_json


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """What an evaluation plays.

    Attributes:
        teams: Of both sides.
        battles: Of each pair of players.
        checkpoint: "latest" or "best" of a run.
        search: Copies of the battle in which the evaluated policy looks ahead; 0: it does not.
        save_dir: Folder of the runs.
        as_json: Print the results as JSON.
        is_whole: Print every team.
    """

    format: Format
    teams: Sequence[Team]
    battles: int
    seed: int
    checkpoint: str
    is_greedy: bool
    search: int
    save_dir: str
    as_json: bool
    is_whole: bool = False

    @property
    def packed(self) -> list[str]:
        """Return the teams as the simulator takes them."""
        return [team.packed for team in self.teams]

    @property
    def pairings(self) -> int:
        """Return how many pairs of teams meet, each in two battles with sides exchanged."""
        return min(self.battles // 2, len(self.teams) ** 2)

    @property
    def facts(self) -> dict[str, Any]:
        """Return the plan as it is written in JSON."""
        return {
            "format": self.format.id,
            "teams": [team.name for team in self.teams],
            "pairings": self.pairings,
            "battles": self.battles,
            "seed": self.seed,
            "greedy": self.is_greedy,
        }

    def __str__(self) -> str:
        count = len(self.teams)
        names = f"team {self.teams[0].name}" if count == 1 else f"{count} teams"
        met, all_ = self.pairings, count**2
        few = f", which meet in {met:,} of {all_:,} ways (--battles {2 * all_}: in all)"
        each = counted(self.battles, "battle")
        return f"{self.format.id}, {each} each, {names}{few if met < all_ else ''}"

    def player(self, name: str) -> Player:
        """Return a player by its name."""
        return find_player(
            name, self.save_dir, checkpoint=self.checkpoint, is_greedy=self.is_greedy
        )

    def evaluated(self, name: str) -> Player:
        """Return a player to be evaluated, which searches if the plan says so.

        Raises:
            ConfigurationError: It cannot search, or has no checkpoints.
        """
        player = self.player(name)
        has_none = player.policy is None or player.name == SHIPPED or user_path(name).is_file()
        is_named = self.checkpoint != LATEST
        refuse_if(is_named and has_none, f"{name} has no checkpoints.", "Leave --checkpoint out.")
        return player.looking_ahead(self.search)


def evaluate(
    players: list[str] | None = None,
    /,
    opponent: list[str] | None = None,
    battles: Annotated[int, typer.Option(min=2, max=1_000_000)] = 1000,
    teams: Annotated[str, words("one", "pool", "unseen")] = "one",
    matrix: bool = False,
    csv: Path | None = None,
    backend: Annotated[str, words("sim", "websocket")] = "sim",
    battle_format: str | None = None,
    elo: bool = False,
    search: Annotated[int, typer.Option(min=0, max=1000)] = 0,
    sample: bool = False,
    checkpoint: Annotated[str, words("latest", "best")] = "latest",
    seed: options.Seed = None,
    checkpoint_dir: options.CheckpointDir = None,
    json_: bool = False,
) -> None:
    """Measure a battle policy: win rates with 95 % intervals, or Elo ratings.

    Args:
        players (RUN|FILE): Runs, policies' files, players of the simulator, or shipped: the policy
            that comes along; several runs are averaged, too. Default: the latest run, or shipped.
        opponent (NAME|RUN|FILE): Whom to meet; repeatable. Default: random, max_power, greedy and
            heuristics.
        battles: Battles against each opponent.
        teams (one|N|pool|unseen|FILE|FOLDER): Teams of both sides: the first shipped, the first N,
            all to train with, all unseen in training, or your own.
        matrix: Print the win rates with and against every team.
        csv (FILE): Write the results of every pairing of teams into this file.
        backend (sim|websocket): In the simulator, or on a server of its own against poke-env's
            players.
        battle_format: Battle format. Default: the run's.
        elo: Let all meet each other, and rate them.
        search: Look ahead in up to this many copies of the battle, for at most 1 s a decision.
        sample: Draw choices instead of taking the likeliest.
        checkpoint: Checkpoint of a run: latest or best.
        json_: Print JSON.
    """
    kinds, checkpoints = ("sim", "websocket"), ("latest", "best")
    refuse_if(backend not in kinds, f"There is no backend {backend!r}.", "Use sim or websocket.")
    refuse_if(
        checkpoint not in checkpoints,
        f"There is no checkpoint {checkpoint!r}.",
        "Use latest or best.",
    )
    refuse_odd(battles)
    is_remote = backend == "websocket"
    refuse_if(elo and is_remote, "Ratings are of battles in the simulator.", "Use --backend sim.")
    refuse_if(
        (elo or is_remote) and (matrix or csv),
        "Results by team are of win rates in the simulator.",
        "Leave --matrix and --csv out.",
    )
    names, folder = players or [LATEST], saves(checkpoint_dir)
    format = find_format(battle_format) if battle_format else format_of_all(names, folder)
    find_simulator()  # that there is none is reported before faults of teams
    plan = EvaluationPlan(
        format, teams_of_kind(format, teams), battles, seed or 0, checkpoint, not sample, search,
        folder, json_, matrix,
    )  # fmt: skip
    if elo:
        _print_ratings(plan, names, opponent or SCRIPTED)
        return
    sheets: list[Sheet] = []
    for name in names:
        if is_remote:
            sheets.append(_server_win_rates(plan, name, opponent))
        else:
            sheets.append(_win_rates(plan, name, opponent or SCRIPTED))
        print_scores(plan, sheets[-1])
    if len(names) > 1 and not set(names) & {*SCRIPTED}:
        print_scores(plan, pooled(sheets))
    if csv is not None:
        with os_errors_as(ConfigurationError, f"Cannot write {csv}", "Choose another file."):
            write_matrix(user_path(csv), sheets, plan.teams)


def format_of_all(names: Sequence[str], folder: str) -> Format:
    """Return the format of all runs, the default where there is none.

    Raises:
        ConfigurationError: They were trained in several.
    """
    origins = ((name, origin_of(name, folder)) for name in names)
    runs = [name for name, origin in origins if origin is not None and origin.is_dir()]
    formats = list(dict.fromkeys(format_of(name, folder) for name in runs))
    refuse_if(
        len(formats) > 1,
        f"The runs are of {' and '.join(each.id for each in formats)}.",
        "Evaluate them one by one, or choose: --battle-format.",
    )
    return formats[0] if formats else DEFAULT_FORMAT


def teams_of_kind(format: Format, kind: str) -> Sequence[Team]:
    """Return the teams of a kind, or those of a file or folder.

    Raises:
        ConfigurationError: The format has not that many.
        BattleError: The team of a file is unusable.
    """
    if kind.isdecimal():
        return _shipped(format, int(kind) if len(kind) < 5 else 0)
    if kind not in ("one", "pool", "unseen"):
        return list({team.packed: team for team in read_teams(user_path(kind), format)}.values())
    if kind == "unseen":
        return unseen(format)
    return pool(format)[: 1 if kind == "one" else None]


def _shipped(format: Format, count: int) -> Sequence[Team]:
    shipped = pool(format)
    hint = f"Use 1 to {len(shipped)}."
    refuse_if(not 0 < count <= len(shipped), f"--teams: {format.id} has not that many.", hint)
    return shipped[:count]


def _win_rates(plan: EvaluationPlan, name: str, opponents: Sequence[str]) -> Sheet:
    """Let a player meet each opponent in the simulator."""
    player = plan.evaluated(name)
    met, notes = trained_against(name, plan.save_dir), _notes(plan, name, player)
    foes = [plan.player(opponent) for opponent in opponents]
    with counting(plan.battles * len(foes)) as advance:
        scores = win_rates(
            player, foes, plan.format, plan.packed, find_simulator(),
            battles=plan.battles, seed=plan.seed, advance=advance,
        )  # fmt: skip
    rows = [
        Row(foe.name, each.total, each, bool(met & {named, str(user_path(named).absolute())}))
        for foe, named, each in zip(foes, opponents, scores, strict=True)
    ]
    return Sheet(player.name, rows, notes)


def _notes(plan: EvaluationPlan, name: str, player: Player) -> Sequence[str]:
    """Return what else one should know of a policy: its beginning, and how it can be exploited."""
    origin, notes = origin_of(name, plan.save_dir), []
    if clone := settings_of(name, plan.save_dir).bc_model:
        notes.append(f"It began as {clone}, which may have learned from these opponents.")
    if origin is not None and player.policy is not None and not plan.search:
        found = worst_exploit(exploit_folder(origin), player.policy, is_greedy=plan.is_greedy)
        notes += [str(found)] if found else []
    return notes


def _server_win_rates(plan: EvaluationPlan, name: str, opponents: Sequence[str] | None) -> Sheet:
    """Let a policy meet poke-env's players on a server of our own."""
    from engine.battles.play.matches import evaluate_over_websocket
    from engine.battles.sim.connection import PLAYERS

    player = plan.evaluated(name)
    if player.policy is None or plan.search:
        raise ConfigurationError(
            "Only a policy that does not search plays over a websocket.", "Use --backend sim."
        )
    names = list(opponents or PLAYERS)
    with counting(plan.battles * len(names)) as advance:
        found = evaluate_over_websocket(
            player.policy, names, plan.battles, plan.format.id, plan.packed, find_simulator(),
            seed=plan.seed, greedy=plan.is_greedy, report=lambda score: advance(1),
        )  # fmt: skip
    rows = [Row(each.opponent, Score(each.won, each.tied, each.lost, each.turns)) for each in found]
    void = counted(sum(each.void for each in found), "battle")
    notes = [f"{void} stood still or ended with the server, and were replaced."]
    return Sheet(player.name, rows, notes if any(each.void for each in found) else ())


def _print_ratings(plan: EvaluationPlan, names: Sequence[str], others: Sequence[str]) -> None:
    """Let all players meet each other, and the past policies of runs, and print Elo ratings."""
    players = [plan.player(opponent) for opponent in others]
    for name in names:
        player = plan.evaluated(name)
        if name in others and not plan.search:
            continue
        players += [*past_policies(name, plan.save_dir, is_greedy=plan.is_greedy), player]
    pairs = len(players) * (len(players) - 1) // 2
    with counting(plan.battles * pairs) as advance:
        wins = round_robin(
            players, plan.format, plan.packed, find_simulator(),
            battles=plan.battles, seed=plan.seed, advance=advance,
        )  # fmt: skip
    found = ratings([player.name for player in players], wins)
    if plan.as_json:
        rows = [
            {"player": each.name, "elo": round(each.elo, 1), "error": round(each.error, 1)}
            for each in found
        ]
        all_names = [player.name for player in players]
        say_json(plan.facts | {"ratings": rows, "players": all_names, "wins": wins.tolist()})
        return
    say(str(plan))
    width = max(len(each.name) for each in found)
    say(f"{'player':<{width}}    Elo   95 %")
    for each in found:
        say(f"{each.name:<{width}} {each.elo:6.0f}  ±{1.96 * each.error:4.0f}")


def print_scores(plan: EvaluationPlan, sheet: Sheet) -> None:
    """Print the win rates of a player by opponent."""
    if not plan.as_json:
        print_sheet(sheet, str(plan), plan.teams, is_whole=plan.is_whole)
        return
    facts = [row_facts(row, plan.teams) for row in sheet.rows]
    for fact, rates in zip(facts, sheet.per_run, strict=False):
        fact["mean_of_runs"], fact["runs_low"], fact["runs_high"] = mean_interval(rates)
    notes = {"notes": list(sheet.notes)} if sheet.notes else {}
    say_json(plan.facts | {"player": sheet.player, "opponents": facts} | notes)
