"""Tell whether a cartridge's flash memory holds a saved game of Pokémon Emerald.

It has two slots of 14 sectors, which the game fills in turn. A sector ends with its number, a
checksum, a signature and the count of the saving that wrote it (pret/pokeemerald, include/save.h).
"""

import struct

_SECTOR, _SECTORS, _SLOTS = 0x1000, 14, 2
_FOOTER = struct.Struct("<HHII")  # number, checksum, signature, counter
_FOOTER_AT = 0xFF4
_SIGNATURE = 0x0801_2025


def has_saved_game(memory: bytes) -> bool:
    """Return whether one of the slots is whole; `memory` are the 131,072 bytes of the flash."""
    return any(_is_whole(memory, slot) for slot in range(_SLOTS))


def _is_whole(memory: bytes, slot: int) -> bool:
    """Return whether a slot holds each of the sectors, of one saving."""
    numbers, counters = set(), set()
    for sector in range(slot * _SECTORS, (slot + 1) * _SECTORS):
        number, _, signature, counter = _FOOTER.unpack_from(memory, sector * _SECTOR + _FOOTER_AT)
        if signature == _SIGNATURE:
            numbers.add(number)
            counters.add(counter)
    return numbers == set(range(_SECTORS)) and len(counters) == 1
