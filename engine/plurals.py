"""Write a number with its noun."""


def counted(number: int, noun: str) -> str:
    """Return e.g. "1 step" or "2,000 steps"; `noun` is the singular of one that takes an s."""
    return f"{number:,} {noun}{'s' * (number != 1)}"
