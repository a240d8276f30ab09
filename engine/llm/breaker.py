"""Leave a failing server alone for a while, longer each time, and try it again forever."""

import random
import time
from collections.abc import Callable

_FAILURES = 3
_COOLDOWN_S = 5.0
_LONGEST_S = 300.0
_JITTER = 0.2
_MOST_DOUBLINGS = 32
"""Far beyond the longest wait, and 2 to its power is still a sane number."""


class Breaker:
    """A circuit breaker: closed, open for a while, half-open for one question.

    Three failures in a row open it, one that is permanent does at once. Then nothing is asked for
    5 s * 2^k, 20 % more or less and at most 300 s, or what `fail` says; k counts the openings since
    the last success. `rng` draws the jitter: many runs must not come back to one server in step.
    """

    def __init__(
        self,
        rng: random.Random,
        clock: Callable[[], float] = time.monotonic,
        *,
        cooldown_s: float = _COOLDOWN_S,
    ) -> None:
        self._rng = rng
        self._clock = clock
        self._cooldown_s = cooldown_s
        self._failures = 0
        self._openings = 0
        self._until: float | None = None
        self._is_on_trial = False

    @property
    def retry_in_s(self) -> float:
        """Return how long nothing may be asked; 0 if something may be, or is on trial."""
        return 0.0 if self._until is None else max(0.0, self._until - self._clock())

    @property
    def is_open(self) -> bool:
        """Return whether nothing may be asked: not yet, or a question is on trial."""
        return self.retry_in_s > 0 or self._is_on_trial

    def admit(self) -> bool:
        """Return whether a question may be sent now; after an opening it is one on trial.

        `succeed`, `fail` or `abandon` has to follow: only then another may be sent.
        """
        if self.is_open:
            return False
        self._is_on_trial = self._until is not None
        return True

    def succeed(self) -> None:
        """Close, and forget all failures."""
        self._failures = self._openings = 0
        self._until = None
        self._is_on_trial = False

    def fail(self, *, is_permanent: bool = False, longest_s: float = _LONGEST_S) -> None:
        """Count a failure, which opens the breaker at once if it is permanent.

        One while it is open adds nothing.
        """
        if self.retry_in_s > 0:
            return
        self._failures += 1
        if is_permanent or self._until is not None or self._failures >= _FAILURES:
            wait_s = min(longest_s, self._cooldown_s * 2 ** min(self._openings, _MOST_DOUBLINGS))
            jitter = self._rng.uniform(1 - _JITTER, 1 + _JITTER)
            # Many short waits are no reason for a long one after the first failure that costs more.
            self._openings += wait_s < longest_s
            self._until = self._clock() + min(longest_s, wait_s * jitter)
            self._is_on_trial = False

    def abandon(self) -> None:
        """Forget a question that will have no outcome: another may be sent in its place."""
        self._is_on_trial = False
