"""People: trainers, leader, professor, rival from the front (56x56), heroes from behind (48x48)."""

from __future__ import annotations

from .canvas import Canvas, Mask, Pixels, blob, ellipse, polygon, tube

SIZE = 56
BACK_SIZE = 48


def legs(c: Canvas, fill: str, shade: str = "") -> None:
    """Draw two legs in trousers and dark boots."""
    for x, foot in ((32, 34), (24, 22)):
        c.paint(tube((x, 36, 4.5), (x, 44, 3.8), (foot, 50, 3.4)), fill, "", shade)
        c.paint(blob((foot - 4, 49), (foot + 3, 49), (foot + 4, 54), (foot - 6, 54)), "3")


def torso(c: Canvas, fill: str, shade: str = "", hem: float = 39) -> Mask:
    """Draw the upper body down to a hem."""
    body = blob((22, 22), (34, 22), (38, 28), (37, hem), (28, hem + 1), (19, hem), (18, 28))
    return c.paint(body, fill, "", shade)


def arm(c: Canvas, fill: str, *points: tuple[float, float]) -> None:
    """Draw a sleeve along the points with a hand at the end."""
    x, y = points[-1]
    c.paint(ellipse(x, y, 3.2, 3.2), "1")
    c.paint(
        tube(
            *((px, py, 3.4) for px, py in points[:-1]),
            ((points[-2][0] + x) / 2, (points[-2][1] + y) / 2, 3.2),
        ),
        fill,
    )


def face(c: Canvas, eyes: tuple[str, ...] = ("33", "3.", "33")) -> None:
    """Draw neck, ears, face, eyes and nose."""
    c.paint(tube((28, 20, 3), (28, 24, 3)), "1")
    c.paint(ellipse(19.5, 15, 2, 2.6), "1")
    c.paint(ellipse(36.5, 15, 2, 2.6), "1")
    c.paint(blob((20, 9), (28, 5), (36, 9), (36, 16), (32, 21), (28, 23), (24, 21), (20, 16)), "1")
    c.stamp(23, 13, *eyes)
    c.stamp(31, 13, *eyes)
    c.dots("3", [(28, 17), (27, 20), (28, 20), (29, 20)])


def trainer_a() -> Pixels:
    """Quarry worker with a lamp on the helmet and a pick on the shoulder."""
    c = Canvas(SIZE)
    c.paint(polygon((41, 10), (44, 8), (50, 38), (47, 39)), "2")
    c.paint(blob((32, 12), (38, 6), (46, 5), (54, 9), (46, 10), (40, 12)), ".", shade="1")
    legs(c, "2")
    body = torso(c, ".", "1")
    c.paint(polygon((21, 29), (35, 29), (37, 41), (19, 41)), "2", "1", light_px=1)
    for x in (23, 33):
        c.paint(polygon((x - 1, 22), (x + 2, 22), (x + 2, 32), (x - 1, 32)), "2", within=body)
        c.dots(".", [(x, 31)])
    c.line("3", (24, 35), (28, 36), (32, 35))
    arm(c, ".", (36, 26), (42, 31), (46, 28))
    arm(c, ".", (20, 26), (14, 32), (20, 37))
    face(c)
    c.paint(
        blob((20, 16), (23, 17), (28, 19), (33, 17), (36, 16), (34, 22), (28, 25), (22, 22)),
        "3",
        edge="",
    )
    c.line("1", (26, 20), (28, 20.5), (30, 20))
    c.paint(blob((17, 11), (19, 4), (28, 0), (37, 4), (39, 11), (28, 10)), "2", "1", light_px=2)
    c.paint(polygon((15, 9), (41, 9), (41, 12), (15, 12)), "2")
    c.paint(ellipse(28, 6, 3.5, 3.5), ".", shade="1")
    return c.pixels()


def trainer_b() -> Pixels:
    """Climber with a high ponytail, a rope over one shoulder, hands on hips."""
    c = Canvas(SIZE)
    c.paint(tube((30, 4, 4), (40, 3, 4), (46, 12, 4), (44, 24, 2)), "3")
    c.line("2", (35, 3), (42, 6), (45, 16))
    legs(c, "3")
    body = torso(c, "2", hem=36)
    c.paint(polygon((26, 22), (30, 22), (28, 27)), "1")
    c.paint(polygon((18, 34), (38, 34), (38, 38), (18, 38)), ".", shade="1", within=None)
    for shift in (0, 3):
        c.line(".", (21 + shift, 22), (27 + shift, 28), (35, 33 + shift // 2), within=body)
        c.line("3", (22 + shift, 22), (28 + shift, 28), (36, 33), within=body)
    arm(c, "2", (36, 25), (44, 31), (38, 36))
    arm(c, "2", (20, 25), (12, 31), (18, 36))
    face(c)
    c.paint(blob((18, 14), (18, 6), (28, 1), (38, 6), (38, 14), (34, 8), (28, 11), (22, 8)), "3")
    c.paint(blob((18, 9), (28, 6), (38, 9), (38, 12), (28, 9), (18, 12)), "2", edge="")
    c.line("2", (25, 3), (29, 2))
    for x in (22, 32):
        c.paint(polygon((x, 45), (x + 4, 45), (x + 4, 47), (x, 47)), "2", edge="")
    return c.pixels()


def leader() -> Pixels:
    """Greta: a crown of plaits under a stone clasp, a long mantle, gauntlets of rock."""
    c = Canvas(SIZE)
    c.paint(
        blob((18, 22), (38, 22), (44, 36), (47, 52), (36, 50), (20, 50), (9, 52), (12, 36)),
        "2",
        "",
        "3",
    )
    legs(c, "3")
    c.paint(
        blob((22, 22), (34, 22), (36, 30), (35, 42), (28, 44), (21, 42), (20, 30)), ".", edge="3"
    )
    c.paint(polygon((20, 33), (36, 33), (36, 37), (20, 37)), "3")
    c.paint(ellipse(28, 35, 3, 2.6), "1")
    for side in (-1, 1):
        mantle = blob((28 + side * 3, 21), (28 + side * 9, 22), (28 + side * 15, 36),
                      (28 + side * 18, 52), (28 + side * 10, 50), (28 + side * 8, 34))  # fmt: skip
        c.paint(mantle, "2")
        c.line("1", (28 + side * 6, 25), (28 + side * 9.5, 36), (28 + side * 11.5, 48))
    for side, points in ((-1, ((17, 28), (11, 35), (17, 40))), (1, ((39, 28), (46, 32), (48, 24)))):
        (x0, y0), (x1, y1), (x2, y2) = points
        c.paint(tube((x0, y0, 3.2), (x1, y1, 3.6)), "2")
        c.paint(tube((x1, y1, 3.8), (x2, y2, 4.4)), ".", shade="1")
        c.line("3", (x1 - 3, y1 - side), (x1 + 3, y1 - side))
        c.line("3", (x2 - 1, y2 - 1), (x2 + 1, y2 + 2))
    face(c, ("333", " 3.", " 33"))
    c.line("3", (23, 11), (26, 11))
    c.line("3", (30, 11), (33, 11))
    c.paint(
        blob(
            (19, 15),
            (18, 8),
            (24, 5),
            (28, 8),
            (32, 5),
            (38, 8),
            (37, 15),
            (34, 10),
            (28, 9),
            (22, 10),
        ),
        "3",
    )
    for x, y in ((19, 8), (22, 4), (27, 2), (32, 3), (36, 6), (38, 11), (17.5, 13)):
        c.paint(ellipse(x, y, 3.4, 3), "2", "1", light_px=1)
    c.paint(polygon((25, 5), (28, 2), (32, 5), (28, 9)), ".", shade="1")
    return c.pixels()


def professor() -> Pixels:
    """Dr. Alder: bushy hair and beard, a long coat, a glowing orb on the palm."""
    c = Canvas(SIZE)
    legs(c, "3")
    c.paint(
        blob((21, 22), (35, 22), (39, 30), (41, 48), (29, 47), (27, 47), (15, 48), (17, 30)),
        ".",
        shade="1",
        shade_px=2,
    )
    c.paint(polygon((25, 22), (31, 22), (29, 47), (27, 47)), "2")
    c.line("3", (24, 23), (26, 34), (25, 47))
    c.line("3", (32, 23), (30, 34), (31, 47))
    c.paint(polygon((32, 34), (37, 34), (37, 38), (33, 38)), ".")
    c.paint(polygon((33, 31), (36, 31), (35, 34), (34, 34)), "2")
    arm(c, ".", (20, 26), (12, 33), (8, 28))
    arm(c, ".", (36, 26), (42, 33), (42, 40))
    orb = ellipse(7, 20, 6, 6)
    c.paint(orb, ".", shade="1")
    c.paint(blob((7, 17), (10, 20), (8, 24), (5, 23), (4, 20)), "2", edge="", within=orb)
    c.stamp(4, 11, " 33 33", "32323 ", " 3223 ", "  33  ")
    face(c, ("333", "3.3", "333"))
    c.line("3", (26, 14), (31, 14))
    c.paint(
        blob(
            (20, 16),
            (24, 18),
            (28, 17),
            (32, 18),
            (36, 16),
            (36, 23),
            (31, 28),
            (28, 30),
            (25, 28),
            (20, 23),
        ),
        ".",
        shade="1",
        shade_px=1,
    )
    c.line("3", (26, 20), (28, 21), (30, 20))
    for x, y, size in ((19, 12, 4.5), (37, 12, 4.5), (20, 7, 5), (36, 7, 5), (28, 5.5, 5.5)):
        c.paint(ellipse(x, y, size, size), ".", shade="1", shade_px=1)
    c.paint(blob((19, 10), (21, 4), (28, 2), (35, 4), (37, 10), (28, 8)), ".", edge="")
    c.line("3", (22, 8), (28, 7), (34, 8))
    return c.pixels()


def rival() -> Pixels:
    """Wren: spikes of dark hair over a band, a scarf that flies, an orb held out."""
    c = Canvas(SIZE)
    c.paint(blob((34, 24), (44, 22), (54, 27), (49, 29), (52, 33), (42, 30), (35, 29)), "2", "", "")
    legs(c, "3")
    body = torso(c, ".", hem=37)
    c.line("3", (28, 27), (28, 37))
    c.paint(polygon((18, 35), (38, 35), (38, 38), (18, 38)), "2", edge="3")
    c.line("2", (20, 31), (36, 31), within=body)
    c.line("2", (20, 32), (36, 32), within=body)
    arm(c, ".", (36, 26), (42, 32), (38, 38))
    arm(c, ".", (20, 26), (13, 30), (8, 26))
    c.paint(ellipse(6.5, 20, 4.5, 4.5), ".", shade="1")
    c.stamp(4, 13, " 3 3 ", "32323", " 333 ")
    face(c, ("333", " 3.", " 33"))
    c.paint(blob((20, 22), (28, 24), (36, 22), (37, 26), (28, 28), (19, 26)), "2")
    spikes = polygon(
        (18, 15), (14, 9), (19, 9), (17, 2), (23, 5), (25, -1), (29, 4), (35, 0), (35, 5),
        (42, 4), (38, 9), (42, 12), (37, 15), (35, 10), (28, 9), (21, 10),
    )  # fmt: skip
    c.paint(spikes, "3")
    c.paint(blob((19, 10), (28, 7), (37, 10), (37, 13), (28, 10), (19, 13)), "2", edge="")
    c.line("2", (25, 4), (26, 2))
    c.line("2", (32, 4), (34, 3))
    return c.pixels()


def hero_boy() -> Pixels:
    """Show the boy's cap with its sprout and a raised hand."""
    return _hero(braids=False)


def hero_girl() -> Pixels:
    """Show the girl's kerchief and braids and a raised hand."""
    return _hero(braids=True)


def _hero(braids: bool) -> Pixels:
    c = Canvas(BACK_SIZE)
    c.paint(tube((33, 42, 4.5), (41, 34, 4), (42, 25, 3.4)), "2", "", "")
    c.paint(ellipse(42.5, 21, 4, 4), "1")
    c.paint(ellipse(43, 14, 4.5, 4.5), ".", shade="1")
    c.stamp(41, 7, " 3 3", "3233", " 33 ")
    c.paint(blob((7, 48), (9, 36), (17, 31), (29, 31), (36, 37), (38, 50), (22, 55)), "2", "", "")
    c.paint(polygon((13, 34), (31, 34), (34, 49), (10, 49)), "1", ".", "", light_px=2)
    c.line("3", (13, 40), (32, 40))
    c.paint(polygon((19, 39), (25, 39), (25, 44), (19, 44)), "2")
    c.paint(ellipse(22, 22, 13, 11), "3")
    c.paint(ellipse(9, 24, 2.6, 3), "1")
    c.paint(ellipse(35, 24, 2.6, 3), "1")
    if braids:
        for x in (9, 35):
            for y in (29, 33, 37):
                c.paint(ellipse(x, y, 3, 2.8), "3")
            c.line("1", (x - 2, 31), (x + 2, 31))
            c.line("1", (x - 2, 35), (x + 2, 35))
            c.paint(polygon((x - 3, 39), (x + 3, 39), (x, 43)), "2")
        c.paint(
            blob((8, 20), (11, 12), (22, 8), (33, 12), (36, 20), (27, 25), (22, 32), (17, 25)),
            "2",
            "1",
            light_px=2,
        )
        c.line("3", (15, 24), (22, 22), (29, 24))
    else:
        for x in (13, 18, 23, 28):
            c.paint(polygon((x - 3, 28), (x + 4, 28), (x + 1, 35)), "3")
        c.paint(
            blob((7, 21), (10, 11), (22, 6), (34, 11), (37, 21), (22, 24)), "2", "1", light_px=2
        )
        c.paint(polygon((6, 19), (38, 19), (36, 23), (8, 23)), "2")
        c.line("3", (22, 8), (22, 18))
        c.paint(blob((22, 7), (16, 5), (13, 0), (20, 1)), "2", "1", light_px=1)
        c.paint(blob((22, 7), (27, 5), (31, 1), (24, 1)), "2")
    return c.pixels()
