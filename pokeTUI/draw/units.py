"""Read and write durations and sizes as people do, and estimate remaining times."""

import math
import re
import time
from collections.abc import Callable

from engine.errors import ConfigurationError
from engine.ground.numerals import is_number
from pokeTUI.draw.lines import clock as as_clock

_SECONDS = (3600.0, 60.0, 1.0)
_DURATION = re.compile(
    r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s?)?", re.ASCII
)


def seconds(text: str, name: str) -> float:
    """Return the seconds of 90, 90s, 5m, 1m30s or 1h, 0 for ""; `name` is for the error.

    Raises:
        ConfigurationError: It is no time.
    """
    match = _DURATION.fullmatch("".join(text.split()))
    units = zip(match.groups(), _SECONDS, strict=True) if match is not None else ()
    found = sum((float(part) * unit for part, unit in units if part), 0.0)
    if match is None or not is_number(found):
        raise ConfigurationError(
            f"{name} {text:.40}: invalid duration.", "Use e.g. 90s, 5m, 1m30s or 1h."
        )
    return found


def duration_text(seconds: float) -> str:
    """Return a time in its two largest units."""
    if math.isnan(seconds):
        return "–"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = ((days, "d"), (hours, "h"), (minutes, "m"), (rest, "s"))
    first = next((at for at, (count, _) in enumerate(parts) if count), 3)
    return " ".join(f"{count}{unit}" for count, unit in parts[first : first + 2])


def size_text(size: float) -> str:
    """Return a number of bytes as people write it."""
    for unit in ("B", "kB", "MB"):
        if size < 999.5:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GB"


# Say how long a piece of work will still take.

_SURE_S = 1.0
"""Time for which work is observed before an estimate is given."""


class TimeLeft:
    """Estimates the remaining time of a piece of work from its progress."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._what = ""
        self._since = (0.0, 0.0)

    def text(self, what: str, done: float, total: float) -> str:
        """Return how long `what` will still take, e.g. "0:00:12 left"; "" while that is unknown."""
        now = self._clock()
        if what != self._what or done < self._since[1]:
            self._what, self._since = what, (now, done)
        began_s, began_at = self._since
        if total <= 0 or done <= began_at or now - began_s < _SURE_S:
            return ""
        rate = (done - began_at) / (now - began_s)
        return f"{as_clock(max(0.0, total - done) / rate)} left"
