"""Write a number with its noun."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return e.g. "1 step" or "2,000 steps"; `plural` is for nouns that take more than an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
