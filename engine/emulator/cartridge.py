"""Read a cartridge's header and battery files; imports no emulator.

Source: Pan Docs, "The Cartridge Header"; the clock's footer: VBA-M, mGBA, BGB and SameBoy write it
alike.
"""

import struct
from dataclasses import dataclass
from typing import Self

from engine.errors import ConfigurationError

HEADER_END = 0x150

_TITLE, _COLOUR_TITLE, _CODE = slice(0x134, 0x143), slice(0x134, 0x13F), slice(0x13F, 0x143)
_COLOUR, _KIND, _ROM_SIZE, _RAM_SIZE, _REVISION = 0x143, 0x147, 0x148, 0x149, 0x14C
_CHECKED, _HEADER_SUM = slice(0x134, 0x14D), 0x14D
_GLOBAL_SUM = slice(0x14E, 0x150)

_RAM_BYTES = {0: 0, 1: 0x800, 2: 0x2000, 3: 0x8000, 4: 0x20000, 5: 0x10000}

# Controller, and which of RAM, battery and clock the cartridge has.
_KINDS: dict[int, tuple[str, str]] = {
    0x00: ("no controller", ""),
    0x01: ("MBC1", ""),
    0x02: ("MBC1", "R"),
    0x03: ("MBC1", "RB"),
    0x05: ("MBC2", ""),
    0x06: ("MBC2", "B"),
    0x08: ("no controller", "R"),
    0x09: ("no controller", "RB"),
    0x0F: ("MBC3", "BC"),
    0x10: ("MBC3", "RBC"),
    0x11: ("MBC3", ""),
    0x12: ("MBC3", "R"),
    0x13: ("MBC3", "RB"),
    0x19: ("MBC5", ""),
    0x1A: ("MBC5", "R"),
    0x1B: ("MBC5", "RB"),
    0x1C: ("MBC5 with rumble", ""),
    0x1D: ("MBC5 with rumble", "R"),
    0x1E: ("MBC5 with rumble", "RB"),
}

# Seconds, minutes, hours, days, days' ninth bit and flags; then the same as they were last read.
_CLOCK_FOOTER = struct.Struct("<10I")
_FOOTER_SIZES = (44, 48)  # with a time of saving in 4 or in 8 bytes
_PADDING = b"\0\xff"
MAX_FOOTER = 64
"""Bytes that some emulator adds for its own use; the Virtual Console adds 16."""
_NEVER = 4e9
"""A time of saving, in seconds since 1970, that PyBoy takes as "no time went by"."""


@dataclass(frozen=True, slots=True)
class Cartridge:
    """The contents of a header.

    Attributes:
        code: Four letters, e.g. "BYTE", the last one for the language; "" on older cartridges.
        rom_size: In bytes; 0: the header's size code is unknown.
        is_header_right: The header's own checksum holds.
    """

    title: str
    code: str
    revision: int
    kind: int
    controller: str
    rom_size: int
    ram_size: int
    has_battery: bool
    has_clock: bool
    is_header_right: bool

    @classmethod
    def of(cls, rom: bytes) -> Self:
        """Read the header of an image of at least `HEADER_END` bytes."""
        code = rom[_CODE]
        is_code = all(48 <= byte <= 57 or 65 <= byte <= 90 for byte in code)  # digits, capitals
        has_code = rom[_COLOUR] & 0x80 and is_code
        controller, parts = _KINDS.get(rom[_KIND], ("unknown controller", ""))
        checksum = 0
        for byte in rom[_CHECKED]:
            checksum = (checksum - byte - 1) & 0xFF
        return cls(
            title=header_text(rom[_COLOUR_TITLE if has_code else _TITLE]),
            code=header_text(code) if has_code else "",
            revision=rom[_REVISION],
            kind=rom[_KIND],
            controller=controller,
            rom_size=0x8000 << rom[_ROM_SIZE] if rom[_ROM_SIZE] <= 8 else 0,
            ram_size=_RAM_BYTES.get(rom[_RAM_SIZE], 0) if "R" in parts else 0,
            has_battery="B" in parts,
            has_clock="C" in parts,
            is_header_right=checksum == rom[_HEADER_SUM],
        )


def is_image_checksum_right(rom: bytes) -> bool:
    """Return whether the checksum of the whole image holds; games run without it."""
    image_sum = (sum(rom) - sum(rom[_GLOBAL_SUM])) & 0xFFFF
    return image_sum == int.from_bytes(rom[_GLOBAL_SUM], "big")


@dataclass(frozen=True, slots=True)
class Battery:
    """What a cartridge keeps without power.

    Attributes:
        ram: As many bytes as the cartridge has.
        clock: In PyBoy's form, standing since it was saved; None: the clock begins at zero.
    """

    ram: bytes
    clock: bytes | None = None

    @classmethod
    def of(cls, data: bytes, cartridge: Cartridge, name: str) -> Self:
        """Take a battery file of any emulator apart; `name` is for the error.

        Raises:
            ConfigurationError: It is not of this kind of cartridge.
        """
        if not (cartridge.has_battery and cartridge.ram_size):
            raise ConfigurationError(
                f"The game has no battery memory, so {name} cannot be loaded into it.",
                "Leave --state out, or use a save state.",
            )
        ram, rest = split_battery(data, cartridge.ram_size, name)
        return cls(ram, _clock(rest) if cartridge.has_clock else None)


def split_battery(data: bytes, size: int, name: str) -> tuple[bytes, bytes]:
    """Return the `size` bytes of battery memory that a file begins with, and what follows them.

    Emulators append a clock, or bytes of their own, and fill up with zeros or ones.

    Raises:
        ConfigurationError: It is too short, or more follows than an emulator appends.
    """
    if len(data) < size:
        raise ConfigurationError(
            f"{name} has {len(data):,} bytes, {size - len(data):,} too few: this cartridge's "
            f"battery memory has {size:,}.",
            "It was truncated, or is from a different game.",
        )
    rest = data[size:]
    if (more := len(rest.strip(_PADDING))) > MAX_FOOTER:
        raise ConfigurationError(
            f"{name} is no battery file of this cartridge: after the {size:,} bytes of its battery "
            f"memory come {more:,} that are neither a clock nor padding.",
            "It is from a different game, or another kind of file.",
        )
    return data[:size], rest


def _clock(rest: bytes) -> bytes | None:
    """Return the clock in what follows the memory, before or after padding; None: there is none.

    It is in PyBoy 2.8's 33 bytes: see `RTC.load_state` in pyboy/core/cartridge.
    """
    for size in _FOOTER_SIZES:
        for footer, padding in ((rest[:size], rest[size:]), (rest[-size:], rest[:-size])):
            if len(footer) == size and not padding.strip(_PADDING):
                counters = _CLOCK_FOOTER.unpack_from(footer)
                if max(counters) <= 0xFF:
                    return _pack_clock(*counters[:5])
    return None


def _pack_clock(seconds: int, minutes: int, hours: int, days: int, flags: int) -> bytes:
    halt, carry = flags >> 6 & 1, flags >> 7 & 1
    counters = (seconds & 63, minutes & 63, hours & 31, days & 255, flags & 1)
    return struct.pack("<d9BQd", _NEVER, halt, carry, *counters, halt, carry, 0, _NEVER)


def header_text(field: bytes) -> str:
    """Return the text in a field of a header, which zeros fill up."""
    plain = field.split(b"\0")[0]
    return "".join(chr(byte) if 32 <= byte < 127 else "?" for byte in plain).strip()
