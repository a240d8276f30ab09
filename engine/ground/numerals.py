"""Say what a number from outside may be: of a file, a request, a command line.

It is finite, and no sum or square of such numbers leaves what a float can hold. As text it is
written in plain ASCII: Python's own `int` and `float` also take "1_000", " 1", "inf" and the digits
of any script, and give up at thousands of them.
"""

MAX_INT = 1 << 63
"""Whole numbers are smaller: they have 64 bits, with a sign."""
MAX_NUMBER = 1e15
"""Other numbers are not larger, with either sign."""
MAX_TIME = 2.0**33
"""Seconds since the epoch, beyond which no calendar goes everywhere."""
_MAX_LENGTH = 64


def is_number(value: float) -> bool:
    """Return whether a number may come from outside."""
    return abs(value) <= MAX_NUMBER


def parse_whole(text: str, least: int = 0, most: int = MAX_INT - 1) -> int:
    """Return a whole number of `least` (0 or more) to `most` that is written in digits alone.

    Raises:
        ValueError: It is none.
    """
    is_plain = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    if not is_plain or not least <= int(text) <= most:
        raise ValueError(f"not a whole number from {least:,} to {most:,}")
    return int(text)


def parse_number(text: str) -> float:
    """Return a number that is written in digits, with a point and an exponent if need be.

    Raises:
        ValueError: It is none, or too large.
    """
    if len(text) > _MAX_LENGTH or not set(text) <= set("0123456789.+-eE"):
        raise ValueError("not a number")
    if not is_number(value := float(text)):
        raise ValueError("a number is too large")
    return value
