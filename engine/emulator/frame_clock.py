"""Make a core's clock follow the emulated time alone, whatever the wall clock says.

The core asks the C library for the time. A library calls what it imports through a table of
addresses (the global offset table), which is the core's own, as its copy of the file is: two
entries are replaced.
"""

import ctypes
import mmap
from collections.abc import Callable, Mapping
from typing import Any

from engine.emulator.base import GAME_BOY_ADVANCE_FRAMES_PER_S

POWER_ON_S = 1_104_537_600
"""What the clock says at frame 0, in seconds since 1970: Saturday, 1 January 2005, 00:00."""

_Time = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.POINTER(ctypes.c_long))
LIBC = ctypes.CDLL(None)
_READ_WRITE = 1 | 2  # PROT_READ, PROT_WRITE


class _Place(ctypes.Structure):
    """Dl_info of dladdr(3)."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


class FrameClock:
    """Stands in for the wall clock of one loaded core; lasts as long as the core.

    Args:
        library: The core.
        slots: Where it keeps the addresses of what it imports (`elf.import_slots`).
        frames: Returns how many frames ran since power-on.

    Attributes:
        is_fixed: The core asks this clock; False: it still asks the computer's.
    """

    def __init__(self, library: Any, slots: Mapping[str, int], frames: Callable[[], int]) -> None:
        self._time = _Time(lambda target: _tell(target, frames()))
        self.is_fixed = self._replace(library, slots)

    def _replace(self, library: Any, slots: Mapping[str, int]) -> bool:
        if not {"time", "localtime_r"} <= slots.keys():
            return False
        place = _Place()
        if not LIBC.dladdr(library.retro_run, ctypes.byref(place)):
            return False
        # With gmtime_r the game tells the same time in every time zone.
        for name, function in (("time", self._time), ("localtime_r", LIBC.gmtime_r)):
            address = ctypes.c_void_p.from_buffer(function).value  # a cast would keep it for good
            if not _overwrite(place.base + slots[name], address):
                return False
        return True


def _tell(target: Any, frames: int) -> int:
    now = POWER_ON_S + int(frames / GAME_BOY_ADVANCE_FRAMES_PER_S)
    if target:
        target[0] = now
    return now


def _overwrite(slot: int, value: int | None) -> bool:
    """Write an address into memory that may be read-only; return whether that worked."""
    page = slot & -mmap.PAGESIZE
    size = ctypes.sizeof(ctypes.c_void_p)  # aligned, so it lies within the page
    if LIBC.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(mmap.PAGESIZE), _READ_WRITE):
        return False
    ctypes.memmove(slot, ctypes.byref(ctypes.c_void_p(value)), size)
    return True
