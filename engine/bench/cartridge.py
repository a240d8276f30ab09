"""Build an image that costs the emulator what a real cartridge does, from the practice game.

The practice game sleeps between two frames, which PyBoy skips, and it has neither battery nor
clock. The image is Crystal's kind of cartridge: 2 MB, MBC3, 32 KB of battery memory and a clock,
and the game waits without sleeping. It plays exactly as the practice game does.
"""

from engine.emulator.cartridge import HEADER_END, Cartridge
from engine.errors import RomError

SIZE = 0x200000
_KIND = bytes((0x10, 6, 3))
"""At 0147: MBC3 with clock, RAM and battery; 2 MB of ROM; 32 KB of RAM."""

# wait_vbl in roms/practice/src/crt0.s: xor a; ldh (hVblFlag), a; halt; nop; ldh a, (hVblFlag);
# or a; jr z, back to halt; ret. NOP in place of HALT makes it wait for the flag awake.
_WAIT = bytes.fromhex("AF E0F0 76 00 F0F0 B7 28F9 C9")
_HALT, _NOP = 3, 0x00


def make_cartridge(practice: bytes) -> bytes:
    """Return the image made of the practice game's.

    Raises:
        RomError: The game waits for the next frame in another way than this knows.
    """
    if practice.count(_WAIT) != 1:
        raise RomError(
            "The practice game's wait loop is not the one the benchmark expects.",
            "Update engine/bench/cartridge.py to match wait_vbl in roms/practice/src/crt0.s.",
        )
    image = bytearray(practice.ljust(SIZE, b"\xff"))
    image[practice.index(_WAIT) + _HALT] = _NOP
    image[0x147:0x14A] = _KIND
    image[0x14D] = -sum(image[0x134:0x14D], 0x19) & 0xFF  # each byte is subtracted, and one more
    image[0x14E:HEADER_END] = bytes(2)
    image[0x14E:HEADER_END] = (sum(image) & 0xFFFF).to_bytes(2, "big")
    return bytes(image)


def is_like_cartridge(rom: bytes) -> bool:
    """Return whether an image costs what a real cartridge of Crystal does."""
    return Cartridge.of(rom).has_clock
