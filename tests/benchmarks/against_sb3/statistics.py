"""Interquartile means and their bootstrap intervals (Agarwal et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

DRAWS = 5_000
_TAILS = (2.5, 97.5)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.1f} [{self.low:.1f}, {self.high:.1f}]"


def interquartile_mean(values: FloatArray) -> FloatArray:
    """Return the mean of the middle half of the last axis; of n, floor(n / 4) continue either
    side."""
    count = values.shape[-1]
    cut = count // 4
    middle: FloatArray = np.sort(values, -1)[..., cut : count - cut].mean(-1)
    return middle


def resampled(returns: FloatArray, rng: np.random.Generator, draws: int = DRAWS) -> FloatArray:
    """Return interquartile means (draws,) of runs drawn anew, and of episodes within each.

    Episodes of one run are alike, so runs are drawn first: to draw from all episodes would make
    five seeds look like a hundred.

    Args:
        returns: (runs, episodes).
        rng: Source of randomness.
        draws: How many.
    """
    runs, episodes = returns.shape
    run = rng.integers(runs, size=(draws, runs, 1))
    episode = rng.integers(episodes, size=(draws, runs, episodes))
    return interquartile_mean(returns[run, episode].reshape(draws, -1))


def estimate(returns: FloatArray, rng: np.random.Generator) -> Estimate:
    """Return the interquartile mean of returns (runs, episodes)."""
    low, high = np.percentile(resampled(returns, rng), _TAILS)
    return Estimate(float(interquartile_mean(returns.ravel())), float(low), float(high))


def difference(ours: FloatArray, theirs: FloatArray, rng: np.random.Generator) -> Estimate:
    """Return by how much our interquartile mean is above theirs; (runs, episodes) each."""
    gap = interquartile_mean(ours.ravel()) - interquartile_mean(theirs.ravel())
    low, high = np.percentile(resampled(ours, rng) - resampled(theirs, rng), _TAILS)
    return Estimate(float(gap), float(low), float(high))
