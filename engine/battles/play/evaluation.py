"""Measure players by battles: win rates with intervals, and Elo ratings."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, cycle

import numpy as np
from numpy.typing import NDArray

from engine.battles.play.players import Player
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import NOBODY, POLICY, Decisions, Lane, Simulator
from engine.battles.sim.teams import Format
from engine.planning.history.patterns import success_interval

ANCHOR, ANCHOR_ELO = "random", 1000.0
_LANES = 32
_ELO_SCALE = 400 / np.log(10)
_STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
"""97.5 % quantiles of Student's t for 1 to 10 degrees of freedom; with more they are smaller."""


@dataclass(frozen=True, slots=True)
class Match:
    """One battle: players and packed teams of p1 and p2, and the seed of all chance in it."""

    players: tuple[Player, Player]
    teams: tuple[str, str]
    seed: int


@dataclass(frozen=True, slots=True)
class Score:
    """How battles ended for a player; a tie counts half."""

    won: int = 0
    tied: int = 0
    lost: int = 0
    turns: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(
            self.won + other.won,
            self.tied + other.tied,
            self.lost + other.lost,
            self.turns + other.turns,
        )

    @property
    def battles(self) -> int:
        """How many there were."""
        return self.won + self.tied + self.lost

    @property
    def win_rate(self) -> float:
        """Share of the battles that were won."""
        return (self.won + self.tied / 2) / self.battles

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the win rate (Wilson)."""
        return success_interval(self.won + self.tied / 2, self.battles)

    @property
    def mean_turns(self) -> float:
        """Mean length of a battle."""
        return self.turns / self.battles


@dataclass(frozen=True, slots=True, eq=False)
class TeamScores:
    """How battles ended for a player, by teams.

    Attributes:
        counts: (n, n, 4) int64: won, tied, lost, and turns, with each own team (rows) against each
            of the foe's.
    """

    counts: NDArray[np.int64]

    def __add__(self, other: "TeamScores") -> "TeamScores":
        return TeamScores(self.counts + other.counts)

    @property
    def total(self) -> Score:
        """The score over all teams."""
        return Score(*self.counts.sum((0, 1)).tolist())

    @property
    def by_own(self) -> list[Score]:
        """The scores with each team."""
        return [Score(*row) for row in self.counts.sum(1).tolist()]

    @property
    def by_foe(self) -> list[Score]:
        """The scores against each team."""
        return [Score(*row) for row in self.counts.sum(0).tolist()]


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's Elo rating and its standard error; the anchor has none."""

    name: str
    elo: float
    error: float


def schedule(
    first: Player, second: Player, teams: Sequence[str], battles: int, seed: int
) -> list[Match]:
    """Return a fair schedule of battles between two players.

    Every battle is played twice with the same seed: the players swap sides and teams. An odd number
    is rounded up. Where too few battles are wanted for all pairings of teams to meet, each team
    still plays equally often on either side, give or take one pairing.
    """
    rng = np.random.default_rng(seed)
    seeds = rng.integers(1 << 31, size=(battles + 1) // 2).tolist()
    pairings = _pairings(len(teams), rng)
    return [
        Match(players, (teams[own], teams[foe]), each)
        for each, (own, foe) in zip(seeds, cycle(pairings), strict=False)
        for players in ((first, second), (second, first))
    ]


def _pairings(count: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Return all pairings of teams; of each `count` in a row, every team is in one on each side."""
    order, shifts = rng.permutation(count), rng.permutation(count)
    rounds = [zip(order, np.roll(order, shift), strict=True) for shift in shifts]
    return [(int(own), int(foe)) for pairs in rounds for own, foe in pairs]


def play(
    format: Format,
    matches: Sequence[Match],
    node: NodeCommand,
    *,
    seed: int = 0,
    advance: Callable[[int], object] = lambda count: None,
) -> list[Score]:
    """Play battles, and return how each ended for p1.

    Args:
        format: Of all battles.
        matches: The battles.
        node: How the simulator is run.
        seed: Of the policies' draws.
        advance: Called with the number of battles that have just ended.

    Raises:
        WorkerError: The simulator died.
        BattleError: It refuses a player or a team.
    """
    rng = np.random.default_rng(seed)
    waiting = deque(range(len(matches)))
    playing = {lane: waiting.popleft() for lane in range(min(_LANES, len(matches)))}
    scores = [Score()] * len(matches)
    lanes = [_lane(format, matches[index]) for index in playing.values()]
    with Simulator(lanes, node) as simulator:
        decisions = simulator.step(NOBODY, NOBODY)
        while playing:
            fresh: dict[int, Lane] = {}
            for lane, score in _ended(decisions):
                scores[playing.pop(lane)] = score
                advance(1)
                if waiting:
                    playing[lane] = waiting.popleft()
                    fresh[lane] = _lane(format, matches[playing[lane]])
            if fresh:
                simulator.set_lanes(fresh)
            seats = decisions.seats.tolist()
            players = [matches[playing[seat >> 1]].players[seat & 1] for seat in seats]
            codes = np.zeros(len(players), np.int64)
            for player in dict.fromkeys(players):
                rows = np.array([row for row, each in enumerate(players) if each is player])
                codes[rows] = player.decide(simulator, decisions, rows, rng)
            decisions = simulator.step(decisions.seats, codes)
    return scores


def win_rates(
    player: Player,
    opponents: Sequence[Player],
    format: Format,
    teams: Sequence[str],
    node: NodeCommand,
    *,
    battles: int = 1000,
    seed: int = 0,
    advance: Callable[[int], object] = lambda count: None,
) -> list[TeamScores]:
    """Return a player's scores in `battles` battles against each opponent; see `play`."""
    pairs = [(player, opponent) for opponent in opponents]
    return _play_pairs(pairs, format, teams, node, battles, seed, advance)


def round_robin(
    players: Sequence[Player],
    format: Format,
    teams: Sequence[str],
    node: NodeCommand,
    *,
    battles: int = 1000,
    seed: int = 0,
    advance: Callable[[int], object] = lambda count: None,
    known: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return (n, n): each player's wins over each other in `battles` battles; a tie is half.

    `known` are wins that were counted before, nan where two are to meet.
    """
    wins = np.full((len(players), len(players)), np.nan) if known is None else known.copy()
    np.fill_diagonal(wins, 0)
    unknown = [pair for pair in combinations(range(len(players)), 2) if np.isnan(wins[pair])]
    if not unknown:
        return wins
    pairs = [(players[one], players[other]) for one, other in unknown]
    played = _play_pairs(pairs, format, teams, node, battles, seed, advance)
    for (one, other), scores in zip(unknown, played, strict=True):
        score = scores.total
        wins[one, other] = score.won + score.tied / 2
        wins[other, one] = score.battles - wins[one, other]
    return wins


def rate_text(rate: float, low: float, high: float) -> str:
    """Return a win rate with its interval as text."""
    return f"{100 * rate:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"


def mean_interval(rates: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of several runs' win rates, and its 95 % interval over runs (Student's t).

    The interval of a single run is nan.
    """
    mean = float(np.mean(rates))
    if len(rates) < 2:
        return mean, float("nan"), float("nan")
    quantile = _STUDENT[min(len(rates) - 1, len(_STUDENT)) - 1]
    half = quantile * float(np.std(rates, ddof=1)) / len(rates) ** 0.5
    return mean, max(0.0, mean - half), min(1.0, mean + half)


def ratings(names: Sequence[str], wins: NDArray[np.float64]) -> list[Rating]:
    """Fit Elo ratings to the results of battles, the highest first (Bradley-Terry).

    Each pairing counts half a win more for either side, so that a player who never wins has a
    rating too. The anchor, with a rating of 1000, is the random player, or the first without it.

    Args:
        names: Of n players.
        wins: (n, n): the row's player's wins over the column's; all have met all.
    """
    count = len(names)
    wins = wins + 0.5 * (1 - np.eye(count))
    games = wins + wins.T
    anchor = names.index(ANCHOR) if ANCHOR in names else 0
    free = [index for index in range(count) if index != anchor]
    strength = np.zeros(count)
    for _ in range(100):  # Newton's method on a concave likelihood
        chances = 1 / (1 + np.exp(strength[None] - strength[:, None]))
        slope = (wins - games * chances).sum(1)
        weights = games * chances * (1 - chances)
        information = np.diag(weights.sum(1)) - weights
        step = np.linalg.solve(information[np.ix_(free, free)], slope[free])
        strength[free] += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-9:
            break
    errors = np.zeros(count)
    errors[free] = np.sqrt(np.diag(np.linalg.inv(information[np.ix_(free, free)])))
    found = [
        Rating(name, ANCHOR_ELO + float(_ELO_SCALE * value), float(_ELO_SCALE * error))
        for name, value, error in zip(names, strength, errors, strict=True)
    ]
    return sorted(found, key=lambda rating: -rating.elo)


def _lane(format: Format, match: Match) -> Lane:
    first, second = (POLICY if each.policy else each.name for each in match.players)
    return Lane(format.id, match.teams, (first, second), match.seed, limit=1)


def _ended(decisions: Decisions) -> Iterator[tuple[int, Score]]:
    """Yield the lanes whose battles ended, with p1's score."""
    rows = {int(row["seat"]) >> 1: row for row in decisions.ended}
    for lane, row in rows.items():
        result = int(row["result"]) * (-1 if int(row["seat"]) & 1 else 1)
        yield lane, Score(result > 0, result == 0, result < 0, int(row["turns"]))


def _play_pairs(
    pairs: Sequence[tuple[Player, Player]],
    format: Format,
    teams: Sequence[str],
    node: NodeCommand,
    battles: int,
    seed: int,
    advance: Callable[[int], object],
) -> list[TeamScores]:
    """Return the scores of the first of each pair."""
    matches = [match for pair in pairs for match in schedule(*pair, teams, battles, seed)]
    scores = play(format, matches, node, seed=seed, advance=advance)
    place = {team: index for index, team in enumerate(teams)}
    counts = {pair: np.zeros((len(teams), len(teams), 4), np.int64) for pair in pairs}
    for match, score in zip(matches, scores, strict=True):
        first, second = (place[team] for team in match.teams)
        if match.players in counts:
            counts[match.players][first, second] += score.won, score.tied, score.lost, score.turns
        else:
            mirrored = score.lost, score.tied, score.won, score.turns
            counts[match.players[::-1]][second, first] += mirrored
    return [TeamScores(each) for each in counts.values()]
