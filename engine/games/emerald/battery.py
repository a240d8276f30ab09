"""Tell whether a battery file holds a saved game of Pokémon Emerald.

The flash memory has two slots of 14 sectors, which the game fills in turn. A sector ends with its
number, a checksum, a signature and the count of the saving that wrote it (pret/pokeemerald,
include/save.h).
"""

import struct

from engine.errors import ConfigurationError

SIZE = 0x20000
_CLOCK_SIZE = 16
"""What mGBA adds behind it for cartridges with a clock."""

_SECTOR, _SECTORS, _SLOTS = 0x1000, 14, 2
_FOOTER = struct.Struct("<HHII")  # number, checksum, signature, counter
_FOOTER_AT = 0xFF4
_SIGNATURE = 0x0801_2025


def battery_of(data: bytes, file: str, name: str) -> bytes:
    """Return what goes into the cartridge's memory of a battery file.

    Args:
        data: The file's bytes.
        file: For the error.
        name: The game's, for the error.

    Raises:
        ConfigurationError: It is not of this kind of cartridge, or holds no saved game.
    """
    if len(data) not in (SIZE, SIZE + _CLOCK_SIZE):
        raise ConfigurationError(
            f"{file} has {len(data):,} bytes; this cartridge's battery memory has {SIZE:,}.",
            "It is damaged or from a different game.",
        )
    if not any(_is_whole(data, slot) for slot in range(_SLOTS)):
        raise ConfigurationError(
            f"{file} contains no saved game of {name}.",
            "Save in the game first, or leave --state out.",
        )
    return data[:SIZE]


def _is_whole(data: bytes, slot: int) -> bool:
    """Return whether a slot holds each of the sectors, of one saving."""
    numbers, counters = set(), set()
    for sector in range(slot * _SECTORS, (slot + 1) * _SECTORS):
        number, _, signature, counter = _FOOTER.unpack_from(data, sector * _SECTOR + _FOOTER_AT)
        if signature == _SIGNATURE:
            numbers.add(number)
            counters.add(counter)
    return numbers == set(range(_SECTORS)) and len(counters) == 1
