"""Keep the score of a set, and answer the selection that the foe is likely to make again."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.battles.policy import Policy
from engine.battles.sim.actions import PREVIEW_CODES, SELECTIONS
from engine.battles.sim.simulator import Simulator
from engine.events import SetScore

Shares = NDArray[np.float64]

_COPIES, _CANDIDATES = 16, 8
_TEMPERATURE = 0.1
"""Difference of value (-1 to 1) that weighs as much as a factor e of the policy's probability."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a side's selection in a game was, as far as its foe saw it.

    Attributes:
        leads: Members, by their places at team preview (from 0).
        members: All that were seen, the leads included.
    """

    leads: frozenset[int]
    members: frozenset[int]

    def agrees(self, selection: Sequence[int]) -> bool:
        """Return whether a selection, the leads first, may have been this one."""
        return self.leads == set(selection[:2]) and self.members <= set(selection)


@dataclass(slots=True)
class SetSoFar:
    """The games of a set that have ended.

    Attributes:
        best_of: The most games of it.
        results: 1 p1 won, 0 a tie, -1 p2 won.
        shown: Both sides' selections.
    """

    best_of: int
    results: list[int] = field(default_factory=list)
    shown: list[tuple[Shown | None, Shown | None]] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Return whether a side cannot be caught any more, as the simulator's server counts."""
        needed = (self.best_of - self.results.count(0)) // 2 + 1
        most = max(self.results.count(1), self.results.count(-1))
        return most >= needed or len(self.results) == self.best_of

    def add(self, lines: Sequence[str], winner: str) -> None:
        """Add a game by what spectators saw of it, and who won: p1, p2 or ""."""
        self.results.append({"p1": 1, "p2": -1}.get(winner, 0))
        self.shown.append((shown_selection(lines, 0), shown_selection(lines, 1)))

    def score(self, side: int, game: int) -> SetScore | None:
        """Return how the set stands for a side in a game, from 1; None for single battles."""
        if self.best_of == 1:
            return None
        won, lost = (self.results.count(sign) for sign in ((-1, 1) if side else (1, -1)))
        return SetScore(game, self.best_of, won, lost, self.is_over)

    def selections_of(self, side: int) -> list[Shown]:
        """Return what a side brought in the games in which it was seen."""
        return [one for shown in self.shown if (one := shown[side]) is not None]


def shown_selection(lines: Sequence[str], side: int) -> Shown | None:
    """Return what spectators' lines tell of a side's selection; None before its leads are out."""
    own = f"p{side + 1}"
    fields = [line.split("|") for line in lines]
    team = [_species(parts[3]) for parts in fields if parts[1:3] == ["poke", own]]
    seen = [
        _place(_species(parts[3]), team)
        for parts in fields
        if len(parts) > 3 and parts[1] in ("switch", "drag", "replace") and parts[2][:2] == own
    ]
    known = [place for place in seen if place >= 0]
    return Shown(frozenset(known[:2]), frozenset(known)) if len(set(known[:2])) == 2 else None


def expected_selections(predicted: Shares, games: Sequence[Shown]) -> Shares:
    """Return how likely the foe makes each selection, (90,), after earlier games.

    Each game counts as much as what the policy predicts, and is spread over the selections that
    agree with what was seen of it, as the policy would.
    """
    parts = [predicted]
    for game in games:
        agreeing = np.array([game.agrees(selection) for selection in SELECTIONS])
        share = np.where(agreeing, predicted + 1e-6, 0.0)
        if agreeing.any():
            parts.append(share / share.sum())
    return np.asarray(np.mean(parts, 0))


def choose_selection(
    simulator: Simulator,
    policy: Policy,
    seat: int,
    observation: NDArray[np.float32],
    legal: NDArray[np.bool_],
    games: Sequence[Shown],
    rng: np.random.Generator,
) -> int:
    """Return the code of the selection that does best against what the foe is expected to bring.

    The policy's likeliest selections meet the same draws of the foe's in copies of the battle, in
    which all that the seat cannot know is drawn anew; the policy's value tells how they begin.

    Args:
        simulator: At a team preview of the seat.
        policy: Proposes selections, predicts the foe's, and estimates values.
        seat: Lane * 2 + side.
        observation: (1560,) of the seat's decision.
        legal: (90,), its masks.
        games: What the foe brought in earlier games of the set.
        rng: Draws the copies and the foe's selections.
    """
    prior = policy.log_probs(observation[None], legal[None], np.array([True]))[0, :PREVIEW_CODES]
    codes = np.argsort(-prior)[:_CANDIDATES]
    foe = simulator.fork(seat, _COPIES, int(rng.integers(1 << 31)))
    log_probs = policy.log_probs(foe.observations, foe.legal, foe.is_preview)[:, :PREVIEW_CODES]
    predicted = np.exp(log_probs, dtype=np.float64).mean(0)
    expected = expected_selections(predicted / predicted.sum(), games)
    answers = rng.choice(PREVIEW_CODES, _COPIES, p=expected)
    plays = [(copy, code, answers[copy]) for copy in range(_COPIES) for code in codes]
    after = simulator.roll(seat, np.array(plays))
    values = policy.values(after.observations).reshape(_COPIES, len(codes)).mean(0)
    return int(codes[np.argmax(prior[codes] + values / _TEMPERATURE)])


def _species(details: str) -> str:
    return details.partition(",")[0].removesuffix("-*")


def _place(species: str, team: Sequence[str]) -> int:
    """Return the place of the member that is, or has become, a species; -1: none."""
    if species in team:
        return team.index(species)
    for place, other in enumerate(team):
        if species.startswith(f"{other}-") or other.startswith(f"{species}-"):
            return place
    return -1
