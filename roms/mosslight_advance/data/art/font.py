"""The letters (for now those of the first practice game)."""

from __future__ import annotations

import sys
from pathlib import Path

import charset

sys.path.append(str(Path(__file__).resolve().parents[3] / "practice"))


def glyph(code: int) -> tuple[int, list[list[int]]]:
    """Return a letter's width and 12 rows of 8 pixels: 0 none, 1 ink, 2 shadow."""
    from art.font import FONT

    sign = next((s for s, c in charset.codes().items() if c == code), "")
    rows = [[0] * 8 for _ in range(12)]
    old = None
    if len(sign) == 1 and sign.isascii():
        for first, base in (("A", 0x80), ("a", 0xA0), ("0", 0xF6)):
            if 0 <= ord(sign) - ord(first) < (10 if first == "0" else 26):
                old = FONT[base + ord(sign) - ord(first)]
        extra = {".": 0xE8, ",": 0xF4, "!": 0xE7, "?": 0xE6, "'": 0xE0, "-": 0xE3, ":": 0x9C, "/": 0xF3}
        if sign in extra:
            old = FONT.get(extra[sign])
    if old is None:
        return (6 if sign else 0), rows
    for y, line in enumerate(old):
        for x, pixel in enumerate(line):
            if pixel not in ".":
                rows[y + 2][x - 1 if x else 0] = 1
    return 8, rows
