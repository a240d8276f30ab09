"""Search for the way to the goal with some of the games, then walk back along it to power-on.

Both phases of Go-Explore (Ecoffet et al. 2021): explore from saved states, then robustify by the
backward algorithm (Salimans and Chen 2018).
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import BackwardConfig, ExploreConfig
from engine.curriculum.backward import BackwardStarts, DemoStart
from engine.curriculum.frontier import GOAL, Frontier, WriteDemo
from engine.curriculum.starts import StartMove
from engine.env.batch import Batch
from engine.env.input_recording import Segment
from engine.env.world import Snapshots


class Swarm:
    """The last games search until one reaches the goal; then their episodes begin along its way.

    They begin near the way's end at first, and further back as they succeed, until all games play
    from power-on. The first games do so throughout.

    Args:
        explore: How long games search from a state, and how much is remembered.
        backward: How fast they walk back.
        seed: Of the draws.
        first_env: The first of the games that search.
        write: Writes ways as demonstrations; the learner imitates those to the goal.
        starts_along: Returns starts along a demonstration, the last one first.
    """

    def __init__(
        self,
        explore: ExploreConfig,
        backward: BackwardConfig,
        seed: int,
        first_env: int,
        write: WriteDemo,
        starts_along: Callable[[Path], Iterable[DemoStart]],
    ) -> None:
        self._backward = backward
        self._first_env = first_env
        self._write = write
        self._starts_along = starts_along
        self._search = Frontier(explore, seed, self._found)
        self._starts: tuple[DemoStart, ...] = ()
        self._back: BackwardStarts | None = None

    def follow(self, games: Snapshots, batch: Batch, is_touched: NDArray[np.bool_]) -> None:
        """Remember where games are, or count how episodes along the way end."""
        if self._back is not None:
            self._back.follow(games, batch, is_touched)
        self._search.note_ends(batch, is_touched)
        if self._back is None:
            self._search.remember(games, batch, is_touched)

    def moves(self, steps: NDArray[np.int64], is_free: NDArray[np.bool_]) -> list[StartMove]:
        """Return which games search on from elsewhere, or are to begin along the way."""
        is_free = is_free & (np.arange(len(steps)) >= self._first_env)
        return (self._back or self._search).moves(steps, is_free)

    def moved(self, move: StartMove) -> None:
        """Note where a game has begun."""
        (self._back or self._search).moved(move)

    def take_news(self) -> list[str]:
        """Return lines about what was found, and where episodes begin, since the last time."""
        return self._search.take_news() + (self._back.take_news() if self._back else [])

    def describe(self) -> str:
        """Return how far the search is, or where episodes begin."""
        return (self._back or self._search).describe()

    def save(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Return JSON-able facts, and snapshots by name, for `load`."""
        search, snapshots = self._search.save()
        facts: dict[str, Any] = {"search": search}
        if self._back is not None:
            facts["back"], _ = self._back.save()
            facts["starts"] = [[one.share, one.steps_left] for one in self._starts]
            snapshots = {str(number): one.snapshot for number, one in enumerate(self._starts)}
        return facts, snapshots

    def load(self, facts: Mapping[str, Any], snapshots: Mapping[str, bytes]) -> None:
        """Restore the state that `save` returned."""
        self._search.load(facts["search"], snapshots)
        if "back" in facts:
            back = self._begin_back(
                DemoStart(float(share), int(steps_left), snapshots[str(number)])
                for number, (share, steps_left) in enumerate(facts["starts"])
            )
            back.load(facts["back"], {})

    def _found(self, key: str, segment: Segment) -> Path:
        path = self._write(key, segment)
        if key == GOAL and self._back is None:
            self._begin_back(self._starts_along(path))
        return path

    def _begin_back(self, starts: Iterable[DemoStart]) -> BackwardStarts:
        self._search.forget()
        self._starts = tuple(starts)
        self._back = BackwardStarts(self._backward, self._starts)
        return self._back
