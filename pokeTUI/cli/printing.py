"""Print for a terminal: the only place of the command line that does.

Names of runs, files and keys may come from elsewhere, and a terminal obeys control characters; they
are shown, never sent.
"""

import sys


def say(text: str = "", *, end: str = "\n") -> None:
    """Print lines to standard output."""
    print(visible(text), end=end, flush=True)


def complain(text: str) -> None:
    """Print a line to standard error."""
    print(visible(text), file=sys.stderr, flush=True)


def visible(text: str) -> str:
    r"""Return `text` with everything but printable characters and line ends escaped: \x1b."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode()
