"""The twelve creatures from behind, 48x48, cut off by the frame below."""

from __future__ import annotations

from .canvas import Canvas, Pixels, blob, ellipse, polygon, tube

SIZE = 48


def cindle() -> Pixels:
    """Show the nape stripe, the ears' backs and the burning tail."""
    c = Canvas(SIZE)
    c.paint(blob((8, 48), (9, 36), (17, 29), (29, 30), (37, 38), (38, 50), (22, 54)), "1", "", "2")
    c.paint(polygon((9, 20), (7, 1), (21, 12)), "1", ".", "2", light_px=2)
    c.paint(polygon((26, 12), (37, 2), (37, 21)), "1", "", "2")
    head = blob((8, 20), (14, 12), (23, 10), (33, 13), (38, 21), (34, 30), (23, 33), (12, 30))
    c.paint(head, "1", ".", "2", light_px=2)
    c.paint(polygon((9, 22), (3, 29), (9, 29), (9, 34), (18, 31)), "1", "", "2")
    c.paint(polygon((36, 22), (42, 28), (36, 29), (36, 33), (29, 31)), "2")
    c.paint(polygon((21, 10), (27, 10), (25, 22)), "2", edge="", within=head)
    for y in (36, 41, 46):
        c.line("2", (20, y), (23, y + 2), (27, y))
    c.paint(tube((30, 48, 4.5), (40, 45, 4), (44, 36, 3.2), (41, 28, 2.6)), "1", "", "2")
    flame = blob((41, 29), (36, 24), (37, 16), (41, 8), (42, 15), (46, 13), (47, 21), (45, 28))
    c.paint(flame, "2")
    c.paint(blob((41, 28), (39, 24), (40, 19), (42, 17), (44, 22), (44, 26)), ".", edge="1")
    return c.pixels()


def rillet() -> Pixels:
    """Show the sail running down the middle of the back."""
    c = Canvas(SIZE)
    c.paint(tube((33, 42, 6), (42, 42, 4), (45, 34, 2.4), (43, 27, 1.2)), "1", "", "2")
    body = blob((4, 48), (5, 36), (13, 29), (30, 29), (38, 37), (39, 50), (22, 56))
    c.paint(body, "1", "", "2")
    head = ellipse(21, 23, 17, 13)
    c.paint(head, "1", ".", "2", light_px=2)
    sail = polygon((20, 36), (12, 26), (16, 23), (11, 13), (18, 13), (18, 3), (24, 9), (30, 5),
                   (28, 14), (34, 16), (28, 24), (31, 29), (24, 36))  # fmt: skip
    c.paint(sail, "2")
    for points in (
        ((21, 33), (15, 26)),
        ((21, 29), (15, 16)),
        ((22, 25), (20, 8)),
        ((23, 27), (28, 10)),
    ):
        c.line("1", *points, within=sail)
    c.line("1", (23, 32), (30, 18), within=sail)
    c.paint(
        polygon((20, 35), (17, 42), (21, 42), (19, 49), (27, 49), (25, 42), (28, 41), (24, 35)), "2"
    )
    for x, y, r in (
        (11, 38, 2.4),
        (32, 37, 2.2),
        (9, 45, 1.6),
        (34, 44, 2.6),
        (8, 25, 1.6),
        (34, 22, 1.8),
    ):
        c.paint(ellipse(x, y, r, r), "2", edge="")
    return c.pixels()


def sprigot() -> Pixels:
    """Show the fleece, both leaf ears and the horns' backs."""
    c = Canvas(SIZE)
    fleece = blob((5, 48), (6, 38), (13, 31), (31, 31), (39, 38), (41, 50), (23, 56))
    c.paint(fleece, ".", shade="1")
    c.paint(tube((17, 13, 3), (14, 7, 2.4), (15, 2, 1.4)), "1", ".", "2", light_px=1)
    c.paint(tube((29, 13, 3), (33, 7, 2.4), (37, 4, 1.4)), "1", "", "2")
    c.paint(blob((12, 20), (5, 14), (0, 16), (0, 24), (7, 27), (13, 25)), "2", "1", light_px=2)
    c.line("3", (11, 22), (6, 20), (2, 20))
    c.paint(blob((33, 20), (40, 13), (47, 14), (47, 22), (41, 26), (33, 25)), "2", "1", light_px=2)
    c.line("3", (35, 22), (40, 19), (45, 17))
    c.paint(
        blob((11, 20), (15, 12), (23, 10), (32, 13), (35, 21), (32, 31), (23, 34), (14, 31)),
        ".",
        shade="1",
    )
    c.paint(
        blob((23, 13), (18, 9), (17, 4), (23, 6), (25, 1), (28, 7), (27, 12)), "2", "1", light_px=2
    )
    for x, y in ((12, 36), (28, 37), (18, 42), (33, 43), (9, 44)):
        c.line("2", (x, y), (x + 2, y + 2), (x + 4, y))
    c.line("2", (19, 27), (22, 29), (26, 27))
    c.paint(
        blob((20, 48), (15, 41), (19, 35), (24, 38), (29, 35), (32, 42), (26, 49)),
        "2",
        "1",
        light_px=2,
    )
    c.line("3", (24, 40), (24, 47))
    return c.pixels()


def mothlet() -> Pixels:
    """Show the spread wings and the downy back."""
    c = Canvas(SIZE)
    mid = 24.0
    for side in (-1, 1):
        low = blob((mid + side * 3, 33), (mid + side * 15, 33), (mid + side * 20, 42),
                   (mid + side * 14, 50), (mid + side * 5, 46))  # fmt: skip
        c.paint(low, "2")
        c.paint(ellipse(mid + side * 12, 41, 4, 4), "1", edge="")
        wing = blob(
            (mid + side * 3, 29), (mid + side * 8, 17), (mid + side * 19, 8),
            (mid + side * 23.5, 13), (mid + side * 22, 28), (mid + side * 14, 37),
        )  # fmt: skip
        c.paint(wing, "1", ".", "2", light_px=2)
        c.paint(ellipse(mid + side * 15, 22, 5, 6), "2", edge="3")
        c.paint(ellipse(mid + side * 15, 22, 2.4, 3.2), ".", edge="")
        c.line("2", (mid + side * 4, 28), (mid + side * 10, 20), within=wing)
        c.line("2", (mid + side * 5, 31), (mid + side * 12, 31), within=wing)
        c.line("3", (mid + side * 3, 13), (mid + side * 7, 5), (mid + side * 13, 2))
        for dx, dy in ((5, 8), (8, 4), (11, 3)):
            c.line("3", (mid + side * dx, dy), (mid + side * (dx + 3), dy + 3))
            c.line("3", (mid + side * dx, dy), (mid + side * (dx - 2), dy - 4))
    c.paint(blob((18, 32), (30, 32), (29, 44), (24, 52), (19, 44)), "1", "", "2")
    for y in (37, 41, 45):
        c.line("2", (20, y), (24, y + 2), (28, y))
    c.paint(ellipse(24, 20, 8.5, 8), "1", ".", "2", light_px=2)
    ruff = polygon((13, 28), (17, 25), (31, 25), (35, 28), (31, 31), (32, 36), (28, 34), (26, 39),
                   (24, 35), (21, 39), (20, 34), (16, 36), (17, 31))  # fmt: skip
    c.paint(ruff, "1", ".", "2", light_px=4)
    return c.pixels()


def pebblit() -> Pixels:
    """Show the cobbled dome from the rear, feelers beyond it."""
    c = Canvas(SIZE)
    c.paint(ellipse(30, 17, 9, 8), "1", "", "2")
    c.line("3", (27, 11), (25, 5), (27, 1))
    c.line("3", (34, 11), (37, 5), (40, 2))
    c.paint(ellipse(27, 2, 1.8, 1.8), "2")
    c.paint(ellipse(40.5, 2.5, 1.8, 1.8), "2")
    for x, foot in ((6, 1), (41, 46)):
        c.paint(tube((x, 36, 3), (foot, 40, 2.6), (foot, 47, 2.4)), "2")
    c.paint(blob((2, 46), (4, 30), (13, 18), (25, 14), (37, 19), (45, 32), (46, 48), (24, 54)), "2")
    stones = (
        ((14, 20), (23, 16), (28, 24), (20, 29), (11, 26)),
        ((25, 16), (35, 19), (39, 26), (33, 30), (30, 24)),
        ((8, 26), (19, 31), (17, 40), (4, 39)),
        ((21, 31), (30, 26), (34, 32), (31, 40), (20, 39)),
        ((36, 31), (41, 28), (44, 37), (42, 43), (34, 40)),
        ((4, 42), (16, 43), (17, 49), (4, 49)),
        ((20, 42), (31, 43), (33, 49), (20, 49)),
        ((34, 43), (43, 45), (43, 49), (36, 49)),
    )
    for stone in stones:
        c.paint(polygon(*stone), "1", ".", "2", light_px=2)
    c.dots(
        "2",
        [(19, 22), (22, 24), (12, 33), (14, 36), (26, 34), (28, 32), (38, 35), (33, 25), (25, 46)],
    )
    return c.pixels()


def whiskit() -> Pixels:
    """Show the round ears' backs and the wheat tail over the shoulder."""
    c = Canvas(SIZE)
    c.paint(blob((8, 48), (9, 37), (16, 31), (30, 31), (38, 38), (39, 50), (23, 55)), "1", "", "2")
    c.paint(ellipse(10, 12, 9.5, 10, -15), "1", ".", "2", light_px=2)
    c.paint(ellipse(34, 12, 9, 10, 15), "1", "", "2")
    c.line("2", (11, 6), (9, 12), (11, 18))
    c.line("2", (33, 6), (36, 12), (34, 18))
    c.paint(
        blob((7, 24), (13, 16), (22, 14), (32, 17), (37, 25), (33, 33), (22, 36), (11, 33)),
        "1",
        "",
        "2",
    )
    c.line("3", (36, 29), (42, 27))
    c.line("3", (35, 31), (42, 32))
    c.line("3", (8, 29), (2, 28))
    c.line("2", (20, 18), (22, 23), (24, 18))
    c.line("3", (24, 48), (32, 46), (40, 42), (42, 34))
    c.line("3", (24, 49), (33, 47), (41, 43), (43, 34))
    for y, lean in ((33, 0), (28, 0.4), (23, 0.8)):
        for side in (-1, 1):
            c.paint(
                ellipse(42.4 + side * 2.6 - lean, y, 2, 4, side * 28), "1", ".", "2", light_px=1
            )
    c.paint(ellipse(41, 18, 2, 4.2), "1", ".", "2", light_px=1)
    for x in (38, 41, 44):
        c.line("3", (41, 14), (x, 9))
    return c.pixels()


def flitjay() -> Pixels:
    """Show the crest from behind, a folded and a lifted wing, the tail fan."""
    c = Canvas(SIZE)
    for number, (x, y) in enumerate(((47, 6), (47, 16), (46, 25))):
        c.paint(
            polygon((28, 32), (36, 16 + number * 5), (x, y), (x, y + 7), (31, 40)), "12"[number % 2]
        )
    c.paint(
        polygon((26, 33), (33, 20), (39, 16), (42, 22), (38, 32), (30, 40)), "2", "1", light_px=2
    )
    body = blob((8, 42), (11, 29), (20, 24), (30, 28), (35, 38), (33, 50), (20, 54), (10, 50))
    c.paint(body, "2", "", "")
    c.paint(
        blob((14, 30), (21, 28), (28, 32), (27, 44), (21, 49), (15, 44)),
        "2",
        "1",
        edge="",
        light_px=2,
        within=body,
    )
    c.paint(polygon((13, 28), (17, 33), (14, 44), (8, 50), (2, 47), (5, 36)), "2", "1", light_px=3)
    c.line("3", (13, 35), (8, 46))
    c.line("3", (15, 37), (12, 46))
    c.paint(
        polygon((17, 40), (25, 40), (32, 49), (26, 48), (22, 50), (17, 48), (12, 50)), "1", "", "2"
    )
    c.line("3", (20, 41), (17, 48))
    c.line("3", (23, 41), (26, 48))
    c.paint(polygon((34, 17), (42, 19), (34, 22)), "1")
    c.paint(ellipse(24, 18, 12, 11), "2", "1", "", light_px=2)
    crest = polygon(
        (15, 17), (11, 6), (18, 9), (19, 0), (25, 7), (33, 1), (31, 9), (38, 9), (31, 18), (23, 27)
    )
    c.paint(crest, "2", "1", light_px=2)
    c.line("3", (22, 23), (20, 9))
    c.line("3", (24, 23), (29, 9))
    c.line("3", (13, 28), (20, 31), (30, 28))
    return c.pixels()


def grubbud() -> Pixels:
    """Show bud and leaves from behind, the beads of the body coming towards us."""
    c = Canvas(SIZE)
    bud = blob((29, 18), (23, 14), (23, 7), (28, 0), (34, 6), (35, 13))
    for side in (-1, 1):
        leaf = blob(
            (29, 17),
            (29 + side * 6, 10),
            (29 + side * 15, 10),
            (29 + side * 12, 17),
            (29 + side * 6, 20),
        )
        c.paint(leaf, "1", ".", "", light_px=1)
        c.line("3", (29 + side * 4, 16), (29 + side * 11, 13))
    c.paint(ellipse(28, 28, 14, 13), "1", ".", "", light_px=2)
    c.paint(bud, "2", ".", "", light_px=2)
    c.line("3", (28, 17), (26, 10), (28, 4))
    c.line("3", (30, 17), (32, 10), (29, 4))
    c.paint(blob((21, 17), (29, 15), (36, 17), (33, 22), (24, 22)), "1")
    for x, y, size in ((23, 36, 11), (17, 43, 12)):
        for dx in (-size, size):
            c.paint(ellipse(x + dx, y + 4, 2.6, 3), "2")
        c.paint(ellipse(x, y, size, size * 0.9), "1", ".", "", light_px=3)
        c.paint(ellipse(x + size * 0.7, y - 1, 2, 3), "2")
        c.paint(ellipse(x - size * 0.7, y - 1, 2, 3), "2")
    c.paint(polygon((14, 48), (17, 31), (20, 48)), "2", ".", light_px=1)
    return c.pixels()


def sparkit() -> Pixels:
    """Show the brush tail, wider than the back it hides."""
    c = Canvas(SIZE)
    for x in (8, 30):
        c.paint(ellipse(x, 13, 5.5, 6), "1", ".", "2", light_px=1)
    c.paint(blob((4, 48), (6, 35), (13, 29), (27, 29), (34, 37), (35, 50), (19, 56)), "1", "", "2")
    head = blob((4, 22), (9, 14), (19, 11), (29, 14), (34, 22), (30, 31), (19, 34), (8, 31))
    c.paint(head, "1", ".", "2", light_px=2)
    c.paint(polygon((16, 11), (22, 11), (19, 21)), "2", edge="", within=head)
    for x in (3, 33):
        c.paint(ellipse(x, 39, 4, 4), "1", "", "2")
        for finger in (-2, 1):
            c.paint(polygon((x + finger - 1, 36), (x + finger + 2, 36), (x + finger + 1, 29)), ".")
    tail = tube((20, 50, 5), (30, 44, 8), (38, 32, 8), (38, 20, 7), (43, 13, 3))
    c.paint(tail, "1", ".", "2", light_px=2)
    for stripe in (
        ((22, 37), (31, 41), (36, 50)),
        ((28, 30), (37, 33), (47, 38)),
        ((30, 20), (38, 22), (46, 22)),
    ):
        for thick in range(3):
            c.line("2", *((x, y + thick) for x, y in stripe), within=tail)
    return c.pixels()


def ghoulamp() -> Pixels:
    """Show the shuttered back of the lantern, its glow leaking out."""
    c = Canvas(SIZE)
    c.paint(ellipse(25, 6, 7, 6) - ellipse(25, 6, 4, 3.2), "2")
    c.paint(polygon((20, 9), (30, 9), (39, 19), (11, 19)), "2", "1", light_px=2)
    c.paint(polygon((8, 18), (42, 18), (42, 22), (8, 22)), "2")
    glass = blob((11, 21), (39, 21), (43, 31), (39, 42), (11, 42), (7, 31))
    c.paint(glass, ".", shade="1")
    c.paint(polygon((16, 21), (34, 21), (34, 42), (16, 42)), "2", "1", light_px=2)
    for y in (26, 31, 36):
        c.line("3", (18, y), (31, y))
        c.line("1", (18, y + 1), (31, y + 1))
    c.line(".", (11, 26), (10, 33))
    for side in (-1, 1):
        x = 25 + side * 19
        c.paint(
            tube((25 + side * 15, 37, 1.6), (x, 34, 2.4), (x + side, 29, 2.6)), "2", "1", light_px=1
        )
    c.paint(polygon((9, 41), (41, 41), (38, 48), (12, 48)), "2", "1", light_px=2)
    c.paint(blob((18, 46), (26, 43), (33, 46), (30, 53), (20, 53)), "2", "1", light_px=2)
    return c.pixels()


def boulderam() -> Pixels:
    """Show the mossy back between the two millstone horns."""
    c = Canvas(SIZE)
    c.paint(polygon((15, 12), (24, 8), (33, 12), (35, 26), (13, 26)), "1", ".", "2", light_px=2)
    for side in (-1, 1):
        cx, cy = 24 + side * 14, 17
        c.paint(ellipse(cx, cy, 9.5, 10.5), "1", ".", "2", light_px=1)
        c.paint(ellipse(cx + side, cy + 1, 4.8, 5.4), "2", "1", light_px=2)
        c.paint(ellipse(cx + side, cy + 1, 1.8, 2), "3", edge="")
        for dx, dy in (
            (-0.9, -0.3),
            (-0.4, -0.9),
            (0.3, -0.95),
            (0.9, -0.3),
            (0.8, 0.6),
            (-0.7, 0.7),
        ):
            c.line("3", (cx + dx * 6, cy + 1 + dy * 6.5), (cx + dx * 9, cy + dy * 10))
    c.paint(
        polygon((3, 49), (3, 37), (10, 28), (22, 24), (35, 27), (44, 36), (45, 49)), "1", "", "2"
    )
    moss = blob(
        (9, 29),
        (22, 23),
        (36, 27),
        (43, 35),
        (39, 41),
        (34, 36),
        (29, 42),
        (23, 35),
        (17, 41),
        (12, 35),
        (7, 38),
    )
    c.paint(moss, "2")
    for x, y in ((17, 30), (27, 29), (35, 33), (23, 33)):
        c.dots("1", [(x, y), (x + 1, y - 1), (x + 2, y)])
    for points in (
        ((12, 41), (15, 45), (12, 48)),
        ((33, 42), (30, 48)),
        ((39, 42), (41, 47)),
        ((22, 42), (24, 48)),
    ):
        c.line("3", *points)
    return c.pixels()


def tidalynx() -> Pixels:
    """Show the tufted ears, the foam ruff and the breaking tail."""
    c = Canvas(SIZE)
    c.paint(blob((5, 48), (7, 36), (14, 29), (28, 29), (36, 37), (37, 50), (21, 55)), "1", "", "2")
    for x, lean in ((8, -3), (30, 4)):
        c.paint(polygon((x - 3, 19), (x + lean, 3), (x + 8, 16)), "1", "", "2")
        c.line("3", (x + lean, 4), (x + lean * 1.5, 0))
        c.line("3", (x + lean + 1, 5), (x + lean * 2, 1))
    ruff = polygon(
        (5, 22), (1, 27), (5, 29), (3, 34), (9, 34), (11, 39), (16, 36), (21, 41),
        (25, 36), (31, 39), (32, 34), (38, 34), (36, 29), (40, 26), (36, 21), (21, 15),
    )  # fmt: skip
    c.paint(ruff, ".", shade="1")
    head = blob((6, 21), (11, 13), (21, 11), (31, 14), (35, 22), (31, 30), (21, 33), (10, 30))
    c.paint(head, "1", ".", "2", light_px=2)
    for x in (17, 21, 25):
        c.line("2", (x, 13), (x, 20))
    for x in (13, 29):
        c.line("2", (x, 42), (x + 1, 48))
    tail = tube(
        (20, 50, 4), (31, 46, 4.5), (40, 39, 5), (43, 28, 5.5), (38, 21, 4.5), (33, 25, 2.4)
    )
    c.paint(tail, "1", ".", "2", light_px=2)
    c.line("2", (33, 47), (41, 40), (43, 28), (38, 22), within=tail)
    return c.pixels()
