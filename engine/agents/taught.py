"""Keep visited states with the planner's advice in them, for the policy to learn.

On-policy distillation (DAgger, Ross et al. 2011): the policy leads the games to states, the planner
says what it would do there, and the policy learns from all that advice so far, so that what is
advised in rarely visited states is not forgotten.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.agents.rollout import FloatArray, Rollout
from engine.env.batch import Batch
from engine.types import Spaces

CAPACITY = 16_384
"""States; one of features alone takes 2 kB."""
_MOST_BYTES = 32 << 20
"""Of all states together; a state with pixels takes ten times as much."""
_LEAST_LOG = -20.0
"""Bound on a log-probability, and so on what an all but excluded action costs."""


class TaughtBatch(NamedTuple):
    """States (N, ...) and the advised distribution over the actions in each, (N, A)."""

    features: Tensor
    pixels: Tensor
    masks: Tensor
    targets: Tensor


def taught(batch: Batch, teaching: FloatArray | float) -> tuple[FloatArray, FloatArray]:
    """Return the planner's advice in a batch, and how far it is learnt.

    The first is its prior as a distribution over the valid actions, (envs, A), the second is
    `teaching`, (envs,). Both are 0 without advice.
    """
    valid = np.where(batch.mask, batch.prior, np.float32(0.0))
    total = valid.sum(-1, keepdims=True)
    priors: FloatArray = np.divide(valid, total, out=np.zeros_like(valid), where=total > 0)
    learnt: FloatArray = np.where(priors.any(-1), teaching, np.float32(0.0)).astype(np.float32)
    return priors, learnt


def cross_entropy(targets: Tensor, own_log_probs: Tensor) -> Tensor:
    """Return the cross-entropy (N,) in nats of advised distributions (N, A); 0 without advice."""
    return -(targets * own_log_probs.clamp(min=_LEAST_LOG)).sum(-1)


class TaughtStates:
    """A uniform sample of all states ever visited with advice (Vitter's algorithm R).

    Features are kept as float16, as in `engine.agents.replay_buffer`.

    Attributes:
        count: States that are kept.
    """

    def __init__(self, spaces: Spaces) -> None:
        size = 2 * spaces.feature_size + int(np.prod(spaces.pixels_shape))
        capacity = max(1, min(CAPACITY, _MOST_BYTES // size))
        self._features = np.zeros((capacity, spaces.feature_size), np.float16)
        self._pixels = np.zeros((capacity, *spaces.pixels_shape), np.uint8)
        self._masks = np.zeros((capacity, spaces.num_actions), np.bool_)
        self._targets = np.zeros((capacity, spaces.num_actions), np.float32)
        self._seen = 0

    @property
    def count(self) -> int:
        """Return how many states are kept."""
        return min(self._seen, len(self._targets))

    def add(self, rollout: Rollout, rng: np.random.Generator) -> None:
        """Take in the states of a full rollout in which the planner teaches."""
        steps, envs = np.nonzero(rollout.teaching)
        places = np.arange(self._seen, self._seen + len(steps))
        self._seen += len(steps)
        is_full = places >= len(self._targets)
        places[is_full] = rng.integers(places[is_full] + 1)
        kept = places < len(self._targets)
        places, steps, envs = places[kept], steps[kept], envs[kept]
        self._features[places] = rollout.features[steps, envs]
        self._pixels[places] = rollout.pixels[steps, envs]
        self._masks[places] = rollout.masks[steps, envs]
        self._targets[places] = rollout.priors[steps, envs]

    def sample(self, size: int, rng: np.random.Generator) -> TaughtBatch:
        """Draw `size` of the states; there must be at least one."""
        drawn = rng.integers(self.count, size=size)
        return TaughtBatch(
            torch.from_numpy(self._features[drawn].astype(np.float32)),
            torch.from_numpy(self._pixels[drawn]),
            torch.from_numpy(self._masks[drawn]),
            torch.from_numpy(self._targets[drawn]),
        )

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return arrays from which `load` continues."""
        kept = {name: getattr(self, f"_{name}")[: self.count] for name in TaughtBatch._fields}
        return {**kept, "seen": np.array(self._seen)}

    def load(self, arrays: dict[str, NDArray[np.generic]]) -> None:
        """Restore the state that `save` returned; nothing is kept of older checkpoints."""
        self._seen = int(arrays["seen"]) if arrays else 0
        for name in TaughtBatch._fields if arrays else ():
            getattr(self, f"_{name}")[: self.count] = arrays[name]
