"""Read how long something shall take, as people write it."""

import re

from engine.errors import ConfigurationError

_SECONDS = (3600.0, 60.0, 1.0)
_DURATION = re.compile(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s?)?")


def seconds(text: str, name: str) -> float:
    """Return the seconds of 90, 90s, 5m, 1m30s or 1h, 0 for ""; `name` is for the error.

    Raises:
        ConfigurationError: It is no time.
    """
    match = _DURATION.fullmatch("".join(text.split()))
    if match is None:
        raise ConfigurationError(
            f"{name} {text}: invalid duration.", "Use e.g. 90s, 5m, 1m30s or 1h."
        )
    units = zip(match.groups(), _SECONDS, strict=True)
    return sum((float(part) * unit for part, unit in units if part), 0.0)
