"""Starters and small folk of the meadow from the front, 56x56, looking to the left."""

from __future__ import annotations

from .canvas import Canvas, Pixels, blob, ellipse, polygon, tube

SIZE = 56


def cindle() -> Pixels:
    """Ember fox-lizard: big ears, a scaled tail that ends in a flame."""
    c = Canvas(SIZE)
    c.paint(tube((36, 46, 5), (48, 46, 4), (51, 36, 3), (47, 27, 2.5)), "1", "", "2")
    c.paint(
        blob((47, 28), (41, 24), (42, 15), (46, 9), (47, 15), (51, 13), (53, 21), (51, 27)), "2"
    )
    c.paint(blob((47, 27), (44, 24), (45, 19), (48, 16), (50, 22), (50, 26)), ".", edge="1")
    c.paint(ellipse(36, 45, 9, 8), "1", "", "2")
    c.paint(
        blob((24, 28), (34, 29), (41, 38), (40, 49), (30, 52), (21, 49), (18, 38)), "1", "", "2"
    )
    belly = blob((20, 32), (26, 35), (28, 44), (26, 51), (20, 50), (16, 40))
    c.paint(belly, ".", shade="1", edge="")
    c.paint(tube((32, 47, 4), (31, 51, 4), (28, 52, 3)), "1", "", "2")
    c.paint(tube((20, 40, 3.5), (18, 47, 3), (16, 51.5, 3)), "1", "", "2")
    c.paint(polygon((25, 17), (38, 3), (39, 20), (33, 25)), "1", "", "2")
    c.paint(polygon((30, 17), (36, 8), (36, 19)), "2", edge="")
    c.paint(polygon((8, 18), (7, 1), (20, 11)), "1", "", "2")
    c.paint(polygon((10, 15), (9, 6), (16, 12)), "2", edge="")
    head = blob(
        (10, 14), (20, 9), (31, 13), (36, 23), (32, 30), (22, 34), (11, 33), (3, 28), (6, 20)
    )
    c.paint(head, "1", "", "2")
    c.paint(
        blob((2, 27), (9, 23), (16, 27), (22, 32), (14, 35), (4, 31)), ".", edge="", within=head
    )
    c.paint(polygon((18, 10), (21, 17), (24, 10)), "2", edge="", within=head)
    c.paint(polygon((25, 33), (27, 27), (38, 25), (35, 29), (37, 32), (31, 32)), "1", "", "2")
    c.stamp(3, 25, "333", "333", " 3 ")
    c.line("3", (5, 29), (9, 31), (14, 30), (16, 28))
    c.stamp(20, 18, " 333 ", "33..3", "33..3", "33333", "32233", " 333 ")
    c.stamp(8, 18, "333", "3.3", "333", "323", " 3 ")
    return c.pixels()


def rillet() -> Pixels:
    """Round newt: a sail like running water from brow to tail, webbed feet."""
    c = Canvas(SIZE)
    c.paint(tube((38, 42, 7), (48, 44, 5), (52, 36, 3), (50, 29, 1.5)), "1", "", "2")
    sail = blob(
        (18, 14),
        (23, 2),
        (28, 8),
        (35, 4),
        (37, 13),
        (46, 12),
        (45, 21),
        (52, 24),
        (44, 34),
        (26, 24),
    )
    c.paint(sail, "2")
    for x0, y0, x1, y1 in ((24, 17, 24, 6), (30, 20, 34, 8), (37, 24, 44, 15), (42, 30, 49, 25)):
        c.line("1", (x0, y0), (x1, y1), within=sail)
    c.paint(tube((37, 44, 5), (41, 50, 4), (39, 52, 3)), "1", "", "2")
    body = ellipse(27, 37, 17, 15, 12)
    c.paint(body, "1", ".", "2", light_px=2)
    head = ellipse(19, 26, 16, 14)
    c.paint(head, "1", "", "2")
    c.paint(ellipse(23, 44, 11, 8), ".", shade="1", edge="", within=body)
    c.paint(ellipse(16, 33, 12, 6), ".", edge="", within=head)
    c.paint(tube((17, 43, 3.5), (12, 48, 3), (9, 51, 3)), "1", "", "2")
    c.paint(tube((29, 45, 4), (28, 50, 3.5), (25, 52, 3)), "1", "", "2")
    for x, y in ((6, 51), (9, 53), (22, 52), (25, 54), (36, 53)):
        c.stamp(x, y, "3", "3")
    c.line("3", (5, 31), (11, 33.5), (20, 33), (27, 29))
    c.dots("3", [(4, 30), (28, 28)])
    c.stamp(9, 19, " 3333 ", "33..33", "33..33", "333333", "332.33", " 3333 ")
    c.stamp(23, 18, " 333 ", "33..3", "33..3", "33333", "33233", " 333 ")
    c.paint(ellipse(36, 33, 3, 2), "2", edge="")
    c.paint(ellipse(39, 39, 2, 2), "2", edge="")
    c.paint(ellipse(32, 30, 1.6, 1.5), "2", edge="")
    c.dots("2", [(5, 27), (6, 28), (29, 25), (30, 26), (28, 25)])
    return c.pixels()


def sprigot() -> Pixels:
    """Kid goat with leaves for ears, a budding horn pair and a tuft of clover on its tail."""
    c = Canvas(SIZE)
    c.paint(blob((44, 31), (48, 22), (55, 24), (54, 31), (48, 36)), "2", "1", light_px=2)
    for x in (41, 30):
        c.paint(tube((x, 40, 3.5), (x + 1, 47, 3), (x, 52, 3)), "1", "", "2")
    fleece = blob((24, 27), (33, 25), (43, 27), (48, 34), (46, 42), (38, 45), (28, 44), (22, 38))
    c.paint(fleece, ".", shade="1")
    for x, y in ((40, 31), (35, 36), (43, 37), (30, 33)):
        c.line("2", (x, y), (x + 2, y + 2), (x + 4, y))
    for x in (36, 24):
        c.paint(tube((x, 41, 3.5), (x - 1, 47, 3), (x - 2, 52, 3)), ".", shade="1")
        c.paint(polygon((x - 5, 50), (x + 1, 50), (x + 1, 54), (x - 6, 54)), "3")
    for x in (41, 30):
        c.stamp(x - 3, 52, "333333", "333333")
    c.paint(tube((25, 36, 6), (22, 29, 6)), ".", shade="1", edge="")
    c.line("3", (31, 35), (28, 41), (21, 41), (17, 36))
    c.paint(blob((27, 19), (35, 12), (46, 13), (50, 18), (42, 23), (32, 25)), "2", "1", light_px=2)
    c.line("3", (30, 21), (38, 18), (46, 17))
    c.paint(tube((24, 12, 2.5), (27, 7, 2), (31, 5, 1.2)), "1", "", "2")
    c.paint(tube((14, 12, 2.5), (14, 6, 2), (17, 3, 1.2)), "1", "", "2")
    head = blob(
        (12, 11),
        (21, 9),
        (29, 14),
        (30, 23),
        (24, 31),
        (16, 36),
        (8, 35),
        (5, 30),
        (9, 22),
        (8, 15),
    )
    c.paint(head, ".", shade="1")
    c.paint(blob((10, 18), (3, 12), (0, 15), (1, 21), (6, 24)), "2", "1", light_px=2)
    c.paint(blob((5, 29), (11, 27), (18, 30), (17, 35), (9, 36)), "1", edge="", within=head)
    c.paint(polygon((10, 35), (19, 34), (17, 40), (13, 44), (12, 39)), "2", "1", light_px=2)
    c.stamp(6, 29, "33 3", " 3  ")
    c.line("3", (8, 33), (12, 33), (16, 31))
    c.stamp(18, 17, " 333 ", "33..3", "33..3", "33333", "32233", " 333 ")
    c.stamp(9, 18, " 33", "3.3", "3.3", "333", "323", " 3 ")
    c.paint(blob((16, 10), (18, 5), (23, 8), (21, 14)), "2", "1", light_px=1)
    return c.pixels()


def mothlet() -> Pixels:
    """Moth wrapped in a fur collar, an eye on each wing."""
    c = Canvas(SIZE)
    mid = 28.0
    for side in (-1, 1):
        low = blob(
            (mid + side * 4, 32), (mid + side * 18, 33), (mid + side * 21, 42),
            (mid + side * 13, 50), (mid + side * 5, 44),
        )  # fmt: skip
        c.paint(low, "2", "", "")
        c.paint(ellipse(mid + side * 13, 42, 3.5, 3.5), "1", edge="")
        wing = blob(
            (mid + side * 4, 30), (mid + side * 10, 17), (mid + side * 22, 9),
            (mid + side * 27.5, 13), (mid + side * 25, 28), (mid + side * 17, 37),
        )  # fmt: skip
        c.paint(wing, "1", ".", "2", light_px=2)
        c.paint(ellipse(mid + side * 18, 22, 5.5, 6), "2", edge="3")
        c.paint(ellipse(mid + side * 18, 22, 3, 3.5), ".", edge="")
        c.paint(ellipse(mid + side * 18, 22, 1.6, 2), "3", edge="")
        for dx, dy in ((22, 12), (25, 18), (23, 30)):
            c.paint(ellipse(mid + side * dx, dy, 1.2, 1.2), "2", edge="", within=wing)
        c.paint(tube((mid + side * 4, 15, 1), (mid + side * 8, 7, 1), (mid + side * 14, 3, 1)), "3")
        for dx, dy in ((6, 9), (8, 6), (11, 4)):
            c.line("3", (mid + side * dx, dy), (mid + side * (dx + 3), dy + 3.5))
            c.line("3", (mid + side * dx, dy), (mid + side * (dx - 2), dy - 4))
    c.paint(blob((22, 34), (34, 34), (33, 46), (28, 53), (23, 46)), "1", "", "2")
    for y in (41, 45, 49):
        c.line("2", (23, y - 1), (28, y + 1), (33, y - 1))
    ruff = polygon(
        (17, 30), (20, 27), (36, 27), (39, 30), (36, 33), (37, 37), (33, 35.5), (31, 39),
        (28, 36), (25, 39), (23, 35.5), (19, 37), (20, 33),
    )  # fmt: skip
    c.paint(ruff, "1", ".", "2", light_px=4)
    c.paint(ellipse(28, 21, 10.5, 9.5), "1", ".", "2", light_px=2)
    c.stamp(19, 19, " 3333 ", "33..33", "33..33", "333333", "332.33", " 3333 ")
    c.stamp(31, 19, " 3333 ", "33..33", "33..33", "333333", "332.33", " 3333 ")
    c.stamp(26, 26, "3  3", " 33 ")
    return c.pixels()


def whiskit() -> Pixels:
    """Field mouse that carries an ear of wheat for a tail."""
    c = Canvas(SIZE)
    c.line("3", (36, 47), (46, 48), (50, 40), (46, 28))
    c.line("3", (36, 48), (47, 49), (51, 40), (47, 28))
    for y, lean in ((26, 0), (21, 0.4), (16, 0.8), (11, 1.2)):
        for side in (-1, 1):
            c.paint(
                ellipse(45 + side * 3.4 - lean, y, 2.4, 4.4, side * 28), "1", ".", "2", light_px=1
            )
    c.paint(ellipse(43.6, 6, 2.2, 4.6), "1", ".", "2", light_px=1)
    for x in (41, 44, 47):
        c.line("3", (44, 4), (x, -1))
    c.paint(ellipse(34, 46, 9, 8), "1", "", "2")
    body = blob((18, 30), (29, 28), (39, 36), (41, 47), (33, 53), (21, 53), (14, 45))
    c.paint(body, "1", "", "2")
    c.paint(ellipse(20, 44, 7, 9), ".", shade="1", edge="", within=body)
    c.paint(tube((34, 51, 3), (29, 52.5, 2.6)), ".")
    c.paint(tube((18, 52, 2.6), (13, 52.5, 2.4)), ".")
    c.paint(ellipse(32, 13, 9, 9.5, 20), "1", "", "2")
    c.paint(ellipse(32, 13.5, 5.5, 6.2, 20), "2", edge="")
    c.paint(ellipse(11, 11, 8, 9, -20), "1", "", "2")
    c.paint(ellipse(11, 11.5, 4.8, 5.8, -20), "2", edge="")
    head = blob((11, 19), (22, 15), (33, 20), (35, 29), (27, 36), (14, 37), (5, 31), (6, 24))
    c.paint(head, "1", "", "2")
    c.paint(blob((4, 31), (10, 28), (19, 31), (24, 36), (14, 38)), ".", edge="", within=head)
    c.stamp(5, 28, " 33 ", "3333", " 33 ")
    c.line("3", (8, 31), (9, 34), (14, 34))
    c.stamp(20, 22, " 333 ", "33..3", "33..3", "33333", "32233", " 333 ")
    c.stamp(10, 22, " 33 ", "33.3", "33.3", "3333", "3223", " 33 ")
    c.line("3", (20, 31), (28, 29), (37, 30))
    c.line("3", (20, 33), (28, 33), (36, 35))
    c.line("3", (5, 33), (1, 34), (-1, 36))
    c.paint(tube((16, 40, 2.4), (12, 43, 2)), "1")
    c.paint(tube((25, 41, 2.4), (20, 44, 2)), "1")
    return c.pixels()


def grubbud() -> Pixels:
    """Caterpillar of bead-like segments with a flower bud on its head."""
    c = Canvas(SIZE)
    beads = ((49, 31, 5.5), (45, 40, 7), (36, 44, 8), (26, 44, 8.5))
    for x, y, size in beads:
        for dx in (-3, 3):
            c.paint(ellipse(x + dx - 1, y + size, 2, 2.4), "2")
    for x, y, size in beads:
        bead = ellipse(x, y, size, size)
        c.paint(bead, "1", ".", "", light_px=2)
        c.paint(ellipse(x + 1, y - size * 0.1, 2.2, 2.2), "2", edge="3")
        c.line("3", (x + size * 0.3, y + size * 0.75), (x + size * 0.75, y + size * 0.3))
    c.paint(polygon((47, 27), (50, 18), (53, 27)), "2")
    head = ellipse(18, 34, 14, 13.5)
    for side, x in ((-1, 10), (1, 26)):
        leaf = blob(
            (18, 22),
            (18 + side * 6, 15),
            (18 + side * 16, 15),
            (18 + side * 13, 21),
            (18 + side * 6, 24),
        )
        c.paint(leaf, "1", ".", "", light_px=1)
        c.line("3", (18 + side * 4, 21), (x + side * 5, 17.5))
    c.paint(head, "1", ".", "", light_px=2)
    bud = blob((18, 23), (11, 18), (12, 9), (18, 1), (24, 9), (25, 18))
    c.paint(bud, "2", ".", "", light_px=2)
    c.line("3", (18, 23), (15, 14), (18, 6))
    c.line("3", (19, 23), (22, 14), (19, 6))
    c.paint(blob((11, 19), (18, 21), (25, 19), (22, 25), (14, 25)), "1", "", "")
    c.stamp(8, 29, " 3333 ", "33..33", "33..33", "333333", "332.33", "332233", " 3333 ")
    c.stamp(21, 29, " 3333 ", "33..33", "33..33", "333333", "332.33", "332233", " 3333 ")
    c.stamp(14, 39, "3    3", " 3333 ", "  22  ")
    for x in (7, 27):
        c.stamp(x, 38, "222", "222")
    for x, y in ((10, 47), (20, 49)):
        c.paint(ellipse(x, y, 2.4, 2.8), "2")
    return c.pixels()
