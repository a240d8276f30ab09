"""Make up for what PyBoy does otherwise: its clock, its copies of memory and of the ROM."""

import gc
import io
import struct
import time
from array import array
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from engine.emulator.base import ROM_BANK_SIZE
from engine.emulator.cartridge import Cartridge
from engine.errors import EnvironmentError

# Make a cartridge's clock follow the emulated time alone, whatever the wall clock says.
#
# PyBoy 2.8 keeps the clock in cycles while a game runs, but saving and loading change it: loading
# adds the wall time since saving, the first access afterwards adds the whole time since power-on
# (the cycle of the last access is not saved), what the game has latched is lost, and an access at
# the same cycle as the last one adds the wall time between the two.

# A clock in a saved state (pyboy/core/cartridge/rtc.py): a time, halt, carry, seconds, minutes,
# hours, two bytes of days, halt and carry again, cycles, the time of saving.
_CLOCK_SIZE, _TIME_OF_SAVING = 33, 25
_HALT, _CARRY, _DAYS_HIGH, _HALT_AGAIN = 8, 9, 14, 15
_RAM_BANK, _RAM_ENABLED = -3, -2  # before the cartridge RAM, which is before the clock
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


# Read the work RAM of a running PyBoy directly.
#
# PyBoy's own interface copies a byte at a time: about a kilobyte is read after every step, which
# took most of the time of reading a state. PyBoy keeps the work RAM in an `array.array` for as long
# as it lives (pyboy/core/ram.py), and the garbage collector knows all of these.

BANK_SIZE, BANKS = 0x1000, 8
_START, _SWITCHED = 0xC000, 0xD000
_PROBES = ((0, _START), (1, _SWITCHED), (BANKS - 1, _SWITCHED + BANK_SIZE - 1))
"""(bank, address) of bytes that are written to see which array is the one."""


def find_work_ram(memory: Any) -> memoryview | None:
    """Return all banks of the work RAM behind a `PyBoyMemoryView`, (32768,) bytes.

    None: this version of PyBoy keeps them in another way, and `memory` has to do.
    """
    for found in gc.get_objects():
        # Not isinstance, which asks for __class__: some of PyBoy's objects answer with an error.
        if type(found) is array and found.typecode == "B" and _is_behind(memory, found):
            return memoryview(found)
    return None


def offset_of(bank: int, address: int) -> int:
    """Return the place of C000-DFFF in what `find_work_ram` returns; D000-DFFF has banks 1-7."""
    return address - _START if address < _SWITCHED else bank * BANK_SIZE + address - _SWITCHED


def _is_behind(memory: Any, found: "array[int]") -> bool:
    if len(found) != BANKS * BANK_SIZE:
        return False
    return all(_follows(memory, found, bank, address) for bank, address in _PROBES)


def _follows(memory: Any, found: "array[int]", bank: int, address: int) -> bool:
    """Return whether a byte of `found` changes with the byte in `memory`, which is put back."""
    offset, before = offset_of(bank, address), int(memory[bank, address])
    memory[bank, address] = before ^ 0xFF
    changed = found[offset]
    memory[bank, address] = before
    return changed == before ^ 0xFF and found[offset] == before


# Let all machines of a process run from one copy of a ROM.
#
# PyBoy copies the image for each of them: two of the three megabytes that a machine takes. Here the
# banks are handed to its cartridge as they are, which is what `load_cartridge` in
# pyboy/core/cartridge/cartridge.py does with its copy.

_MAX_SIZE = 0x200000
"""PyBoy looks at the size of larger images to tell which controller they have."""
_RAM_CODE, _RAM_BANKS = 0x149, {3: 4, 4: 16, 5: 8}
"""Banks of cartridge RAM by the header's code; PyBoy takes one for all others."""


class SharedRom(io.BytesIO):
    """An image to give to PyBoy as a file; nothing may change it."""


def share_roms(pyboy_cartridge: Any) -> None:
    """Let the package `pyboy.core.cartridge` copy no `SharedRom`.

    These are PyBoy's internals: a version that has others copies, as it always does.
    """
    load_copied = getattr(pyboy_cartridge, "load_cartridge", None)
    if load_copied is None:
        return

    def load(rom: Any, ram_file: Any, clock_file: Any) -> Any:
        image = rom.getvalue() if isinstance(rom, SharedRom) else b""
        if not image or len(image) > _MAX_SIZE or len(image) % ROM_BANK_SIZE:
            return load_copied(rom, ram_file, clock_file)
        # It checks the header, and knows the controllers.
        controller = type(load_copied(io.BytesIO(image[:ROM_BANK_SIZE]), None, None))
        header = Cartridge.of(image)
        ram_banks = _RAM_BANKS.get(image[_RAM_CODE], 1)
        parts = header.ram_size > 0, header.has_battery, header.has_clock
        try:
            return controller(_banks(image), ram_file, clock_file, ram_banks, header.kind, *parts)
        except TypeError:  # it takes other arguments
            return load_copied(rom, ram_file, clock_file)

    pyboy_cartridge.load_cartridge = load


@lru_cache(1)
def _banks(image: bytes) -> memoryview:
    """Return an image as (banks, 16384) bytes; writable, as PyBoy wants it."""
    shape = (len(image) // ROM_BANK_SIZE, ROM_BANK_SIZE)
    return memoryview(bytearray(image)).cast("B", shape)
