"""Read battery files of Game Boy Advance games; imports no emulator."""

from engine.errors import ConfigurationError

BATTERY_SIZE = 0x20000
"""Bytes of the flash memory of the games that run here."""

_CLOCK_SIZE = 16
"""What mGBA writes behind the memory of a cartridge with a clock."""


def battery_memory(data: bytes, name: str) -> bytes:
    """Return the battery memory in a file of any emulator; `name` is for the error.

    A clock is left out: the cartridge's clock starts anew with each game.

    Raises:
        ConfigurationError: It has another size.
    """
    if len(data) not in (BATTERY_SIZE, BATTERY_SIZE + _CLOCK_SIZE):
        raise ConfigurationError(
            f"{name} has {len(data):,} bytes; this cartridge's battery memory has "
            f"{BATTERY_SIZE:,}, or {BATTERY_SIZE + _CLOCK_SIZE:,} with a clock.",
            "It is damaged or from a different game.",
        )
    return data[:BATTERY_SIZE]
