"""Houses: a roof of shingles, a front of plaster or stone with windows and a door."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from .canvas import Canvas
from .ramps import GLASS, GRASS, PLASTER, RED, ROOFS, STONE, WOOD
from .regions import CELL

RISE = 10
"""Pixels that a house rises above its cells."""
EAVES = 8
"""Pixels of the roof's last row of cells that are front already."""

WINDOW = """
.kkkkkkkkkk.
kwwwwwwwwwwk
kw3322w3322k
kw3222w3222k
kw3221w2221k
kwwwwwwwwwwk
kw2221w2221k
kw2211w2211k
kw2111w2111k
kwwwwwwwwwwk
.kkkkkkkkkk.
kgrggrggrggk
.kkkkkkkkkk.
"""

DOOR = """
..kkkkkkkk..
.k44444444k.
k4333333332k
k43kkkkkk32k
k43k3223k32k
k43k3221k32k
k43k2211k32k
k43kkkkkk32k
k4333333332k
k433333y332k
k4322222232k
k43k3333232k
k43k3222232k
k43k3222232k
k43k2222232k
k4322222232k
k4333333332k
kkkkkkkkkkkk
"""

HEART = """
.kkkkkkkkkk.
kwwwwwwwwwwk
kwrrwwwrrwwk
krrrrwrrrrwk
krrrrrrrrrwk
krrrrrrrrrwk
kwrrrrrrrwwk
kwwrrrrrwwwk
kwwwrrrwwwwk
kwwwwrwwwwwk
kwwwwwwwwwwk
.kkkkkkkkkk.
"""

POUCH = """
.kkkkkkkkkk.
kwwwwwwwwwwk
kwwwbbbbwwwk
kwwwwbbwwwwk
kwwwbccbwwwk
kwwbccccbwwk
kwbccyyccbwk
kwbcyyyycbwk
kwbccyyccbwk
kwwbbbbbbwwk
kwwwwwwwwwwk
.kkkkkkkkkk.
"""

CREST = """
...kkkkkk...
..k443344k..
.k44222244k.
k4422332244k
k4223443224k
k4234444324k
k4223443224k
k4422332244k
.k44222244k.
..k443344k..
...kkkkkk...
"""


@dataclass(frozen=True, slots=True)
class House:
    """A house of a map: place and size of its roof in cells, and the cells of its front."""

    x: int
    y: int
    width: int
    height: int
    roof: str
    front: tuple[str, ...]

    def picture(self, opened: int = 0) -> Canvas:
        """Return the whole house; it begins RISE pixels above its cells.

        Args:
            opened: 0: the door is shut; 1: it is half open; 2: it is open.
        """
        return _draw(self.width, self.height, self.roof, self.front, opened)


def find(at: Callable[[int, int], str], width: int, height: int) -> Iterator[House]:
    """Yield a map's houses."""
    for y in range(height):
        for x in range(width):
            roof = at(x, y)
            if roof not in ROOFS or at(x - 1, y) == roof or (y and at(x, y - 1) == roof):
                continue
            wide, high = 1, 1
            while at(x + wide, y) == roof:
                wide += 1
            while at(x, y + high) == roof:
                high += 1
            front = tuple(at(x + dx, y + high) for dx in range(wide))
            yield House(x, y, wide, high, roof, front)


@cache
def _draw(width: int, height: int, roof: str, front: tuple[str, ...], opened: int) -> Canvas:
    wide = width * CELL
    canvas = Canvas(wide, RISE + (height + 1) * CELL)
    wall_top = RISE + height * CELL - EAVES
    is_stone = "gym_door" in front
    _wall(canvas, wall_top, is_stone)
    for number, name in enumerate(front):
        shift = (number == 0) * 3 - (number == width - 1) * 3 if name != "door" else 0
        _part(canvas, number * CELL + shift, name)
        if opened and name in ("door", "gym_door"):
            _open(canvas, number * CELL, opened)
    _roof(canvas, wall_top - 1, ROOFS[roof], is_stone)
    return canvas


def _wall(canvas: Canvas, top: int, is_stone: bool) -> None:
    bottom, wide = canvas.height, canvas.width
    shades = STONE if is_stone else PLASTER
    left, right = 3, wide - 3
    canvas.box(left, top, right - left, bottom - top, shades[3])
    if is_stone:
        for row, y in enumerate(range(top, bottom, 5)):
            canvas.box(left, y + 4, right - left, 1, shades[2])
            for x in range(left + row % 2 * 4, right, 9):
                canvas.box(x, y, 1, 4, shades[2])
                canvas.put(x + 1, y, shades[4])
    canvas.box(left, bottom - 4, right - left, 3, shades[1])
    for x in range(left, right, 5):
        canvas.put(x, bottom - 3, shades[0])
    canvas.box(left, bottom - 1, right - left, 1, shades[0])
    canvas.box(left, bottom - 5, right - left, 1, shades[2])
    post = STONE if is_stone else WOOD
    for x, shade in ((left, 3), (left + 1, 2), (left + 2, 1), (right - 3, 3), (right - 2, 2)):
        canvas.box(x, top, 1, bottom - top, post[shade])
    canvas.box(right - 1, top, 1, bottom - top, post[1])
    canvas.box(left - 1, top, 1, bottom - top, post[0])
    canvas.box(right, top, 1, bottom - top, post[0])


def _roof(canvas: Canvas, eaves: int, shades: tuple[int, ...], is_stone: bool) -> None:
    """Draw a hipped roof down to the line `eaves`, and the shadow under it."""
    wide = canvas.width
    slope = 9
    for y in range(eaves):
        inset = round(slope * (1 - y / eaves)) if y > 2 else slope + 2 - y
        for x in range(inset, wide - inset):
            hip_left = x - inset < 5 + (eaves - y) * 4 // 10
            hip_right = wide - inset - x <= 5 + (eaves - y) * 4 // 10
            row, within = divmod(y - 4, 5)
            shade = 3 if hip_left else 1 if hip_right else 2
            if within == 4:
                shade = max(shade - 1, 0)
            elif within == 0 and y > 4:
                shade = min(shade + 1, 4) if not hip_right else shade
            elif (x + row * 3) % 7 == 0:
                shade = max(shade - 1, 0)
            if y < 3:
                shade = 4
            canvas.put(x, y, shades[shade])
    canvas.box(0, eaves - 3, wide, 1, shades[4])
    canvas.box(0, eaves - 2, wide, 1, shades[3])
    canvas.box(0, eaves - 1, wide, 1, shades[1])
    canvas.box(0, eaves - 3, 1, 3, shades[0])
    canvas.box(wide - 1, eaves - 3, 1, 3, shades[0])
    for y in range(eaves - 3):
        inset = round(slope * (1 - y / eaves)) if y > 2 else slope + 2 - y
        canvas.put(inset, y, shades[0])
        canvas.put(wide - 1 - inset, y, shades[0])
    canvas.box(slope + 2, 0, wide - 2 * slope - 4, 1, shades[0])
    canvas.box(1, eaves, wide - 2, 1, shades[0])
    shadow = STONE[1] if is_stone else PLASTER[0]
    for x in range(3, wide - 3):
        canvas.put(x, eaves + 1, shadow)
        canvas.put(x, eaves + 2, STONE[2] if is_stone else PLASTER[1])


def _open(canvas: Canvas, x: int, opened: int) -> None:
    """Slide a door aside: the dark of the room shows at its right."""
    bottom = canvas.height
    left = x + (4 if opened == 2 else 8)
    canvas.box(left, bottom - 16, x + 12 - left, 16, WOOD[0])
    canvas.box(left, bottom - 2, x + 12 - left, 2, WOOD[1])
    canvas.box(left - 1, bottom - 16, 1, 16, WOOD[4])


def _part(canvas: Canvas, x: int, name: str) -> None:
    """Draw what a front's cell has: a window, a door, a plaque."""
    bottom = canvas.height
    wood = {"k": WOOD[0], "y": GLASS[3], **{str(n): WOOD[n] for n in range(1, 5)}}
    if name == "window":
        colours = {"k": WOOD[0], "w": PLASTER[4], "g": GRASS[1], "r": RED}
        colours |= {str(n): GLASS[n] for n in range(1, 4)}
        canvas.blit(Canvas.from_text(WINDOW, colours), x + 2, bottom - 18)
    elif name == "door":
        canvas.blit(Canvas.from_text(DOOR, wood), x + 2, bottom - 18)
    elif name == "gym_door":
        stone = {"k": STONE[0], "y": STONE[4], **{str(n): STONE[n] for n in range(1, 5)}}
        canvas.box(x, bottom - 20, 16, 20, STONE[1])
        canvas.blit(
            Canvas.from_text(DOOR, stone | {"3": WOOD[2], "2": WOOD[1]}), x + 2, bottom - 18
        )
    elif name in ("wall_heal", "wall_shop"):
        colours = {
            "k": WOOD[0],
            "w": PLASTER[4],
            "r": RED,
            "b": WOOD[1],
            "c": WOOD[3],
            "y": WOOD[4],
        }
        drawing = HEART if name == "wall_heal" else POUCH
        canvas.blit(Canvas.from_text(drawing, colours), x + 2, bottom - 18)
    elif name == "gym_crest":
        stone = {"k": STONE[0], **{str(n): STONE[n] for n in range(1, 5)}}
        canvas.blit(Canvas.from_text(CREST, stone), x + 2, bottom - 18)
