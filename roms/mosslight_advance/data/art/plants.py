"""Grass, flowers and trees."""

from __future__ import annotations

from functools import cache

from .canvas import CLEAR, Canvas, noise
from .ramps import BARK, BLADES, GRASS, LEAVES, RED, WHITE, YELLOW

TREE_WIDTH, TREE_HEIGHT = 32, 42
SLIM_HEIGHT = 34

TUFTS = (
    ((3, 4), (11, 11)),
    ((10, 3), (4, 12)),
    (),
)
TUFT = """
..a...
d.a.d.
.dad..
"""

FLOWER = """
..1..
.121.
12321
.121.
..g..
.gGg.
"""

BLADE_TUFT = """
...4....
.4.34.4.
.3434343
32343432
.2233321
.1122211
..01110.
...000..
"""


@cache
def grass(variant: int) -> Canvas:
    """Return a cell of lawn; variants 0 and 1 have tufts, 2 is bare."""
    canvas = Canvas(16, 16, GRASS[2])
    for x, y in ((1, 9), (7, 2), (13, 6), (6, 14)):
        canvas.put(x, y, GRASS[3])
    colours = {"a": GRASS[3], "d": GRASS[1]}
    for x, y in TUFTS[variant]:
        canvas.blit(Canvas.from_text(TUFT, colours), x - 3, y - 1)
    return canvas


def lawn(x: int, y: int) -> Canvas:
    """Return the lawn of a place."""
    value = noise(x, y)
    return grass(0 if value < 70 else 1 if value < 140 else 2)


@cache
def flowers(colour: str, phase: int) -> Canvas:
    """Return flowers to lay over a lawn: "flower" is red, "flower_yellow" yellow; they sway."""
    petal = YELLOW if colour == "flower_yellow" else RED
    middle = RED if colour == "flower_yellow" else YELLOW
    colours = {"1": petal, "2": petal, "3": middle, "g": GRASS[0], "G": GRASS[1]}
    canvas = Canvas(16, 16)
    one = Canvas.from_text(FLOWER, colours)
    stem, head = one.cut(0, 4, 5, 2), one.cut(0, 0, 5, 4)
    for number, (x, y) in enumerate(((1, 0), (9, 4), (3, 9))):
        canvas.blit(stem, x, y + 4)
        x += (0, 1, 0, 0)[(phase + number) % 4]
        canvas.blit(head, x, y)
        canvas.put(x + 1, y + 1, WHITE)
    return canvas


@cache
def tall_grass() -> Canvas:
    """Return a cell of tall grass: tufts in two rows over dark lawn."""
    canvas = Canvas(16, 16, GRASS[1])
    for x, y in ((0, 0), (8, 0), (4, 8), (12, 8), (-4, 8)):
        canvas.blit(_tuft(), x, y)
    return canvas


@cache
def tall_grass_front() -> Canvas:
    """Return the blades that hide the feet of who stands in tall grass."""
    canvas = Canvas(16, 16)
    for x in (-4, 4, 12):
        canvas.blit(_tuft().cut(0, 1, 8, 7), x, 9)
    return canvas


def _tuft() -> Canvas:
    return Canvas.from_text(BLADE_TUFT, {str(n): BLADES[n] for n in range(5)})


def _clump(canvas: Canvas, cx: float, cy: float, radius: float, seed: int) -> None:
    """Draw a ball of leaves lit from the top left."""
    for y in range(int(cy - radius), int(cy + radius) + 2):
        for x in range(int(cx - radius), int(cx + radius) + 2):
            u, v = (x + 0.5 - cx) / radius, (y + 0.5 - cy) / radius
            if u * u + v * v > 1:
                continue
            light = 3.0 - 1.5 * u - 1.9 * v
            light += (noise(x // 2, y // 2, seed) - 128) / 150
            light += (noise(x, y, seed + 1) - 128) / 300
            canvas.put(x, y, LEAVES[min(max(int(light), 1), 5)])


CLUMPS = (
    (16, 12, 9.5), (8, 19, 8), (24, 19, 8), (16, 21, 10), (9, 27, 7.5), (23, 27, 7.5), (16, 29, 8),
)  # fmt: skip


@cache
def tree() -> Canvas:
    """Return a broad tree that stands on two by two cells; its crown rises above them."""
    canvas = Canvas(TREE_WIDTH, TREE_HEIGHT)
    canvas.ellipse(16, 38.5, 13, 3.4, GRASS[0])
    for x, colour in zip(range(12, 20), (0, 1, 1, 2, 2, 1, 0, 0), strict=True):
        canvas.box(x, 30, 1, 9, BARK[colour])
    canvas.box(10, 38, 3, 1, BARK[0])
    canvas.box(11, 37, 2, 1, BARK[1])
    canvas.box(19, 38, 3, 1, BARK[0])
    crown = Canvas(TREE_WIDTH, TREE_HEIGHT)
    for number, (x, y, radius) in enumerate(CLUMPS):
        _clump(crown, x, y + 0.5, radius, number)
    _rim(crown)
    canvas.blit(crown, 0, 0)
    return canvas


@cache
def slim_tree() -> Canvas:
    """Return a fir that stands on one cell and rises over the next."""
    canvas = Canvas(16, SLIM_HEIGHT)
    canvas.ellipse(8, SLIM_HEIGHT - 3.5, 7, 2.6, GRASS[0])
    canvas.box(6, SLIM_HEIGHT - 9, 4, 6, BARK[1])
    canvas.box(9, SLIM_HEIGHT - 9, 1, 6, BARK[0])
    canvas.box(6, SLIM_HEIGHT - 9, 1, 6, BARK[2])
    crown = Canvas(16, SLIM_HEIGHT)
    for top, bottom, half in ((1, 12, 4.5), (7, 20, 6), (14, 28, 7.4)):
        for y in range(top, bottom):
            wide = half * (y - top + 1) / (bottom - top)
            for x in range(round(8 - wide), round(8 + wide)):
                u, v = (x + 0.5 - 8) / half, (y - top) / (bottom - top)
                light = 4.0 - 1.6 * u - 2.0 * v + (noise(x, y // 2, top) - 128) / 110
                crown.put(x, y, LEAVES[min(max(int(light), 1), 5)])
    _rim(crown)
    canvas.blit(crown, 0, 0)
    return canvas


def _rim(crown: Canvas) -> None:
    """Darken a crown's rim, so that trees stand out before each other."""
    before = crown.copy()
    for y in range(crown.height):
        for x in range(crown.width):
            if before.rows[y][x] == CLEAR:
                continue
            sides = ((x - 1, y), (x + 1, y), (x, y + 1), (x, y - 1))
            outside = [before.get(*at) == CLEAR for at in sides]
            if outside[2] or outside[1] or outside[0] or outside[3]:
                crown.rows[y][x] = LEAVES[0]
