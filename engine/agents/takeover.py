"""Let the planner take whole runs of decisions over, where it is clearly the surer one."""

import numpy as np
from numpy.typing import NDArray

from engine.agents.rollout import FloatArray
from engine.agents.shares import ExactShares
from engine.config import TakeoverConfig

_PLANNER = 0


class Takeovers:
    """Decide in each environment whether the planner's action is taken as it is.

    Where share * c_planner > (1 - share) * c_policy + margin, the next `length` decisions are
    assigned to one of the two, the planner having exactly `config.share` of its share: the policy
    needs most decisions for its own, for it learns from no others what to do. A takeover lasts its
    length whatever the confidences do; it ends early with the episode, without advice, or when
    somebody else acts.
    """

    def __init__(self, config: TakeoverConfig, num_envs: int) -> None:
        self._config = config
        self._shares = ExactShares(num_envs, 2)
        self._left = np.zeros(num_envs, np.int64)
        self._is_planners = np.zeros(num_envs, np.bool_)

    def next(
        self,
        share: float,
        c_planner: FloatArray,
        c_policy: FloatArray,
        is_advised: NDArray[np.bool_],
    ) -> NDArray[np.int64]:
        """Return (envs,) how many decisions the planner takes from this one on; 0: none.

        Args:
            share: The planner's.
            c_planner: (envs,) calibrated confidence of the advice.
            c_policy: (envs,) of the policy.
            is_advised: (envs,) whether the planner has a valid action.
        """
        if not self._config.length:
            return np.zeros_like(self._left)
        self._left[self._is_planners & ~is_advised] = 0
        is_surer = share * c_planner > (1 - share) * c_policy + self._config.margin
        begins = (self._left == 0) & is_surer & is_advised
        portion = self._config.share * share
        self._is_planners[self._left == 0] = False
        self._is_planners[begins] = (
            self._shares.choose((portion, 1 - portion), begins)[begins] == _PLANNER
        )
        self._left[begins] = self._config.length
        led = np.where(self._is_planners, self._left, 0)
        self._left = np.maximum(self._left - 1, 0)
        return led

    def end(self, rows: NDArray[np.bool_] | int) -> None:
        """Begin anew in these environments."""
        self._left[rows] = 0

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return arrays from which `load` continues."""
        return {
            "owed": self._shares.save(),
            "left": self._left.copy(),
            "is_planners": self._is_planners.copy(),
        }

    def load(self, arrays: dict[str, NDArray[np.generic]]) -> None:
        """Restore the state that `save` returned."""
        self._shares.load(np.asarray(arrays["owed"], np.float64))
        self._left[:] = arrays["left"]
        self._is_planners[:] = arrays["is_planners"]
