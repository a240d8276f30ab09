"""Say what decides where episodes begin: at the true start, or at snapshots of the game."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.env.batch import Batch
from engine.world import Snapshots


@dataclass(frozen=True, slots=True)
class StartMove:
    """A running game that is to leave its episode for another start.

    Attributes:
        start: Names it in `EpisodeSummary.start`; "" for the true start.
        snapshot: b"" for the true start.
        continues: As of `Snapshots.begin_now`, as is `max_steps`.
    """

    env_index: int
    start: str
    snapshot: bytes
    continues: bool = False
    max_steps: int = 0


class EpisodeStarts(Protocol):
    """Decides where episodes begin, and which running games leave theirs for another start."""

    def follow(self, games: Snapshots, batch: Batch, is_touched: NDArray[np.bool_]) -> None:
        """Take in what a batch shows, and send starts ahead to environments.

        Args:
            games: The environments, still in the batch's state.
            batch: What the last step led to.
            is_touched: (envs,) where a person acted in the present episode: it proves nothing.
        """

    def moves(self, steps: NDArray[np.int64], is_free: NDArray[np.bool_]) -> list[StartMove]:
        """Return which running games are to move now; `moved` reports those that did.

        Args:
            steps: (envs,) steps of the running episodes.
            is_free: (envs,) False where a person plays or records: such a game is never moved.
        """

    def moved(self, move: StartMove) -> None:
        """Take in that a game has moved."""

    def take_news(self) -> list[str]:
        """Return lines for the log since the last time."""

    def describe(self) -> str:
        """Return in a few words where episodes begin; "" where all do at the true start."""

    def save(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Return JSON-able facts, and snapshots by name, for `load`."""

    def load(self, facts: Mapping[str, Any], snapshots: Mapping[str, bytes]) -> None:
        """Restore the state that `save` returned."""
