"""Count how often a clone does what was done: in all, on every map, and for every action."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.imitation.examples import Examples


@dataclass(frozen=True, slots=True)
class Share:
    """How many of some steps were right.

    Attributes:
        name: Of the map or action.
    """

    name: str
    right: int
    total: int

    @property
    def accuracy(self) -> float:
        """Return the share, 0 of nothing."""
        return self.right / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Score:
    """How well steps were foretold.

    Attributes:
        loss: Mean cross-entropy, every step alike.
        balanced_loss: The mean of every map and action's own mean: rare ones count as much.
        accuracy: Share of the steps whose likeliest action was the one taken.
        maps: By map, those that occur.
        actions: By action, those that occur.
    """

    loss: float
    balanced_loss: float
    accuracy: float
    maps: tuple[Share, ...]
    actions: tuple[Share, ...]


def score(
    examples: Examples, guessed: NDArray[np.int64], losses: NDArray[np.float32]
) -> Score | None:
    """Return how well examples were foretold; None if there are none.

    Args:
        examples: N steps.
        guessed: (N,) the likeliest action of each.
        losses: (N,) the cross-entropy of each.
    """
    if not len(examples):
        return None
    right = guessed == examples.actions
    pairs = examples.maps * len(examples.action_names) + examples.actions
    _, inverse, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    means = np.bincount(inverse, losses) / counts
    action_names = tuple(name.lower() for name in examples.action_names)
    return Score(
        loss=float(losses.mean()),
        balanced_loss=float(means.mean()),
        accuracy=float(right.mean()),
        maps=_shares(examples.maps, right, examples.map_names),
        actions=_shares(examples.actions, right, action_names),
    )


def _shares(
    groups: NDArray[np.int64], right: NDArray[np.bool_], names: tuple[str, ...]
) -> tuple[Share, ...]:
    totals = np.bincount(groups, minlength=len(names))
    rights = np.bincount(groups, right, minlength=len(names))
    found = zip(names, rights, totals, strict=True)
    return tuple(Share(name, int(hits), int(total)) for name, hits, total in found if total)
