"""Assign decisions to sources by their shares, so exactly that chance has no part in it."""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.agents.base import Guidance
from engine.env.batch import Batch

FloatRows = NDArray[np.float64]

_TINY = 1e-9


class ExactShares:
    """Choose among sources, in each row for itself, so that everyone has its share at any time.

    After n choices with the same shares a source was chosen less than once more or less often than
    n times its share (Tijdeman 1980, the chairman assignment problem); where shares change, credit
    is kept. It assigns decisions, and blocks of them (`engine.agents.takeover`), and may assign who
    sets a goal. Rows are environments, for example.
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
        # Soonest deadline first, among those who do not get too far ahead by it.
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

    The planner's share (0 to 1) of a fixed strategy holds however sure the policy is. `shares` has
    a row an environment, of planner and policy.
    """
    is_advised = (batch.prior * batch.mask).max(1) > 0
    chosen = shares.choose((share, 1 - share), is_advised)
    return dataclasses.replace(guidance, is_planners=chosen == 0, needed_confidence=math.inf)
