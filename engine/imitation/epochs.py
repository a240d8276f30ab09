"""Learn from batches, epoch by epoch, and stop early: the core of cloning in games and in battles.

What is learnt from, how batches are drawn and what their loss is differs, and is the learner's own.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.agents.gradients import SKIPPED, GradientSteps

_Rows = TypeVar("_Rows")


class BatchLoss(NamedTuple):
    """What the predictions of a batch come to.

    Attributes:
        loss: What is minimised.
        figures: Two means over the batch, which an epoch reports.
        weight: How much the batch counts in the epoch's means.
    """

    loss: Tensor
    figures: tuple[Tensor, Tensor]
    weight: int = 1


class EpochLearner:
    """Improve a network until `epochs` are over, or `patience` of them brought no improvement.

    Args:
        gradients: Improve the network.
        epochs: How many there are at most.
        patience: Epochs without a lower loss that end it early; 0: none do.

    Attributes:
        epoch: Epochs that are over.
        steps: Batches that were learnt from.
    """

    def __init__(self, gradients: GradientSteps, epochs: int, patience: int) -> None:
        self.epoch = self.steps = self._epochs_since_best = 0
        self._best_loss = math.inf
        self._gradients, self._epochs, self._patience = gradients, epochs, patience

    @property
    def is_over(self) -> bool:
        """Return whether all epochs are over, or the last `patience` brought no improvement."""
        has_enough = bool(self._patience) and self._epochs_since_best >= self._patience
        return has_enough or self.epoch >= self._epochs

    @property
    def skipped(self) -> int:
        """Return how many gradient steps were skipped as not finite."""
        return self._gradients.skipped

    def learn_from(
        self,
        batches: Iterable[_Rows],
        loss_of: Callable[[_Rows], BatchLoss],
        report: Callable[[int], None] = lambda done: None,
        may_go_on: Callable[[], bool] = lambda: True,
    ) -> tuple[float, float, float] | None:
        """Take a gradient step for each batch; `report` is called with how many are done.

        Returns:
            The means of the batches' two figures, and of the gradient's norm before it was clipped;
            skipped steps do not count. None if `may_go_on`, asked before each step, said no.
        """
        sums, total = np.zeros(3), 0
        for done, rows in enumerate(batches, 1):
            if not may_go_on():
                return None
            found = loss_of(rows)
            norm = self._gradients.take(found.loss)
            self.steps += 1
            if norm is not None:
                first, second = (figure.item() for figure in found.figures)
                sums += np.array([first, second, norm]) * found.weight
                total += found.weight
            report(done)
        first, second, norm = (float(value) for value in sums / max(1, total))
        return first, second, norm

    def end_epoch(self, loss: float) -> bool:
        """Count an epoch; return whether none before had as low a loss in validation."""
        self.epoch += 1
        is_best = loss < self._best_loss
        self._best_loss = min(loss, self._best_loss)
        self._epochs_since_best = 0 if is_best else self._epochs_since_best + 1
        return is_best

    def save_counters(self) -> dict[str, Any]:
        """Return what was counted as JSON-able facts, for `load_counters`."""
        counters = {name: getattr(self, name) for name in _COUNTERS}
        if math.isinf(self._best_loss):
            counters["_best_loss"] = None  # JSON knows no infinity
        return counters | {SKIPPED: self._gradients.skipped}

    def load_counters(self, facts: dict[str, Any]) -> None:
        """Restore what `save_counters` returned."""
        for name in _COUNTERS:
            setattr(self, name, facts[name])
        if self._best_loss is None:
            self._best_loss = math.inf
        self._gradients.skipped = int(facts.get(SKIPPED, 0))


_COUNTERS = ("epoch", "steps", "_epochs_since_best", "_best_loss")


def predict(
    count: int, at_once: int, evaluate: Callable[[slice], tuple[Tensor, ...]]
) -> list[NDArray[Any]]:
    """Evaluate `count` examples, at least 1, in parts of `at_once` and without gradients.

    Returns:
        Each of the tensors that `evaluate` returns of a part, joined over all parts.
    """
    with torch.inference_mode():
        parts = [evaluate(slice(first, first + at_once)) for first in range(0, count, at_once)]
    return [torch.cat(column).cpu().numpy() for column in zip(*parts, strict=True)]
