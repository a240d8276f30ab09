"""Write pictures in C: people, creatures, trainers, backdrops, letters, the interface's colours."""

from __future__ import annotations

from collections.abc import Iterable

from .art import backdrops, font, people, portraits
from .art.canvas import Canvas, own_palette
from .emit import braces, numbers, rows, source
from .sources import creatures
from .tables import PICTURES
from .tilesets import merged
from .world_source import GRAPHICS

PEOPLE_PALETTES = 14
"""The field keeps two of the 16 for itself."""


def c_source() -> str:
    """Return pictures.c."""
    species = list(creatures.SPECIES)
    parts = [c_people(), _pictures("species_fronts", [None, *map(portraits.front, species)])]
    parts.append(_pictures("species_backs", [None, *map(portraits.back, species)]))
    parts.append(_pictures("trainer_pictures", map(portraits.trainer, PICTURES.values())))
    parts.append(_pictures("hero_back", [portraits.hero_back(n) for n in (0, 1)]))
    heroes = [portraits.hero_front(n) for n in (0, 1)]
    parts.append(_pictures("hero_front", heroes))
    professor = _picture("professor_image", portraits.professor())
    parts.append(
        "".join((professor[0], f"const struct Picture professor_picture = {professor[1]};\n"))
    )
    parts += [_backdrop(name, draw()) for name, draw in backdrops.BACKDROPS.items()]
    parts.append(numbers("const u16 ui_palette[16]", backdrops.UI_COLOURS, 4))
    return source(*parts)


def c_people() -> str:
    """Return object_graphics and their palettes."""
    sprites = {name: people.frames(name) for name in GRAPHICS}
    colours = {
        name: {colour for frame in frames for colour in frame.colours()}
        for name, frames in sprites.items()
    }
    palettes = [sorted(one) for one in merged(list(colours.values()))]
    if len(palettes) > PEOPLE_PALETTES:
        raise ValueError(f"{len(palettes)} palettes for people, {PEOPLE_PALETTES} are possible")
    parts, table = [], []
    for name, frames in sprites.items():
        slot = next(n for n, palette in enumerate(palettes) if colours[name] <= set(palette))
        words = [word for frame in frames for word in frame.packed([0, *palettes[slot]])]
        parts.append(numbers(f"static const u32 people_{name}[]", words, 8))
        table.append(braces((f"people_{name}", slot, len(frames))))
    parts.append(rows("const struct ObjectGraphics object_graphics[]", table))
    lines = (braces(f"0x{colour:04X}" for colour in (0, *palette)) for palette in palettes)
    parts.append(rows("const u16 object_palettes[][16]", lines))
    return "".join(parts)


def _picture(name: str, canvas: Canvas) -> tuple[str, str]:
    """Return the arrays of a picture, and the initialiser of its struct."""
    palette = own_palette(canvas)
    tiles = numbers(f"static const u32 {name}[]", canvas.packed(palette), 8)
    colours = numbers(f"static const u16 {name}_palette[]", palette, 4)
    return tiles + colours, braces((name, f"{name}_palette"))


def _pictures(table: str, canvases: Iterable[Canvas | None]) -> str:
    parts, entries = [], []
    for number, canvas in enumerate(canvases):
        text, entry = _picture(f"{table}_{number}", canvas) if canvas else ("", "{0}")
        parts.append(text)
        entries.append(entry)
    return "".join(parts) + rows(f"const struct Picture {table}[]", entries)


def _backdrop(name: str, canvas: Canvas) -> str:
    """Return a backdrop's tiles, each once, and the map of them."""
    palette = own_palette(canvas)
    found: dict[tuple[int, ...], int] = {(0,) * 8: 0}
    entries = []
    for tile in canvas.tiles():
        words = tuple(tile.packed(palette))
        entries.append(found.setdefault(words, len(found)))
    tiles = [word for words in found for word in words]
    return "".join(
        (
            numbers(f"static const u32 {name}_tiles[]", tiles, 8),
            numbers(f"static const u16 {name}_map[]", entries, 4),
            numbers(f"static const u16 {name}_palette[]", palette, 4),
            f"const struct Backdrop backdrop_{name} = "
            f"{{{name}_tiles, {len(found)}, {name}_map, {name}_palette}};\n",
        )
    )


def font_source() -> str:
    """Return font.c."""
    table = []
    for code in range(256):
        width, pixels = font.glyph(code)
        bits = (sum(p << 2 * x for x, p in enumerate(row)) for row in pixels)
        table.append(braces((width, braces(f"0x{row:04X}" for row in bits))))
    return source(rows("const struct Glyph font[256]", table))
