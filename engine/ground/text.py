"""Write what people read: counts, and text of unknown origin made safe to show and to log."""

import logging
from typing import Any

# A terminal obeys control characters, and shows text otherwise than it is where invisible or
# direction-changing ones are in it. None of these is printable in Unicode's sense, nor is what
# stands for an undecodable byte of a file's name.


def printable(text: str) -> str:
    """Return text of the same length with a space for whatever is not printable: for a screen."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else " " for char in text)


def visible(text: str) -> str:
    r"""Return one line with whatever is not printable escaped, as \x1b or \n: for a record."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode()
        for char in text
    )


def one_line(text: str, longest: int) -> str:
    """Return the text as a line of bounded length without characters that are not printable."""
    line = " ".join(printable(text[: 4 * longest]).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def printable_lines(text: str) -> str:
    """Return the text with its lines, without characters that are not printable."""
    return "\n".join(printable(line).rstrip() for line in text.split("\n"))


class VisibleFormatter(logging.Formatter):
    """Escapes what a terminal would obey: logs are read in one, and quote names and answers."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's name)
        """Return a record's first line, escaped."""
        return visible(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802 (logging's name)
        """Return a traceback, each line escaped."""
        return "\n".join(map(visible, super().formatException(ei).split("\n")))


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return e.g. "1 step" or "2,000 steps"; `plural` is for nouns that take more than an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
