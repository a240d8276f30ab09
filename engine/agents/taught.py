"""Keep states that were visited with what the planner advises there, and learn that from them.

On-policy distillation (DAgger, Ross et al. 2011): the games visit what the policy leads to, the
planner says what it would do there, and all that it ever said is learnt from, so that what the
games visit seldom is not forgotten.
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
"""States; what is seen by memory alone takes 2 kB each."""
_MOST_BYTES = 32 << 20
"""Of all states together; a state with pixels takes ten times as much."""
_LEAST_LOG = -20.0
"""Bound on a log-probability: an action that is all but excluded costs no more than that."""


class TaughtBatch(NamedTuple):
    """States (N, ...) and the advised distribution over the actions in each, (N, A)."""

    features: Tensor
    pixels: Tensor
    masks: Tensor
    targets: Tensor


def taught(batch: Batch, teaching: FloatArray | float) -> tuple[FloatArray, FloatArray]:
    """Return what the planner advises in a batch, and how far that is learnt; 0 without advice.

    The first is its prior as a distribution over the valid actions, (envs, A), the second
    `teaching` where there is one, (envs,).
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
    """An even sample of all states that were ever visited with advice (Vitter's algorithm R).

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
        """Return so many of the states; there is at least one."""
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
