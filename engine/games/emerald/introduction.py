"""Press through the introduction of Emerald, and choose the options that suit training."""

from functools import partial

from engine.emulator.base import Emulator
from engine.games import introduction
from engine.games.emerald.memory import SYMBOLS
from engine.types import Action

_FAST_TEXT, _NO_SCENES = 2, 1 << 10
_OPTIONS_AT, _TEXT_SPEED = 0x14, 7
"""In SaveBlock2, 16 bits: 0-2 text speed (2 fast), 10 no battle scenes, the others stay."""

USUAL_FRAMES = 4_900
"""Measured on a cartridge, from the power-on to the inside of the truck."""


def make_fast(emulator: Emulator) -> None:
    """Choose fast text and no battle scenes, as a player could."""
    pointer = int.from_bytes(emulator.read(0, SYMBOLS["gSaveBlock2Ptr"].address, 4), "little")
    if not pointer:
        return
    options = int.from_bytes(emulator.read(0, pointer + _OPTIONS_AT, 2), "little")
    options = options & ~_TEXT_SPEED | _FAST_TEXT | _NO_SCENES
    emulator.write(0, pointer + _OPTIONS_AT, options.to_bytes(2, "little"))


play_introduction = partial(
    introduction.play_introduction,
    usual_frames=USUAL_FRAMES,
    make_fast=make_fast,
    hold_frames=16,
    wait_frames=8,
    rest_frames=8,
    stable_frames=48,  # a map's own script may begin some 20 frames after the first control
    scene_action=Action.A,
)
"""See `engine.games.introduction`."""
