"""Weigh advised buttons by what the history of decisions knows of them.

Of several ways that the planner holds equally good, the one that paid off more often in such
situations is advised more. How far advice is followed at all does not change by it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.history.patterns import context_key, walking_context
from engine.types import Advice, GameState

_UNKNOWN = 0.5
"""Chance of success of what was not tried often enough."""

Known = Mapping[str, Mapping[int, float]]
"""Context key -> action -> estimated success, 0 to 1."""


class Experience:
    """What is known, and what was used of it last: the same state is to be advised alike again."""

    def __init__(self) -> None:
        self._known: Known = {}
        self._used: list[float] = []
        self._replayed: list[float] | None = None

    def learn(self, known: Known) -> None:
        """Replace what is known."""
        self._known = known

    def weigh(self, advice: Advice, state: GameState) -> Advice:
        """Return the advice with its equally good buttons weighed."""
        weights, self._replayed = self._replayed, None
        if weights is None:
            weights = self._weights(advice, state)
        self._used = list(weights)
        if not weights:
            return advice
        prior = advice.prior * np.array(weights, np.float32)
        return replace(advice, prior=prior / prior.sum() * advice.prior.sum())

    def save(self) -> list[float]:
        """Return what the last advice was weighed by, JSON-able."""
        return self._used

    def restore(self, saved: Sequence[Any]) -> None:
        """Weigh the next advice by what `save` returned."""
        self._replayed = [float(weight) for weight in saved]

    def _weights(self, advice: Advice, state: GameState) -> list[float]:
        """Return (A,) weights; [] where there is nothing to weigh, or nothing is known."""
        is_walking = state.control.is_free and state.battle is None
        if not self._known or not is_walking or np.count_nonzero(advice.prior) < 2:
            return []
        context = walking_context(state.place.name, advice.goal.kind)
        found = self._known.get(context_key(context))
        if not found:
            return []
        return [found.get(action, _UNKNOWN) for action in range(len(advice.prior))]
