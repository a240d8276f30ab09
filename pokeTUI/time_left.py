"""Say how long a piece of work will still take."""

import time
from collections.abc import Callable

from pokeTUI.rendering.lines import clock as as_clock

_SURE_S = 1.0
"""So long it is watched before anything is said."""


class TimeLeft:
    """Watches work continue, and works out how long it will still take."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._what = ""
        self._since = (0.0, 0.0)

    def text(self, what: str, done: float, total: float) -> str:
        """Return how long `what` will still take, e.g. "0:00:12 left"; "" while nobody can tell."""
        now = self._clock()
        if what != self._what or done < self._since[1]:
            self._what, self._since = what, (now, done)
        began_s, began_at = self._since
        if total <= 0 or done <= began_at or now - began_s < _SURE_S:
            return ""
        rate = (done - began_at) / (now - began_s)
        return f"{as_clock(max(0.0, total - done) / rate)} left"
