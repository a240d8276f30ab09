"""Draw teams where the policy is weakest: win rates by own and by foe team, and shares by them."""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.battles.learn.actor import Report

_DECAY = 0.97
"""Of results, at each update: the present policy gets better."""
_PRIOR = 20.0
"""Battles at the mean win rate that every team begins with."""


class TeamSampling:
    """Count results by team, and tell how often each is to be played.

    Args:
        teams: Packed; the own ones come first.
        own: How many are own ones.
        priority: 0 draws all equally often, 1 by the square of the loss rate alone.
    """

    def __init__(self, teams: Sequence[str], own: int, priority: float) -> None:
        self._keys = [hashlib.sha256(team.encode()).hexdigest()[:16] for team in teams]
        self._own = own
        self._priority = priority
        self._points = np.zeros((2, len(teams)))
        self._battles = np.zeros((2, len(teams)))

    def add(self, report: Report) -> None:
        """Count what a worker reports."""
        for side, results in enumerate((report.own_teams, report.foe_teams)):
            for index, (won, tied, lost) in results.items():
                self._points[side, int(index)] += won + tied / 2
                self._battles[side, int(index)] += won + tied + lost

    def decay(self) -> None:
        """Let results weigh less than those to come."""
        self._points *= _DECAY
        self._battles *= _DECAY

    def win_rates(self) -> NDArray[np.float64]:
        """Return (2, teams): the policy's win rates by own and by foe team, drawn to the mean."""
        total = self._battles.sum(1, keepdims=True)
        mean = np.divide(self._points.sum(1, keepdims=True), total, where=total > 0, out=total / 2)
        mean[total == 0] = 0.5
        rates: NDArray[np.float64] = (self._points + _PRIOR * mean) / (self._battles + _PRIOR)
        return rates

    def shares(self) -> tuple[list[float], list[float]]:
        """Return how often to draw each own team, and each foe's team."""
        own, foe = (1 - self.win_rates()) ** 2
        return self._mixed(own[: self._own]), self._mixed(foe)

    def save(self) -> dict[str, list[float]]:
        """Return the state as JSON-able facts, by team, for `load`."""
        columns = np.concatenate([self._points, self._battles]).T.tolist()
        return dict(zip(self._keys, columns, strict=True))

    def load(self, facts: Mapping[str, Sequence[float]]) -> None:
        """Restore what `save` returned, of the teams that are still played."""
        for index, key in enumerate(self._keys):
            if key in facts:
                numbers = np.array(facts[key], float).reshape(2, 2)
                self._points[:, index], self._battles[:, index] = numbers

    def _mixed(self, weights: NDArray[np.float64]) -> list[float]:
        wanted = weights / max(weights.sum(), 1e-9)
        mixed: list[float] = (
            (1 - self._priority) / len(weights) + self._priority * wanted
        ).tolist()
        return mixed
