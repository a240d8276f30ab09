"""Tell whether a cartridge's flash memory holds a saved game of Pokémon Emerald.

It has two slots of 14 sectors, which the game fills in turn. A sector ends with its number, a
checksum, a signature and the count of the saving that wrote it (pret/pokeemerald, include/save.h).
"""

import struct

_SECTOR, _SECTORS, _SLOTS = 0x1000, 14, 2
_SIZE, _SHORTER = 0xF80, {0: 0xF2C, 4: 0xF08, 13: 0x7D0}
"""Bytes of data in a sector, and in those that are not full, by number."""
_FOOTER = struct.Struct("<HHII")  # number, checksum, signature, counter
_FOOTER_AT = 0xFF4
_SIGNATURE = 0x0801_2025
_KEY_AT = 0xAC
_OTHERS = {0: "Pokémon Ruby or Sapphire", 1: "Pokémon FireRed or LeafGreen"}


def has_saved_game(memory: bytes) -> bool:
    """Return whether one of the slots is whole; `memory` are the 131,072 bytes of the flash."""
    return any(_is_whole(memory, slot) for slot in range(_SLOTS))


def other_game(memory: bytes) -> str:
    """Return which games of the same form have saved in `memory`; "" for Emerald, or for none.

    Where Emerald keeps its encryption key, SaveBlock2 + AC, the others keep 0 and 1.
    """
    for sector in range(_SLOTS * _SECTORS):
        number, _, signature, _ = _footer(memory, sector)
        if (number, signature) == (0, _SIGNATURE):
            (key,) = struct.unpack_from("<I", memory, sector * _SECTOR + _KEY_AT)
            return _OTHERS.get(key, "")
    return ""


def has_signature(memory: bytes) -> bool:
    """Return whether something was ever saved in `memory`, be it damaged now."""
    sectors = range(_SLOTS * _SECTORS)
    return any(_footer(memory, sector)[2] == _SIGNATURE for sector in sectors)


def _is_whole(memory: bytes, slot: int) -> bool:
    """Return whether a slot holds each of the sectors, of one saving."""
    numbers, counters = set(), set()
    for sector in range(slot * _SECTORS, (slot + 1) * _SECTORS):
        number, checksum, signature, counter = _footer(memory, sector)
        if signature == _SIGNATURE and checksum == _checksum(memory, sector, number):
            numbers.add(number)
            counters.add(counter)
    return numbers == set(range(_SECTORS)) and len(counters) == 1


def _footer(memory: bytes, sector: int) -> tuple[int, int, int, int]:
    number, checksum, signature, counter = _FOOTER.unpack_from(
        memory, sector * _SECTOR + _FOOTER_AT
    )
    return number, checksum, signature, counter


def _checksum(memory: bytes, sector: int, number: int) -> int:
    """Return the sum of a sector's words, its halves added: `CalculateChecksum` in src/save.c."""
    count = _SHORTER.get(number, _SIZE) // 4
    total: int = sum(struct.unpack_from(f"<{count}I", memory, sector * _SECTOR))
    return (total >> 16 & 0xFFFF) + total & 0xFFFF
