"""The game's name in large letters: strokes of a round pen, with colours that run down."""

from __future__ import annotations

from collections.abc import Sequence

from ..sources import shapes
from .canvas import Canvas

Stroke = tuple[tuple[float, float], ...]
Mask = frozenset[tuple[int, int]]

# Strokes in a box of 1 x 1, and the letter's width for a height of 1.
LETTERS: dict[str, tuple[float, tuple[Stroke, ...]]] = {
    "M": (0.9, (((0, 1), (0, 0)), ((0, 0), (0.5, 0.62)), ((0.5, 0.62), (1, 0)), ((1, 0), (1, 1)))),
    "O": (0.85, (((0.5, 0), (0.05, 0.25), (0.05, 0.75), (0.5, 1), (0.95, 0.75), (0.95, 0.25),
                  (0.5, 0)),)),
    "S": (0.7, (((0.95, 0.14), (0.55, 0), (0.08, 0.16), (0.2, 0.42), (0.8, 0.58), (0.95, 0.84),
                 (0.5, 1), (0.03, 0.86)),)),
    "L": (0.6, (((0, 0), (0, 1)), ((0, 1), (1, 1)))),
    "I": (0.05, (((0.5, 0), (0.5, 1)),)),
    "G": (0.8, (((0.95, 0.16), (0.55, 0), (0.08, 0.25), (0.08, 0.75), (0.5, 1), (0.95, 0.84)),
                ((0.95, 0.84), (0.95, 0.55)), ((0.95, 0.55), (0.6, 0.55)))),
    "H": (0.7, (((0, 0), (0, 1)), ((1, 0), (1, 1)), ((0, 0.5), (1, 0.5)))),
    "T": (0.75, (((0, 0), (1, 0)), ((0.5, 0), (0.5, 1)))),
    "A": (0.85, (((0, 1), (0.5, 0)), ((0.5, 0), (1, 1)), ((0.2, 0.66), (0.8, 0.66)))),
    "D": (0.75, (((0, 0), (0, 1)), ((0, 0), (0.55, 0), (1, 0.3), (1, 0.7), (0.55, 1), (0, 1)))),
    "V": (0.85, (((0, 0), (0.5, 1)), ((0.5, 1), (1, 0)))),
    "N": (0.75, (((0, 1), (0, 0)), ((0, 0), (1, 1)), ((1, 1), (1, 0)))),
    "C": (0.75, (((0.95, 0.16), (0.55, 0), (0.08, 0.25), (0.08, 0.75), (0.5, 1), (0.95, 0.84)),)),
    "E": (0.62, (((1, 0), (0, 0)), ((0, 0), (0, 1)), ((0, 0.5), (0.85, 0.5)), ((0, 1), (1, 1)))),
}  # fmt: skip


def word(
    text: str, centre: float, top: float, height: float, pen: float, gap: float
) -> tuple[Mask, float, float]:
    """Return the pixels of a word, and where it begins and ends.

    Args:
        text: Of LETTERS.
        centre: The middle of the word, across.
        top: Where the strokes' middle begins.
        height: Of the strokes' middle, in pixels.
        pen: Radius of the strokes.
        gap: Pixels between letters.
    """
    widths = [LETTERS[letter][0] * height for letter in text]
    space = gap + 2 * pen
    left = start = centre - (sum(widths) + space * (len(text) - 1)) / 2
    mask: set[tuple[int, int]] = set()
    for letter, wide in zip(text, widths, strict=True):
        for stroke in LETTERS[letter][1]:
            points = ((left + x * wide, top + y * height, pen) for x, y in stroke)
            mask |= shapes.tube(*points)
        left += wide + space
    return frozenset(mask), start - pen, left - space + pen


def grown(mask: Mask, steps: int) -> Mask:
    """Return a mask with a margin."""
    found = set(mask)
    for step in range(steps):
        diagonal = step % 2 == 1
        for x, y in tuple(found):
            found |= {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)}
            if diagonal:
                found |= {(x + 1, y + 1), (x - 1, y + 1), (x + 1, y - 1), (x - 1, y - 1)}
    return frozenset(found)


def paint(
    canvas: Canvas, mask: Mask, colours: Sequence[int], rim: int, depth_colour: int, depth: int
) -> None:
    """Paint a word: a body below it, a rim around it, colours from top to bottom, a light edge.

    Args:
        canvas: Takes it.
        mask: The word.
        colours: From top to bottom; the last one is the light edge's.
        rim: The rim's colour.
        depth_colour: Of the body below.
        depth: Its pixels.
    """
    outer = grown(mask, 2)
    for down in range(depth, -1, -1):
        for x, y in outer:
            canvas.put(x, y + down, depth_colour if down else rim)
    first = min(y for _, y in mask)
    tall = max(y for _, y in mask) - first + 1
    *body, edge = colours
    for x, y in mask:
        is_edge = (x, y - 1) not in mask or ((x - 1, y) not in mask and (x - 1, y - 1) not in mask)
        canvas.put(x, y, edge if is_edge else body[(y - first) * len(body) // tall])
