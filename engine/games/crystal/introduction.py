"""Press through the introduction of Crystal, and choose the options that suit training."""

from functools import partial

from engine.emulator.base import Emulator
from engine.games import introduction
from engine.games.crystal.memory import SYMBOLS
from engine.types import Action

FAST_OPTIONS = 0x91
"""WOptions CFCC: shortest text delay, no text delay, battle scenes off."""
_OTHER_OPTIONS = 0x60
"""Battle style and stereo sound, which stay as they are."""


def make_fast(emulator: Emulator) -> None:
    """Choose fast text and no battle scenes, as a player could."""
    bank, address = SYMBOLS["wOptions"].bank, SYMBOLS["wOptions"].address
    kept = emulator.read(bank, address, 1)[0] & _OTHER_OPTIONS
    emulator.write(bank, address, bytes((kept | FAST_OPTIONS,)))


play_introduction = partial(
    introduction.play_introduction,
    usual_frames=4_620,  # measured on a cartridge, from the power-on to the bedroom
    make_fast=make_fast,
    hold_frames=4,
    wait_frames=12,
    rest_frames=16,
    stable_frames=128,
    scene_action=Action.NOOP,  # a START now would only open the menu
    blind_start_counts=True,
)
"""See `engine.games.introduction`."""
