"""Check the art's form and count its tiles against what the video memory holds."""

from __future__ import annotations

from collections.abc import Iterable

from . import creatures, font, people, tiles, title

Pixels = tuple[str, ...]

MAX_TILESET_TILES = 96


def check() -> list[str]:
    """Validate everything.

    Returns:
        One line a subject, with its counts.

    Raises:
        ValueError: a picture has a wrong form, or there are too many tiles.
    """
    for code, tile in {**font.FONT, **font.BATTLE_TILES}.items():
        validate(f"letter {code:02X}", tile, 8, 8)
    report = [f"font: {len(font.FONT)} letters, {len(font.BATTLE_TILES)} battle tiles"]
    report += [_check_tileset(name) for name in tiles.TILESETS]
    for name, sprite in people.SPRITES.items():
        for view in people.VIEWS:
            for frame in sprite.frames[view]:
                validate(f"sprite {name} {view}", frame, 16, 16)
    report.append(f"sprites: {len(people.SPRITES)}")
    for name, pic in creatures.PICS.items():
        for pixels, size in ((pic.front, creatures.FRONT_SIZE), (pic.back, creatures.BACK_SIZE)):
            if pixels:
                validate(f"picture {name}", pixels, size, size)
        if any(not 0 <= channel <= 31 for colour in pic.palette for channel in colour):
            raise ValueError(f"picture {name}: a colour is not RGB555")
    report.append(f"pictures: {len(creatures.PICS)}")
    validate("title", title.TITLE.pixels, title.WIDTH, title.HEIGHT)
    count = len(set(bricks(title.TITLE.pixels)))
    if count > title.MAX_TILES:
        raise ValueError(f"title: {count} tiles, at most {title.MAX_TILES}")
    report.append(f"title: {count} tiles of {title.MAX_TILES}")
    return report


def _check_tileset(name: str) -> str:
    frames: dict[Pixels, tuple[Pixels, ...]] = {}
    for member in tiles.TILESETS[name]:
        cell = tiles.CELLS[member]
        stack = (cell.pixels, *cell.anim)
        for pixels in stack:
            validate(f"cell {member}", pixels, 16, 16)
        for moving in zip(*(bricks(pixels) for pixels in stack), strict=True):
            kept = moving if len(set(moving)) > 1 else moving[:1]
            if frames.setdefault(kept[0], kept) != kept:
                raise ValueError(f"cell {member}: a tile moves here but not elsewhere")
    if len(frames) > MAX_TILESET_TILES:
        raise ValueError(f"tileset {name}: {len(frames)} tiles, at most {MAX_TILESET_TILES}")
    return (
        f"tileset {name}: {len(tiles.TILESETS[name])} cells, {len(frames)} tiles of "
        f"{MAX_TILESET_TILES}, {sum(len(kept) > 1 for kept in frames.values())} of them moving"
    )


def bricks(pixels: Pixels) -> Iterable[Pixels]:
    """Cut a picture into its 8x8 tiles, row by row."""
    for y in range(0, len(pixels), 8):
        for x in range(0, len(pixels[0]), 8):
            yield tuple(row[x : x + 8] for row in pixels[y : y + 8])


def validate(what: str, pixels: tuple[str, ...], width: int, height: int) -> None:
    """Raise ValueError unless pixels are height strings of width characters '.123'."""
    if len(pixels) != height or any(len(row) != width or set(row) - set(".123") for row in pixels):
        raise ValueError(f"{what}: not {width}x{height} over '.123': {pixels}")
