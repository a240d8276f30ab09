"""People on the map: 16x32 pixels, put together from heads, bodies and legs.

Signs of the drawings: o outline, e eyes, w white; s l S skin, its light and shadow; h i H hair;
t u T clothes above, p q P below; b c shoes, of the hair's colours; a d n what sets one apart (cap, apron, beard ...).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .canvas import Canvas, ramp, rgb

WIDTH, HEIGHT = 16, 32
DOWN, UP, LEFT = "down", "up", "left"
HEAD_ROWS, BODY_ROWS, LEG_ROWS = 12, 5, 5

Rows = Mapping[int, str]

HEADS: dict[str, tuple[str, ...]] = {
    DOWN: (
        ".....oooooo.....",
        "...oohhhhhhoo...",
        "..ohhiiiihhhHo..",
        "..ohiiihhhhhHo..",
        ".ohhhhhhhhhhHHo.",
        ".ohhhhhhhhhhHHo.",
        ".ohHhsHhhsHhHHo.",
        ".oHHsssssssSHHo.",
        "..ossesssseSSo..",
        "..ossesssseSSo..",
        "..oossssssSSoo..",
        "...oooSSSSooo...",
    ),
    UP: (
        ".....oooooo.....",
        "...oohhhhhhoo...",
        "..ohhiiiihhhHo..",
        "..ohiiihhhhhHo..",
        ".ohhhhhhhhhhHHo.",
        ".ohhhhhhhhhhHHo.",
        ".ohhhhhhhhhhHHo.",
        ".ohhhhhhhhhHHHo.",
        "..ohhhhhhhHHHo..",
        "..oHhHhhHhHHHo..",
        "..ooHHhHHHHHoo..",
        "...oooSSSSooo...",
    ),
    LEFT: (
        "....oooooo......",
        "..oohhhhhhoo....",
        ".ohhiiiihhhHo...",
        ".ohiiihhhhhHHo..",
        "ohhhhhhhhhhhHHo.",
        "ohhhhhhhhhhhHHo.",
        ".oshhHhhhhhHHHo.",
        ".ossssHhhhHHHHo.",
        ".osesssshSSHHo..",
        ".osesssssSSHo...",
        ".oossssSSSSoo...",
        "...ooooSSooo....",
    ),
}

BODIES: dict[str, tuple[str, ...]] = {
    DOWN: (
        "...ouuttttTTo...",
        "..oututtttTTto..",
        ".ottouttttTotTo.",
        ".otTouttttTotTo.",
        ".ossouttttToSSo.",
    ),
    UP: (
        "...ouuttttTTo...",
        "..oututtttTTto..",
        ".ottouttttTotTo.",
        ".otTouttttTotTo.",
        ".ossouttttToSSo.",
    ),
    LEFT: (
        "....ouuttTTo....",
        "....outttTTo....",
        "...outtottTTo...",
        "...outtotTTTo...",
        "...oossoTTTo....",
    ),
}
STEP_BODIES: dict[str, tuple[str, ...]] = {
    DOWN: (
        "...ouuttttTTo...",
        "..oututtttTTto..",
        ".ottouttttTotTo.",
        ".ossouttttTotTo.",
        "..ooouttttToSSo.",
    ),
    LEFT: (
        "....ouuttTTo....",
        "....outttTTo....",
        "...outtottTTo...",
        "..outtotTTTTo...",
        "..ossooTTTTo....",
    ),
}

LEGS: dict[str, tuple[str, ...]] = {
    DOWN: (
        "..oo.oqpppPo.oo.",
        "....oqppppPo....",
        "....oqpoopPo....",
        "....obcoobco....",
        "....ooo..ooo....",
    ),
    LEFT: (
        ".....oqppPo.....",
        ".....oqppPo.....",
        ".....oqpPPo.....",
        "....obbbcco.....",
        "....ooooooo.....",
    ),
}
STEP_LEGS: dict[str, tuple[str, ...]] = {
    DOWN: (
        ".....oqpppPo.oo.",
        "....oqpppPPo....",
        "....oqpooPPo....",
        "....obcobco.....",
        "....ooo.oo......",
    ),
    LEFT: (
        ".....oqppPo.....",
        "....oqppPPo.....",
        "...oqpoooPPo....",
        "...obco..obco...",
        "...ooo....oo....",
    ),
    "left_2": (
        ".....oqppPo.....",
        "....oPPqppo.....",
        "...oPPoooqpo....",
        "...obco..obbo...",
        "....oo...oooo...",
    ),
}
SKIRTS: dict[str, tuple[str, ...]] = {
    DOWN: (
        "..ooqppppppPoo..",
        "...oqppppppPo...",
        "....oosooSoo....",
        "....obcoobco....",
        "....ooo..ooo....",
    ),
    LEFT: (
        "....oqpppPPo....",
        "....oqpppPPo....",
        "....ooosSooo....",
        "....obbbcco.....",
        "....ooooooo.....",
    ),
}
SKIRT_STEPS: dict[str, tuple[str, ...]] = {
    DOWN: (
        "..ooqppppppPo...",
        "...oqppppppPo...",
        "....oosoobco....",
        "....obcoooo.....",
        "....ooo.........",
    ),
    LEFT: (
        "....oqpppPPo....",
        "....oqpppPPo....",
        "...ossoooSSo....",
        "...obco..obco...",
        "...ooo....oo....",
    ),
}

# What lies over heads: direction -> row of the head -> drawing; "-" leaves what is there.
HATS: dict[str, dict[str, Rows]] = {
    "short": {DOWN: {}, UP: {}, LEFT: {}},
    "cap": {
        DOWN: {
            1: "---ooaaaaaaoo---", 2: "--oaaddddaaano--", 3: "--oadddaaaaano--",
            4: "-oaaaaaaaaaanno-", 5: "-onnnaaaaaannno-", 6: "-ohnnnnnnnnnnHo-",
        },
        UP: {
            1: "---ooaaaaaaoo---", 2: "--oaaddddaaano--", 3: "--oadddaaaaano--",
            4: "-oaaaaaaaaaanno-", 5: "-oaaaaaaaaaanno-", 6: "-onnaaaaaaannno-",
        },
        LEFT: {
            1: "--ooaaaaaaoo----", 2: "-oaaddddaaano---", 3: "-oadddaaaaanno--",
            4: "oaaaaaaaaaaanno-", 5: "onnnnaaaaaannno-", 6: "oonnnnhhhhhHHHo-",
        },
    },
    "long": {
        DOWN: {
            7: "-oHHsssssssSHHo-", 8: "-ohhsesssseSHHo-", 9: "-ohhsesssseSHHo-",
            10: "-ohhossssSSoHHo-", 11: "-ohHoooSSooohHo-",
        },
        UP: {
            8: "-ohhhhhhhhhHHHo-", 9: "-ohhHhhhhHhHHHo-", 10: "-ohhHhhhHHhHHHo-",
            11: "-ohHHhHhHHHHHHo-",
        },
        LEFT: {
            8: "-osesssshhHHHHo-", 9: "-osessssshHHHHo-", 10: "-oossssSSHHHHHo-",
            11: "---ooooSSoHHHHo-",
        },
    },
    "spiky": {
        DOWN: {
            0: "---o--oo-oo-oo--", 1: "--ohoohhohhohHo-", 2: "--ohhhiihhhhhHo-",
            3: "-ohhiiihhhhhhHHo", 4: "ohhhhhhhhhhhhHHo", 5: "-ohhhhhhhhhhHHo-",
        },
        UP: {
            0: "---o--oo-oo-oo--", 1: "--ohoohhohhohHo-", 2: "--ohhhiihhhhhHo-",
            3: "-ohhiiihhhhhhHHo", 4: "ohhhhhhhhhhhhHHo", 5: "-ohhhhhhhhhhHHo-",
        },
        LEFT: {
            0: "---o--oo-oo-oo--", 1: "--ohoohhohhohHo-", 2: "-ohhiihhhhhhhHo-",
            3: "-ohiiihhhhhhhHHo", 4: "ohhhhhhhhhhhhHHo",
        },
    },
    "pigtails": {
        DOWN: {
            4: "ohohhhhhhhhhHoHo", 5: "hhohhhhhhhhhHoHH", 6: "hHaHhsHhhsHhHaHH",
            7: "oHoHsssssssSHoHo", 8: "..ossesssseSSo..",
        },
        UP: {
            4: "ohohhhhhhhhhHoHo", 5: "hhohhhhhhhhhHoHH", 6: "hHahhhhhhhhhHaHH",
            7: "oHohhhhhhhhHHoHo", 8: "-oohhhhhhhHHHoo-",
        },
        LEFT: {5: "ohhhhhhhhhhhHooo", 6: "-oshhHhhhhHHaoHH", 7: "-ossssHhhhHHaohH",
               8: "-osesssshSSHooHo", 9: "-osesssssSSHo-o-"},
    },
    "bald": {
        DOWN: {
            1: "---oollssssoo---", 2: "--olllsssssSSo--", 3: "--ollssssssSSo--",
            4: "-olsssssssssSSo-", 5: "-ohsssssssssSHo-", 6: "-ohssssssssSSHo-",
            7: "-ohhssssssSShHo-", 9: "--olsesssseSSo--", 10: "--oiiiiiihhHHo--",
            11: "---oohhhhHHoo---",
        },
        UP: {
            1: "---oollssssoo---", 2: "--olllsssssSSo--", 3: "--ollssssssSSo--",
            4: "-olsssssssssSSo-", 5: "-ohsssssssssSHo-", 6: "-ohhsssssssSHHo-",
        },
        LEFT: {
            1: "--oollssssoo----", 2: "-olllsssssSSo---", 3: "-ollssssssSSSo--",
            4: "olsssssssssSHHo-", 5: "olssssssssshHHo-", 6: "-ossssssssshHHo-",
            7: "-ossssssssShHHo-", 10: "-oiiihhhHSSoo---", 11: "-ooihhhHHooo----",
        },
    },
    "straw": {
        DOWN: {
            1: "---ooaaaaaaoo---", 2: "--oaaddddaaano--", 3: "--oaaaaaaaaano--",
            4: "--onnnnnnnnnno--", 5: "oodddaaaaaaaanoo", 6: "oaaaaaaaaannnnno",
            7: "-ooHoooooooooHo-",
        },
        UP: {
            1: "---ooaaaaaaoo---", 2: "--oaaddddaaano--", 3: "--oaaaaaaaaano--",
            4: "--onnnnnnnnnno--", 5: "oodddaaaaaaaanoo", 6: "oaaaaaaaaannnnno",
            7: "-oooohhhhHoooo--",
        },
        LEFT: {
            1: "---ooaaaaaoo----", 2: "--oaaddddaano---", 3: "--oaaaaaaaano---",
            4: "--onnnnnnnnno---", 5: "oodddaaaaaaaanoo", 6: "oaaaaaaaaannnnno",
            7: "-oooooohhhoHHo--",
        },
    },
    "nurse": {
        DOWN: {0: "----oooooooo----", 1: "---owwwaawwwo---", 2: "--owwwaaaawwwo--",
               3: "--owwwwaawwwwo--", 4: "-ohooooooooooHo-"},
        UP: {0: "----oooooooo----", 1: "---owwwwwwwwo---", 2: "--owwwwwwwwwwo--",
             3: "--oowwwwwwwwoo--", 4: "-ohhooooooooHHo-"},
        LEFT: {0: "---ooooooo------", 1: "--oawwwwwwoo----", 2: "-oaawwwwwwwwo---",
               3: "-oawwwwwwwooo---", 4: "ohooooooohhhHHo-"},
    },
    "helmet": {
        DOWN: {
            0: "-----oooooo-----", 1: "---ooaaddaaoo---", 2: "--oaadddddaano--",
            3: "--oadddaaaaano--", 4: "-oaaaaaaaaaanno-", 5: "onnnnnnnnnnnnnno",
            6: "-oohsHhhsHhhHoo-",
        },
        UP: {
            1: "---ooaaddaaoo---", 2: "--oaadddddaano--", 3: "--oadddaaaaano--",
            4: "-oaaaaaaaaaanno-", 5: "onnnnnnnnnnnnnno", 6: "-oohhhhhhhhhHoo-",
        },
        LEFT: {
            1: "--ooaaddaaoo----", 2: "-oaadddddaano---", 3: "-oadddaaaaanno--",
            4: "oaaaaaaaaaaanno-", 5: "onnnnnnnnnnnnno-", 6: "-oshhHhhhhHHHo--",
        },
    },
    "band": {
        DOWN: {4: "-oaaadddaaaanno-", 5: "-ohhhhhhhhhhHHo-"},
        UP: {4: "-oaaadddaaaanno-", 5: "-ohhhhaanhhhHHo-", 6: "-ohhhaanohhhHHo-"},
        LEFT: {4: "oaaadddaaaannno-", 5: "ohhhhhhhhhhhonno"},
    },
    "bun": {
        DOWN: {0: "----oohhHHoo----", 1: "---ohhooooHHo---"},
        UP: {0: "----oohhHHoo----", 1: "---ohhiiihHHo---", 2: "--oohhhhhhHHoo--"},
        LEFT: {0: "----oooooooo----", 1: "--oohhhhhoohHo--", 2: "-ohhiiiihhohHHo-",
               3: "-ohiiihhhhHooo--"},
    },
}

# What lies over bodies, by row of body and legs together.
EXTRAS: dict[str, dict[str, Rows]] = {
    "plain": {DOWN: {}, UP: {}, LEFT: {}},
    "apron": {
        DOWN: {1: "-----awwwna-----", 2: "-----wwwwww-----", 3: "-----wwwwww-----",
               4: "-----wwwwww-----", 5: "-----wwwwwd-----", 6: "-----wwwwwd-----"},
        UP: {2: "-----ww--ww-----", 3: "------wwww------"},
        LEFT: {2: "----ww----------", 3: "----ww----------", 5: "-----wwd--------",
               6: "-----wwd--------"},
    },
    "coat": {
        DOWN: {0: "---owwaaaawdo---", 1: "--owwwaanwwddo--", 2: "-owwowaanwdowdo-",
               3: "-owdowanwwdowdo-", 4: "-ossowanwwdoSSo-", 5: "--oo-owwwwdo-oo-",
               6: "----owwwwwdo----"},
        UP: {0: "---owwwwwwddo---", 1: "--owwwwwwwdwdo--", 2: "-owwowwwwddowdo-",
             3: "-owdowwwwddowdo-", 4: "-ossowwwwddoSSo-", 5: "--oo-owwwddo-oo-",
             6: "----owwwwddo----"},
        LEFT: {0: "----owwwwddo----", 1: "----owwwwddo----", 2: "---owwwowwddo---",
               3: "---owwwowdddo---", 4: "---oossowddo----", 5: "-----owwddo-----",
               6: "-----owwddo-----"},
    },
    "pack": {
        DOWN: {0: "---oantttTnao---", 1: "----a------n----", 2: "----a------n----"},
        UP: {0: "---oaaaaaanno---", 1: "--otaddddaanno--", 2: "-ottoaaaaanotTo-",
             3: "-otToannnnnotTo-", 4: "-ossooooooooSSo-"},
        LEFT: {0: "--------oaano---", 1: "--------oadano--", 2: "-------uoaaano--",
               3: "---------onnno--", 4: "---------oooo---"},
    },
    "vest": {
        DOWN: {0: "---oaaottoano---", 1: "--otaadttannto--", 2: "----aadttann----",
               3: "----aaattann----", 4: "----aanttnnn----"},
        UP: {0: "---oaaaaaanno---", 1: "--otaaaaaannto--", 2: "----aaaaaann----",
             3: "----aaaaannn----", 4: "----annnnnnn----"},
        LEFT: {0: "----oaaaanno----", 1: "----oaaaanno----", 2: "-------oanno----",
               3: "-------oannn----"},
    },
    "scarf": {
        DOWN: {0: "---oaadaaanno---", 1: "-----aann-------", 2: "------an--------"},
        UP: {0: "---oaadaaanno---"},
        LEFT: {0: "----oaadano-----", 1: "--------aano----"},
    },
    "cloak": {
        DOWN: {0: "--oaddaaaannno--", 1: "-oadaaaaaaannno-", 2: "-oaaouttttTonno-",
               3: "-oaaouttttTonno-", 4: "-oanouttttTonno-", 5: "-onnoqpppPonnno-",
               6: "--oooqpppPooo---"},
        UP: {0: "--oaddaaaannno--", 1: "-oadaaaaaannnno-", 2: "-oaaaaaaaannnno-",
             3: "-oaaaaaaaannnno-", 4: "-oanaaanaannnno-", 5: "-onnannnannnnno-",
             6: "--oooooooooooo--"},
        LEFT: {0: "---oaddaannno---", 1: "---oadaaaannno--", 2: "---oaaoaaannno--",
               3: "---oaaoaaannno--", 4: "---oossaaannno--", 5: "----oqpaannno---",
               6: "-----oqpoooo----"},
    },
}

OUTLINE = rgb("302838")
SKIN = ramp("c88060 f0b890 fcdcb8")
DARK_SKIN = ramp("905840 b87850 d89870")


@dataclass(frozen=True, slots=True)
class Look:
    """How somebody looks: parts, and ramps of three colours from dark to light."""

    hair: str
    top: str
    bottom: str
    hat: str = "short"
    extra: str = "plain"
    accent: str = "802830 d04848 f08878"
    skirt: bool = False
    skin: tuple[int, ...] = SKIN

    def colours(self) -> dict[str, int]:
        """Return the colour of every sign."""
        found = {"o": OUTLINE, "e": OUTLINE, "w": rgb("f8f8f8")}
        parts = ("Ssl", self.skin), ("Hhi", ramp(self.hair)), ("Ttu", ramp(self.top))
        parts += ("Ppq", ramp(self.bottom)), ("nad", ramp(self.accent))
        for signs, shades in parts:
            found |= dict(zip(signs, shades, strict=True))
        return found | {"b": found["H"], "c": found["h"]}


LOOKS: dict[str, Look] = {
    "hero_boy": Look("402820 704830 a07048", "204880 3878c0 70b0e8", "303858 485878 687898",
                     "cap", "pack", accent="902028 d83838 f88070"),
    "hero_girl": Look("683020 a05830 d89050", "801848 d04070 f088a0", "282848 404870 606898",
                      "long", "scarf", accent="a87818 e8b828 f8e078", skirt=True),
    "mother": Look("402028 683830 905840", "307058 50a880 90d8b0", "385068 506888 7090b0",
                   "bun", "apron", accent="886048 d0c8c8 f8f8f8", skirt=True),
    "professor": Look("605858 908888 c0b8b0", "405878 6080a8 90b0d0", "403828 685840 887858",
                      "short", "coat", accent="385078 5878a8 c0c8d8"),
    "rival": Look("a07020 e0b038 f8e080", "303038 505058 787880", "204838 307050 489068",
                  "spiky", "vest", accent="187048 30a868 78d898"),
    "girl": Look("803818 c86830 f0a058", "a85810 f09828 f8c860", "a02838 d85050 f08878",
                 "pigtails", skirt=True, accent="184888 3878c8 78b0e8"),
    "boy": Look("382818 604028 886040", "185870 2890a8 60c8d8", "303848 485068 687088"),
    "old_man": Look("908880 c8c0b8 f0ece8", "503858 785880 a080a8", "484038 686050 888068", "bald"),
    "nurse": Look("a03858 e06888 f8a0b0", "c06878 f098a8 f8c8d0", "b8b8c8 e0e0e8 f8f8f8",
                  "nurse", "apron", accent="c02840 e04858 f8a8b0", skirt=True),
    "clerk": Look("382818 604028 886040", "b0b0b8 d8d8e0 f8f8f8", "303848 485068 687088",
                  "cap", "vest", accent="185870 2890a8 60c8d8"),
    "trainer_a": Look("302018 503828 785840", "605040 887060 b09880", "384048 505860 687880",
                      "helmet", accent="a07010 e8b020 f8e070", skin=DARK_SKIN),
    "trainer_b": Look("182848 304878 5078a8", "882040 c04868 e88098", "384048 505860 788088",
                      "band", accent="b0b0b8 e0e0e0 f8f8f8"),
    "leader": Look("483830 806858 b09880", "586058 808878 a8b0a0", "403830 605040 807060",
                   "bun", "cloak", accent="683818 a86830 d89850"),
    "fisher": Look("402818 684028 906040", "306088 5090b8 88c0e0", "686040 908858 b0a878",
                   "straw", "vest", accent="a88038 e0c068 f8e8a0"),
}  # fmt: skip

BALL = """
................
.....oooooo.....
...ooddddaaoo...
..oddwwdaaaano..
..odwwddaaaano..
.odddddaaaaanno.
.odddaaoooaanno.
.onnnoowwwoonno.
.oooooowwwooooo.
.owwwwoooowwwSo.
.owwwwwwwwwwSSo.
..owwwwwwwwSSo..
..owwwwwwwSSSo..
...oowwSSSSoo...
.....oooooo.....
................
"""

EMOTE = """
...oooooooooo...
..owwwwwwwwwwo..
.owwwwwaawwwwwo.
.owwwwaaaawwwwo.
.owwwwaaaawwwwo.
.owwwwaaaawwwwo.
.owwwwwaawwwwwo.
.owwwwwaawwwwwo.
.owwwwwwwwwwwwo.
.owwwwwaawwwwwo.
.owwwwwaawwwwwo.
..owwwwwwwwwwo..
...oooowwoooo...
......owwo......
.......oo.......
................
"""

BALL_COLOURS = {
    "o": OUTLINE, "w": rgb("f8f8f8"), "S": rgb("b8b8c8"),
    **dict(zip("nad", ramp("486828 88c038 d0f078"), strict=True)),
}  # fmt: skip
EMOTE_COLOURS = {"o": OUTLINE, "w": rgb("f8f8f8"), "a": rgb("e04040")}


def _over(rows: tuple[str, ...], changes: Rows) -> list[str]:
    """Lay drawings over rows; "-" leaves what is there."""
    found = list(rows)
    for number, drawing in changes.items():
        if number < len(found):
            pairs = zip(drawing, found[number], strict=True)
            found[number] = "".join(old if new == "-" else new for new, old in pairs)
    return found


def _mirrored(rows: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(row[::-1] for row in rows)


def _parts(facing: str, step: int, look: Look) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return body and legs of a step: 0 standing, 1 and 2 walking."""
    side = LEFT if facing == LEFT else DOWN
    still, moving = (SKIRTS, SKIRT_STEPS) if look.skirt else (LEGS, STEP_LEGS)
    if step == 0:
        return BODIES[facing], still[side]
    body, legs = STEP_BODIES[side], moving[side]
    if step == 2:
        if side == DOWN:
            body, legs = _mirrored(body), _mirrored(legs)
        elif not look.skirt:
            body, legs = BODIES[LEFT], STEP_LEGS["left_2"]
        else:
            body = BODIES[LEFT]
    return body, legs


def _frame(look: Look, facing: str, step: int) -> Canvas:
    body, legs = _parts(facing, step, look)
    head = _over(HEADS[facing], HATS[look.hat][facing])
    rest = _over((*body, *legs), EXTRAS[look.extra][facing])
    bob = int(step > 0)
    canvas = Canvas(WIDTH, HEIGHT)
    drawing = Canvas.from_text("\n".join((*head, *rest)), look.colours())
    top = HEIGHT - drawing.height - 1
    canvas.blit(drawing.cut(0, HEAD_ROWS, WIDTH, drawing.height - HEAD_ROWS), 0, top + HEAD_ROWS)
    canvas.blit(drawing.cut(0, 0, WIDTH, HEAD_ROWS), 0, top + bob)
    return canvas


def frames(name: str) -> list[Canvas]:
    """Return a sprite's 16x32 frames: down, up, left, each standing and two steps; or one."""
    if name in LOOKS:
        return [_frame(LOOKS[name], facing, s) for facing in (DOWN, UP, LEFT) for s in range(3)]
    canvas = Canvas(WIDTH, HEIGHT)
    if name == "emote":
        canvas.blit(Canvas.from_text(EMOTE, EMOTE_COLOURS), 0, HEIGHT - 16)
    else:
        canvas.blit(Canvas.from_text(BALL, BALL_COLOURS), 0, HEIGHT - 18)
    return [canvas]
