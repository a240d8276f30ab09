"""Read a Game Boy Advance cartridge's header and battery files; imports no emulator.

Source: GBATEK, "GBA Cartridge Header".
"""

from dataclasses import dataclass
from typing import Self

from engine.emulator.cartridge import MAX_FOOTER, header_text, split_battery

HEADER_END = 0xC0
MAX_SIZE = 32 * 1024 * 1024
"""Bytes that the machine sees of a cartridge at most."""

BATTERY_SIZE = 0x20000
"""Bytes of the flash memory of the games that run here."""

_HALF = BATTERY_SIZE // 2
"""What emulators keep that take it for a smaller flash memory: the first of two slots."""

_TITLE, _CODE = slice(0xA0, 0xAC), slice(0xAC, 0xB0)
_MARK, _MARK_VALUE, _REVISION = 0xB2, 0x96, 0xBC
_CHECKED, _HEADER_SUM = slice(0xA0, 0xBD), 0xBD
_SUM_START = 0x19


@dataclass(frozen=True, slots=True)
class AdvanceCartridge:
    """The contents of a header.

    Attributes:
        title: At most 12 letters, e.g. "POKEMON EMER".
        code: Four letters, e.g. "BPEE", the last one for the language.
        has_mark: Byte B2 is 96 (hexadecimal), as on every cartridge.
        is_header_right: The header's own checksum holds.
    """

    title: str
    code: str
    revision: int
    has_mark: bool
    is_header_right: bool

    @classmethod
    def of(cls, rom: bytes) -> Self:
        """Read the header of an image of at least `HEADER_END` bytes."""
        return cls(
            title=header_text(rom[_TITLE]),
            code=header_text(rom[_CODE]),
            revision=rom[_REVISION],
            has_mark=rom[_MARK] == _MARK_VALUE,
            is_header_right=-(sum(rom[_CHECKED]) + _SUM_START) & 0xFF == rom[_HEADER_SUM],
        )


def battery_memory(data: bytes, name: str) -> bytes:
    """Return the battery memory in a file of any emulator; `name` is for the error.

    A clock is left out: the cartridge's clock starts anew with each game.

    Raises:
        ConfigurationError: It is too short, or more follows than an emulator appends.
    """
    if _HALF <= len(data) <= _HALF + MAX_FOOTER:
        data = data[:_HALF].ljust(BATTERY_SIZE, b"\xff")
    return split_battery(data, BATTERY_SIZE, name)[0]
