"""Send frames as pictures, by the Kitty graphics protocol.

Source: https://sw.kovidgoyal.net/kitty/graphics-protocol/
"""

import base64
import zlib
from functools import partial

from rich.segment import Segment

from engine.types import Frame
from pokeTUI.rendering.colors import ColorDepth
from pokeTUI.rendering.encoders import FrameEncoder, GameMode
from pokeTUI.rendering.strips import FrameStrip

IMAGE_ID = 7301
"""Any number that another program in the same terminal is unlikely to use."""
_CHUNK = 4096
DELETE = f"\x1b_Ga=d,d=I,i={IMAGE_ID},q=2\x1b\\"
"""Take the picture off the screen and free it."""


def place(frame: Frame, x: int, y: int, columns: int, rows: int) -> str:
    """Return what puts `frame` over `columns` x `rows` cells at (x, y), instead of the last one."""
    height, width, _ = frame.shape
    data = base64.b64encode(zlib.compress(frame.tobytes(), 1)).decode()
    chunks = [data[start : start + _CHUNK] for start in range(0, len(data), _CHUNK)]
    control = f"a=T,f=24,s={width},v={height},o=z,i={IMAGE_ID},p=1,c={columns},r={rows},C=1,q=2"
    parts = [f"\x1b7\x1b[{y + 1};{x + 1}H"]
    for index, chunk in enumerate(chunks):
        is_more = int(index + 1 < len(chunks))
        parts.append(f"\x1b_G{control},m={is_more};{chunk}\x1b\\")
        control = "q=2"
    parts.append("\x1b8")
    return "".join(parts)


class KittyEncoder:
    """Hold the frame that the terminal draws as a picture over blank cells.

    The strips are blank where the terminal shows them; as Segments (in screenshots) they are half
    blocks, and also in the terminal while something covers the picture.
    """

    mode = GameMode.KITTY

    def __init__(self, columns: int, rows: int, depth: ColorDepth = ColorDepth.TRUECOLOR) -> None:
        self.depth = depth
        self.columns = columns
        self.rows = rows
        self._frame: Frame | None = None
        self._cells = FrameEncoder(GameMode.HALF_BLOCKS, columns, rows, depth)
        self._blank = self._blank_rows()
        self._is_in_cells = False

    @property
    def strips(self) -> list[FrameStrip]:
        """The rows: blank, or cells."""
        return self._cells.strips if self._is_in_cells else self._blank

    def draw_cells(self, is_wanted: bool) -> None:
        """Draw in cells instead of leaving them blank, or no longer."""
        self._is_in_cells = is_wanted
        if is_wanted and self._frame is not None:
            self._cells.update(self._frame)

    def update(self, frame: Frame) -> list[int]:
        """Take a new frame, (h, w, 3) uint8, and return the rows whose cells changed."""
        self._frame = frame
        self._blank = self._blank_rows()
        return self._cells.update(frame) if self._is_in_cells else []

    def _blank_rows(self) -> list[FrameStrip]:
        blank = " " * self.columns
        return [
            FrameStrip(blank, self.columns, partial(self._segments, row))
            for row in range(self.rows)
        ]

    def _segments(self, row: int) -> list[Segment]:
        if self._frame is None:
            return [Segment(" " * self.columns)]
        self._cells.update(self._frame)
        return list(self._cells.strips[row])
