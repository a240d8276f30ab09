"""The program's name in large letters, drawn with half blocks."""

from pokeTUI.rendering.lines import Line
from pokeTUI.theme import Ink
from pokeTUI.widgets.lines_widget import LinesWidget

_LETTERS = {
    "P": ("#####.", "##..##", "##..##", "#####.", "##....", "##....", "##...."),
    "o": ("......", "......", ".####.", "##..##", "##..##", "##..##", ".####."),
    "k": ("##....", "##....", "##..##", "##.##.", "####..", "##.##.", "##..##"),
    "e": ("......", "......", ".####.", "##..##", "######", "##....", ".#####"),
    "T": ("######", "..##..", "..##..", "..##..", "..##..", "..##..", "..##.."),
    "U": ("##..##", "##..##", "##..##", "##..##", "##..##", "##..##", ".####."),
    "I": ("####", ".##.", ".##.", ".##.", ".##.", ".##.", "####"),
}
_NAME = (("Poke", Ink.accent), ("TUI", Ink.strong))
_ROWS = 7
_GAP = 2
_BLOCKS = {"..": " ", "#.": "▀", ".#": "▄", "##": "█"}
SMALL_ROWS, LARGE_ROWS = 4, 8
_SUBTITLE = "a cockpit for agents that play Pokémon"


class Title(LinesWidget):
    """The name in the middle, twice as large where there is room, and a line below it."""

    def draw(self, width: int, height: int) -> list[Line]:
        """Return the lines."""
        is_large = height > LARGE_ROWS
        letters = [(_LETTERS[letter], ink) for part, ink in _NAME for letter in part]
        total = sum(len(rows[0]) for rows, _ in letters) + _GAP * (len(letters) - 1)
        scale = 2 if is_large else 1
        indent = max(0, (width - total * scale) // 2)
        lines = []
        for row in range(LARGE_ROWS - 1 if is_large else SMALL_ROWS):
            line = Line(width).skip_to(indent)
            for rows, ink in letters:
                line.add(_large(rows, row) if is_large else _small(rows, row), ink)
                line.add(" " * _GAP * scale, ink)
            lines.append(line)
        lines += [Line(width)] * (height > len(lines) + 1)
        lines.append(
            Line(width).skip_to(max(0, (width - len(_SUBTITLE)) // 2)).add(_SUBTITLE, Ink.dim)
        )
        return lines[:height]


def _small(rows: tuple[str, ...], row: int) -> str:
    """Return a row of cells, each two pixels high."""
    upper = rows[2 * row]
    lower = rows[2 * row + 1] if 2 * row + 1 < _ROWS else "." * len(upper)
    return "".join(_BLOCKS[pair] for pair in map("".join, zip(upper, lower, strict=True)))


def _large(rows: tuple[str, ...], row: int) -> str:
    """Return a row of cells, two for each pixel."""
    return "".join("██" if pixel == "#" else "  " for pixel in rows[row])
