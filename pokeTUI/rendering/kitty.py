"""Draw pictures by the Kitty graphics protocol.

Source: https://sw.kovidgoyal.net/kitty/graphics-protocol/
"""

import base64
import zlib
from dataclasses import dataclass

from textual.geometry import Region

from engine.types import Frame
from pokeTUI.rendering.encoders import GameMode
from pokeTUI.rendering.shared_memory import SharedPictures

IMAGE_ID = 7301
"""Any number that another program in the same terminal is unlikely to use."""
_CHUNK = 4096
DELETE = f"\x1b_Ga=d,d=I,i={IMAGE_ID},q=2\x1b\\"
"""Take the picture off the screen and free it."""


@dataclass(frozen=True, slots=True)
class KittyPainter:
    """See `pokeTUI.rendering.pictures.Painter`.

    Attributes:
        memory: Where the terminal reads pictures itself; None: it is sent them.
    """

    memory: SharedPictures | None = None
    mode = GameMode.KITTY
    is_erased_by_text = False

    def place(self, frame: Frame, region: Region) -> str:
        """Return what puts `frame` over `region`, instead of the last one."""
        height, width, _ = frame.shape
        control = (
            f"a=T,f=24,s={width},v={height},i={IMAGE_ID},p=1,"
            f"c={region.width},r={region.height},C=1,q=2"
        )
        pixels = frame.tobytes()
        if self.memory is not None and (name := self.memory.write(pixels)):
            return _command(f"{control},t=s", name.encode())
        return _command(f"{control},o=z", zlib.compress(pixels, 1))

    def take_away(self) -> str:
        """Return what takes the picture off the screen."""
        if self.memory is not None:
            self.memory.clear()
        return DELETE


def _command(control: str, payload: bytes) -> str:
    """Return a command with a payload in pieces of the size that the protocol allows."""
    data = base64.b64encode(payload).decode()
    chunks = [data[start : start + _CHUNK] for start in range(0, len(data), _CHUNK)]
    parts = []
    for index, chunk in enumerate(chunks):
        is_more = int(index + 1 < len(chunks))
        parts.append(f"\x1b_G{control},m={is_more};{chunk}\x1b\\")
        control = "q=2"
    return "".join(parts)
