"""Take gradient steps, and skip those that are no numbers."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from engine.errors import TrainingError
from engine.plurals import counted

SKIPPED = "skipped_updates"
"""Name of the figure that says how many gradient steps were skipped."""
MAX_SKIPPED = 500
"""Steps in a row after which nothing more is expected; more than an update of any agent has."""


def skipped_text(count: int) -> str:
    """Say that steps were skipped."""
    skipped = counted(count, "gradient step")
    return f"Skipped so far: {skipped} whose gradient was no finite number (train/{SKIPPED})."


class GradientSteps:
    """Take clipped gradient steps; one that is no finite number changes nothing and is counted.

    Attributes:
        skipped: How many were skipped; to be saved with the optimiser.
    """

    def __init__(
        self, optimizer: torch.optim.Optimizer, network: nn.Module, max_norm: float
    ) -> None:
        self.skipped = 0
        self._optimizer, self._network, self._max_norm = optimizer, network, max_norm
        self._in_a_row = 0

    def take(self, loss: Tensor, prepare: Callable[[], None] = lambda: None) -> float | None:
        """Change the network for less of the loss; return the gradient's norm before clipping.

        `prepare` may change the gradient first. None: the step was skipped.

        Raises:
            TrainingError: So were the `MAX_SKIPPED` last ones.
        """
        self._optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        prepare()
        clipped = nn.utils.clip_grad_norm_(self._network.parameters(), self._max_norm)
        norm = clipped.item()
        if math.isfinite(norm) and math.isfinite(loss.item()):
            self._optimizer.step()
            self._in_a_row = 0
            return norm
        self._optimizer.zero_grad(set_to_none=True)
        self._skip()
        return None

    def _skip(self) -> None:
        self.skipped += 1
        self._in_a_row += 1
        if self._in_a_row == MAX_SKIPPED:
            raise TrainingError(
                f"The last {MAX_SKIPPED} gradients were no finite numbers: nothing is learnt.",
                "Lower the learning rate, check rewards of your own, and resume the run.",
            )
