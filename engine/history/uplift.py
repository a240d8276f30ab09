"""Tell what a planner is worth: its followed goals against those ignored at random."""

import math
from dataclasses import dataclass

from engine.history.patterns import success_interval


@dataclass(frozen=True, slots=True)
class Uplift:
    """How often progress was made with a planner's goals, and without them.

    Which goals are ignored is drawn at random, so nothing else differs between the two.

    Attributes:
        followed: Goals evaluated that were followed; `followed_progress` of them made progress. All
            are fractions where old evidence fades.
        ignored: Goals evaluated that were ignored; `ignored_progress` of them made progress.
    """

    followed: float = 0
    followed_progress: float = 0
    ignored: float = 0
    ignored_progress: float = 0

    @property
    def value(self) -> float:
        """Return the difference of the shares, -1 to 1; nan before both have happened."""
        if not self.followed or not self.ignored:
            return math.nan
        return self.followed_progress / self.followed - self.ignored_progress / self.ignored

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the difference; (nan, nan) before both have happened.

        Newcombe's, of two Wilson intervals (Statistics in Medicine 17, 1998, method 10).
        """
        value = self.value
        if math.isnan(value):
            return math.nan, math.nan
        rate, other = self.followed_progress / self.followed, self.ignored_progress / self.ignored
        low, high = success_interval(self.followed_progress, self.followed)
        other_low, other_high = success_interval(self.ignored_progress, self.ignored)
        return (
            value - math.hypot(rate - low, other_high - other),
            value + math.hypot(high - rate, other - other_low),
        )

    def chance_above(self, least: float) -> float:
        """Return how likely the difference is more than `least`, 0 to 1.

        By Beta(1, 1) priors of both shares, and a normal distribution of the difference.
        """
        mean, variance = _beta(self.followed_progress, self.followed)
        other_mean, other_variance = _beta(self.ignored_progress, self.ignored)
        deviation = math.sqrt(variance + other_variance)
        return 0.5 * (1 + math.erf((mean - other_mean - least) / (deviation * math.sqrt(2))))

    def faded(self, share: float) -> "Uplift":
        """Return it with only a share of its evidence left."""
        return Uplift(
            self.followed * share,
            self.followed_progress * share,
            self.ignored * share,
            self.ignored_progress * share,
        )

    def plus(self, *, is_control: bool, made_progress: bool, count: int = 1) -> "Uplift":
        """Return it with more goals of one sort."""
        progress = count if made_progress else 0
        if is_control:
            return Uplift(
                self.followed,
                self.followed_progress,
                self.ignored + count,
                self.ignored_progress + progress,
            )
        return Uplift(
            self.followed + count,
            self.followed_progress + progress,
            self.ignored,
            self.ignored_progress,
        )


def _beta(successes: float, count: float) -> tuple[float, float]:
    """Return mean and variance of a share, of which a Beta(1, 1) was known before."""
    mean = (successes + 1) / (count + 2)
    return mean, mean * (1 - mean) / (count + 3)
