"""Draw pictures by iTerm2's inline images protocol.

Source: https://iterm2.com/documentation-images.html
"""

import base64
from dataclasses import dataclass

from textual.geometry import Region

from engine.types import Frame
from pokeTUI.rendering.encoders import GameMode
from pokeTUI.rendering.png import png


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
