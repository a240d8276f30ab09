"""Single things out of doors: ledges, signs, lamps, boulders, waves."""

from __future__ import annotations

from functools import cache

from .canvas import CLEAR, Canvas, noise
from .ramps import EARTH, GLOW, GRASS, STONE, WATER, WOOD


@cache
def waves(phase: int) -> Canvas:
    """Return a cell of open water in one of four phases: crests sway, a glint wanders."""
    canvas = Canvas(16, 16, WATER[1])
    sway = (0, 1, 2, 1)[phase]
    for number, (x, y, wide) in enumerate(((2, 4, 5), (10, 12, 4))):
        left = x + sway if number == 0 else x - sway
        for dx in range(wide):
            lift = 0 < dx < wide - 1
            canvas.put((left + dx) % 16, y - lift, WATER[3])
            canvas.put((left + dx) % 16, y - lift + 1, WATER[2])
        if phase == 2 * number:
            canvas.put((left + 1) % 16, y - 1, WATER[5])
    canvas.put((12 + sway) % 16, 6, WATER[2])
    canvas.put((5 - sway) % 16, 10, WATER[2])
    return canvas


LEDGE = """
4444344444434444
3333333333333333
1331133311331131
e1ee1eee1ee1ee1e
eeeeaeeeeeeaeeee
aaeaaaaeaaaaaeaa
aaaabaaaaabaaaab
baabbbabbbabaabb
bbbbbbbbbbbbbbbb
kbbkbbbkbbkbbkbb
kkkkkkkkkkkkkkkk
0000000000000000
"""
LEDGE_TOP = 4


@cache
def ledge(open_left: bool, open_right: bool) -> Canvas:
    """Return a ledge to hop down: turf above, a bank of earth below; rounded where it ends."""
    colours = {str(n): GRASS[n] for n in (0, 1, 3, 4)}
    colours |= dict(zip("kbae", EARTH, strict=True))
    bank = Canvas.from_text(LEDGE, colours)
    for x in range(bank.width):
        gap = min(x if open_left else 99, 15 - x if open_right else 99)
        for y in range(bank.height):
            if y < 3 - gap or y >= bank.height - 3 + gap:
                bank.rows[y][x] = CLEAR
    canvas = Canvas(16, 16)
    canvas.blit(bank, 0, LEDGE_TOP)
    return canvas


SIGN = """
................
.kkkkkkkkkkkkkk.
k44444444444443k
k43333333333332k
k43k1kk1k1kk332k
k43333333333332k
k43kk1k1kk1k332k
k43333333333332k
k32222222222221k
.kkkkkkkkkkkkkk.
.....k23k.......
.....k23k.......
.....k12k.......
...ggk12kgg.....
....ggkkgggg....
................
"""

LAMP = """
......kkkk......
.....k3333k.....
....k233332k....
...kkkkkkkkkk...
...k1cddddc1k...
...k1dfffed1k...
...k1dffeed1k...
...k1dfeedc1k...
...k1deedcc1k...
...kkkkkkkkkk...
....k12221k.....
.....kkkkk......
......k2k.......
......k3k.......
......k2k.......
......k2k.......
......k3k.......
......k2k.......
......k2k.......
......k3k.......
......k2k.......
......k2k.......
......k2k.......
.....k232k......
.....k121k......
....kkkkkkgg....
....gggggggg....
................
"""


def _boulder() -> Canvas:
    canvas = Canvas(16, 18)
    canvas.ellipse(8.5, 15, 7.5, 2.6, GRASS[0])
    for y in range(1, 17):
        for x in range(16):
            u, v = (x + 0.5 - 8) / 7.6, (y + 0.5 - 9) / 7.4
            if u * u + v * v > 1 - 0.12 * (noise(x // 3, y // 3, 5) / 255):
                continue
            light = 2.4 - 1.3 * u - 1.7 * v + (noise(x // 2, y // 2, 9) - 128) / 260
            colour = STONE[min(max(int(light), 0), 4)]
            if v < -0.25 and noise(x // 2, y, 11) > 60 + (v + 1) * 150:
                colour = GRASS[3] if u < 0 else GRASS[1]
            canvas.put(x, y, colour)
    canvas.outline(STONE[0], over=(GRASS[0],))
    return canvas


@cache
def standing(name: str) -> Canvas | None:
    """Return what stands on a cell, as high as it is; None: nothing does."""
    if name == "boulder":
        return _boulder()
    wood = {"k": WOOD[0], "g": GRASS[0], **{str(n): WOOD[n] for n in range(1, 5)}}
    if name == "sign":
        return Canvas.from_text(SIGN, wood)
    if name == "lantern":
        lamp = {"c": GLOW[0], "d": GLOW[1], "e": GLOW[2], "f": GLOW[3]}
        iron = {"k": STONE[0], "g": GRASS[0], **{str(n): STONE[n] for n in range(1, 5)}}
        return Canvas.from_text(LAMP, iron | lamp)
    return None
