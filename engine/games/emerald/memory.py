"""Look into the machine's memory: RAM without a copy, the image, and the two save blocks.

No pointer and no count in RAM is believed: what does not lie in RAM or in the image is empty.
"""

import struct
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.games.emerald.symbols import SYMBOLS

EWRAM, EWRAM_SIZE = 0x0200_0000, 0x4_0000
IWRAM, IWRAM_SIZE = 0x0300_0000, 0x8000
ROM = 0x0800_0000

_SLACK = 0x7C
"""The save blocks lie 0 to this many bytes into their areas, both by the same, in steps of 4."""
_KEY = 0xAC  # of SaveBlock2
_POINTERS = struct.Struct("<II")
_WORD = struct.Struct("<I")


class Machine(Protocol):
    """What a reader needs of an emulator.

    Attributes:
        rom: The image.
        ewram: (262144,) uint8, the RAM at 02000000 itself.
        iwram: (32768,) uint8, the RAM at 03000000 itself.
    """

    rom: bytes
    ewram: NDArray[np.uint8]
    iwram: NDArray[np.uint8]


class SaveBlocks(NamedTuple):
    """Where the save blocks lie in `Memory.ewram` now, and the key of what is encrypted in them."""

    first: int
    """SaveBlock1: place, flags, variables, bag."""
    second: int
    """SaveBlock2: name, play time, options, Pokédex."""
    key: int
    """32 bits; money is XORed with it, counts of items with its low half."""


class Memory:
    """A machine's RAM and image; views, so that they are always of now.

    Attributes:
        ewram: (262144,) bytes; address `a` is at `a - EWRAM`.
        iwram: (32768,) bytes; address `a` is at `a - IWRAM`.
        rom: The image; address `a` is at `a - ROM`.
    """

    def __init__(self, machine: Machine) -> None:
        self.ewram = machine.ewram.data
        self.iwram = machine.iwram.data
        self.rom = machine.rom

    def read(self, address: int, size: int) -> bytes:
        """Return a stretch of RAM or of the image; b"" unless all of it lies in one of them."""
        for data, base in ((self.rom, ROM), (self.ewram, EWRAM), (self.iwram, IWRAM)):
            start = address - base
            if start >= 0 and start + size <= len(data):
                return bytes(data[start : start + size])
        return b""

    def read_most(self, address: int, size: int) -> bytes:
        """Return a stretch of the image, shorter where that ends before; b"" outside of it."""
        start = address - ROM
        return self.rom[start : start + size] if start >= 0 else b""

    def save_blocks(self) -> SaveBlocks | None:
        """Return where the save blocks are, None before there are any.

        They move at every map load, and the key changes with it: ask at every reading.
        """
        first, second = _POINTERS.unpack_from(self.iwram, _BLOCK_POINTERS)
        offset = first - _FIRST_AREA
        if offset != second - _SECOND_AREA or not 0 <= offset <= _SLACK or offset & 3:
            return None
        second -= EWRAM
        (key,) = _WORD.unpack_from(self.ewram, second + _KEY)
        return SaveBlocks(first - EWRAM, second, key)


def ewram_at(name: str) -> int:
    """Return the place of a symbol in `Memory.ewram`."""
    place = SYMBOLS[name].address - EWRAM
    assert 0 <= place < EWRAM_SIZE, f"{name} is not in EWRAM"
    return place


def iwram_at(name: str) -> int:
    """Return the place of a symbol in `Memory.iwram`."""
    place = SYMBOLS[name].address - IWRAM
    assert 0 <= place < IWRAM_SIZE, f"{name} is not in IWRAM"
    return place


_BLOCK_POINTERS = iwram_at("gSaveBlock1Ptr")  # gSaveBlock2Ptr follows
_FIRST_AREA, _SECOND_AREA = SYMBOLS["gSaveblock1"].address, SYMBOLS["gSaveblock2"].address
