"""What stands in rooms: drawings of one cell's width, as high as they are."""

from __future__ import annotations

from functools import cache

from .canvas import CLEAR, Canvas
from .ramps import CLOTH, GLOW, LEAF, LINEN, METAL, POT, SCREEN, STONE, WOOD, noise
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

BOOKSHELF = """
.kkkkkkkkkkkkkk.
k44444444444443k
k33333333333332k
k2kkkkkkkkkkkk2k
k2ksxkbkusxkbk2k
k2ksxbbkusxgbk2k
k2ksxbckusxgck2k
k2ksxbckusxgck2k
k2ksxbckusxgck2k
k33333333333332k
k2kkkkkkkkkkkk2k
k2kgkxskbkxuuk2k
k2kggxsbbkxusk2k
k2kugxsbckxusk2k
k2kugxsbckxusk2k
k2kugxsbckxusk2k
k33333333333332k
k2kkkkkkkkkkkk2k
k2kbxukskgkxbk2k
k2kbxussggkxbk2k
k2kcxussgukxcb2k
k2kcxussgukxck2k
k33333333333332k
k22222222222221k
k2k1111111111k1k
.kk..........kk.
"""

SHELF = """
.kkkkkkkkkkkkkk.
k55555555555554k
k44444444444443k
k3kkkkkkkkkkkk3k
k3ks.b.s.b.sk3kk
k3ksbbsubbsuk3kk
k3kscbsucbsuk3kk
k34444444444443k
k3kkkkkkkkkkkk3k
k3kg.u.g.u.gk3kk
k3kgguuguuggk3kk
k3kguusguusgk3kk
k34444444444443k
k3kkkkkkkkkkkk3k
k3kb.g.b.g.bk3kk
k3kbggbbggbbk3kk
k3kbugcbugcbk3kk
k34444444444443k
k22222222222222k
k21111111111112k
.kkkkkkkkkkkkkk.
"""

TELEVISION = """
....k......k....
.....k....k.....
......k..k......
.kkkkkkkkkkkkkk.
k34444444444432k
k3kkkkkkkkkkk32k
k3kabbbbbbbak42k
k3kbdcccbbbbk32k
k3kbccbbbbbbkr2k
k3kbcbbbbbbbk32k
k3kbbbbbbbbbk42k
k3kabbbbbbbak32k
k3kkkkkkkkkkk32k
k22222222222221k
.kkkkkkkkkkkkkk.
"""

COMPUTER = """
..kkkkkkkkkkk...
.k55555555554k..
.k4kkkkkkkkk3k..
.k4kabbbbbak3k..
.k4kbdcccbbk3k..
.k4kbccbbbbk3k..
.k4kbbcccdbk3k..
.k4kabbbbbak3k..
.k4kkkkkkkkk3k..
.k3333333cd32k..
..kkkkkkkkkkk...
....k3222k......
.kkkkkkkkkkkkkk.
k44444444444444k
k4k4k4k4k4k4c44k
k444k4k4k4k4444k
k33333333333333k
kkkkkkkkkkkkkkkk
k2k11111111111k2
k2k11111111111k2
kkk...........kk
"""

MACHINE = """
.kkkkkkkkkkkkkk.
k55555555555543k
k5444444444443k2
k54kkkkkkkkk43k2
k54kabbbbbak43k2
k54kbbdcbbbk43k2
k54kcdbbcdbk43k2
k54kbbbbbbck43k2
k54kabbbbbak43k2
k54kkkkkkkkk43k2
k5444444444443k2
k54GIk4k4s4u43k2
k54HJk4k4t4u43k2
k5444444444443k2
k33333333333332k
k3kkkkkkkkkkk32k
k3k2k2k2k2k2k32k
k3kkkkkkkkkkk32k
k3k2k2k2k2k2k32k
k3kkkkkkkkkkk32k
k33333333333332k
k22222222222221k
.kkkkkkkkkkkkkk.
"""

HEALER = """
.kkkkkkkkkkkkkk.
k55555555555554k
k54GG444GG444G4k
k5GIHG4GIHG4GIHk
k5GHHG4GHHG4GHHk
k54GG444GG444G4k
k54444444444443k
k54GG444GG444G4k
k5GIHG4GIHG4GIHk
k5GHHG4GHHG4GHHk
k54GG444GG444G4k
k44444444444443k
k33333333333333k
ksttttttttttttsk
kstuuttttttuutsk
ksttttttttttttsk
k3kkkkkkkkkkkk3k
k3kabbcdcbbbak3k
k3kkkkkkkkkkkk3k
k22222222222222k
k11111111111111k
.kkkkkkkkkkkkkk.
"""

STOVE = """
.kkkkkkkkkkkkkk.
k55555555555554k
k54kkk4444kkk44k
k5k222k44k222k4k
k5k2s2k44k222k4k
k5k222k44k222k4k
k54kkk4444kkk44k
k55555555555554k
kkkkkkkkkkkkkkkk
k4u4s4k4k4b4c43k
k44444444444443k
k4kkkkkkkkkkkk3k
k4k1222222221k3k
k4k1211111121k3k
k4k1222222221k3k
k4kkkkkkkkkkkk3k
k33333333333332k
.kkkkkkkkkkkkkk.
"""

SINK = """
.kkkkkkkkkkkkkk.
k55555555555554k
k5kkkkkkkkkkkk4k
k5k1222k3k2221kk
k5k2223k4k3222kk
k5k2333k5k3332kk
k5k3333333333kkk
k55555555555555k
kkkkkkkkkkkkkkkk
k4333333k333333k
k43444442344442k
k43444442344442k
k434444k2344442k
k43444442344442k
k43444442344442k
k43222222222222k
k33333333333332k
.kkkkkkkkkkkkkk.
"""

PLANT = """
......ee..ee....
...ee.fge.fge...
..efgeghefghe...
..efghfgefgfe...
...efghfghfee...
.ee.efgfgfefgee.
efgeefghfgfghge.
eghgfegfgefgfe..
.efghfefgefgeee.
..eefgefefgfgge.
...eefgefgfghge.
.....eefefgfee..
......efefee....
.......ef.......
....PPPPPPPP....
...PRRRRRRRQP...
...PQQQQQQQPP...
....PRRQQQQP....
....PRRQQQPP....
....PRQQQQPP....
.....PQQQPP.....
.....PPPPPP.....
"""

BED = """
.kkkkkkkkkkkkkk.
k44444444444443k
k43333333333332k
k3kkkkkkkkkkkk2k
k3xzzzzzzzzzyx2k
k3xzzzzzzzzzyx2k
k3xyzzzzzzzyyx2k
k3xxyyyyyyyyxx2k
k3xzzzzzzzzzzx2k
k3yyyyyyyyyyyy2k
k3uvvvvvvvvvvu2k
k3tuuuuuuuuuut2k
k3stttttttttts2k
k3tttuttttuttt2k
k3ttuvuttuvutt2k
k3tttuttttuttt2k
k3tttttttttttt2k
k3tttttutttttt2k
k3ttttuvuttttt2k
k3tttttutttttt2k
k3tttttttttttt2k
k3tttuttttuttt2k
k3ttuvuttuvutt2k
k3tttuttttuttt2k
k3stttttttttts2k
k3sssssssssssr2k
k44444444444443k
k33333333333332k
k32222222222221k
kkkkkkkkkkkkkkkk
kk............kk
"""

STOOL = """
................
................
...kkkkkkkkkk...
..k3333333333k..
.k344444444332k.
.k344444444332k.
.k334444443332k.
..k2333333322k..
...kkkkkkkkkk...
...k2k1111k2k...
...k2k....k2k...
...k1k....k1k...
....k......k....
................
"""

STAIRS_UP = """
kkkkkkkkkkkkkkkk
k111111111111k4k
k1kkkkkkkkkkkk3k
k22222222222k43k
k2kkkkkkkkkkkk3k
k3333333333k443k
k3kkkkkkkkkkkk3k
k333333333k4443k
k3kkkkkkkkkkkk3k
k44444444k44443k
k4kkkkkkkkkkkk3k
k4444444k444443k
k4kkkkkkkkkkkk3k
k444444k4444443k
k333333k3333332k
kkkkkkkkkkkkkkkk
"""

STAIRS_DOWN = """
kkkkkkkkkkkkkkkk
k44444444444444k
k4kkkkkkkkkkkk3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k4444k3k2k1k3k
k4k3333k2k1kkk3k
k33333333333333k
kkkkkkkkkkkkkkkk
"""

MAT = """
................
rrrrrrrrrrrrrrrr
suuuuuuuuuuuuuus
stttttttttttttts
stttttttttttttts
sttvvttttttvvtts
stttvvttttvvttts
sttttvvttvvtttts
stttttvvvvttttts
sttttttvvtttttts
stttttttttttttts
suuuuuuuuuuuuuus
rrrrrrrrrrrrrrrr
u.u.u.u.u.u.u.u.
"""

WINDOW = """
.kkkkkkkkkkkkkk.
k44444444444443k
k4kkkkkkkkkkkk3k
k4kzzzyk2zzzyk3k
k4kzzyyk2zzyyk3k
k4kzyyxk2zyyxk3k
k4kyyxxk2yyxxk3k
k4kkkkkkkkkkkk3k
k4kzzyyk2zzyyk3k
k4kzyyxk2zyyxk3k
k4kyyxxk2yyxxk3k
k4kkkkkkkkkkkk3k
k33333333333332k
kkkkkkkkkkkkkkkk
"""

CLOCK = """
.....kkkkkk.....
....k444444k....
...k4zzzzzz3k...
...k4zzkzzz3k...
...k4zzkzzz3k...
...k4zzkkkz3k...
...k4zzzzzz3k...
....k333333k....
.....kkkkkk.....
"""

STATUE = """
................
.....kkk.kkk....
....k443k442k...
....k444442k....
...k4k444k42k...
...k44444442k...
...k44kk4432k...
....k444432k....
...k44444332k...
..k444444332kk..
..k444444332k2k.
..k443444332k2k.
..k4432443322k..
..k443244332k...
.kkkkkkkkkkkkkk.
k44444444444432k
k33333333333322k
kkkkkkkkkkkkkkkk
.k443333333321k.
.k4kkkkkkkkk21k.
.k4k33JJ333k21k.
.k4kkkkkkkkk21k.
.k443333333321k.
k44444444444432k
k22222222222221k
.kkkkkkkkkkkkkk.
"""


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
                shade = 3 + (rough > 0.45) - (rough < -0.75)
                mossy = noise(x // 2, y // 2, 23) > 228
                canvas.put(x, y, LEAF[2] if mossy else STONE[shade])
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


DRAWINGS: dict[str, tuple[str, dict[str, int]]] = {
    "bookshelf": (BOOKSHELF, WOODS),
    "shop_shelf": (SHELF, METALS),
    "tv": (TELEVISION, WOODS),
    "pc": (COMPUTER, METALS),
    "lab_machine": (MACHINE, METALS),
    "heal_machine": (HEALER, METALS),
    "cooker": (STOVE, METALS),
    "plant": (PLANT, WOODS),
    "chair": (STOOL, WOODS),
    "stairs_up": (STAIRS_UP, WOODS),
    "stairs_down": (STAIRS_DOWN, WOODS),
    "mat_exit": (MAT, WOODS),
    "window_in": (WINDOW, WOODS),
    "clock": (CLOCK, WOODS),
    "statue": (STATUE, {"k": STONE[0], **{str(n): STONE[n] for n in range(1, 5)}}),
}


@cache
def standing(name: str, is_second: bool) -> Canvas | None:
    """Return what stands on a cell; None: nothing does.

    Args:
        name: The cell's.
        is_second: The cell to the left is of the same name.
    """
    if name in ("bed", "bed_top"):
        bed = Canvas.from_text(BED, WOODS | COLOURS)
        return bed.cut(0, 15, 16, 16) if name == "bed" else bed.cut(0, 0, 16, 15)
    if name == "cooker" and is_second:
        return Canvas.from_text(SINK, METALS | COLOURS)
    if name not in DRAWINGS:
        return None
    text, shades = DRAWINGS[name]
    return Canvas.from_text(text, COLOURS | shades)


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
