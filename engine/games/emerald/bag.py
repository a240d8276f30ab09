"""Read the five pockets of the bag, whose counts are XORed with the low half of the key."""

import struct
from itertools import pairwise

from engine.games.emerald.memory import Memory, SaveBlocks
from engine.types import Bag

_MAX_COUNT = 999
_SLOT = struct.Struct("<HH")
_ITEMS, _KEY_ITEMS, _BALLS, _MACHINES, _BERRIES = 0x560, 0x5D8, 0x650, 0x690, 0x790
_END = 0x848
_POCKETS = (_ITEMS, _KEY_ITEMS, _BALLS, _MACHINES, _BERRIES, _END)
"""Where each begins in SaveBlock1: they follow each other."""

Pocket = tuple[tuple[int, int], ...]
"""Items with their counts."""


class BagReader:
    """Read the bag, making a new value only where its bytes or the key changed.

    Attributes:
        last: The bag as it was last read.
    """

    def __init__(self, memory: Memory) -> None:
        self._ewram = memory.ewram
        self._raw = b""
        self._key = 0
        self.last = Bag()

    def read(self, blocks: SaveBlocks) -> Bag:
        """Return the bag."""
        raw = bytes(self._ewram[blocks.first + _ITEMS : blocks.first + _END])
        if raw != self._raw or blocks.key != self._key:
            self._raw, self._key = raw, blocks.key
            items, key_items, balls, machines, berries = (
                self._pocket(start - _ITEMS, end - _ITEMS) for start, end in pairwise(_POCKETS)
            )
            bag = Bag(items, balls, tuple(item for item, _ in key_items), machines, berries)
            if bag != self.last:  # the key alone changes all the bytes
                self.last = bag
        return self.last

    def _pocket(self, start: int, end: int) -> Pocket:
        key = self._key & 0xFFFF
        slots = _SLOT.iter_unpack(self._raw[start:end])
        return tuple((item, min(count ^ key, _MAX_COUNT)) for item, count in slots if item)
