"""Drawings of what stands in rooms; `DRAWINGS` says which belongs to which cell of a map."""

from __future__ import annotations

from .ramps import CLOTH, GLOW, LEAF, LINEN, METAL, POT, SCREEN, STONE, WOOD

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
