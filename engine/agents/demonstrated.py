"""Keep demonstrations beside a replay, and say how much their actions still count.

Demonstrated steps are learnt from like any others, and their actions are imitated as well: by their
cross-entropy under a Boltzmann distribution over the action values. That loss weighs as much as the
agent's own return is below the demonstrations' (QDagger, Agarwal et al. 2022).
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from engine.agents.gradients import Arrays
from engine.agents.networks import masked_log_probs
from engine.agents.replay_buffer import PrioritizedReplayBuffer, Sample
from engine.agents.rollout import FloatArray, RewardScaler
from engine.config import DQNConfig, ImitationConfig
from engine.env.batch import Batch
from engine.runs.checkpoint import under
from engine.types import Spaces

_RECENT = 20
"""Own episodes whose mean return is compared."""


@dataclass(frozen=True, slots=True)
class Transitions:
    """N demonstrated steps in the order they were taken, whole episodes.

    All are (N,) but features (N, F), pixels (N, *pixels_shape) and masks (N, A).

    Attributes:
        is_over: The game was over with this step.
        is_cut: What this step led to is not known.
        episodes: Numbers of episodes.
    """

    features: FloatArray
    pixels: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    rewards: FloatArray
    is_over: NDArray[np.bool_]
    is_cut: NDArray[np.bool_]
    episodes: NDArray[np.int64]

    @property
    def mean_return(self) -> float:
        """Return what an episode was paid, on average."""
        sums = np.bincount(np.unique(self.episodes, return_inverse=True)[1], self.rewards)
        return float(sums.mean())


class Demonstrated:
    """Hold demonstrations for DQN.

    Args:
        config: Of the replay.
        imitation: How much they count.
        steps: How many there are.
        spaces: Sizes of what is observed and done.

    Attributes:
        replay: What is drawn from.
        batch_size: Steps of a batch that are demonstrated ones.
        mean_return: What a demonstrated episode was paid, on average.
    """

    def __init__(
        self, config: DQNConfig, imitation: ImitationConfig, steps: int, spaces: Spaces
    ) -> None:
        self._imitation = imitation
        self._config = config
        self._spaces = spaces
        self._capacity = max(steps, config.n_steps + 2)
        self.replay = PrioritizedReplayBuffer(self._capacity, 1, spaces, config)
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self.batch_size = max(1, round(imitation.demo_share * config.batch_size))
        self.mean_return = 0.0

    def fill(self, steps: Transitions, scaler: RewardScaler) -> None:
        """Store demonstrations, and start the scaler with their rewards."""
        own = RewardScaler(1, scaler.gamma)
        for index in range(len(steps.actions)):
            row = slice(index, index + 1)
            own.scale(steps.rewards[row], steps.is_over[row] | steps.is_cut[row])
        self._append(steps)
        scaler.take_over(own)
        self.mean_return = steps.mean_return

    def join(self, steps: Transitions) -> int:
        """Add demonstrations made since: parts of episodes, which have no return to compare with.

        Returns:
            How many steps can be drawn by now.
        """
        former, self._capacity = self.replay, self._capacity + len(steps.actions)
        self.replay = PrioritizedReplayBuffer(self._capacity, 1, self._spaces, self._config)
        self.replay.load(former.save())
        self._append(steps)
        return self.replay.count

    def _append(self, steps: Transitions) -> None:
        for index in range(len(steps.actions)):
            row = slice(index, index + 1)
            self.replay.append(
                features=steps.features[row],
                pixels=steps.pixels[row],
                mask=steps.masks[row],
                actions=steps.actions[row],
                rewards=steps.rewards[row],
                terminated=steps.is_over[row],
                truncated=steps.is_cut[row],
            )

    @property
    def coefficient(self) -> float:
        """Return how much the demonstrated actions count: 1 as much as `cloning`, 0 not at all."""
        if not self._recent or self.mean_return <= 0:
            return 1.0
        below = 1.0 - float(np.mean(self._recent)) / self.mean_return
        return min(1.0, max(self._imitation.cloning_floor, below))

    def observe(self, batch: Batch) -> None:
        """Take in how own episodes went."""
        for _, summary in sorted(batch.summaries.items()):
            if not summary.start and not summary.is_aborted:
                self._recent.append(summary.total_reward)

    def sample(self, beta: float, rng: np.random.Generator, unit: float) -> Sample:
        """Draw `batch_size` steps, their returns in the unit of the rewards that are learnt."""
        drawn = self.replay.sample(self.batch_size, beta, rng)
        np.divide(drawn.returns, np.float32(unit), out=drawn.returns)
        return drawn

    def loss(self, values: Tensor, masks: Tensor, actions: Tensor) -> Tensor:
        """Return the mean cross-entropy of demonstrated actions under action values (batch, A)."""
        log_probs = masked_log_probs(values / self._imitation.temperature, masks, torch.zeros(()))
        return nn.functional.nll_loss(log_probs, actions)

    def save(self) -> tuple[dict[str, Any], Arrays]:
        """Return JSON-able facts and arrays."""
        facts = {
            "capacity": self._capacity,
            "recent": list(self._recent),
            "mean_return": self.mean_return,
        }
        arrays = {f"demos/{name}": array for name, array in self.replay.save().items()}
        return facts, arrays

    @classmethod
    def load(
        cls,
        facts: Mapping[str, Any],
        arrays: Mapping[str, NDArray[np.generic]],
        config: DQNConfig,
        imitation: ImitationConfig,
        spaces: Spaces,
    ) -> "Demonstrated":
        """Make one from what `save` returned."""
        kept = cls(config, imitation, int(facts["capacity"]), spaces)
        kept.replay.load(under(arrays, "demos/"))
        kept._recent.extend(float(value) for value in facts["recent"])
        kept.mean_return = float(facts["mean_return"])
        return kept


def joined(one: Sample, other: Sample) -> Sample:
    """Return two samples as one, `one` first; its indices are of two replays."""
    names = [entry.name for entry in fields(Sample)]
    return Sample(*(np.concatenate([getattr(one, name), getattr(other, name)]) for name in names))
