"""Choose which frames a core draws, for which libretro's interface has no call.

mGBA draws a frame, leaves out as many as its option `mgba_frameskip` says, and draws the next. What
is left of them is no option, but lies in memory, where it can be set: behind the sprites, as the
last of `frameCounter`, `frameskip` and `frameskipCounter` (mGBA, struct GBAVideo in
include/mgba/internal/gba/video.h).
"""

import ctypes
from functools import lru_cache

from engine.emulator.core import Core, LoadedCore
from engine.emulator.frontend import Frontend

NEVER = 1 << 30
"""A frameskip at which no frame is drawn, but those for which the countdown is set to 0."""

_SPRITES = 0x07
_FRAMESKIP_AT, _COUNTDOWN_AT = 0x404, 0x408
"""From the start of the sprites' memory on."""
_ENDLESS_LOOP = bytes.fromhex("feffffea").ljust(0x200, b"\0")
"""An image of one instruction."""


def countdown_of(frontend: Frontend) -> ctypes.c_int32:
    """Return the countdown itself, of a core for which `can_set_countdown` holds."""
    return ctypes.c_int32.from_address(frontend.memory[_SPRITES][0] + _COUNTDOWN_AT)


@lru_cache
def can_set_countdown(core: Core) -> bool:
    """Return whether the countdown is where it is expected, by looking at it as it counts.

    Raises:
        EnvironmentError: There is no core in the file that can be used here.
    """
    frontend, loaded = Frontend(NEVER), LoadedCore(core, lambda: 0)
    try:
        if not loaded.start(frontend, _ENDLESS_LOOP) or _SPRITES not in frontend.memory:
            return False
        sprites, _ = frontend.memory[_SPRITES]
        frameskip = ctypes.c_int32.from_address(sprites + _FRAMESKIP_AT)
        countdown = countdown_of(frontend)
        seen = [frameskip.value, countdown.value]
        for _ in range(2):
            loaded.library.retro_run()
            seen.append(countdown.value)
        return seen == [NEVER, 0, NEVER, NEVER - 1]
    finally:
        loaded.close()
