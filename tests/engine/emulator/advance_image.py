"""A game for the Game Boy Advance that only counts, looks and draws: `advance_image.s`."""

from pathlib import Path

SOURCE = Path(__file__).with_suffix(".s")
CODE_AT = 0x100
BRANCH = bytes.fromhex("3e0000ea")
"""To the code, from the image's start."""
CODE = bytes.fromhex(
    "0103a0e30224a0e30334a0e30644a0e3051ba0e3031081e3b010c0e10010e0e30564a0e3001286e5"
    "1c1286e5056984e22070a0e3047057e2071086e7fcffff1a0764a0e33210a0e3b010c6e16410a0e3"
    "b210c6e1021ca0e3b410c6e14b6b84e21e6e46e21f10a0e3b010c6e18112a0e1b210c6e18112a0e1"
    "b410c6e10010e0e3b610c6e10050a0e3b610d0e1a00051e3fcffff1a015085e2005082e5005083e5"
    "136e80e2b010d6e10110e0e1011ba0e1211ba0e1b410c2e1087092e5917526e0086082e50e64a0e3"
    "080011e30b00000a557c86e2557087e2aa10a0e30010c7e52a8c86e2aa8088e25510a0e30010c8e5"
    "b010a0e30010c7e50110a0e30010c6e51010d6e50c10c2e58578a0e12778a0e1b75084e10283a0e3"
    "c48088e20110a0e3b410c8e1b010c8e10510a0e3b010c8e10710a0e3b210c8e16590a0e308a0a0e3"
    "a913a0e1011001e28110a0e1041081e3b010c8e1011081e3b010c8e18990a0e101a05ae2f5ffff1a"
    "0510a0e3b210c8e100b0a0e30090a0e308a0a0e30410a0e3b010c8e10510a0e3b010c8e1b010d8e1"
    "021001e2a990a0e1019389e101a05ae2f5ffff1aff9009e2206082e20b90c6e701b08be207005be3"
    "edffff1a0110a0e3b010c8e1b010c8e1b610d0e1a00051e3fcffff0aabffffea"
)
"""What `arm-none-eabi-as` makes of the source."""

FRAMES, KEYS, PLAYED, BATTERY_BYTE, DATE = (0x0200_0000 + at for at in (0, 4, 8, 12, 0x20))
"""Frames since power-on, u32; keys held, u16; sum of keys times frame, u32; byte 16 of the battery
memory, or of its second bank once START was
held; year, month, day, weekday, hour, minute and second, binary-coded decimals."""


def advance_image(title: bytes = b"COUNTER") -> bytes:
    """Return an image of 32 KB, with a game code whose cartridges have flash memory and a clock."""
    image = bytearray(0x8000)
    image[:4] = BRANCH
    image[0xA0:0xAC] = title.ljust(12, b"\0")
    image[0xAC:0xB2] = b"BPEE00"
    image[0xB2] = 0x96
    image[0xBD] = -(sum(image[0xA0:0xBD]) + 0x19) & 0xFF
    image[CODE_AT : CODE_AT + len(CODE)] = CODE
    return bytes(image)
