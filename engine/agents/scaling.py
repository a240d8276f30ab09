"""Scale rewards to the size that a critic learns well."""

import numpy as np
from numpy.typing import NDArray

from engine.agents.rollout import FloatArray

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
        """Return what rewards are divided by, once there were some."""
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
