"""Creatures of hill, river and dusk from the front, 56x56, looking to the left."""

from __future__ import annotations

from .canvas import Canvas, Pixels, blob, ellipse, polygon, tube

SIZE = 56


def pebblit() -> Pixels:
    """Beetle under a cobbled dome, small jaws, stout legs."""
    c = Canvas(SIZE)
    for x, y, foot in ((14, 44, 8), (25, 46, 21), (36, 46, 36), (46, 43, 51)):
        c.paint(tube((x, y, 3), ((x + foot) / 2 - 1, y + 4, 2.6), (foot, 52, 2.4)), "2")
    shell = blob(
        (8, 38), (11, 24), (21, 13), (34, 11), (46, 19), (52, 32), (50, 42), (30, 47), (14, 45)
    )
    c.paint(shell, "2")
    stones = (
        ((23, 14), (33, 12), (37, 20), (30, 25), (21, 22)),
        ((35, 13), (44, 18), (48, 26), (41, 28), (38, 21)),
        ((13, 23), (20, 16), (20, 24), (27, 27), (24, 34), (13, 33)),
        ((29, 27), (37, 22), (41, 30), (38, 37), (28, 36), (26, 33)),
        ((42, 30), (49, 28), (51, 36), (48, 41), (41, 38)),
        ((11, 35), (23, 36), (26, 38), (24, 45), (14, 44)),
        ((28, 38), (38, 39), (40, 40), (47, 42), (37, 45), (28, 46)),
    )
    for stone in stones:
        c.paint(polygon(*stone), "1", ".", "2", light_px=2)
    c.dots("2", [(27, 18), (29, 16), (43, 22), (18, 29), (33, 31), (35, 33), (45, 34), (18, 40)])
    head = blob((3, 34), (9, 28), (17, 31), (20, 39), (16, 46), (7, 47), (2, 41))
    c.paint(head, "1", "", "2")
    c.paint(tube((5, 46, 2.2), (2, 50, 1.6), (5, 52.5, 1)), "2")
    c.paint(tube((13, 46, 2.2), (13, 51, 1.6), (9, 53, 1)), "2")
    c.line("3", (7, 29), (4, 22), (6, 18))
    c.line("3", (12, 29), (12, 22), (15, 19))
    c.paint(ellipse(6.5, 18, 1.6, 1.6), "2")
    c.paint(ellipse(15.5, 18.5, 1.6, 1.6), "2")
    c.stamp(12, 34, " 333 ", "33..3", "33..3", "32333", " 333 ")
    c.stamp(4, 35, "333", "3.3", "3.3", "333")
    c.line("3", (6, 43), (9, 44), (13, 42))
    return c.pixels()


def flitjay() -> Pixels:
    """Jay with a swept crest, one wing raised."""
    c = Canvas(SIZE)
    c.paint(polygon((36, 38), (55, 44), (53, 49), (47, 48), (48, 53), (33, 46)), "2")
    c.line("1", (39, 42), (51, 47))
    c.line("1", (38, 44), (46, 50))
    for number, (x, y) in enumerate(((55, 3), (55, 12), (53, 20), (49, 27))):
        tip = polygon((26, 30), (38, 16 + number * 4), (x, y), (x - 4, y + 7), (30, 38))
        c.paint(tip, "2" if number % 2 == 0 else "1")
    c.paint(
        polygon((24, 32), (30, 18), (38, 12), (43, 17), (41, 26), (32, 37)), "2", "1", light_px=3
    )
    for x in (22, 29):
        c.line("3", (x, 46), (x, 52))
        c.line("3", (x + 1, 46), (x + 1, 52))
        c.stamp(x - 4, 52, "    33  ", " 333333 ", "3  3   3")
    body = blob((14, 22), (24, 20), (34, 30), (37, 40), (31, 47), (21, 48), (13, 41), (11, 31))
    c.paint(body, "2", "", "")
    c.paint(
        blob((11, 28), (18, 27), (25, 35), (26, 46), (19, 48), (12, 41)),
        ".",
        shade="1",
        edge="",
        within=body,
    )
    c.paint(
        polygon((19, 11), (26, 1), (27, 7), (36, 4), (32, 10), (39, 11), (30, 18)),
        "2",
        "1",
        light_px=2,
    )
    head = ellipse(19, 19, 11, 10.5)
    c.paint(head, "2", "1", "", light_px=2)
    c.paint(ellipse(15, 23, 8.5, 6), ".", edge="", within=head)
    c.paint(polygon((0, 21), (10, 17), (12, 21), (10, 25)), "1")
    c.line("3", (1, 21), (11, 21))
    c.stamp(15, 14, " 3333 ", "33..33", "33..33", "333333", "331.33", " 3333 ")
    c.line("3", (12, 30), (17, 32), (24, 28))
    c.line("3", (12, 31), (17, 33), (24, 29))
    return c.pixels()


def sparkit() -> Pixels:
    """Squirrel-mole: spade claws, a velvet mask, a brush tail that curls over its head."""
    c = Canvas(SIZE)
    tail = tube((34, 48, 4), (45, 46, 7), (47, 31, 8), (42, 17, 8.5), (35, 12, 6), (33, 18, 3))
    c.paint(tail, "1", ".", "2", light_px=2)
    for stripe in (
        ((42, 38), (50, 34), (56, 36)),
        ((41, 27), (49, 24), (57, 25)),
        ((38, 20), (43, 13), (50, 9)),
    ):
        c.line("2", *stripe, within=tail)
        c.line("2", *((x, y + 1) for x, y in stripe), within=tail)
        c.line("2", *((x, y + 2) for x, y in stripe), within=tail)
    c.paint(ellipse(33, 48, 8, 6), "1", "", "2")
    body = blob((17, 28), (28, 28), (37, 37), (38, 48), (30, 53), (18, 53), (12, 46), (12, 36))
    c.paint(body, "1", "", "2")
    c.paint(ellipse(21, 44, 8, 9), ".", shade="", edge="", within=body)
    for x in (17, 30):
        c.paint(ellipse(x - 2, 52, 5, 2.6), "2")
    for x, y in ((30, 13), (11, 12)):
        c.paint(ellipse(x, y, 5, 5.5), "1", "", "2")
        c.paint(ellipse(x, y + 1, 2.4, 2.8), "2", edge="")
    head = blob((10, 15), (20, 11), (31, 15), (34, 24), (28, 32), (17, 34), (7, 30), (5, 22))
    c.paint(head, "1", "", "2")
    mask = blob(
        (7, 20),
        (14, 17),
        (20, 20),
        (27, 17),
        (33, 21),
        (30, 27),
        (23, 27),
        (18, 24),
        (12, 27),
        (7, 26),
    )
    c.paint(mask, "2", edge="", within=head)
    c.paint(
        blob((9, 28), (14, 25), (20, 26), (23, 31), (16, 35), (10, 32)), ".", edge="", within=head
    )
    c.paint(ellipse(11.5, 27, 3.6, 2.8), "2", ".", light_px=1)
    c.line("3", (12, 30), (14, 32), (19, 31))
    c.stamp(21, 18, " 333 ", "33..3", "33..3", "33333", " 333 ")
    c.stamp(9, 18, "3333", "3..3", "3..3", "3333")
    for x, y, flip in ((10, 38, -1), (31, 39, 1)):
        c.paint(ellipse(x, y, 4.5, 4, 0), "1", "", "2")
        for finger in (-3, 0, 3):
            base = x + finger
            c.paint(
                polygon((base - 1.6, y + 1), (base + 1.6, y + 1), (base + flip * 1.5, y + 9)), "."
            )
    c.dots("3", [(28, 29), (30, 28), (29, 31)])
    return c.pixels()


def ghoulamp() -> Pixels:
    """Ghost that lives in an old lantern; its flame is its face."""
    c = Canvas(SIZE)
    c.paint(
        blob((20, 46), (36, 46), (42, 50), (50, 46), (54, 50), (48, 55), (36, 55), (24, 53)),
        "2",
        "1",
        light_px=2,
    )
    ring = ellipse(28, 7, 7, 6) - ellipse(28, 7, 4, 3.2)
    c.paint(ring, "2")
    c.paint(polygon((23, 10), (33, 10), (41, 19), (15, 19)), "2", "1", light_px=2)
    c.paint(polygon((12, 18), (44, 18), (44, 21.5), (12, 21.5)), "2")
    glass = blob((15, 21), (41, 21), (45, 30), (41, 42), (15, 42), (11, 30))
    c.paint(glass, ".", shade="1")
    flame = blob((27, 22), (34, 27), (39, 34), (35, 42), (21, 42), (17, 34), (22, 29))
    c.paint(flame, "1", edge="2")
    c.paint(blob((28, 27), (31, 31), (32, 35), (24, 35), (24, 32)), ".", edge="")
    c.paint(polygon((13, 41), (43, 41), (40, 47), (16, 47)), "2", "1", light_px=2)
    c.paint(polygon((19, 46), (37, 46), (34, 50), (22, 50)), "2")
    for side in (-1, 1):
        x = 28 + side * 21
        c.paint(
            tube((28 + side * 16, 37, 1.6), (x, 35, 2.4), (x + side * 2, 31, 3)),
            "2",
            "1",
            light_px=1,
        )
        c.stamp(round(x + side * 2) - 2, 26, "3 3 3", "3 3 3")
    c.stamp(20, 30, "33   ", "3333 ", "33.33", "33.33", " 333 ")
    c.stamp(31, 30, "   33", " 3333", "33.33", "33.33", " 333 ")
    c.stamp(24, 37, "3  3  3 ", "33333333", " 3 33 3 ")
    c.line(".", (15, 25), (14, 29))
    return c.pixels()


def boulderam() -> Pixels:
    """Ram of mossy rock, horns like millstones."""
    c = Canvas(SIZE)
    for x in (47, 36):
        c.paint(polygon((x - 4, 38), (x + 4, 38), (x + 4, 53), (x - 4, 53)), "1", "", "2")
    rock = polygon((22, 14), (34, 8), (47, 12), (54, 23), (53, 38), (46, 45), (28, 46), (18, 38))
    c.paint(rock, "1", "", "2")
    moss = blob(
        (24, 13), (34, 7), (47, 11), (54, 22), (49, 25), (45, 20), (41, 26), (36, 20), (31, 23)
    )  # fmt: skip
    c.paint(moss, "2")
    for x, y in ((37, 12), (45, 15), (32, 13), (41, 17), (49, 19)):
        c.dots("1", [(x, y), (x + 1, y - 1), (x + 2, y)])
    for crack in (
        ((46, 28), (42, 34), (47, 39)),
        ((33, 30), (36, 36), (33, 42)),
        ((36, 35), (42, 34)),
    ):
        c.line("3", *crack)
    for x in (28, 16):
        leg = polygon((x - 4, 36), (x + 4, 36), (x + 4, 53), (x - 4, 53))
        c.paint(leg, "1", ".", "2", light_px=2)
    for x in (47, 36, 28, 16):
        c.stamp(x - 4, 51, "33333333", "33333333", "3  33  3")
    c.paint(ellipse(6, 18, 6, 7.5), "1", "", "2")
    c.paint(ellipse(5.5, 19, 3, 4), "2")
    face = polygon(
        (8, 19), (14, 14), (23, 17), (25, 27), (22, 38), (17, 44), (9, 44), (5, 37), (6, 26)
    )
    c.paint(face, "1", ".", "2", light_px=2)
    c.paint(ellipse(28, 20, 9.5, 10.5), "1", ".", "2", light_px=1)
    c.paint(ellipse(29, 21, 5.5, 6.3), "2", "1", light_px=1)
    c.paint(ellipse(29.5, 21.5, 2, 2.4), "1", edge="3")
    grooves = (
        (24, 18, 20, 15),
        (27, 15, 25, 10),
        (32, 15, 34, 11),
        (34, 21, 37, 21),
        (32, 27, 34, 30),
    )
    for x0, y0, x1, y1 in (*grooves, (26, 27, 24, 30)):
        c.line("3", (x0, y0), (x1, y1))
    c.paint(polygon((8, 19), (14, 14), (20, 16), (18, 20), (15, 18), (12, 22)), "2", edge="3")
    c.stamp(6, 26, "3333 ", "33..3", "3..33", " 333 ")
    c.stamp(15, 26, "  333", "33..3", "33..3", " 3333")
    c.line("3", (5, 24), (10, 26))
    c.line("3", (14, 26), (20, 23))
    c.paint(blob((6, 37), (12, 35), (20, 37), (17, 43), (9, 43)), "2", edge="", within=face)
    c.stamp(8, 37, "333 333", " 3   3 ")
    c.line("3", (9, 41), (13, 42), (17, 40))
    return c.pixels()


def tidalynx() -> Pixels:
    """River cat: tufted ears, a ruff of foam, a tail that breaks like a wave."""
    c = Canvas(SIZE)
    c.paint(
        tube((38, 46, 3.5), (48, 47, 4), (51, 36, 5), (47, 25, 6), (40, 24, 4), (41, 29, 2)),
        "1",
        ".",
        "2",
        light_px=2,
    )
    c.line("2", (51, 42), (52, 33), (47, 25), (42, 25))
    c.paint(ellipse(36, 45, 9, 9), "1", "", "2")
    body = blob((20, 27), (31, 28), (39, 36), (40, 47), (34, 53), (19, 53), (15, 44), (15, 34))
    c.paint(body, "1", "", "2")
    c.line("2", (33, 34), (36, 37), (34, 41))
    c.line("2", (29, 33), (32, 37), (30, 41))
    for x in (30, 17):
        c.paint(tube((x, 40, 4), (x - 1, 47, 3.4), (x - 3, 51.5, 3.2)), "1", "", "2")
        c.stamp(x - 5, 51, "3 3", "3 3")
    c.paint(polygon((26, 14), (34, 2), (36, 19)), "1", "", "2")
    c.paint(polygon((29, 14), (33, 8), (34, 17)), "2", edge="")
    c.line("3", (34, 3), (36, 0))
    c.line("3", (35, 3), (38, 1))
    c.paint(polygon((7, 18), (5, 3), (17, 13)), "1", "", "2")
    c.paint(polygon((9, 16), (7, 8), (13, 13)), "2", edge="")
    c.line("3", (5, 4), (3, 0))
    c.line("3", (4, 4), (1, 2))
    ruff = polygon(
        (5, 22), (1, 29), (6, 30), (5, 37), (12, 36), (15, 42), (20, 38),
        (26, 41), (29, 36), (37, 36), (35, 30), (40, 26), (34, 20), (20, 12),
    )  # fmt: skip
    c.paint(ruff, ".", shade="1", shade_px=3)
    head = blob((10, 15), (20, 11), (31, 15), (34, 23), (29, 31), (19, 34), (10, 32), (5, 25))
    c.paint(head, "1", ".", "2", light_px=2)
    c.paint(
        blob((6, 30), (12, 26), (19, 28), (21, 32), (15, 35), (8, 33)), ".", edge="", within=head
    )
    for x in (16, 19, 22):
        c.line("2", (x, 12), (x, 16))
    c.stamp(9, 25, "3333", " 33 ")
    c.line("3", (10, 27), (11, 29), (15, 30))
    c.line("3", (10, 28), (8, 30))
    c.stamp(19, 18, " 3333 ", "33..33", "33..33", "332.33", " 3333 ")
    c.stamp(7, 18, " 333", "33.3", "33.3", "32.3", " 33 ")
    c.dots("3", [(25, 17), (26, 16)])
    c.line("3", (25, 28), (30, 27))
    c.line("3", (25, 30), (30, 31))
    return c.pixels()
