"""Count who made the last decisions, over all games."""

import numpy as np
from numpy.typing import NDArray

from engine.agents.base import Choices
from engine.types import Source

_MOST = 1000
_SOURCES = tuple(source for source in Source if source is not Source.RECORDED)
_POLICY, _PLANNER, _RULES, _RANDOM, _HUMAN = range(len(_SOURCES))
_CODES: dict[Source, int] = {source: code for code, source in enumerate(_SOURCES)}


class DecisionShares:
    """The sources of the last thousand decisions, named as `engine.agents.arbitration` does.

    Args:
        most: So many decisions count.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._codes = np.zeros(most, np.int8)
        self._count = 0
        self._next = 0

    def add(self, choices: Choices, is_walking: NDArray[np.bool_]) -> None:
        """Count a decision in every environment.

        Args:
            choices: Who made them.
            is_walking: (envs,) where the player could walk, or one for all: there the planner's
                actions are the planner's, elsewhere rules for battles, menus and texts made them.
        """
        advised = np.where(is_walking, _PLANNER, _RULES)
        self._append(np.where(choices.is_planned, advised, _CODES[choices.source]))

    def add_human(self) -> None:
        """Count a decision of a person."""
        self._append(np.array([_HUMAN]))

    def shares(self) -> tuple[tuple[str, float], ...]:
        """Return (source, share) of who made any, summing to 1; nothing before the first."""
        counts = np.bincount(self._codes[: self._count], minlength=len(_SOURCES))
        return tuple(
            (source.value, int(count) / self._count)
            for source, count in zip(_SOURCES, counts, strict=True)
            if count
        )

    def _append(self, codes: NDArray[np.int64]) -> None:
        size, codes = len(self._codes), codes[-len(self._codes) :]
        fitting = min(len(codes), size - self._next)
        self._codes[self._next : self._next + fitting] = codes[:fitting]
        self._codes[: len(codes) - fitting] = codes[fitting:]
        self._next = (self._next + len(codes)) % size
        self._count = min(size, self._count + len(codes))
