"""Read and write durations and sizes as people do."""

import math
import re

from engine.errors import ConfigurationError
from engine.numerals import is_number

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
