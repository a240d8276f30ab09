"""Portraits that only this game has: Po the rambler and the player from the front.

They are made of the parts of roms/practice/art/portraits.py, for the same kind of canvas.
"""

from __future__ import annotations

from ..sources import portraits, shapes

Canvas, blob, ellipse = shapes.Canvas, shapes.blob, shapes.ellipse
polygon, tube = shapes.polygon, shapes.tube
legs, torso, arm, face = portraits.legs, portraits.torso, portraits.arm, portraits.face
SIZE = 56


def fisher() -> tuple[str, ...]:
    """Fisher under a straw hat, a rod over his shoulder, a vest full of pockets."""
    c = Canvas(SIZE)
    c.paint(polygon((44, 42), (46, 41), (54, 2), (53, 1)), ".")
    c.line("3", (53, 2), (49, 10), (50, 20))
    c.paint(ellipse(50, 21, 1.5, 2), "1")
    legs(c, "2")
    body = torso(c, "2")
    for side in (-1, 1):
        vest = polygon(
            (28 + side * 3, 22), (28 + side * 8, 23), (28 + side * 10, 38), (28 + side * 3, 40)
        )
        c.paint(vest, ".", within=body)
        c.line("3", (28 + side * 5, 32), (28 + side * 8, 32), within=body)
    arm(c, "2", (36, 26), (42, 31), (45, 35))
    arm(c, "2", (20, 26), (15, 32), (19, 38))
    face(c)
    c.paint(blob((23, 19), (28, 20), (33, 19), (31, 24), (28, 25), (25, 24)), "3", edge="")
    c.line("1", (26, 21), (28, 21.5), (30, 21))
    c.paint(blob((20, 10), (21, 3), (28, 0), (35, 3), (36, 10)), ".")
    c.paint(polygon((20, 8), (36, 8), (37, 11), (19, 11)), "2", edge="")
    c.paint(blob((10, 12), (20, 9), (36, 9), (46, 12), (36, 14), (20, 14)), ".")
    return c.pixels()


def hero_boy() -> tuple[str, ...]:
    """Boy with a capped head, a jacket over a shirt, the straps of his pack."""
    c = Canvas(SIZE)
    c.paint(blob((16, 26), (19, 22), (37, 22), (40, 26), (39, 38), (17, 38)), "1")
    legs(c, "x")
    _hero_torso(c)
    c.line("3", (28, 23), (28, 39))
    arm(c, "x", (36, 26), (42, 32), (43, 38))
    arm(c, "x", (20, 26), (14, 32), (13, 38))
    c.paint(blob((18, 13), (18, 8), (38, 8), (38, 13), (37, 18), (19, 18)), "3")
    face(c)
    c.line("3", (26, 20), (28, 20.5), (30, 20))
    c.paint(polygon((20, 11), (23, 16), (26, 10), (30, 15), (33, 10), (36, 14), (37, 9)), "3")
    c.paint(blob((17, 10), (19, 3), (28, 0), (37, 3), (39, 10), (28, 9)), "2")
    c.paint(blob((16, 11), (28, 7), (40, 11), (28, 12)), "2")
    c.paint(ellipse(28, 4.5, 3, 2.5), ".")
    return c.pixels()


def hero_girl() -> tuple[str, ...]:
    """Girl with a kerchief over two braids, a jacket, a skirt."""
    c = Canvas(SIZE)
    c.paint(blob((16, 26), (19, 22), (37, 22), (40, 26), (39, 38), (17, 38)), "1")
    legs(c, ".")
    _hero_torso(c)
    c.paint(polygon((19, 36), (37, 36), (40, 46), (16, 46)), "x")
    arm(c, "2", (36, 26), (42, 32), (43, 38))
    arm(c, "2", (20, 26), (14, 32), (13, 38))
    for x in (18, 38):
        for y in (18, 22, 26):
            c.paint(ellipse(x, y, 2.8, 2.8), "3")
        c.paint(polygon((x - 2, 28), (x + 2, 28), (x, 32)), "x")
    face(c)
    c.line("3", (26, 20), (28, 20.5), (30, 20))
    c.paint(blob((19, 15), (19, 8), (28, 5), (37, 8), (37, 15), (33, 10), (28, 12), (23, 10)), "3")
    c.paint(blob((17, 12), (18, 4), (28, 0), (38, 4), (39, 12), (28, 6)), "2")
    return c.pixels()


def _hero_torso(c: shapes.Canvas) -> None:
    body = torso(c, "2")
    c.paint(polygon((25, 22), (31, 22), (30, 38), (26, 38)), ".", within=body)
    for x in (22, 33):
        c.paint(polygon((x - 1, 22), (x + 2, 22), (x + 2, 34), (x - 1, 34)), "1", within=body)
