"""Define how starts of episodes are chosen, and measure how far episodes get from them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.env.batch import Batch
from engine.env.world import Snapshots
from engine.games.base import Milestone, final_milestone
from engine.types import EpisodeSummary


class WayToGoal:
    """The milestones that lead to a run's goal.

    Args:
        milestones: All of the game's, in order.
        goal: Key of the milestone that ends an episode; "": the next badge.
    """

    def __init__(self, milestones: Iterable[Milestone], goal: str) -> None:
        self._milestones = tuple(milestones)
        self._goal = goal
        self.size = len(self._keys(frozenset()))

    def walked(self, summary: EpisodeSummary) -> float:
        """Return how far an episode went, from 0 to `size` milestones.

        For one that began further on, the rest of the way counts as all of it.
        """
        return self.size * (1.0 if summary.is_success else self.share(summary.steps_to_milestone))

    def share(self, steps: Mapping[str, int]) -> float:
        """Return the same as a share, 0 to 1, by the `steps` at which milestones were reached."""
        held = {key for key, step in steps.items() if step == 0}
        left = [key for key in self._keys(held) if key not in held]
        return sum(key in steps for key in left) / len(left) if left else 1.0

    def came(self, shares: Mapping[str, float]) -> float:
        """Return how far games from power-on came on average, 0 to 1.

        Args:
            shares: By a milestone's key, the share of the games that reached it.
        """
        keys = self._keys(frozenset())
        return sum(shares.get(key, 0.0) for key in keys) / len(keys) if keys else 1.0

    def _keys(self, held: frozenset[str] | set[str]) -> tuple[str, ...]:
        """Return the keys up to the goal, where those `held` at the start are no goal."""
        keys = tuple(one.key for one in self._milestones)
        final = final_milestone(self._milestones, self._goal, held)
        return keys[: keys.index(final) + 1] if final in keys else keys


DECAY = 0.98
"""Share of the evidence that is left after another episode."""


@dataclass(slots=True)
class SuccessRate:
    """The mean of a Beta distribution that starts even, Beta(1, 1), and slowly goes back to it.

    Attributes:
        reached: Successes so far, decayed; may be fractions.
        failed: Failures likewise.
    """

    reached: float = 0.0
    failed: float = 0.0

    @property
    def mean(self) -> float:
        """Return the expected share of successes: 0.5 without evidence."""
        return (1.0 + self.reached) / (2.0 + self.reached + self.failed)

    def add(self, reached: float, failed: float) -> None:
        """Take in evidence."""
        self.reached += reached
        self.failed += failed

    def decay(self) -> None:
        """Let the evidence age by an episode."""
        self.reached *= DECAY
        self.failed *= DECAY

    def save(self) -> list[float]:
        """Return the evidence, JSON-able."""
        return [self.reached, self.failed]

    @classmethod
    def load(cls, saved: Sequence[float]) -> "SuccessRate":
        """Make one from what `save` returned."""
        return cls(float(saved[0]), float(saved[1]))


@dataclass(frozen=True, slots=True)
class StartMove:
    """A running game that is to leave its episode for another start.

    Attributes:
        start: Names it in `EpisodeSummary.start`; "" for the true start.
        snapshot: b"" for the true start.
        continues: See `Snapshots.begin_now`, as for `max_steps`.
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
