"""Paint maps (for now in flat colours)."""

from __future__ import annotations

from .canvas import Canvas, rgb

COLOURS = {
    "grass": "78c850", "tree": "207030", "path": "e0c890", "water": "4080e0", "tall_grass": "409830",
    "void": "000000", "wood_floor": "d8a868", "floor": "d0d0d8", "gym_floor": "b0a890",
    "mat_exit": "c04040", "rug": "c06060", "wall_in": "e8e0c0", "wall_top": "c8b890",
    "counter": "905830", "counter_down": "905830", "ledge": "a07840",
    "roof_red": "c03830", "roof_blue": "3858b0", "roof_slate": "606870", "wall": "f0e8d0",
    "door": "604020", "gym_door": "403020", "flower": "f06060", "flower_yellow": "f0e060",
}
SPECIAL = frozenset(
    ("roof_red", "roof_blue", "roof_slate", "wall", "window", "door", "gym_wall", "gym_door",
     "gym_crest", "sign", "lantern", "bed", "tv", "pc", "table", "plant")
)  # fmt: skip


def paint(names: list[list[str]]) -> tuple[Canvas, Canvas, frozenset[str]]:
    """Paint a map: below and over people, and which cells belong to the secondary tileset."""
    below = Canvas(16 * len(names[0]), 16 * len(names))
    for y, row in enumerate(names):
        for x, name in enumerate(row):
            below.box(16 * x, 16 * y, 16, 16, rgb(COLOURS.get(name, "808080")))
    return below, Canvas(below.width, below.height), SPECIAL


def paint_border() -> tuple[Canvas, Canvas, frozenset[str]]:
    """Paint the four cells that lie around a map."""
    return paint([["void"] * 2] * 2)
