"""Let all machines of a process run from one copy of a ROM.

PyBoy copies the image for each of them, and of the three megabytes that a machine takes these are
two. Here the banks are handed to its cartridge as they are, which is what `load_cartridge` in
pyboy/core/cartridge/cartridge.py does with its copy.
"""

import io
from functools import lru_cache
from typing import Any

from engine.emulator.base import ROM_BANK_SIZE
from engine.emulator.cartridge import Cartridge

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
