"""Build tiny cartridges in machine code, for what the practice game has not: battery and clock."""

from pathlib import Path

from engine.games.crystal.memory import SYMBOLS

CLOCK, NO_CLOCK, PLAIN = 0x10, 0x13, 0x00
"""Cartridge types: MBC3 with clock, RAM and battery; the same without a clock; only ROM."""

RAM_32_KB = 3
"""RAM size code."""

CLOCK_AT, BATTERY_AT, FRAMES_AT = 0xC000, 0xC100, 0xC010
"""Where `clock_cartridge` keeps the clock's five registers, 16 bytes of battery, the frames."""

SAVED_PLACE = (3, 7, 12, 9)
"""Map group, map number, x and y in `saved_game`."""
_SAVED_GAME_MARKS = {0x2008: 99, 0x2D0F: 127}  # sCheckValue1, sCheckValue2

_START = 0x150
_FOREVER = bytes((0x18, 0xFE))  # jr to itself


def cartridge(
    program: bytes = _FOREVER,
    *,
    title: bytes = b"TINY",
    code: bytes = b"",
    kind: int = PLAIN,
    rom_size_code: int = 0,
    ram_size_code: int = 0,
    revision: int = 0,
    size: int = 0x8000,
) -> bytes:
    """Return an image with right checksums that runs `program` at 0150."""
    rom = bytearray(size)
    rom[0x100:0x104] = b"\x00\xc3" + _START.to_bytes(2, "little")  # nop; jp
    rom[0x134 : 0x134 + len(title)] = title
    rom[0x13F : 0x13F + len(code)] = code
    rom[0x143] = 0x80  # for the Game Boy Color
    rom[0x147:0x14A] = bytes((kind, rom_size_code, ram_size_code))
    rom[0x14C] = revision
    rom[_START : _START + len(program)] = program
    for byte in rom[0x134:0x14D]:
        rom[0x14D] = (rom[0x14D] - byte - 1) & 0xFF
    rom[0x14E:0x150] = (sum(rom) & 0xFFFF).to_bytes(2, "big")
    return bytes(rom)


def clock_cartridge(*, is_read_late: bool = False) -> bytes:
    """Return a cartridge that copies its battery once and its clock every frame.

    Args:
        is_read_late: Read the registers a frame after they were latched and the first was
            selected, so that every frame ends between the two.
    """
    begin = store(0x0000, 0x0A) + store(0x4000, 0) + copy(0xA000, BATTERY_AT, 16)
    latch = store(0x6000, 0) + store(0x6000, 1) + store(0x4000, 8)
    read = copy(0xA000, CLOCK_AT, 1) + b"".join(
        store(0x4000, 8 + register) + copy(0xA000, CLOCK_AT + register, 1)
        for register in range(1, 5)
    )
    loop = latch + (wait_for_frame() + read if is_read_late else read + wait_for_frame())
    loop += count(FRAMES_AT)
    program = begin + loop + jump(_START + len(begin))
    return cartridge(program, title=b"CLOCK", kind=CLOCK, ram_size_code=RAM_32_KB)


def crystal_like() -> bytes:
    """Return a cartridge that calls itself Crystal and continues the game in its battery.

    It waits for the A button, puts the battery's first four bytes where Crystal keeps map group,
    map number, x and y, and gives control for ever. With an empty battery it waits for ever.
    """
    begin = store(0x0000, 0x0A) + store(0x4000, 0) + copy(0xA000, BATTERY_AT, 16)
    press = bytes((0x3E, 0x10, 0xE0, 0x00, 0xF0, 0x00, 0xE6, 0x01))  # A's line of FF00
    wait_for_button = press + bytes((0x20, -(len(press) + 2) & 0xFF))
    is_empty = b"\xfa" + BATTERY_AT.to_bytes(2, "little") + bytes((0xB7, 0x28, 0xFE))
    names = ("wMapGroup", "wMapNumber", "wXCoord", "wYCoord")
    place = b"".join(
        copy(0xA000 + index, SYMBOLS[name].address, 1) for index, name in enumerate(names)
    )
    control = b"".join(
        store(SYMBOLS[name].address, value)
        for name, value in (
            ("wMapWidth", 10),
            ("wMapHeight", 10),
            ("wMapStatus", 2),
            ("wPlayerWalking", 255),
            ("wGameTimerPaused", 1),
        )
    )
    program = begin + wait_for_button + is_empty + place + control + _FOREVER
    return cartridge(
        program, title=b"PM_CRYSTAL", code=b"BYTE", kind=CLOCK, ram_size_code=RAM_32_KB
    )


def saved_game(file: Path, footer: int = 0) -> Path:
    """Write a battery file for `crystal_like` with a saved game in it."""
    memory = bytearray(0x8000 + footer)
    memory[: len(SAVED_PLACE)] = bytes(SAVED_PLACE)
    for at, value in _SAVED_GAME_MARKS.items():
        memory[at] = value
    file.write_bytes(memory)
    return file


def store(address: int, value: int) -> bytes:
    """Ld a, value; ld [address], a."""
    return bytes((0x3E, value, 0xEA)) + address.to_bytes(2, "little")


def copy(source: int, target: int, size: int) -> bytes:
    """Copy up to 255 bytes."""
    return (
        b"\x21" + source.to_bytes(2, "little")  # ld hl
        + b"\x11" + target.to_bytes(2, "little")  # ld de
        + bytes((0x06, size))  # ld b
        + bytes((0x2A, 0x12, 0x13))  # ld a, [hl+]; ld [de], a; inc de
        + bytes((0x05, 0x20, 0xFA))  # dec b; jr nz
    )  # fmt: skip


def wait_for_frame() -> bytes:
    """Wait until line 144 has come and gone."""
    compare = bytes((0xF0, 0x44, 0xFE, 0x90))  # ldh a, [LY]; cp 144
    return compare + bytes((0x20, 0xFA)) + compare + bytes((0x28, 0xFA))


def count(address: int) -> bytes:
    """Add one to a 16-bit number."""
    return b"\x21" + address.to_bytes(2, "little") + bytes((0x34, 0x20, 0x02, 0x2C, 0x34))


def jump(address: int) -> bytes:
    """Jp address."""
    return b"\xc3" + address.to_bytes(2, "little")
