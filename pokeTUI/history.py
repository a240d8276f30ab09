"""Keep the learning curve of a run of any length in bounded memory."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MAX_POINTS = 2048
SUCCESS_WINDOW = 30


@dataclass(frozen=True, slots=True)
class EpisodeHistory:
    """Returns and successes by episode; neighbours are merged when there are too many points.

    Attributes:
        count: Episodes so far.
        stride: Episodes a point of the curve stands for, a power of two.
        returns: Mean return of each point.
        success_rates: Share of successes over the last 30 episodes, at each point.
        recent: (return, success) of the last 30 episodes.
    """

    count: int = 0
    stride: int = 1
    returns: tuple[float, ...] = ()
    success_rates: tuple[float, ...] = ()
    recent: tuple[tuple[float, bool], ...] = ()
    pending: tuple[float, ...] = ()
    """Returns of the point that is not complete yet."""

    def add(self, episode_return: float, is_success: bool) -> "EpisodeHistory":
        """Return the history with one more episode."""
        recent = (*self.recent[-SUCCESS_WINDOW + 1 :], (episode_return, is_success))
        pending = (*self.pending, episode_return)
        returns, rates, stride = self.returns, self.success_rates, self.stride
        if len(pending) == stride:
            returns = (*returns, sum(pending) / stride)
            rates = (*rates, _rate(recent))
            pending = ()
        if len(returns) > MAX_POINTS:
            returns = tuple(_halve(np.array(returns[:MAX_POINTS])).tolist()) + returns[MAX_POINTS:]
            rates = rates[1:MAX_POINTS:2] + rates[MAX_POINTS:]
            # The last point stands for half a new stride: it waits for its other half.
            pending, returns, rates = (returns[-1],) * stride, returns[:-1], rates[:-1]
            stride *= 2
        return EpisodeHistory(self.count + 1, stride, returns, rates, recent, pending)

    @property
    def success_rate(self) -> float:
        """Share of successes over the last 30 episodes, 0 before the first."""
        return _rate(self.recent)

    @property
    def mean_return(self) -> float:
        """Mean return of the last 30 episodes, 0 before the first."""
        if not self.recent:
            return 0.0
        return sum(value for value, _ in self.recent) / len(self.recent)

    def smooth_returns(self) -> NDArray[np.float64]:
        """Return the curve as the mean over up to 30 episodes before each point."""
        values = np.array(self.returns, np.float64)
        window = max(1, min(SUCCESS_WINDOW // self.stride, 1 + len(values) // 4))
        if window == 1 or not len(values):
            return values
        sums = np.concatenate([[0.0], np.cumsum(values)])
        ends = np.arange(1, len(values) + 1)
        starts = np.maximum(0, ends - window)
        return np.asarray((sums[ends] - sums[starts]) / (ends - starts))


def _rate(recent: tuple[tuple[float, bool], ...]) -> float:
    return sum(is_success for _, is_success in recent) / len(recent) if recent else 0.0


def _halve(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((values[0::2] + values[1::2]) / 2)
