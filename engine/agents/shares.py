"""Assign decisions to sources by exact shares rather than at random."""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.agents.base import Guidance
from engine.agents.rollout import FloatArray
from engine.config import TakeoverConfig
from engine.env.batch import Batch

FloatRows = NDArray[np.float64]

_TINY = 1e-9
_PLANNER = 0


class ExactShares:
    """Choose among sources, in each row separately, so that each has its share at any time.

    After n choices with the same shares, the number of a source's choices differs by less than one
    from n times its share (Tijdeman 1980, the chairman assignment problem); where shares change,
    credit is kept. It assigns decisions, blocks of them (`Takeovers`), or who sets a goal. Rows
    are environments, for example.
    """

    def __init__(self, num_rows: int, num_sources: int) -> None:
        self._credit: FloatRows = np.zeros((num_rows, num_sources))
        self._spare = 1 / max(1, 2 * num_sources - 2)

    def choose(self, shares: Sequence[float], rows: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return a source (rows,) wherever a choice is due by `rows` (rows,), -1 elsewhere.

        The shares of all sources sum to 1.
        """
        chosen = np.full(len(self._credit), -1, np.int64)
        portions = np.asarray(shares, np.float64)
        credit = self._credit[rows] + portions
        # Earliest deadline first, among the sources that do not get too far ahead by it.
        deadlines = (1 - self._spare - credit) / np.maximum(portions, _TINY)
        is_early = credit < self._spare - _TINY
        best = np.where(portions > 0, deadlines + is_early / _TINY, np.inf).argmin(1)
        credit[np.arange(len(credit)), best] -= 1
        self._credit[rows] = credit
        chosen[rows] = best
        return chosen

    def save(self) -> FloatRows:
        """Return the credit (rows, sources)."""
        return self._credit.copy()

    def load(self, saved: FloatRows) -> None:
        """Restore the state that `save` returned."""
        self._credit[:] = saved


def assign_decisions(
    shares: ExactShares, share: float, batch: Batch, guidance: Guidance
) -> Guidance:
    """Return `guidance` with each decision assigned to planner or policy, where there is advice.

    The planner's `share` (0 to 1) of a fixed strategy holds however sure the policy is. `shares`
    has a row for each environment, with planner and policy.
    """
    is_advised = ((batch.prior * batch.mask).max(1) > 0) & ~np.asarray(guidance.is_alone)
    chosen = shares.choose((share, 1 - share), is_advised)
    return dataclasses.replace(guidance, is_planners=chosen == 0, needed_confidence=math.inf)


class Takeovers:
    """Decide in each environment whether the planner's action is taken as it is.

    Where share * c_planner > (1 - share) * c_policy + margin, the next `length` decisions are
    assigned to one of the two, the planner having exactly `config.share` of its share: the policy
    needs most decisions for itself, for it learns what to do from no others. A takeover lasts its
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
        """Return (envs,) how many decisions in a row, from this one on, are the planner's.

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
