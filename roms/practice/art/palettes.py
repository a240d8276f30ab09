"""Colour palettes of MOSSLIGHT: sets of 8 palettes of 4 colours, RGB888 with 5 significant bits.

Colour 0 of the palettes that stand on grass (or on the indoor floor) is the same in all of them,
so that a tree, a roof corner and a fence join the ground without a seam. Palette 7 is the user
interface: dark text on warm paper.
"""

from __future__ import annotations

RGB = tuple[int, int, int]
Palette = tuple[RGB, RGB, RGB, RGB]

PAPER: RGB = (248, 248, 232)
INK: RGB = (40, 40, 56)
GRASS: RGB = (168, 216, 104)
FLOOR: RGB = (248, 224, 168)

UI: Palette = (PAPER, (224, 200, 152), (80, 136, 168), INK)

# Names of the palette numbers used by tiles.py.
GROUND, PATH, WATER, TERRACOTTA, BLUE, SLATE, WOOD, WALL = range(8)
BOARDS, PLASTER, TIMBER, LEAF, METAL, STONE, RED, PAPERWORK = range(8)

OUTDOOR_DAY: tuple[Palette, ...] = (
    (GRASS, (112, 184, 80), (48, 128, 72), (24, 64, 56)),
    ((248, 224, 160), (224, 184, 120), GRASS, (88, 136, 64)),
    (GRASS, (208, 248, 240), (80, 184, 192), (40, 112, 152)),
    (GRASS, (248, 168, 104), (208, 88, 56), (88, 32, 40)),
    (GRASS, (136, 192, 240), (64, 112, 200), (32, 40, 88)),
    (GRASS, (200, 200, 208), (128, 128, 152), (48, 48, 72)),
    (GRASS, (248, 216, 128), (184, 120, 64), (80, 48, 40)),
    UI,
)

INDOOR: tuple[Palette, ...] = (
    (FLOOR, (240, 208, 144), (184, 136, 80), (88, 56, 40)),
    ((248, 248, 216), (216, 224, 168), (88, 160, 184), (56, 64, 80)),
    (FLOOR, (224, 160, 88), (160, 96, 56), (72, 40, 40)),
    (FLOOR, (136, 208, 96), (48, 136, 80), (32, 64, 48)),
    (FLOOR, (224, 240, 248), (96, 152, 208), (40, 48, 88)),
    ((224, 224, 216), (176, 176, 184), (112, 112, 136), (48, 48, 72)),
    (FLOOR, (248, 240, 232), (224, 88, 80), (96, 32, 48)),
    UI,
)

# The cave's floor is a colour of its own, the rest as above.
CAVE_FLOOR: RGB = (192, 176, 160)
CAVE_STONE, CAVE_WOOD, CAVE_LIGHT, CAVE_MOSS, CAVE_ICE = range(5)

CAVE: tuple[Palette, ...] = (
    (CAVE_FLOOR, (152, 136, 136), (96, 88, 104), (48, 40, 64)),
    (CAVE_FLOOR, (216, 168, 104), (144, 96, 64), (48, 40, 64)),
    (CAVE_FLOOR, (216, 248, 232), (88, 184, 168), (40, 72, 96)),
    (CAVE_FLOOR, (144, 200, 104), (72, 136, 72), (40, 56, 56)),
    ((240, 248, 248), (200, 232, 248), (136, 192, 232), (72, 112, 168)),
    *(((CAVE_FLOOR, (152, 136, 136), (96, 88, 104), (48, 40, 64)),) * 2),
    UI,
)

# Battle: 0 the hero's creature and 1 the foe's (overwritten by Pic.palette), then the bars.
# In every bar palette colour 1 is the empty track, colour 2 the filling, colour 3 the frame.
ALLY_PIC, FOE_PIC, HP_HIGH, HP_MIDDLE, HP_LOW, EXPERIENCE, MENU, TEXT = range(8)

BATTLE: tuple[Palette, ...] = (
    (PAPER, (176, 208, 128), (88, 136, 80), INK),
    (PAPER, (176, 208, 128), (88, 136, 80), INK),
    (PAPER, (216, 216, 200), (56, 184, 72), INK),
    (PAPER, (216, 216, 200), (240, 176, 32), INK),
    (PAPER, (216, 216, 200), (232, 64, 48), INK),
    (PAPER, (216, 216, 200), (64, 136, 232), INK),
    (PAPER, (248, 216, 128), (208, 88, 56), INK),
    UI,
)

# Objects: colour 0 is transparent (the value is never shown).
SKIN: RGB = (248, 208, 160)
OUTLINE: RGB = (48, 32, 48)
MOSS_COAT, RED_COAT, BLUE_COAT, BROWN_COAT, VIOLET_COAT, PINK_COAT, GLASS, GREY_HAIR = range(8)

OBJECTS: tuple[Palette, ...] = (
    (GRASS, SKIN, (56, 152, 80), OUTLINE),
    (GRASS, SKIN, (224, 80, 56), OUTLINE),
    (GRASS, SKIN, (72, 120, 216), OUTLINE),
    (GRASS, SKIN, (176, 104, 48), OUTLINE),
    (GRASS, SKIN, (168, 88, 192), OUTLINE),
    (GRASS, (248, 224, 208), (240, 112, 136), OUTLINE),
    (GRASS, (208, 248, 240), (56, 168, 112), OUTLINE),
    (GRASS, SKIN, (152, 152, 168), OUTLINE),
)

SETS: dict[str, tuple[Palette, ...]] = {
    "outdoor": OUTDOOR_DAY,
    "indoor": INDOOR,
    "cave": CAVE,
    "battle": BATTLE,
    "objects": OBJECTS,
}


def to_rgb555(colour: RGB) -> RGB:
    """Reduce a colour from 8 to 5 bits a channel."""
    red, green, blue = colour
    return red >> 3, green >> 3, blue >> 3
