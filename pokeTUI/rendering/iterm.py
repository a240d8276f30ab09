"""Draw pictures by iTerm2's inline images protocol.

Source: https://iterm2.com/documentation-images.html
"""

import base64
import struct
import zlib
from dataclasses import dataclass

import numpy as np
from textual.geometry import Region

from engine.types import Frame
from pokeTUI.rendering.encoders import GameMode


@dataclass(frozen=True, slots=True)
class ItermPainter:
    """See `pokeTUI.rendering.pictures.Painter`."""

    mode = GameMode.ITERM
    is_erased_by_text = True

    def place(self, frame: Frame, region: Region) -> str:
        """Return what puts `frame` over `region`; WezTerm leaves the cursor where it is."""
        data = png(frame)
        size = f"size={len(data)};width={region.width};height={region.height}"
        options = f"inline=1;{size};preserveAspectRatio=0;doNotMoveCursor=1"
        return f"\x1b]1337;File={options}:{base64.b64encode(data).decode()}\x07"

    def take_away(self) -> str:
        """Return nothing: cells that are written take its place."""
        return ""


def png(frame: Frame) -> bytes:
    """Return a frame, (h, w, 3) uint8, as a PNG file."""
    height, width, _ = frame.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each begins with 0: it is not filtered
    rows[:, 1:] = frame.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
