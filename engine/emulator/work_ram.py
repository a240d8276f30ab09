"""Look straight into the work RAM of a running PyBoy.

PyBoy's own interface copies a byte at a time: about a kilobyte is read after every step, which took
most of the time that a state takes. PyBoy keeps the work RAM in an `array.array` for as long as it
lives (pyboy/core/ram.py), and the garbage collector knows all of these.
"""

import gc
from array import array
from typing import Any

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
