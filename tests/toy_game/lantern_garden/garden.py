"""What the game's file holds: a mark, and two maps as text."""

from functools import lru_cache

MAGIC, WIDE_MAGIC = b"GARDEN 1\n", b"GARDEN 2\n"
"""Of the two editions, equally long."""
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


def make_rom(*, is_wide: bool = False) -> bytes:
    """Return the game's file, or that of the wide edition."""
    return (WIDE_MAGIC if is_wide else MAGIC) + "".join(_MAPS).replace("\n", "").encode()


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


def is_wide(rom: bytes) -> bool:
    """Return whether the game's file is that of the wide edition."""
    return rom.startswith(WIDE_MAGIC)


def is_garden(rom: bytes) -> bool:
    """Return whether a file is this game's."""
    return (
        rom.startswith((MAGIC, WIDE_MAGIC)) and len(rom) == len(MAGIC) + len(_MAPS) * WIDTH * HEIGHT
    )
