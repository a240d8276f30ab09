"""Estimate how often something succeeds, of late."""

from collections.abc import Sequence
from dataclasses import dataclass

DECAY = 0.98
"""Share of the evidence that is left after another episode."""


@dataclass(slots=True)
class SuccessRate:
    """The mean of a Beta distribution that starts even, Beta(1, 1), and slowly goes back to it.

    Attributes:
        reached: Successes so far, decayed; may be fractions.
        failed: Failures likewise.
    """

    reached: float = 0.0
    failed: float = 0.0

    @property
    def mean(self) -> float:
        """Return the expected share of successes: 0.5 without evidence."""
        return (1.0 + self.reached) / (2.0 + self.reached + self.failed)

    def add(self, reached: float, failed: float) -> None:
        """Take in evidence."""
        self.reached += reached
        self.failed += failed

    def decay(self) -> None:
        """Let an episode pass."""
        self.reached *= DECAY
        self.failed *= DECAY

    def save(self) -> list[float]:
        """Return the evidence, JSON-able."""
        return [self.reached, self.failed]

    @classmethod
    def load(cls, saved: Sequence[float]) -> "SuccessRate":
        """Make one from what `save` returned."""
        return cls(float(saved[0]), float(saved[1]))
