"""Make a cartridge's clock follow the emulated time alone, whatever the wall clock says.

PyBoy 2.8 keeps the clock in cycles while a game runs, but saving and loading change it: loading
adds the wall time since saving, the first access afterwards adds the whole time since power-on
(the cycle of the last access is not saved), what the game has latched is lost, and an access at
the same cycle as the last one adds the wall time between the two.
"""

import struct
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.errors import EnvironmentError

# A clock in a saved state (pyboy/core/cartridge/rtc.py): a time, halt, carry, seconds, minutes,
# hours, two bytes of days, halt and carry again, cycles, the time of saving.
_CLOCK_SIZE, _TIME_OF_SAVING = 33, 25
_HALT, _CARRY, _DAYS_HIGH, _HALT_AGAIN = 8, 9, 14, 15
_RAM_BANK, _RAM_ENABLED, _BANKS = -3, -2, 4  # before the cartridge RAM, which is before the clock
_FAR_FUTURE = struct.pack("d", 4e9)
"""PyBoy takes a state from the future as one saved just now."""

_ENABLE, _SELECT, _LATCH, _REGISTER = 0x0000, 0x4000, 0x6000, 0xA000
_ON, _OFF, _IDLE = 0x0A, 0x00, 0xFF
_DAYS_REGISTER = 0x0C


class CartridgeClock:
    """The clock of one running cartridge.

    Args:
        pyboy: The emulator, in which no frame has run.
        state: Its state, saved just now.
        saved_at: When saving began.
        ram_size: Of the cartridge as PyBoy counts it, in bytes.

    Raises:
        EnvironmentError: This version of PyBoy keeps clocks in another way.
    """

    def __init__(self, pyboy: Any, state: bytes, saved_at: float, ram_size: int) -> None:
        self._pyboy = pyboy
        self._memory = pyboy.memory
        offset = find_time(state, saved_at, time.time())
        if offset is None:
            raise EnvironmentError(
                "This version of PyBoy keeps the cartridge's clock in an unknown format.",
                "Install the version pinned in constraints.txt.",
            )
        self._at = offset - _TIME_OF_SAVING
        self._banks_end = self._at - ram_size
        self._current_at: int = pyboy.frame_count

    def bring_up_to_date(self) -> None:
        """Count the time until now, which is not saved otherwise."""
        if self._current_at != self._pyboy.frame_count:
            self._memory[_LATCH] = _IDLE  # any access does it; this one does nothing else
            self._current_at = self._pyboy.frame_count

    def without_wall_time(self, state: bytes) -> bytes:
        """Return a saved state with the two wall-clock times in it replaced."""
        at, saved = self._at, self._at + _TIME_OF_SAVING
        return (
            state[:at] + _FAR_FUTURE + state[at + len(_FAR_FUTURE) : saved]
            + _FAR_FUTURE + state[saved + len(_FAR_FUTURE) :]
        )  # fmt: skip

    def load(self, state: bytes, load: Callable[[bytes], None]) -> None:
        """Load a state so that the clock continues exactly where it was.

        It is loaded as a stopped clock, on which accesses have no effect, brought to the present
        cycle, latched, and let go.
        """
        clock = state[self._at : self._at + _CLOCK_SIZE]
        stopped = bytearray(state)
        stopped[self._at + _HALT] = stopped[self._at + _HALT_AGAIN] = 1
        load(bytes(stopped))
        memory = self._memory
        memory[_LATCH] = 0
        memory[_LATCH] = 1
        memory[_ENABLE] = _ON
        memory[_SELECT] = _DAYS_REGISTER
        memory[_REGISTER] = clock[_DAYS_HIGH] & 1 | clock[_HALT_AGAIN] << 6 | clock[_CARRY] << 7
        memory[_SELECT] = state[self._banks_end + _RAM_BANK]
        memory[_ENABLE] = _ON if state[self._banks_end + _RAM_ENABLED] else _OFF
        self._current_at = self._pyboy.frame_count


def find_time(state: bytes, earliest: float, latest: float) -> int | None:
    """Return the offset of the last 8-byte float in `state` between two times, if there is one."""
    hits: list[int] = []
    for shift in range(8):
        times = np.frombuffer(state, dtype="<f8", offset=shift, count=(len(state) - shift) // 8)
        found = np.flatnonzero((times >= earliest) & (times <= latest))
        hits += (shift + 8 * found).tolist()
    return max(hits, default=None)
