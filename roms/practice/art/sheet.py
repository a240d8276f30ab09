"""A picture in memory that previews are drawn into, and its PNG file (standard library only)."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

from .palettes import RGB, Palette


class Sheet:
    """A picture in memory, RGB888, that art is drawn into."""

    def __init__(self, width: int, height: int, colour: RGB = (96, 96, 104)) -> None:
        self.width, self.height = width, height
        self.rows = [[colour] * width for _ in range(height)]

    def draw(
        self,
        x: int,
        y: int,
        pixels: tuple[str, ...],
        palette: Palette,
        transparent: bool = False,
    ) -> None:
        """Draw strings over '.123' with their top left corner at x, y."""
        for dy, row in enumerate(pixels):
            for dx, shade in enumerate(row):
                if shade != "." or not transparent:
                    self.rows[y + dy][x + dx] = palette[0 if shade == "." else int(shade)]

    def place(self, x: int, y: int, other: Sheet) -> None:
        """Copy another sheet with its top left corner at x, y."""
        for dy, row in enumerate(other.rows):
            self.rows[y + dy][x : x + other.width] = row

    def write(self, path: Path, scale: int = 4) -> None:
        """Write the sheet as a PNG, every pixel enlarged to scale x scale."""
        raw = bytearray()
        for row in self.rows:
            line = b"\0" + b"".join(bytes(colour) * scale for colour in row)
            raw += line * scale
        size = struct.pack(">2I5B", self.width * scale, self.height * scale, 8, 2, 0, 0, 0)
        chunks = ((b"IHDR", size), (b"IDAT", zlib.compress(bytes(raw), 6)), (b"IEND", b""))
        with path.open("wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n")
            for kind, data in chunks:
                file.write(struct.pack(">I", len(data)) + kind + data)
                file.write(struct.pack(">I", zlib.crc32(kind + data)))
