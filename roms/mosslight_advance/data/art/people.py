"""People on the map: 16x32 pixels, put together from heads, bodies and legs."""

from __future__ import annotations

from dataclasses import dataclass

from .bodies import BODIES, EXTRAS, LEGS, SKIRT_STEPS, SKIRTS, STEP_BODIES, STEP_LEGS
from .canvas import Canvas, ramp, rgb
from .heads import DOWN, HATS, HEADS, LEFT, UP, Rows

WIDTH, HEIGHT = 16, 32
HEAD_ROWS = 12


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
        parts: tuple[tuple[str, tuple[int, ...]], ...]
        parts = ("Ssl", self.skin), ("Hhi", ramp(self.hair)), ("Ttu", ramp(self.top))
        parts += ("Ppq", ramp(self.bottom)), ("nad", ramp(self.accent))
        for signs, shades in parts:
            found |= dict(zip(signs, shades, strict=True))
        return found | {"b": found["H"], "c": found["h"]}


LOOKS: dict[str, Look] = {
    "hero_boy": Look("402820 704830 a07048", "204880 3878c0 70b0e8", "303858 485878 687898",
                     "cap", "pack", accent="902028 d83838 f88070"),
    "hero_girl": Look("683020 a05830 d89050", "801848 d04070 f088a0", "282848 404870 606898",
                      "kerchief", "pack", accent="a87818 e8b828 f8e078", skirt=True),
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
    "nurse": Look("402818 704830 a87850", "287068 50a090 98d8c0", "b8b8c8 e0e0e8 f8f8f8",
                  "nurse", "apron", accent="287068 50a090 98d8c0", skirt=True),
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
......oooo......
.....owwSSo.....
....owwSSSSo....
....oooooooo....
...oaddddaano...
..oadwwddaaano..
..oadwwdddaano..
..oaddddddaano..
..oaaddddaaano..
..oaaaadaaanno..
...onaaaaanno...
....onnnnnno....
.....oooooo.....
......oSSo......
.......oo.......
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
