"""Begin near the end of a demonstration, and walk back to power-on as episodes succeed.

Salimans and Chen, "Learning Montezuma's Revenge from a Single Demonstration" (2018).
"""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import BackwardConfig
from engine.curriculum.starts import StartMove
from engine.env.batch import Batch
from engine.env.world import Snapshots

_LEAST_STEPS = 64
"""An episode has at least so many, however near the end it begins."""


@dataclass(frozen=True, slots=True)
class DemoStart:
    """A place of a demonstration where episodes can begin.

    Attributes:
        share: Of the demonstration that lies before it, 0 to 1.
        steps_left: Actions that the demonstration took from there to the goal.
    """

    share: float
    steps_left: int
    snapshot: bytes

    @property
    def name(self) -> str:
        """Return the `EpisodeSummary.start` of episodes from here."""
        return f"demo {100 * self.share:.0f} %"


class BackwardStarts:
    """All episodes begin at one place of the demonstration, further back once enough succeed.

    It moves back as soon as a share of `success` of the last `episodes` from there reached the
    goal, each time twice as far as before, so that what the policy already knows is soon behind.
    Where none of the last `episodes` succeeds, it returns half of the way to the last place that
    went well, and continues by single steps. Before the first place comes the true start.

    Args:
        config: How fast it goes.
        starts: Places of the demonstration, the last one first.
    """

    def __init__(self, config: BackwardConfig, starts: Sequence[DemoStart]) -> None:
        self._config = config
        self._starts = tuple(starts)
        self._place = 0
        self._passed = -1
        """The last place that went well."""
        self._stride = 1
        self._results: deque[bool] = deque(maxlen=config.episodes)
        self._begun: dict[int, int] = {}
        """By environment the place where its running episode began."""
        self._news: list[str] = []

    @property
    def is_over(self) -> bool:
        """Return whether all episodes begin at the true start."""
        return self._place == len(self._starts)

    @property
    def share(self) -> float:
        """Return how much of the demonstration lies before where episodes begin."""
        return 0.0 if self.is_over else self._starts[self._place].share

    def follow(self, games: Snapshots, batch: Batch, is_touched: NDArray[np.bool_]) -> None:
        """Count the episodes that ended."""
        for index, summary in sorted(batch.summaries.items()):
            begun = self._begun.pop(index, None)
            if begun == self._place and not (summary.is_aborted or is_touched[index]):
                self._count(summary.is_success)

    def moves(self, steps: NDArray[np.int64], is_free: NDArray[np.bool_]) -> list[StartMove]:
        """Return the games whose episodes have just begun at the true start."""
        if self.is_over:
            return []
        at, patience = self._starts[self._place], self._config.patience
        # How many steps without progress end an episode; 0: as usual.
        most = max(_LEAST_STEPS, int(patience * at.steps_left)) if patience else 0
        return [
            StartMove(index, at.name, at.snapshot, max_steps=most)
            for index in np.flatnonzero(is_free).tolist()
            if index not in self._begun
        ]

    def moved(self, move: StartMove) -> None:
        """Note where a game that has moved began."""
        self._begun[move.env_index] = self._place

    def take_news(self) -> list[str]:
        """Return lines about where episodes begin since the last time."""
        news, self._news = self._news, []
        return news

    def describe(self) -> str:
        """Return where episodes begin, and how they go."""
        if self.is_over:
            return "power-on: demonstration completed"
        of = f"{sum(self._results)} of the last {len(self._results)} succeeded"
        needed = f"needs {self._needed} of {self._config.episodes}"
        return f"{self._starts[self._place].name}: {of}, {needed}"

    def save(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Return JSON-able facts for `load`; the snapshots come from the demonstration again."""
        facts = {
            "place": self._place,
            "passed": self._passed,
            "stride": self._stride,
            "results": list(self._results),
            "begun": list(self._begun.items()),
        }
        return facts, {}

    def load(self, facts: Mapping[str, Any], snapshots: Mapping[str, bytes]) -> None:
        """Restore the state that `save` returned."""
        self._place = int(facts["place"])
        self._passed = int(facts.get("passed", self._place - 1))
        self._stride = int(facts.get("stride", 1))
        self._results = deque(map(bool, facts["results"]), self._config.episodes)
        self._begun = {int(index): int(place) for index, place in facts["begun"]}

    @property
    def _needed(self) -> int:
        """Return how many episodes must succeed."""
        return math.ceil(self._config.success * self._config.episodes)

    def _count(self, is_success: bool) -> None:
        """Count an episode from the present place, and go to another if that is due."""
        if self.is_over:
            return
        self._results.append(is_success)
        place = self._place
        if sum(self._results) >= self._needed:
            self._passed = place
            self._place = min(place + self._stride, len(self._starts))
            self._stride *= 2
        elif len(self._results) == self._config.episodes and not any(self._results):
            self._place -= (place - self._passed) // 2
            self._stride = 1
        if self._place != place:
            self._results.clear()
            where = "power-on" if self.is_over else self._starts[self._place].name
            self._news.append(f"episodes now start at {where}")
