"""Turn the pixel art of art/ into Game Boy tiles, sprites, pictures and palettes."""

from collections.abc import Iterable, Sequence

import creatures
from art import creatures as creature_art
from art import font, palettes, people, title
from art.tiles import CELLS
from banks import Banks
from world import SPRITES

Rows = Sequence[str]

PHASES = 4
"""Animated cells are stored in four phases; fewer frames repeat."""

MAX_MAP_TILES = 0x60
TITLE_TILES = 200
VRAM_BANK_1 = 0x08
HOP_MARK = "!hop"
"""Behind a cell's name: it looks the same, but a ledge is below it."""

TALL_GRASS = 0x18
BEHIND_GROUND = 0x80
"""Attribute bit 7: colours 1-3 cover sprites; the lower half of tall grass hides feet."""

TRAINER_PICTURES = ("trainer_a", "trainer_b", "leader", "professor")
HEROES = ("hero_boy", "hero_girl")
ARROW_UP = (
    "........",
    "...33...",
    "..3333..",
    ".333333.",
    "33333333",
    "...33...",
    "...33...",
    "........",
)
EMOTE = (
    "....33333333....",
    "...3111111113...",
    "..311113311113..",
    "..311133331113..",
    "..311133331113..",
    "..311133331113..",
    "..311113311113..",
    "..311113311113..",
    "..311111111113..",
    "..311113311113..",
    "..311113311113..",
    "...3111111113...",
    "....33311333....",
    "......3113......",
    ".......33.......",
    "................",
)


def tile_bytes(rows: Rows) -> bytes:
    """Encode 8 strings of 8 colours '.123' in the console's two bit planes (16 bytes)."""
    out = bytearray()
    for row in rows:
        colours = [0 if sign == "." else int(sign) for sign in row]
        out.append(sum((colour & 1) << (7 - x) for x, colour in enumerate(colours)))
        out.append(sum((colour >> 1) << (7 - x) for x, colour in enumerate(colours)))
    return bytes(out)


def cut_tiles(rows: Rows) -> list[bytes]:
    """Cut a picture into its tiles, in reading order."""
    return [
        tile_bytes([row[x : x + 8] for row in rows[y : y + 8]])
        for y in range(0, len(rows), 8)
        for x in range(0, len(rows[0]), 8)
    ]


def rgb555_bytes(colours: Iterable[tuple[int, int, int]]) -> bytes:
    """Encode colours of 0-31 a channel, two bytes each, little-endian."""
    values = (red | green << 5 | blue << 10 for red, green, blue in colours)
    return b"".join(value.to_bytes(2, "little") for value in values)


def palette_bytes(colours: Iterable[tuple[int, int, int]]) -> bytes:
    """Encode colours of 0-255 a channel."""
    return rgb555_bytes(palettes.to_rgb555(colour) for colour in colours)


class TileSet:
    """The distinct 8x8 tiles of the cells that maps use; animated ones first.

    A tile is known by its bytes in all four phases.
    """

    def __init__(self, names: Iterable[str]) -> None:
        """Collect the tiles of the named cells.

        Raises:
            ValueError: There are more than the map part of VRAM holds.
        """
        self._cells: dict[str, list[tuple[bytes, ...]]] = {}
        found: dict[tuple[bytes, ...], None] = {}
        for name in names:
            cell = CELLS[name.removesuffix(HOP_MARK)]
            frames = [cut_tiles(pixels) for pixels in (cell.pixels, *cell.anim)]
            quads = [
                tuple(frames[phase % len(frames)][quarter] for phase in range(PHASES))
                for quarter in range(4)
            ]
            self._cells[name] = quads
            found.update(dict.fromkeys(quads))
        moving = [tile for tile in found if len(set(tile)) > 1]
        still = [tile for tile in found if len(set(tile)) == 1]
        self.animated = len(moving)
        self._tiles = moving + still
        self.count = len(self._tiles)
        if self.count > MAX_MAP_TILES:
            raise ValueError(f"{self.count} map tiles, but only {MAX_MAP_TILES} fit")
        self._numbers = {tile: number for number, tile in enumerate(self._tiles)}

    def graphics(self) -> bytes:
        """Return all tiles in phase 0, then the animated ones in phases 1-3."""
        out = b"".join(tile[0] for tile in self._tiles)
        for phase in range(1, PHASES):
            out += b"".join(tile[phase] for tile in self._tiles[: self.animated])
        return out

    def cell(self, name: str) -> bytes:
        """Return a cell's four tile numbers and four attributes."""
        cell = CELLS[name.removesuffix(HOP_MARK)]
        low = cell.palette | (BEHIND_GROUND if cell.collision == TALL_GRASS else 0)
        numbers = bytes(self._numbers[tile] for tile in self._cells[name])
        return numbers + bytes([cell.palette, cell.palette, low, low])


def add_pictures(banks: Banks) -> None:
    """Place fonts, sprites, battle pictures, the title and all palettes."""
    blank = ("." * 8,) * 8
    letters = [tile_bytes(font.FONT.get(code, blank)) for code in range(0x60, 0x100)]
    banks.add("FONT_LOW", b"".join(letters[:32]))
    banks.add("FONT_HIGH", b"".join(letters[32:]))
    extra = [tile_bytes(font.BATTLE_TILES[code]) for code in range(0x55, 0x60)]
    banks.add("BATTLE_TILES", b"".join(extra))
    banks.add("CLOCK_ARROWS", tile_bytes(ARROW_UP) + tile_bytes(ARROW_UP[::-1]))
    banks.add("EMOTE", b"".join(cut_tiles(EMOTE)))
    outdoor, indoor = palettes.OUTDOOR_DAY, palettes.INDOOR
    sets = (outdoor, indoor, palettes.BATTLE, title.TITLE.palettes, palettes.CAVE)
    banks.add("PALETTES", b"".join(palette_bytes(p) for group in sets for p in group))
    banks.add("OBJECT_PALETTES", b"".join(palette_bytes(p) for p in palettes.OBJECTS))
    _add_sprites(banks)
    _add_battle_pictures(banks)
    _add_title(banks)


def _add_sprites(banks: Banks) -> None:
    sheets = b""
    for name in SPRITES:
        sprite = people.SPRITES[name]
        for facing in ("down", "up", "left"):
            for pose in sprite.frames[facing]:
                sheets += b"".join(cut_tiles(pose))
    banks.add("SPRITES", sheets)


def sprite_palettes() -> list[int]:
    """Return the object palette of every sprite, in the order of SPRITES."""
    return [people.SPRITES[name].palette for name in SPRITES]


def _add_battle_pictures(banks: Banks) -> None:
    species = list(creatures.SPECIES)
    fronts = [creature_art.PICS[key] for key in (*species, *TRAINER_PICTURES)]
    banks.add("FRONTS", b"".join(b"".join(cut_tiles(pic.front)) for pic in fronts))
    backs = [creature_art.PICS[key].back for key in (*species, *HEROES)]
    banks.add("BACKS", b"".join(b"".join(cut_tiles(back)) for back in backs))
    owners = [*fronts, *(creature_art.PICS[key] for key in HEROES)]
    banks.add("PIC_PALETTES", b"".join(rgb555_bytes(pic.palette) for pic in owners))


def _add_title(banks: Banks) -> None:
    art = title.TITLE
    numbers: dict[bytes, int] = {}
    cells = [numbers.setdefault(tile, len(numbers)) for tile in cut_tiles(art.pixels)]
    if len(numbers) > TITLE_TILES:
        raise ValueError(f"the title has {len(numbers)} tiles, {TITLE_TILES} fit")
    banks.add("TITLE_TILES", b"".join(numbers).ljust(TITLE_TILES * 16, b"\0"))
    attributes = [number | VRAM_BANK_1 for row in art.attributes for number in row]
    banks.add("TITLE_MAP", bytes(cells) + bytes(attributes))
    lit = art.palettes[title.PRESS_PALETTE]
    banks.add("TITLE_PROMPT", palette_bytes(lit) + palette_bytes((*lit[:3], lit[1])))
