"""Draw an animated overworld with numpy, so that the screen can be seen without the engine."""

import numpy as np
from numpy.typing import NDArray

from engine.types import Frame

_GRASS, _PATH, _TREE, _WATER, _TALL, _ROOF, _WALL, _DOOR, _FLOWER = range(9)
_WORLD_ROWS = (
    "TTTTTTTTTTTTTTTTTTTTTTTT",
    "T..,,..RRRR....;;;;..~~T",
    "T..,,..RRRR.f..;;;;..~~T",
    "T......WWDW....;;;;..~~T",
    "T..f.....=.....;;;;..~~T",
    "T........=...........~~T",
    "TTT.f....=========...~~T",
    "T........=.......=....~T",
    "T.RRR....=..RRRR.=.f...T",
    "T.RRR....=..RRRR.=.....T",
    "T.WDW....=..WWDW.=..;;;T",
    "T..=.....=....=..=..;;;T",
    "T..==================;;T",
    "T.f......=.........f.;;T",
    "T~~~.....=..f.........;T",
    "TTTTTTTTT=TTTTTTTTTTTTTT",
)
_CROWDED = (_TREE, _TALL, _TALL, _FLOWER, _WALL, _DOOR, _PATH)
_KEY = {".": 0, "=": 1, "T": 2, "~": 3, ";": 4, ",": 4, "R": 5, "W": 6, "D": 7, "f": 8}
_PALETTE = np.frombuffer(
    bytes.fromhex(
        "98c860 78b050 e8d8a0 d0b880 286838 184830 4888d8 88b8f0"
        "c85848 983838 f0e8d8 604840 f8f8f8 282838 f8c850 e8a880"
    ),
    np.uint8,
).reshape(-1, 3)


def draw_frame(tick: int, *, has_text_box: bool = False) -> Frame:
    """Return a (144, 160, 3) uint8 frame; the camera walks about as `tick` grows."""
    world = _world(tick // 16 % 2)
    height, width = world.shape
    x = round((width - 160) * (0.5 - 0.5 * np.cos(tick / 90)))
    y = round((height - 144) * (0.5 - 0.5 * np.cos(tick / 130)))
    view = world[y : y + 144, x : x + 160].copy()
    _player(view, tick)
    if has_text_box:
        _text_box(view)
    return np.asarray(_PALETTE[view], np.uint8)


def scrolled_frames(count: int) -> list[Frame]:
    """Return (144, 160, 3) uint8 frames of a crowded world that moves down and right by a pixel.

    Hardly any cell is like its neighbour or like itself in the frame before.
    """
    kinds = np.random.default_rng(0).choice(_CROWDED, (16, 24))
    tiles = [_tile(kind, 0) for kind in range(9)]
    world = np.asarray(_PALETTE[np.block([[tiles[kind] for kind in row] for row in kinds])])
    return [
        np.ascontiguousarray(np.roll(world, (-tick, -tick), (0, 1))[:144, :160])
        for tick in range(count)
    ]


def _world(phase: int) -> NDArray[np.uint8]:
    tiles = [_tile(kind, phase) for kind in range(9)]
    return np.block([[tiles[_KEY[cell]] for cell in row] for row in _WORLD_ROWS])


def _tile(kind: int, phase: int) -> NDArray[np.uint8]:
    y, x = np.mgrid[0:16, 0:16]
    tile = np.zeros((16, 16), np.uint8)
    tile[((x * 5 + y * 3) % 16 == 0) & (y % 4 == 1)] = 1
    if kind == _PATH:
        tile[:] = 2
        tile[(x * 7 + y * 5) % 23 == 0] = 3
    elif kind == _TREE:
        round_top = (x - 7.5) ** 2 + (y - 6.5) ** 2 < 52
        tile[round_top] = 4
        tile[round_top & ((x + y) % 4 == 0)] = 5
        tile[(y > 12) & (np.abs(x - 7.5) < 2)] = 11
    elif kind == _WATER:
        tile[:] = 6
        tile[((x + 8 * phase + 2 * (y // 8)) % 16 < 6) & (y % 8 == 3)] = 7
    elif kind == _TALL:
        tile[:] = 1
        tile[(x % 4 == (y + phase) % 2 + 1) & (y % 8 > 1)] = 4
    elif kind == _ROOF:
        tile[:] = 8
        tile[y % 4 == 3] = 9
    elif kind in (_WALL, _DOOR):
        tile[:] = 10
        tile[y > 13] = 11
        if kind == _DOOR:
            tile[(y > 2) & (np.abs(x - 7.5) < 5)] = 11
            tile[(y > 4) & (np.abs(x - 7.5) < 3)] = 9
        else:
            tile[(y > 3) & (y < 10) & (np.abs(x - 7.5) < 4)] = 7
    elif kind == _FLOWER:
        for left, top in ((2, 2), (9, 8)):
            tile[top : top + 5, left : left + 5][1:4, 1:4] = 12
            tile[top + 2, left + 2 + phase] = 14
    return tile


def _player(view: NDArray[np.uint8], tick: int) -> None:
    sprite = view[64:80, 72:88]
    y, x = np.mgrid[0:16, 0:16]
    sprite[((x - 7.5) ** 2 + (y - 5) ** 2) < 30] = 13
    sprite[((x - 7.5) ** 2 + (y - 6) ** 2) < 18] = 15
    sprite[(y < 4) & (np.abs(x - 7.5) < 5)] = 8
    sprite[(y > 9) & (y < 14) & (np.abs(x - 7.5) < 4)] = 6
    leg = 4 if tick // 8 % 2 else 9
    sprite[14:16, leg : leg + 3] = 13


def _text_box(view: NDArray[np.uint8]) -> None:
    view[96:144] = 12
    view[98:142, 2:158][[0, 1, -2, -1]] = 13
    view[98:142, [2, 3, 156, 157]] = 13
    rng = np.random.default_rng(1)
    for row in (108, 124):
        for column in range(12, 130, 8):
            view[row : row + 7, column : column + 6][rng.random((7, 6)) < 0.5] = 13
