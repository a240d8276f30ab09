"""Print how players fared in battles: tables with intervals, by teams, as JSON and as CSV."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.battles.play.evaluation import Score, TeamScores, mean_interval, rate_text
from engine.battles.sim.teams import Team
from engine.ground.files import write_file
from engine.ground.text import counted
from pokeTUI.cli.options import refuse_if
from pokeTUI.cli.progress import progress
from pokeTUI.terminal.printing import say

_PAIRINGS = 5
"""The worst pairings of teams that are listed."""


@dataclass(frozen=True, slots=True)
class Row:
    """A player's battles against one opponent.

    Attributes:
        scores: By teams; None where they are not told apart.
        is_met: The player was trained against this opponent.
    """

    opponent: str
    score: Score
    scores: TeamScores | None = None
    is_met: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """All battles of one player, or of several runs together.

    Attributes:
        notes: Lines about the player, for the end.
        per_run: Of several runs: each run's win rates, in the order of the rows.
    """

    player: str
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    per_run: Sequence[Sequence[float]] = ()


def pooled(sheets: Sequence[Sheet]) -> Sheet:
    """Return the battles of several runs against the same opponents together."""
    rows = []
    for same in zip(*(sheet.rows for sheet in sheets), strict=True):
        parts = [row.scores for row in same if row.scores is not None]
        scores = sum(parts[1:], parts[0]) if parts else None
        score = sum((row.score for row in same), Score())
        rows.append(Row(same[0].opponent, score, scores, any(row.is_met for row in same)))
    per_run = [[sheet.rows[i].score.win_rate for sheet in sheets] for i in range(len(rows))]
    return Sheet(f"{len(sheets)} runs together", rows, per_run=per_run)


def print_sheet(sheet: Sheet, heading: str, teams: Sequence[Team], *, is_whole: bool) -> None:
    """Print win rates by opponent, and how far teams differ; all of them if `is_whole`."""
    say(f"{sheet.player}: {heading}")
    _print_rows(sheet.rows)
    if any(row.is_met for row in sheet.rows):
        say("* An opponent in training: this win rate is not one against a stranger.")
    for row, rates in zip(sheet.rows, sheet.per_run, strict=False):
        shown = ", ".join(f"{100 * rate:.1f}" for rate in rates)
        say(f"{row.opponent}: {rate_text(*mean_interval(rates))} over runs; each: {shown}")
    for row in sheet.rows if len(teams) > 1 else ():
        if row.scores is not None:
            _print_teams(row.opponent, row.scores, teams, is_whole)
    for note in sheet.notes:
        say(note)


def _print_rows(rows: Sequence[Row]) -> None:
    names = [row.opponent + (" *" if row.is_met else "") for row in rows]
    width = max(len("opponent"), *map(len, names))
    say(f"{'opponent':<{width}}  win rate   95 % interval   won  tied  lost  turns")
    for name, row in zip(names, rows, strict=True):
        score = row.score
        say(
            f"{name:<{width}}  {_percent(score)}  {score.won:>4}  {score.tied:>4}"
            f"  {score.lost:>4}  {score.mean_turns:5.1f}"
        )


def _print_teams(opponent: str, scores: TeamScores, teams: Sequence[Team], is_whole: bool) -> None:
    """Print the weakest and the strongest team with and against which battles were played."""
    own, foe = _by_win_rate(scores.by_own, teams), _by_win_rate(scores.by_foe, teams)
    parts = [
        f"{side} {of[0][0]} {100 * of[0][1].win_rate:.0f} % to "
        f"{of[-1][0]} {100 * of[-1][1].win_rate:.0f} %"
        for side, of in (("with", own), ("against", foe))
    ]
    few = counted(min(score.battles for _, score in own), "battle")
    say(f"{opponent}: {', '.join(parts)} ({few} a team)")
    if not is_whole:
        return
    width, against = max(len(team.name) for team in teams), dict(foe)
    say(f"  {'team':<{width}}  {'with it':<26}  against it")
    for name, score in own:
        other = _percent(against[name]) if name in against else ""
        say(f"  {name:<{width}}  {_percent(score)}  {other}")
    for first, second, score in _worst(scores):
        beaten = f"{score.lost} of {score.battles} lost"
        say(f"  worst: {teams[first].name} against {teams[second].name}, {beaten}")


def _by_win_rate(scores: Sequence[Score], teams: Sequence[Team]) -> list[tuple[str, Score]]:
    """Return the scores of the teams that played, by name, the worst first."""
    named = zip((team.name for team in teams), scores, strict=True)
    return sorted((each for each in named if each[1].battles), key=lambda each: each[1].win_rate)


def _worst(scores: TeamScores) -> list[tuple[int, int, Score]]:
    """Return the pairings that were lost most, by their Wilson bound."""
    cells = [
        (first, second, Score(*cell))
        for first, row in enumerate(scores.counts.tolist())
        for second, cell in enumerate(row)
        if sum(cell[:3])
    ]
    return sorted(cells, key=lambda cell: cell[2].interval[1])[:_PAIRINGS]


def row_facts(row: Row, teams: Sequence[Team]) -> dict[str, Any]:
    """Return a row as it is written in JSON; the matrix has won, tied, lost and turns."""
    facts = score_facts(row.score) | {"opponent": row.opponent, "met_in_training": row.is_met}
    if row.scores is not None and len(teams) > 1:
        for key, scores in (("by_own", row.scores.by_own), ("by_foe", row.scores.by_foe)):
            named = zip(teams, scores, strict=True)
            facts[key] = {team.name: score_facts(each) for team, each in named if each.battles}
        facts["matrix"] = row.scores.counts.tolist()
    return facts


def score_facts(score: Score) -> dict[str, Any]:
    """Return a score as it is written in JSON."""
    low, high = score.interval
    return {
        "win_rate": score.win_rate,
        "low": low,
        "high": high,
        "won": score.won,
        "tied": score.tied,
        "lost": score.lost,
        "mean_turns": score.mean_turns,
    }


def write_matrix(path: Path, sheets: Sequence[Sheet], teams: Sequence[Team]) -> None:
    """Write every pairing of teams as a line of CSV.

    Raises:
        OSError: It cannot be written.
    """
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["player", "opponent", "own_team", "foe_team", "won", "tied", "lost", "turns"])
    for sheet in sheets:
        for row in sheet.rows:
            cells = row.scores.counts.tolist() if row.scores is not None else []
            for first, line in enumerate(cells):
                for second, cell in enumerate(line):
                    if sum(cell[:3]):
                        names = sheet.player, row.opponent, teams[first].name, teams[second].name
                        lines.writerow([*names, *cell])
    write_file(path, text.getvalue().encode())


def _percent(score: Score) -> str:
    low, high = (100 * bound for bound in score.interval)
    return f"{100 * score.win_rate:6.1f} %  {low:5.1f} to {high:5.1f} %"


def refuse_odd(battles: int) -> None:
    """Refuse a number of battles that do not come in pairs."""
    refuse_if(
        battles % 2,
        f"--battles {battles}: the players exchange sides, so that the number is even.",
        f"Use {battles + 1}.",
    )


@contextmanager
def counting(total: int, *, is_quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a bar of battles; yield a function that counts battles that have ended."""
    done = 0
    with progress("playing battles", is_quiet=is_quiet) as show:

        def advance(count: int) -> None:
            nonlocal done
            done += count
            show(done, total)

        yield advance
