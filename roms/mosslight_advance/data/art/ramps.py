"""The colours of the world, by materials, from dark to light; few, so that 13 palettes hold all."""

from __future__ import annotations

from .canvas import ramp, rgb

GRASS = ramp("3c8a50 58a858 74c465 90d878 b4ec90")
"""Shadow, dark blades, ground, light blades, tips."""
LEAVES = ramp("123832 1c5440 2c7848 489a50 74bc58 a8dc70")
BLADES = ramp("1c6048 2c8450 48a858 7ccc60 b0e878")
"""Tall grass."""
SAND = ramp("9c7848 c8a468 e0c488 ecd8a4 f8ecc4")
EARTH = ramp("583828 805838 a87c4c c8a468")
BARK = ramp("402820 684430 906444")
WATER = ramp("2858a0 3878c8 5098e0 80c0f0 c0e8f8 f8f8f8")
STONE = ramp("404858 606878 888f98 b0b6b8 d8dcd4")
WOOD = ramp("482c24 704830 98683c c09058 e0bc80")
PLASTER = ramp("887868 b8a890 dccfb0 f0e8d0 f8f8e8")
GLASS = ramp("304878 5080b8 88b8e0 d0ecf8")
ROOFS: dict[str, tuple[int, ...]] = {
    "roof_red": ramp("602030 90343c c05048 e07858 f4a478"),
    "roof_blue": ramp("202c60 304c90 4870b8 7098d8 a0c4f0"),
    "roof_slate": ramp("303848 485868 687c88 90a4a8 b8c8c4"),
}
RED, YELLOW, WHITE = rgb("e04848"), rgb("f8d048"), rgb("f8f8f8")
GLOW = ramp("607830 a0c040 d8f070 f8ffc0")
INK = rgb("282838")

# Indoors.
VOID = rgb("101018")
BOARDS = ramp("805030 b07c4c c8945c d8a870 e8c08c")
TILED: dict[str, tuple[int, ...]] = {
    "laboratory": ramp("8890a8 b4bcc8 d0d4d4 e0e4e0 f0f4f0"),
    "rest_house": ramp("a88070 d8b8a4 e8d4bc f0e4d0 f8f4e4"),
    "shop": ramp("709088 a4c4b4 c4dcc8 d8ecd8 ecf8e8"),
}
SLABS = ramp("604838 886848 a88458 c09c6c d4b484")
METAL = ramp("303850 505c78 7c8ca4 acb8c8 dce4ec f8f8f8")
SCREEN = ramp("103848 1c7080 40b8b0 a0f0d8")
CLOTH = ramp("702838 a83848 d05858 f09080 f8c8b0")
LINEN = ramp("8898b8 c0cce0 e8f0f8")
LEAF = ramp("1c5440 2c7848 58a858 a8dc70")
POT = ramp("683024 a05838 d08850")
WALLS: dict[str, tuple[int, ...]] = {
    "home": ramp("98785c d0b48c e8d0a4 f4e4c0 f8f4e0"),
    "laboratory": ramp("607890 98b4c0 bcd4d8 d8e8e8 f4f8f8"),
    "rest_house": ramp("984858 d87c7c f0b0a0 f8d0bc f8f0e8"),
    "shop": ramp("386880 68a0b0 98c8d0 c0e0e4 f0f8f8"),
    "gym": ramp("484850 686868 84847c a09c90 c0bcac"),
}
