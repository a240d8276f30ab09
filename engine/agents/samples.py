"""Hand the rollout out in minibatches: single steps, or sequences for a policy that remembers."""

from dataclasses import dataclass, fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.agents.rollout import FloatArray, Rollout


@dataclass(frozen=True, slots=True)
class Samples:
    """Steps as tensors: (samples, ...), the memories (sequences, M); names as in `Rollout`."""

    features: Tensor
    pixels: Tensor
    memories: Tensor
    starts: Tensor
    masks: Tensor
    biases: Tensor
    actions: Tensor
    log_probs: Tensor
    is_on_policy: Tensor
    imitation_weights: Tensor
    advantages: Tensor
    returns: Tensor

    @classmethod
    def from_rollout(
        cls, rollout: Rollout, advantages: FloatArray, returns: FloatArray
    ) -> "Samples":
        """Put a full rollout in a row: sample step * envs + env; nothing is copied."""
        stored = (getattr(rollout, entry.name) for entry in fields(cls)[:-2])
        arrays = (*stored, advantages, returns)
        return cls(*(torch.from_numpy(array).flatten(0, 1) for array in arrays))

    def take(self, sequences: NDArray[np.int64]) -> "Samples":
        """Return these (sequences, length) samples, time first, with the memories before them."""
        index = torch.from_numpy(sequences.T.ravel())
        first = index[: len(sequences)]
        return Samples(
            *(
                getattr(self, entry.name)[first if entry.name == "memories" else index]
                for entry in fields(self)
            )
        )


def sequences_of(steps: int, num_envs: int, length: int) -> NDArray[np.int64]:
    """Return (sequences, length): which samples follow each other in one environment."""
    samples = np.arange(steps * num_envs).reshape(steps // length, length, num_envs)
    return samples.transpose(0, 2, 1).reshape(-1, length)
