"""Draw the garden: twelve pixels a tile; the wide edition is stretched."""

import numpy as np

from engine.types import Facing, Frame

from . import garden

TILE = 12
FRAME_SHAPE = (garden.HEIGHT * TILE, garden.WIDTH * TILE, 3)
WIDE_SHAPE = (160, 240, 3)
_WIDE_ROWS = np.arange(WIDE_SHAPE[0]) * FRAME_SHAPE[0] // WIDE_SHAPE[0]
_WIDE_COLUMNS = np.arange(WIDE_SHAPE[1]) * FRAME_SHAPE[1] // WIDE_SHAPE[1]
_COLORS = {
    garden.HEDGE: (24, 66, 40), garden.POND: (28, 60, 110), garden.DOOR: (120, 84, 48),
}  # fmt: skip
_GROUND, _DARK = (64, 84, 60), (22, 20, 34)
_PLAYER, _EYES, _MOTH, _KEY = (214, 120, 90), (30, 20, 20), (200, 196, 220), (230, 200, 60)
_POST, _FLAME = (90, 80, 70), (255, 214, 120)


def draw(rom: bytes, ram: bytearray) -> Frame:
    """Return the picture of a moment: `FRAME_SHAPE`, or `WIDE_SHAPE`, uint8."""
    frame = _draw(rom, ram)
    return frame[_WIDE_ROWS[:, None], _WIDE_COLUMNS] if garden.is_wide(rom) else frame


def _draw(rom: bytes, ram: bytearray) -> Frame:
    from . import machine as at  # it draws with this module

    if ram[at.TITLE]:
        frame = np.full(FRAME_SHAPE, _DARK, np.uint8)
        frame[TILE * 3 : TILE * 5, TILE * 2 : -TILE * 2] = _FLAME
        return frame
    frame = np.full(FRAME_SHAPE, _GROUND, np.uint8)
    lanterns = sum(len(garden.find(rom, n, garden.LANTERN)) for n in range(ram[at.MAP]))
    for (x, y), mark in garden.tiles(rom, ram[at.MAP]).items():
        cell = _cell(frame, x, y)
        cell[:] = _COLORS.get(mark, _GROUND)
        if mark == garden.LANTERN:
            lanterns += 1
            cell[3:, 5:7] = _POST
            cell[1:5, 4:8] = _FLAME if ram[at.FLAGS] >> lanterns & 1 else _DARK
        elif mark == garden.KEY and not ram[at.FLAGS] & at.KEY_TAKEN:
            cell[5:7, 2:10] = _KEY
    _cell(frame, ram[at.MOTH_X], ram[at.MOTH_Y])[4:8, 3:9] = _MOTH
    player = _cell(frame, ram[at.X], ram[at.Y])
    player[1:11, 2:10] = _PLAYER
    dx, dy = Facing(ram[at.FACING]).delta
    player[5 + 3 * dy : 7 + 3 * dy, 5 + 3 * dx : 7 + 3 * dx] = _EYES
    return frame


def _cell(frame: Frame, x: int, y: int) -> Frame:
    return frame[y * TILE : (y + 1) * TILE, x * TILE : (x + 1) * TILE]
