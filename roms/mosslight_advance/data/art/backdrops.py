"""Backdrops of 240x160 pixels, 15 colours each, and the interface's colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sin

from ..sources import fronts_meadow
from . import lettering
from .canvas import Canvas, noise, ramp
from .sculpt import play

WIDTH, HEIGHT = 240, 160
FOE_FEET, OWN_FEET = (184, 70), (62, 110)
"""Where creatures stand in battle."""

# NONE PAPER TEXT SHADOW FRAME FRAME_LIGHT CURSOR RED BLUE GREEN YELLOW DARK GREY PANEL PANEL_LIGHT
# WHITE, in the order of game.h.
UI_COLOURS = ramp(
    "000000 f8f8f0 404050 c8c8b8 306858 70b890 e05838 d83838 3868c8 38a848 e8b828 283038 909898"
    " 2c4860 5080a0 f8f8f8"
)


def _gradient(canvas: Canvas, top: int, bottom: int, colours: Sequence[int]) -> None:
    """Fill rows with colours from top to bottom; where two meet, rows alternate."""
    for y in range(top, bottom):
        place = (y - top) * len(colours) / (bottom - top)
        step, part = int(place), place - int(place)
        later = step + 1 < len(colours) and part > 0.8 and y % 2 == 1
        canvas.box(0, y, canvas.width, 1, colours[step + later])


def _platform(canvas: Canvas, x: int, y: int, wide: int, shades: Sequence[int]) -> None:
    """Draw a round patch to stand on: rim, edge, ground, light; tufts around it."""
    high = wide // 4
    canvas.ellipse(x, y + 2, wide + 2, high + 1, shades[0])
    canvas.ellipse(x, y, wide + 2, high + 1, shades[1])
    canvas.ellipse(x, y, wide, high, shades[2])
    canvas.ellipse(x - wide // 12, y - 1, wide * 5 // 6, high * 3 // 4, shades[3])


FIELD = {
    "sky": ramp("70b8ec 90ccf4 b4e0f8 d8f0fc"),
    "hills": ramp("5c9c98 80b8a4"),
    "wood": ramp("2c6c50 48905c"),
    "grass": ramp("58a858 74c465 8cd478 a8e08c"),
    "patch": ramp("3c8a50 58a858 a4d870 c0ec8c"),
}


def field() -> Canvas:
    """A meadow before woods and hills."""
    canvas = Canvas(WIDTH, HEIGHT)
    _gradient(canvas, 0, 40, FIELD["sky"])
    for x in range(WIDTH):
        far = 30 - int(6 * sin(x / 31) + 4 * sin(x / 13 + 2))
        canvas.box(x, far, 1, 44 - far, FIELD["hills"][1])
        canvas.box(x, far + 4 + int(3 * sin(x / 9)), 1, 40 - far, FIELD["hills"][0])
        trees = 38 - abs(x % 14 - 7) // 2 - noise(x // 14, 1) % 5
        canvas.box(x, trees, 1, 46 - trees, FIELD["wood"][1])
        canvas.box(x, trees + 4 + x % 3, 1, 42 - trees, FIELD["wood"][0])
    _gradient(canvas, 46, HEIGHT, (*FIELD["grass"][1:], FIELD["grass"][2], FIELD["grass"][1]))
    canvas.box(0, 46, WIDTH, 1, FIELD["grass"][0])
    for number in range(90):
        x, y = noise(number, 5) * 240 // 256, 50 + noise(number, 9) * 62 // 256
        wide = 2 + (y - 46) // 12
        canvas.box(x, y, wide, 1, FIELD["grass"][0 if number % 3 == 0 else 3])
    for feet, wide in ((FOE_FEET, 52), (OWN_FEET, 66)):
        _platform(canvas, *feet, wide, FIELD["patch"])
    for number in range(40):
        for (x, y), wide in ((FOE_FEET, 52), (OWN_FEET, 66)):
            at = x - wide + number * wide // 20
            curve = (1 - ((at - x) / wide) ** 2) ** 0.5
            edge = y + int(curve * wide / 4)
            canvas.box(at, edge - noise(number, x) % 4, 1, 4, FIELD["patch"][1])
    return canvas


INDOOR = {
    "wall": ramp("84847c a09c90 b8b4a4 ccc8b8"),
    "trim": ramp("484850 686868"),
    "floor": ramp("886848 a88458 bc9868 cca878"),
    "patch": ramp("604838 886848 d4b484 e8cc9c"),
}


def indoor() -> Canvas:
    """A hall with stone walls and a floor of slabs."""
    canvas = Canvas(WIDTH, HEIGHT, INDOOR["floor"][2])
    canvas.box(0, 0, WIDTH, 40, INDOOR["wall"][2])
    for row in range(4):
        y = row * 10
        canvas.box(0, y + 9, WIDTH, 1, INDOOR["wall"][1])
        canvas.box(0, y, WIDTH, 1, INDOOR["wall"][3])
        for x in range(row % 2 * 12, WIDTH, 24):
            canvas.box(x, y, 1, 10, INDOOR["wall"][1])
            canvas.box(x + 1, y, 1, 9, INDOOR["wall"][3])
    for x in range(0, WIDTH + 1, 60):
        canvas.box(x - 7, 0, 14, 42, INDOOR["wall"][1])
        canvas.box(x - 6, 0, 4, 42, INDOOR["wall"][3])
        canvas.box(x - 2, 0, 5, 42, INDOOR["wall"][2])
        canvas.box(x + 5, 0, 2, 42, INDOOR["wall"][0])
        canvas.box(x - 9, 38, 18, 5, INDOOR["wall"][0])
        canvas.box(x - 9, 38, 18, 1, INDOOR["wall"][3])
    canvas.box(0, 42, WIDTH, 1, INDOOR["trim"][1])
    canvas.box(0, 43, WIDTH, 2, INDOOR["trim"][0])
    y, high = 45, 4
    while y < HEIGHT:
        canvas.box(0, y, WIDTH, 1, INDOOR["floor"][3])
        canvas.box(0, y + high - 1, WIDTH, 1, INDOOR["floor"][1])
        y, high = y + high, high + 2
    for x in range(-300, 541, 30):
        canvas.line(120 + (x - 120) * 0.55, 45, 120 + (x - 120) * 1.6, HEIGHT, INDOOR["floor"][1])
    for feet, wide in ((FOE_FEET, 52), (OWN_FEET, 66)):
        _platform(canvas, *feet, wide, INDOOR["patch"])
    return canvas


SCREEN = ramp("285068 305c74 386880 40748c 548ca0")


def screen() -> Canvas:
    """Behind full-screen menus: slanting stripes with leaves."""
    canvas = Canvas(WIDTH, HEIGHT)
    for y in range(HEIGHT):
        for x in range(WIDTH):
            canvas.rows[y][x] = SCREEN[1 + (x + y) // 16 % 2]
    leaf = ((0, -5), (3, -2), (3, 2), (0, 6), (-3, 2), (-3, -2))
    for row in range(5):
        for column in range(8):
            x, y = column * 32 + row % 2 * 16 + 8, row * 32 + 16
            canvas.polygon([(x + dx, y + dy) for dx, dy in leaf], SCREEN[3])
            canvas.line(x, y - 3, x, y + 6, SCREEN[1])
    canvas.box(0, 0, WIDTH, 2, SCREEN[4])
    canvas.box(0, 2, WIDTH, 1, SCREEN[0])
    canvas.box(0, HEIGHT - 2, WIDTH, 2, SCREEN[0])
    return canvas


INTRO = {
    "dark": ramp("101830 182444 203058 2c4070 3c5488"),
    "glow": ramp("406850 609058 90c060 c8ec88 f0fcc0"),
}


def intro() -> Canvas:
    """Night, and a round of glowing moss on which somebody stands."""
    canvas = Canvas(WIDTH, HEIGHT)
    for y in range(HEIGHT):
        for x in range(WIDTH):
            away = (((x - 120) / 120) ** 2 + ((y - 70) / 90) ** 2) ** 0.5
            step = 4 - int(min(away, 0.99) * 5)
            canvas.rows[y][x] = INTRO["dark"][step]
    for wide, shade in ((66, 0), (58, 1), (46, 2), (32, 3)):
        canvas.ellipse(120, 98, wide, wide / 4.5, INTRO["glow"][shade])
    for number in range(46):
        x, y = noise(number, 3) * 240 // 256, noise(number, 4) * 112 // 256
        canvas.put(x, y, INTRO["glow"][3 if number % 4 else 4])
        if number % 4 == 0:
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                canvas.put(x + dx, y + dy, INTRO["glow"][1])
    return canvas


TITLE = {
    "sky": ramp("0c1028 141c40 1c2c58 284074 3c5c90"),
    "moon": ramp("d8e8c8 f8fce8"),
    "hill": ramp("0c2030 14343c"),
    "glow": ramp("287850 58b048 a8e058 e0f890"),
    "rim": ramp("0c2818"),
}


def _shadow(name: str) -> Canvas:
    """Return a small creature against the light: dark, with a glowing edge at its top left."""
    drawn = play(fronts_meadow, name, 0.55)
    canvas = Canvas(32, 32)
    for x, y in drawn.points:
        is_lit = (x - 1, y) not in drawn.points or (x, y - 1) not in drawn.points
        canvas.put(x, y, TITLE["glow"][2] if is_lit else TITLE["glow"][0])
    return canvas


def title() -> Canvas:
    """The valley by night: moon, woods, moss that glows on a stone, and the game's name."""
    canvas = Canvas(WIDTH, HEIGHT)
    _gradient(canvas, 0, 112, TITLE["sky"])
    for number in range(70):
        x, y = noise(number, 1) * 240 // 256, noise(number, 2) * 84 // 256
        canvas.put(x, y, TITLE["moon"][0] if number % 3 else TITLE["moon"][1])
    canvas.ellipse(202, 26, 17, 17, TITLE["sky"][4])
    canvas.ellipse(202, 26, 14, 14, TITLE["moon"][0])
    canvas.ellipse(200, 24, 11, 11, TITLE["moon"][1])
    for x in range(WIDTH):
        ridge = 92 - int(10 * sin(x / 37 + 1) + 6 * sin(x / 15))
        canvas.box(x, ridge, 1, HEIGHT - ridge, TITLE["hill"][1])
        firs = 108 - (6 - abs(x % 12 - 6)) * (1 + noise(x // 12, 8) % 3) + int(4 * sin(x / 25))
        canvas.box(x, firs, 1, HEIGHT - firs, TITLE["hill"][0])
    for x, y, wide in ((30, 158, 46), (212, 158, 46), (120, 168, 78)):
        canvas.ellipse(x, y, wide, wide / 2.6, TITLE["rim"][0])
        canvas.ellipse(x, y + 1, wide - 1, wide / 2.6 - 1, TITLE["glow"][0])
        canvas.ellipse(x - 3, y - 1, wide * 0.8, wide / 3.4, TITLE["glow"][1])
        canvas.ellipse(x - 6, y - 5, wide * 0.5, wide / 6.5, TITLE["glow"][2])
    canvas.blit(_shadow("cindle").mirrored(), 12, 110)
    canvas.blit(_shadow("sprigot"), 194, 110)
    for number in range(44):
        x, y = noise(number, 6) * 240 // 256, 104 + noise(number, 7) * 34 // 256
        canvas.put(x, y, TITLE["glow"][2 if number % 3 else 3])
        if number % 5 == 0:
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                canvas.put(x + dx, y + dy, TITLE["glow"][1])
    name, _, _ = lettering.word("MOSSLIGHT", 120, 42, 23, 3.4, 2)
    moss = TITLE["glow"]
    lettering.paint(
        canvas, name, (moss[3], moss[2], moss[2], moss[1], moss[3]), TITLE["rim"][0],
        TITLE["hill"][0], 3,
    )  # fmt: skip
    second, left, right = lettering.word("ADVANCE", 120, 83, 10, 1.4, 6)
    canvas.box(int(left) - 10, 77, int(right - left) + 20, 22, TITLE["rim"][0])
    canvas.box(int(left) - 9, 78, int(right - left) + 18, 20, TITLE["glow"][0])
    canvas.box(int(left) - 9, 78, int(right - left) + 18, 1, TITLE["glow"][1])
    for x, y in second:
        canvas.put(x + 1, y + 1, TITLE["rim"][0])
    for x, y in second:
        canvas.put(x, y, TITLE["moon"][1])
    return canvas


BACKDROPS: dict[str, Callable[[], Canvas]] = {
    "title": title,
    "field": field,
    "indoor": indoor,
    "screen": screen,
    "intro": intro,
}
