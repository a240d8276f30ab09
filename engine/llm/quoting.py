"""Make text of unknown origin safe to show and to quote: one line, printable, of bounded length."""


def one_line(text: str, longest: int) -> str:
    """Return the text as a line without control, invisible or direction-changing characters."""
    shown = "".join(c if c.isprintable() else " " for c in text[: 4 * longest])
    line = " ".join(shown.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def printable_lines(text: str) -> str:
    """Return the text with its lines, without control or invisible characters."""
    return "\n".join(
        "".join(c if c.isprintable() else " " for c in line).rstrip() for line in text.split("\n")
    )
