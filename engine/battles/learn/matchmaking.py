"""Draw the battles that a worker plays: their teams, sides and opponents."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.battles.policy import Policy
from engine.battles.sim.simulator import POLICY, Lane
from engine.errors import CheckpointError
from engine.events import GREEDY

SELF, PAST = "self", "past"
JUDGE = "heuristics"
EVALUATION = JUDGE + GREEDY
"""Battles that are not learned from: the policy's likeliest choices against the judge."""
_LOADED = 2
"""Past policies that a worker plays against at once."""


@dataclass(frozen=True, slots=True)
class ActorSettings:
    """What a worker plays, and how its decisions are rewarded.

    Attributes:
        teams: Of the own side, packed.
        foe_teams: Of the other; the own ones come first.
        capacity: Decisions of a buffer.
        greedy_opponents: Opponents from files take their likeliest choices.
    """

    format: str
    teams: tuple[str, ...]
    foe_teams: tuple[str, ...]
    lanes: int
    capacity: int
    seed: tuple[int, ...]
    gamma: float
    gae_lambda: float
    damage_reward: float
    faint_reward: float
    greedy_opponents: bool = False


@dataclass(slots=True)
class OpponentPlan:
    """The opponents of battles.

    Attributes:
        weights: Share of each kind, or of the policy in a file.
        past: (path, share) of the past policies.
        own_shares, foe_shares: Of the teams; empty: all equally often.
    """

    weights: Mapping[str, float]
    past: Sequence[tuple[str, float]] = ()
    own_shares: Sequence[float] = ()
    foe_shares: Sequence[float] = ()


@dataclass(frozen=True, slots=True, eq=False)
class NamedPolicy:
    """A policy that plays; `path` is its file's, "" the learner's own."""

    path: str
    policy: Policy
    is_greedy: bool = False


@dataclass(frozen=True, slots=True)
class Matchup:
    """Who plays in a lane.

    Attributes:
        opponent: Its kind, or `EVALUATION`.
        players: Both sides' policies; None for one of the simulator's own players.
        teams: Both sides' teams, as places in `ActorSettings.foe_teams`.
    """

    opponent: str
    players: tuple[NamedPolicy | None, NamedPolicy | None]
    teams: tuple[int, int]


class Matchmaker:
    """Draw teams, sides and opponents of battles."""

    def __init__(self, settings: ActorSettings, own: Policy, rng: np.random.Generator) -> None:
        self.plan = OpponentPlan({SELF: 1.0})
        self.own = NamedPolicy("", own)
        self.evaluated = NamedPolicy("", own, is_greedy=True)
        self._past: list[NamedPolicy] = []
        self._others: dict[str, NamedPolicy] = {}
        self._settings = settings
        self._rng = rng

    def load_past(self) -> None:
        """Draw other past policies to play against for a while."""
        paths = [path for path, share in self.plan.past if share > 0]
        shares = _normalised([share for _, share in self.plan.past if share > 0])
        count = min(_LOADED, len(paths))
        drawn = self._rng.choice(len(paths), count, replace=False, p=shares) if count else ()
        wanted = [paths[index] for index in drawn]
        loaded = {player.path: player for player in self._past if player.path in wanted}
        for path in wanted:
            if path not in loaded:
                with contextlib.suppress(CheckpointError):  # the learner has just deleted it
                    loaded[path] = NamedPolicy(path, Policy.load(Path(path)))
        self._past = list(loaded.values())

    def draw(self) -> tuple[Lane, Matchup]:
        """Return the plan of one battle and who plays in it."""
        rng, settings = self._rng, self._settings
        kinds = list(self.plan.weights)
        opponent = kinds[rng.choice(len(kinds), p=_normalised(list(self.plan.weights.values())))]
        if opponent == PAST and not self._past:
            opponent = SELF
        is_evaluation = opponent == EVALUATION
        own = self.evaluated if is_evaluation else self.own
        other = self._policy_of(opponent)
        players: tuple[NamedPolicy | None, NamedPolicy | None] = own, other
        names = POLICY, POLICY if other else JUDGE if is_evaluation else opponent
        teams = self._teams(is_uniform=is_evaluation)
        seed = int(rng.integers(1 << 31))
        if rng.random() < 0.5:
            teams, players, names = teams[::-1], players[::-1], names[::-1]
        first, second = (settings.foe_teams[index] for index in teams)
        lane = Lane(settings.format, (first, second), names, seed, limit=1)
        return lane, Matchup(opponent, players, teams)

    def _teams(self, *, is_uniform: bool) -> tuple[int, int]:
        """Return the places of an own and a foe's team; a measurement draws all equally often."""
        shares = ((), ()) if is_uniform else (self.plan.own_shares, self.plan.foe_shares)
        own, foe = len(self._settings.teams), len(self._settings.foe_teams)
        return self._drawn(own, shares[0]), self._drawn(foe, shares[1])

    def _drawn(self, count: int, shares: Sequence[float]) -> int:
        return int(self._rng.choice(count, p=_normalised(list(shares) or [1.0] * count)))

    def _policy_of(self, opponent: str) -> NamedPolicy | None:
        """Return an opponent's policy; None for one of the simulator's own players."""
        if opponent == SELF:
            return self.own
        if opponent == PAST:
            return self._past[self._rng.integers(len(self._past))]
        if is_file(opponent) and opponent not in self._others:
            policy = Policy.load(Path(opponent))
            is_greedy = self._settings.greedy_opponents
            self._others[opponent] = NamedPolicy(opponent, policy, is_greedy)
        return self._others.get(opponent)


def is_file(opponent: str) -> bool:
    """Return whether an opponent is a policy's file."""
    return opponent.endswith(".zip")


def _normalised(shares: list[float]) -> NDArray[np.float64]:
    normalised: NDArray[np.float64] = np.array(shares) / sum(shares)
    return normalised
