"""What the game's file holds: a mark, and two maps as text."""

from functools import lru_cache

MAGIC = b"GARDEN 1\n"
WIDTH, HEIGHT = 10, 8
"""Tiles of a map."""

HEDGE, POND, LANTERN, KEY, DOOR, MOTH, START = "#", "~", "L", "k", ">", "m", "@"

_MAPS = (
    """
##########
#...#..L.#
#.@.#....#
#......~.#
#..##..~.#
#k..#..m.>
#...#....#
##########
""",
    """
##########
#...~...L#
#...~....#
#.#....#.#
>....#...#
#..~..m..#
#L.......#
##########
""",
)

Tile = tuple[int, int]
"""(x, y)."""


def make_rom() -> bytes:
    """Return the game's file."""
    return MAGIC + "".join(_MAPS).replace("\n", "").encode()


@lru_cache(8)
def tiles(rom: bytes, number: int) -> dict[Tile, str]:
    """Return what stands where on a map, by the game's file."""
    size = WIDTH * HEIGHT
    text = rom[len(MAGIC) + size * number :][:size].decode()
    return {(place % WIDTH, place // WIDTH): mark for place, mark in enumerate(text)}


@lru_cache(32)
def find(rom: bytes, number: int, mark: str) -> tuple[Tile, ...]:
    """Return where a mark stands on a map, row by row."""
    return tuple(tile for tile, found in tiles(rom, number).items() if found == mark)


def is_garden(rom: bytes) -> bool:
    """Return whether a file is this game's."""
    return rom.startswith(MAGIC) and len(rom) == len(MAGIC) + len(_MAPS) * WIDTH * HEIGHT
