"""Pictures for battles, 64x64 pixels: creatures from both sides, trainers, the player's back.

Each is one of the first practice game's drawings on a Sculpture (sculpt.py), with ramps of its own;
"x" is a material that only this game knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..sources import backs, fronts_hills, fronts_meadow
from ..sources import portraits as people
from . import own_portraits
from .canvas import Canvas, ramp, rgb
from .sculpt import SIZE, play

CREAM = "c8b090 f0e4c8 fcf8ec"
SNOW = "a8b4cc dce8f4 fcfcfc"
FRONT_SCALE, BACK_SCALE, PERSON_SCALE = 1.08, 1.333, 1.14


@dataclass(frozen=True, slots=True)
class Colours:
    """A picture's colours: ink, and ramps from dark to light of its materials.

    Attributes:
        solid: Of the drawing's material "3" (hair, boots), if that is not ink alone.
        front, back: Number of a painted shape -> material, where that differs from the drawing's.
    """

    ink: str
    bright: str
    dark: str
    paper: str = CREAM
    extra: str = ""
    solid: str = ""
    front: Mapping[int, str] = field(default_factory=dict)
    back: Mapping[int, str] = field(default_factory=dict)

    def ramps(self) -> dict[str, tuple[int, ...]]:
        """Return material -> colours."""
        ink = ramp(self.solid or self.ink)
        found = {"1": ramp(self.bright), "2": ramp(self.dark), ".": ramp(self.paper), "3": ink}
        return found | ({"x": ramp(self.extra)} if self.extra else {})


CREATURES: dict[str, Colours] = {
    "cindle": Colours("401818", "a84818 e07828 f8a440 fcd084", "882028 c04030 e86848",
                      extra="e06818 f8b030 fcec80", front={1: "x", 9: "2", 11: "2"}, back={8: "x"}),
    "rillet": Colours("102048", "2c5ca8 4c90d8 78b8f4 b4e0fc", "0c5070 1c88a0 44c0c8 90ecdc",
                      SNOW),
    "sprigot": Colours("1c3020", "8c6838 c8a058 f0d498", "1c6438 349450 60bc5c a4e478",
                       "b0a898 e4e0d0 fcfcf0", "5c4030 886048"),
    "mothlet": Colours("2c1840", "745498 a888cc d0b8ec ecdcfc", "40205c 703c94 a468c4",
                       "c8c0d8 f0ecfc fcfcfc", "b88838 e8c860 fcf0b0",
                       front={21: "x", 14: ".", 4: "."}, back={12: "x"}),
    "pebblit": Colours("2c2018", "706858 a49c88 ccc8b0 ece8d4", "4c3828 785c3c a48458",
                       extra="8c5020 c8803c f0b468", front={12: "x"}, back={0: "x"}),
    "whiskit": Colours("3c2418", "9c6430 d09850 f0c480 fce4b0", "b05c60 e48c88 f8b8b0",
                       extra="b88018 ecc038 fcec90", front=dict.fromkeys(range(9), "x"),
                       back=dict.fromkeys(range(4, 11), "x")),
    "flitjay": Colours("142040", "c87018 f4a028 fcd458", "1c4088 2c64b8 4c94e0 8cc8fc", SNOW),
    "grubbud": Colours("203818", "4c8424 78b434 a4dc54 d4f48c", "98204c d44878 f484a4"),
    "sparkit": Colours("282038", "a87810 e4b41c fcdc48 fcf49c", "243058 3c5088 6480b8"),
    "ghoulamp": Colours("281820", "4c9038 84cc48 c0f470 f0fcbc", "582418 8c4428 c07440 eca870",
                        "8cb4ac c8ecdc f4fcf4"),
    "boulderam": Colours("242428", "646870 94989c bcc0bc e4e4d8", "2c542c 487c44 70ac58",
                         extra="806058 b08c80 d8bcb0", front={7: "x", 10: "1", 11: "x", 13: "x"},
                         back=dict.fromkeys((2, 3, 5, 6), "1")),
    "tidalynx": Colours("102440", "1c7484 34a4ac 64d0cc b0f4e4", "183878 2c60b4 5498e4", SNOW),
}  # fmt: skip

SKIN = "c07858 f0b48c fcdcb8"
PEOPLE: dict[str, Colours] = {
    "moe": Colours("281c20", "84503c b47c58 dcac84", "8c6410 d8a020 fcdc58",
                   "706858 a49c88 d0c8b4", "343c50 506078 7888a0",
                   solid="281c20 483840", front={2: "x", 4: "x", 0: ".", 7: "x", 8: "2", 9: "2"}),
    "ida": Colours("201c30", SKIN, "7c2038 b83c58 e87088", "a8a8b8 dcdce4 fcfcfc",
                   "203868 345898 5c8cc8", solid="201c30 40385c", front={0: "x", 16: "x"}),
    "greta": Colours("2c2020", SKIN, "602c1c a05830 d09050", "606868 98a098 ccd0c0",
                     "5c4838 907458 c0a480", solid="2c2020 54403c",
                     front=dict.fromkeys(range(19, 26), "x")),
    "po": Colours("282420", SKIN, "2c5c84 4c8cb4 88c0e4", "a07c38 dcb860 fce8a4",
                  "5c5c38 888858 b4b484", solid="282420 54483c"),
    "wren": Colours("202028", SKIN, "186840 2c9c5c 6cd090", "383c4c 5c6478 8c98a8",
                    "a06c18 e0ac30 fce878", solid="202028 404050", front={17: "x"}),
    "alder": Colours("282830", SKIN, "305078 4c78a8 80b0d8", "98a0b0 d4d8e0 fcfcfc",
                     "807870 b0a8a0 dcd8d0",
                     solid="282830 505060", front=dict.fromkeys(range(18, 25), "x")),
}  # fmt: skip
HEROES: tuple[Colours, Colours] = (
    Colours("281c28", SKIN, "902028 d83838 f88070", "98a4b4 f0f4f8",
            "204880 3878c0 70b0e8", "402820 704830 a07048", back={0: "x", 3: "x", 4: "2", 5: "."}),
    Colours("281c28", SKIN, "901848 d04070 f088a8", "98a4b4 f0f4f8",
            "a87818 e8b828 f8e078", "683020 a05830 d89050",
            back={4: "x", 5: "2", 12: "x", 16: "x"}),
)  # fmt: skip
PERSON_DRAWINGS = {
    "moe": (people, "trainer_a"), "ida": (people, "trainer_b"), "greta": (people, "leader"),
    "po": (own_portraits, "fisher"), "wren": (people, "rival"), "alder": (people, "professor"),
}  # fmt: skip


def front(name: str) -> Canvas:
    """Return a creature as its foe sees it."""
    colours = CREATURES[name]
    module = fronts_meadow if hasattr(fronts_meadow, name) else fronts_hills
    left = (SIZE - 56 * FRONT_SCALE) / 2
    drawn = play(module, name, FRONT_SCALE, left, SIZE - 55.5 * FRONT_SCALE, colours.front)
    return drawn.picture(colours.ramps(), rgb(colours.ink))


def back(name: str) -> Canvas:
    """Return a creature as its trainer sees it."""
    colours = CREATURES[name]
    drawn = play(backs, name, BACK_SCALE, 0, 0, colours.back)
    return drawn.picture(colours.ramps(), rgb(colours.ink))


def trainer(name: str) -> Canvas:
    """Return an opponent, or the professor "alder"."""
    colours = PEOPLE[name]
    module, drawing = PERSON_DRAWINGS[name]
    left = (SIZE - 56 * PERSON_SCALE) / 2
    drawn = play(module, drawing, PERSON_SCALE, left, SIZE - 55 * PERSON_SCALE, colours.front)
    return drawn.picture(colours.ramps(), rgb(colours.ink))


def hero_back(is_girl: int) -> Canvas:
    """Return the player from behind."""
    colours = HEROES[is_girl]
    drawn = play(people, "hero_girl" if is_girl else "hero_boy", BACK_SCALE, 0, 0, colours.back)
    return drawn.picture(colours.ramps(), rgb(colours.ink))


def hero_front(is_girl: int) -> Canvas:
    """Return the player from the front."""
    colours = HEROES[is_girl]
    left = (SIZE - 56 * PERSON_SCALE) / 2
    name = "hero_girl" if is_girl else "hero_boy"
    drawn = play(own_portraits, name, PERSON_SCALE, left, SIZE - 55 * PERSON_SCALE)
    return drawn.picture(colours.ramps(), rgb(colours.ink))


def professor() -> Canvas:
    """Return the professor of the introduction."""
    return trainer("alder")
