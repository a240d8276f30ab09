"""Name the RAM addresses of Pokémon Crystal, and read many of them at once."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.emulator.base import Emulator
from engine.games.facts import read_rows

# facts/symbols.csv is the only table of addresses. It also says what each place holds, and the
# practice game's build makes its C header of it, so the two cannot drift apart. D000-DFFF lies in
# switchable work RAM: its symbols carry bank 1, which every read must name. HRAM (FF80-FFFE) and
# C000-CFFF have bank 0.

FACTS = Path(__file__).parent / "facts"
"""Names and numbers of the game, a CSV file a kind, from pret/pokecrystal."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named place in RAM.

    Attributes:
        name: The label in pret/pokecrystal.
        bank: Work-RAM bank, 0 or 1.
        address: CPU address.
        size: Length in bytes.
    """

    name: str
    bank: int
    address: int
    size: int


SYMBOLS = {
    row["name"]: Symbol(row["name"], int(row["bank"]), int(row["address"], 16), int(row["size"]))
    for row in read_rows(FACTS, "symbols")
}


BASE = 0xC000
RAM_SIZE = 0x2000
_SWITCHED = 0xD000
_MAX_GAP = 512
"""Bytes between two windows that are read with them, for one read instead of two: a read takes
0.5 us, and a kilobyte 0.1 us."""


class WorkRam:
    """C000-DFFF (bank 1) as one bytearray, of which only the asked windows are kept up to date.

    Args:
        windows: (address, size) of the places to keep.

    Attributes:
        data: (8192,) bytes; address `a` is at `a - BASE`.
    """

    def __init__(self, windows: Iterable[tuple[int, int]]) -> None:
        self.data = bytearray(RAM_SIZE)
        self._windows = _merged(tuple(windows))

    def refresh(self, emulator: Emulator) -> None:
        """Read all windows."""
        data = self.data
        for bank, address, size in self._windows:
            start = address - BASE
            data[start : start + size] = emulator.read(bank, address, size)


def at(name: str) -> int:
    """Return the place of a symbol in `WorkRam.data`."""
    return SYMBOLS[name].address - BASE


def window(name: str, size: int = 0) -> tuple[int, int]:
    """Return a symbol's address and size, or its address and `size`."""
    return SYMBOLS[name].address, size or SYMBOLS[name].size


@cache  # the same for every game and episode
def _merged(windows: tuple[tuple[int, int], ...]) -> list[tuple[int, int, int]]:
    merged: list[tuple[int, int, int]] = []
    for address, size in sorted(windows):
        bank = 1 if address >= _SWITCHED else 0
        if merged:
            last_bank, last_address, last_size = merged[-1]
            end = last_address + last_size
            if last_bank == bank and address <= end + _MAX_GAP:
                merged[-1] = (bank, last_address, max(end, address + size) - last_address)
                continue
        merged.append((bank, address, size))
    return merged
