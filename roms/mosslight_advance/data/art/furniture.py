"""What stands in rooms: drawings of one cell's width, as high as they are."""

from __future__ import annotations

from functools import cache

from . import fixture_drawings as fixtures
from . import furniture_drawings as furniture
from .canvas import CLEAR, Canvas, noise
from .ramps import CLOTH, GLOW, LEAF, LINEN, METAL, POT, SCREEN, STONE, WOOD
from .regions import Around

WOODS = {"k": WOOD[0], **{str(n): WOOD[n] for n in range(1, 5)}}
METALS = {"k": METAL[0], **{str(n): METAL[n] for n in range(1, 6)}}
COLOURS = {
    **{"abcd"[n]: SCREEN[n] for n in range(4)},
    **{"rstuv"[n]: CLOTH[n] for n in range(5)},
    **{"xyz"[n]: LINEN[n] for n in range(3)},
    **{"efgh"[n]: LEAF[n] for n in range(4)},
    **{"PQR"[n]: POT[n] for n in range(3)},
    **{"GHIJ"[n]: GLOW[n] for n in range(4)},
}

DRAWINGS: dict[str, tuple[str, dict[str, int]]] = {
    "bookshelf": (furniture.BOOKSHELF, WOODS),
    "shop_shelf": (furniture.SHELF, METALS),
    "tv": (furniture.TELEVISION, WOODS),
    "pc": (furniture.COMPUTER, METALS),
    "lab_machine": (furniture.MACHINE, METALS),
    "heal_machine": (furniture.HEALER, METALS),
    "cooker": (furniture.STOVE, METALS),
    "plant": (furniture.PLANT, WOODS),
    "chair": (furniture.STOOL, WOODS),
    "steps": (fixtures.STEPS, WOODS),
    "stairs_up": (fixtures.STAIRS_UP, WOODS),
    "stairs_down": (fixtures.STAIRS_DOWN, WOODS),
    "mat_exit": (fixtures.MAT, WOODS),
    "window_in": (fixtures.WINDOW, WOODS),
    "clock": (fixtures.CLOCK, WOODS),
    "statue": (furniture.STATUE, {"k": STONE[0], **{str(n): STONE[n] for n in range(1, 5)}}),
}
"""Cell of a map -> its drawing and the colours of the signs beside COLOURS."""


@cache
def rock(sides: Around) -> Canvas:
    """Return a block of the gym's rock: a lit top, a rough face where nothing joins it below."""
    north, south, west, east = sides[:4]
    canvas = Canvas(16, 22)
    face = 22 if south else 12
    for y in range(6 if north else 0, 22):
        for x in range(16):
            rough = (noise(x // 3, y // 2, 21) - 128) / 128
            if y < face:
                shade = 3 - (rough < -0.8)
                patch = ((x - 5) ** 2 + (y - 9) ** 2) ** 0.5 + noise(x, y, 23) / 90
                canvas.put(x, y, LEAF[2 + (patch < 3)] if patch < 4.6 else STONE[shade])
            else:
                canvas.put(x, y, STONE[1 + (rough > -0.2 and y < 18)])
    if not north:
        canvas.box(0, 0, 16, 1, STONE[0])
        canvas.box(0, 1, 16, 1, STONE[4])
    if not south:
        canvas.box(0, face - 1, 16, 1, STONE[4])
        canvas.box(0, face, 16, 1, STONE[0])
        for x in (4, 10):
            canvas.box(x, face + 2, 1, 6, STONE[0])
        canvas.box(0, 21, 16, 1, STONE[0])
    for is_open, x in ((not west, 0), (not east, 15)):
        if is_open:
            canvas.box(x, 6 if north else 0, 1, 22, STONE[0])
            if not north:
                canvas.put(x, 0, CLEAR)
    return canvas


@cache
def standing(name: str, is_second: bool) -> Canvas | None:
    """Return what stands on a cell; None: nothing does.

    Args:
        name: The cell's.
        is_second: The cell to the left is of the same name.
    """
    if name in ("bed", "bed_top"):
        bed = Canvas.from_text(furniture.BED, WOODS | COLOURS)
        return bed.cut(0, 15, 16, 16) if name == "bed" else bed.cut(0, 0, 16, 15)
    if name == "cooker" and is_second:
        return Canvas.from_text(furniture.SINK, METALS | COLOURS)
    if name not in DRAWINGS:
        return None
    text, shades = DRAWINGS[name]
    return Canvas.from_text(text, COLOURS | shades)


@cache
def gallery(sides: Around) -> Canvas:
    """Return a cell of a floor on beams, with a rail where it ends."""
    north, south, west, east = sides[:4]
    canvas = Canvas(16, 16, WOOD[3])
    for y in (4, 9, 14):
        canvas.box(0, y, 16, 1, WOOD[2])
    if not north:
        canvas.box(0, 0, 16, 1, WOOD[0])
        canvas.box(0, 1, 16, 1, WOOD[4])
    if not south:
        canvas.box(0, 11, 16, 1, WOOD[4])
        canvas.box(0, 12, 16, 3, WOOD[1])
        canvas.box(0, 15, 16, 1, WOOD[0])
    for is_open, x in ((not west, 0), (not east, 15)):
        if is_open:
            canvas.box(x, 0, 1, 16, WOOD[0])
    return canvas


@cache
def table_top(sides: Around, kind: str) -> Canvas:
    """Return a cell of a table, desk or counter, with edges where it ends."""
    north, south, west, east = sides[:4]
    rise = 4 if kind == "counter" else 2
    canvas = Canvas(16, 16 + rise)
    shades = {"table": WOOD, "desk": METAL, "counter": WOOD}[kind]
    light, base, dark, line = shades[4], shades[3], shades[2], shades[0]
    top, bottom = (0 if not north else rise), canvas.height
    front = 0 if south else 7
    canvas.box(0, top, 16, bottom - top, base)
    if not north:
        canvas.box(0, top, 16, 1, line)
        canvas.box(0, top + 1, 16, 2, light)
    if front:
        edge = bottom - front
        canvas.box(0, edge - 1, 16, 1, dark)
        canvas.box(0, edge, 16, 1, line)
        if kind == "table":
            canvas.box(0, edge + 1, 16, front - 1, CLEAR)
            canvas.box(0, edge + 1, 16, 1, shades[1])
            canvas.box(0, edge + 2, 16, 1, line)
            for x in (1, 12):
                if (x == 1 and not west) or (x == 12 and not east):
                    canvas.box(x, edge + 2, 3, front - 3, shades[2])
                    canvas.box(x, edge + 2, 1, front - 3, line)
                    canvas.box(x + 2, edge + 2, 1, front - 2, line)
        else:
            canvas.box(0, edge + 1, 16, front - 1, dark)
            canvas.box(0, edge + 1, 16, 1, shades[3])
            for x in range(3, 16, 4):
                canvas.box(x, edge + 2, 1, front - 4, shades[1])
            canvas.box(0, bottom - 2, 16, 1, shades[1])
            canvas.box(0, bottom - 1, 16, 1, line)
    legs = front and kind == "table"
    for open_side, x in ((not west, 0), (not east, 15)):
        if open_side:
            canvas.box(x, top, 1, bottom - top - (front - 1 if legs else 0), line)
            if not north:
                canvas.put(x, top, CLEAR)
    return canvas
