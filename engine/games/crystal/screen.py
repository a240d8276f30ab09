"""Read the text boxes on the screen from the tile map."""

from engine.games.crystal.symbols import FACTS
from engine.games.facts import read_rows

CHARMAP = {int(row["code"], 16): row["text"] for row in read_rows(FACTS, "charmap")}
"""Character code -> text."""
WIDTH, HEIGHT = 20, 18
_CORNER, _RIGHT_CORNER, _SIDE = 0x79, 0x7B, 0x7C
_LOWER_CORNER = 0x7D
_BORDERS = frozenset(range(0x79, 0x7F))
_TEXT_BOX_TOP, _TEXT_BOX_BOTTOM = 12 * WIDTH, 17 * WIDTH

# Map tiles and pictures have no text; borders are left out of lines.
_LETTERS = [" " if code in _BORDERS else CHARMAP.get(code, " ") for code in range(256)]


def has_text_box(tilemap: bytes) -> bool:
    """Return whether the text box at rows 12-17 is shown (wTilemap C4A0, 360 bytes)."""
    return tilemap[_TEXT_BOX_TOP] == _CORNER and tilemap[_TEXT_BOX_BOTTOM] == _LOWER_CORNER


def box_lines(tilemap: bytes) -> tuple[str, ...]:
    """Return the lines inside boxes from top to bottom, without empty ones.

    Pictures decode as letters too, so only what lies between two vertical borders of boxes is
    read; what lies between two boxes side by side is in neither.
    """
    if _CORNER not in tilemap:
        return ()
    lines = []
    for start in range(0, WIDTH * HEIGHT, WIDTH):
        row = tilemap[start : start + WIDTH]
        left = row.find(_SIDE)
        while left >= 0:
            right = row.find(_SIDE, left + 1)
            if right < 0:
                break
            text = "".join([_LETTERS[code] for code in row[left + 1 : right]]).strip()
            if text and not _is_between(tilemap, start + left, start + right):
                lines.append(text)
            left = right
    return tuple(lines)


def _is_between(tilemap: bytes, left: int, right: int) -> bool:
    """Return whether one box ends at the cell `left` and another begins at the cell `right`.

    The top of a side may be hidden by another box; then it can be either side.
    """
    return _top(tilemap, left) == _RIGHT_CORNER and _top(tilemap, right) == _CORNER


def _top(tilemap: bytes, cell: int) -> int:
    """Return the code above the vertical border that goes through `cell`."""
    while cell >= 0 and tilemap[cell] == _SIDE:
        cell -= WIDTH
    return tilemap[cell] if cell >= 0 else 0
