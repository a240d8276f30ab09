"""Store what the environments experienced between two updates, and what it was worth."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from engine.types import Spaces

FloatArray = NDArray[np.float32]

_SAVED_AS: Mapping[str, str] = MappingProxyType({"is_on_policy": "is_own"})
"""Arrays with another name in checkpoints."""
_ADDED = frozenset({"priors", "sharpness", "teaching"})
"""Arrays that older checkpoints lack."""


class Rollout:
    """The last steps of all environments, time first; rows from `length` on are not written yet.

    A *boundary* is a step after which the environment's next row continues something else: an
    episode ended, or a person had control in between. `boundary_values` holds what the state
    after it was worth: 0 if the game was over, the critic's estimate otherwise.

    Attributes:
        features: (steps, envs, F).
        pixels: (steps, envs, *pixels_shape). Those of a Game Boy take 17 KB a step and environment:
            71 MB for 128 steps of 32 environments.
        memories: (steps, envs, M), what was remembered before the step; M may be 0.
        masks: (steps, envs, A), True where an action was valid.
        biases: (steps, envs, A), what the planner added to the logits.
        priors: (steps, envs, A), what it advised, followed or not, as a distribution over valid
            actions; all 0 without advice.
        actions: (steps, envs); so are all that follow.
        log_probs: Of the action, with mask and bias.
        is_on_policy: False where the action was not drawn from the policy.
        sharpness: What the logits were multiplied by: 1 over the temperature of drawing.
        teaching: How far the advice is learnt, 0 to 1; 0 where there is none.
        values: The critic's estimate before the step.
        length: Steps written.
    """

    def __init__(self, steps: int, num_envs: int, spaces: Spaces, *, memory_size: int = 0) -> None:
        shape = (steps, num_envs)
        self.features = np.zeros((*shape, spaces.feature_size), np.float32)
        self.pixels = np.zeros((*shape, *spaces.pixels_shape), np.uint8)
        self.memories = np.zeros((*shape, memory_size), np.float32)
        self.masks = np.zeros((*shape, spaces.num_actions), np.bool_)
        self.biases = np.zeros((*shape, spaces.num_actions), np.float32)
        self.priors = np.zeros((*shape, spaces.num_actions), np.float32)
        self.actions = np.zeros(shape, np.int64)
        self.log_probs = np.zeros(shape, np.float32)
        self.is_on_policy = np.zeros(shape, np.bool_)
        self.sharpness = np.ones(shape, np.float32)
        self.teaching = np.zeros(shape, np.float32)
        self.values = np.zeros(shape, np.float32)
        self.rewards = np.zeros(shape, np.float32)
        self.boundaries = np.zeros(shape, np.bool_)
        self.boundary_values = np.zeros(shape, np.float32)
        self.length = 0

    @property
    def is_full(self) -> bool:
        """Return whether an update is due."""
        return self.length == len(self.rewards)

    @property
    def starts(self) -> NDArray[np.bool_]:
        """Return (steps, envs) where the step before is a boundary; the first row is False."""
        return np.concatenate((np.zeros_like(self.boundaries[:1]), self.boundaries[:-1]))

    def truncate_trajectory(self, env_index: int, value: float) -> None:
        """Make the last step of an environment a boundary whose next state is worth `value`."""
        if self.length and not self.boundaries[self.length - 1, env_index]:
            self.boundaries[self.length - 1, env_index] = True
            self.boundary_values[self.length - 1, env_index] = value

    def advantages(self, last_values: FloatArray, gamma: float, gae_lambda: float) -> FloatArray:
        """Estimate advantages (steps, envs) by generalised advantage estimation.

        The last values (envs,) are those of the states after the last step.
        """
        result = np.zeros_like(self.rewards)
        running = np.zeros_like(last_values)
        following = last_values
        for step in reversed(range(self.length)):
            is_boundary = self.boundaries[step]
            next_values = np.where(is_boundary, self.boundary_values[step], following)
            delta = self.rewards[step] + gamma * next_values - self.values[step]
            running = delta + gamma * gae_lambda * np.where(is_boundary, 0.0, running)
            result[step] = running
            following = self.values[step]
        return result

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return the written rows by name, for a checkpoint."""
        return {name: array[: self.length] for name, array in self._arrays().items()}

    def load(self, arrays: dict[str, NDArray[np.generic]]) -> None:
        """Restore the state that `save` returned; in older checkpoints nothing was taught."""
        self.length = len(arrays["rewards"])
        for name, array in self._arrays().items():
            if name in arrays or name not in _ADDED:
                array[: self.length] = arrays[name]

    def _arrays(self) -> dict[str, NDArray[np.generic]]:
        every = vars(self).items()
        return {_SAVED_AS.get(name, name): array for name, array in every if name != "length"}


_EPSILON = 1e-8
_LIMIT = 10.0


class RewardScaler:
    """Divide rewards by the running standard deviation of the discounted return.

    The agent then learns the same whatever the unit of the rewards; what is shown to people is
    never scaled.
    """

    def __init__(self, num_envs: int, gamma: float) -> None:
        self.gamma = gamma
        self._returns = np.zeros(num_envs, np.float64)
        self._count = 0.0
        self._mean = 0.0
        self._spread = 0.0

    def scale(self, rewards: FloatArray, ended: NDArray[np.bool_]) -> FloatArray:
        """Take one step's rewards (envs,) into account and return them scaled."""
        self._returns = self._returns * self.gamma + rewards
        for value in self._returns:
            self._count += 1
            delta = value - self._mean
            self._mean += delta / self._count
            self._spread += delta * (value - self._mean)
        self._returns[ended] = 0.0
        scaled: FloatArray = np.clip(rewards / self.deviation, -_LIMIT, _LIMIT).astype(np.float32)
        return scaled

    @property
    def deviation(self) -> float:
        """Return what rewards are divided by; there must have been some."""
        return float(np.sqrt(self._spread / self._count + _EPSILON))

    def take_over(self, other: "RewardScaler") -> None:
        """Begin from what another one has seen, as if it had been seen here."""
        self._count, self._mean, self._spread = other._count, other._mean, other._spread

    def save(self) -> dict[str, NDArray[np.float64]]:
        """Return the running sums."""
        return {
            "returns": self._returns.copy(),
            "moments": np.array([self._count, self._mean, self._spread]),
        }

    def load(self, arrays: dict[str, NDArray[np.generic]]) -> None:
        """Restore the state that `save` returned."""
        self._returns = np.array(arrays["returns"], np.float64)
        self._count, self._mean, self._spread = (float(value) for value in arrays["moments"])
