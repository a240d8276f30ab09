"""Decode the game's text (pret/pokeemerald's charmap)."""

from collections.abc import Iterator

from engine.games.emerald.symbols import FACTS
from engine.games.facts import read_rows

END = 0xFF
CHARMAP = {int(row["code"], 16): row["text"] for row in read_rows(FACTS, "charmap")}
"""Character code -> text; what has none is no letter."""

_SCROLL, _NEW_PAGE, _CONTROL, _NEW_LINE = 0xFA, 0xFB, 0xFC, 0xFE
_WITH_ARGUMENT = frozenset({0xF7, 0xF8, 0xF9, 0xFD})
"""Pieces of other texts, pictures of keys and symbols: the byte after says which."""
_CONTROL_SIZES = bytes((0, 1, 1, 1, 3, 1, 1, 0, 1, 0, 0, 2, 1, 1, 1, 0, 2, 1, 1, 1, 1, 0, 0, 0, 0))
"""Bytes that follow a control code, by its number (GetExtCtrlCodeLength)."""
_BOX_LINES = 2
_LETTERS = [CHARMAP.get(code, " ") for code in range(256)]


def decode(raw: bytes) -> str:
    """Return a name or the like: what comes before 0xFF, lines and pages joined by spaces."""
    return " ".join(line for page in _pages(raw) for line in page).strip()


def shown_lines(raw: bytes) -> tuple[str, ...]:
    """Return the lines that a text box shows once `raw` was printed: the last two of a page.

    Args:
        raw: The text up to where it is printed, or all of it.
    """
    *_, page = _pages(raw)
    return tuple(line for line in (each.strip() for each in page[-_BOX_LINES:]) if line)


def _pages(raw: bytes) -> Iterator[list[str]]:
    """Yield the pages of a text, each as its lines."""
    page: list[str] = []
    line: list[str] = []
    at, size = 0, len(raw)
    while at < size and raw[at] != END:
        code = raw[at]
        at += 1
        if code in (_NEW_LINE, _SCROLL):
            page.append("".join(line))
            line = []
        elif code == _NEW_PAGE:
            yield [*page, "".join(line)]
            page, line = [], []
        elif code == _CONTROL:
            number = raw[at] if at < size else 0
            at += 1 + (_CONTROL_SIZES[number] if number < len(_CONTROL_SIZES) else 0)
        elif code in _WITH_ARGUMENT:
            at += 1
        else:
            line.append(_LETTERS[code])
    yield [*page, "".join(line)]
