"""Po, the rambler, in the manner of roms/practice/art/portraits.py, whose parts he is made of."""

from __future__ import annotations

from ..sources import portraits, shapes

Canvas, blob, ellipse = shapes.Canvas, shapes.blob, shapes.ellipse
polygon, tube = shapes.polygon, shapes.tube
_legs, _torso, _arm, _face = (
    portraits._legs,
    portraits._torso,
    portraits._arm,
    portraits._face,
)
SIZE = 56


def fisher() -> tuple[str, ...]:
    """Fisher under a straw hat, a rod over his shoulder, a vest full of pockets."""
    c = Canvas(SIZE)
    c.paint(polygon((44, 42), (46, 41), (54, 2), (53, 1)), ".")
    c.line("3", (53, 2), (49, 10), (50, 20))
    c.paint(ellipse(50, 21, 1.5, 2), "1")
    _legs(c, "2")
    body = _torso(c, "2")
    for side in (-1, 1):
        vest = polygon(
            (28 + side * 3, 22), (28 + side * 8, 23), (28 + side * 10, 38), (28 + side * 3, 40)
        )
        c.paint(vest, ".", within=body)
        c.line("3", (28 + side * 5, 32), (28 + side * 8, 32), within=body)
    _arm(c, "2", (36, 26), (42, 31), (45, 35))
    _arm(c, "2", (20, 26), (15, 32), (19, 38))
    _face(c)
    c.paint(blob((23, 19), (28, 20), (33, 19), (31, 24), (28, 25), (25, 24)), "3", edge="")
    c.line("1", (26, 21), (28, 21.5), (30, 21))
    c.paint(blob((20, 10), (21, 3), (28, 0), (35, 3), (36, 10)), ".")
    c.paint(polygon((20, 8), (36, 8), (37, 11), (19, 11)), "2", edge="")
    c.paint(blob((10, 12), (20, 9), (36, 9), (46, 12), (36, 14), (20, 14)), ".")
    return c.pixels()
