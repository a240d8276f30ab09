"""Draw pictures in a terminal's real pixels: iTerm2's, Kitty's and the sixel protocol."""

import base64
import contextlib
import itertools
import os
import secrets
import struct
import time
import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from textual.geometry import Region

from engine.ground.files import open_file, write_all
from engine.types import Frame
from pokeTUI.draw.encoders import GameMode, resample

# Write a frame as a PNG file.


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


# Pass pictures to a terminal on the same machine in shared memory, as POSIX names it.

_FOLDER = Path("/dev/shm")
"""Where Linux has it."""
_UNREAD_S = 60.0
"""No terminal reads a picture later than this."""
_UNREAD = 8
"""Pictures that may wait; a terminal that is further behind reads none any more."""


class SharedPictures:
    """Write pictures; the terminal removes each when it has read it."""

    def __init__(self) -> None:
        for path in _FOLDER.glob("poketui-*"):  # of a cockpit that was killed, which none reads
            with contextlib.suppress(OSError):
                if time.time() - path.lstat().st_mtime > _UNREAD_S:
                    path.unlink()
        name = f"poketui-{secrets.token_hex(8)}"
        self._paths = (_FOLDER / f"{name}-{number}" for number in itertools.count())
        self._unread: list[Path] = []

    def write(self, pixels: bytes) -> str:
        """Return the name of what holds `pixels`, "" where there is no memory for them."""
        path = next(self._paths)
        try:
            descriptor = open_file(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except OSError:
            return ""
        self._unread.append(path)
        try:
            write_all(descriptor, pixels)
        except OSError:
            return ""
        finally:
            os.close(descriptor)
            self._remove(_UNREAD)
        return f"/{path.name}"

    def clear(self) -> None:
        """Remove what was not read."""
        self._remove(0)

    def _remove(self, left: int) -> None:
        while len(self._unread) > left:
            with contextlib.suppress(OSError):  # it was read
                self._unread.pop(0).unlink()


# Draw pictures by iTerm2's inline images protocol.
#
# Source: https://iterm2.com/documentation-images.html


@dataclass(frozen=True, slots=True)
class ItermPainter:
    """See `pokeTUI.draw.game_view.Painter`."""

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


# Draw pictures by the Kitty graphics protocol.
#
# Source: https://sw.kovidgoyal.net/kitty/graphics-protocol/

IMAGE_ID = 7301
"""Any number that another program in the same terminal is unlikely to use."""
_CHUNK = 4096
DELETE = f"\x1b_Ga=d,d=I,i={IMAGE_ID},q=2\x1b\\"
"""Take the picture off the screen and free it."""


@dataclass(frozen=True, slots=True)
class KittyPainter:
    """See `pokeTUI.draw.game_view.Painter`.

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


# Write frames as sixels: six rows of pixels in a row of characters, one colour after another.
#
# Source: https://vt100.net/docs/vt3xx-gp/chapter14.html

_BAND = 6
_NO_PIXEL = ord("?")
"""Plus 1 for the uppermost of six pixels, 2 for the next, and so on."""
_COLOR_BITS = 5
"""Of red, green and blue: those of a Game Boy Color."""
_TOKEN = 12
"""Bytes of a run: "$" or "-", "#" and a colour, "!" and a length, the sixel."""
MAX_COLORS = 256


@dataclass(frozen=True, slots=True)
class SixelPainter:
    """See `pokeTUI.draw.game_view.Painter`.

    Attributes:
        cell_size_px: Width and height of the terminal's cells.
        max_colors: How many colours it shows in a picture.
    """

    cell_size_px: tuple[int, int]
    max_colors: int = MAX_COLORS
    mode = GameMode.SIXEL
    is_erased_by_text = True

    def place(self, frame: Frame, region: Region) -> str:
        """Return what puts `frame` over `region`."""
        width, height = self.cell_size_px
        return encode(frame, region.width * width, region.height * height, self.max_colors)

    def take_away(self) -> str:
        """Return nothing: cells that are written take its place."""
        return ""


def encode(frame: Frame, width: int, height: int, max_colors: int) -> str:
    """Return a frame, (h, w, 3) uint8, as a picture of `width` x `height` pixels.

    Where it has more colours than `max_colors`, 8 to 256, those that are alike become one.
    """
    frame = resample(frame, min(width, frame.shape[1]), min(height, frame.shape[0]))
    index, colors = _indexed(frame, max_colors)
    rows = np.arange(height) * index.shape[0] // height
    edges = np.arange(index.shape[1] + 1) * width // index.shape[1]
    palette = "".join(
        f"#{number};2;{red};{green};{blue}"
        for number, (red, green, blue) in enumerate((colors * 100.0 / 255).round().astype(int))
    )
    sixels = _written(_bands(index, len(colors), rows), edges)
    return f'\x1bP0;1q"1;1;{width};{height}{palette}{sixels}\x1b\\'


def _indexed(frame: Frame, max_colors: int) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
    """Return the number of each pixel's colour, (h, w), and the colours, (n, 3)."""
    for bits in range(_COLOR_BITS, 0, -1):
        parts = (frame >> (8 - bits)).astype(np.intp)
        key = parts[..., 0] << 2 * bits | parts[..., 1] << bits | parts[..., 2]
        example = np.full(1 << 3 * bits, -1, np.intp)
        example[key.ravel()] = np.arange(key.size)
        used = np.flatnonzero(example >= 0)
        if len(used) <= max_colors:
            break
    colors = frame.reshape(-1, 3)[example[used]]
    example[used] = np.arange(len(used))
    return example[key], colors


def _bands(index: NDArray[np.intp], colors: int, rows: NDArray[np.intp]) -> NDArray[np.uint8]:
    """Return six rows of pixels each as bits, (bands, colours, w): where a colour is.

    `rows` has the row of `index` for each row of pixels; those of a band that are the same are
    done at once.
    """
    pixel_rows = np.arange(len(rows))
    band, first, width = pixel_rows // _BAND, rows[::_BAND], index.shape[1]
    nth = rows - first[band]
    bits = np.zeros((nth.max() + 1, len(first)), np.uint8)
    np.add.at(bits, (nth, band), 1 << pixel_rows % _BAND)
    bands = np.zeros((len(first), colors, width), np.uint8)
    flat = bands.reshape(-1)
    start = np.arange(len(first))[:, None] * (colors * width) + np.arange(width)
    for number, bit in enumerate(bits):
        row = np.minimum(first + number, len(index) - 1)
        flat[start + index[row] * width] |= bit[:, None]
    return bands


def _written(bands: NDArray[np.uint8], edges: NDArray[np.intp]) -> str:
    """Return the colours of all bands, run by run; column x is `edges[x]` to `edges[x + 1]`."""
    band, color = np.nonzero(bands.any(axis=2))
    rows = bands[band, color]
    width = rows.shape[1]
    is_start = np.ones(rows.shape, bool)
    np.not_equal(rows[:, 1:], rows[:, :-1], out=is_start[:, 1:])
    start = np.flatnonzero(is_start)
    row, column = np.divmod(start, width)
    end = np.append(start[1:], rows.size) - row * width
    sixel = rows.reshape(-1)[start]
    is_needed = (sixel > 0) | (end < width)  # after the last pixel of a colour comes nothing
    row, column, end, sixel = (each[is_needed] for each in (row, column, end, sixel))
    tokens = np.zeros((len(row), _TOKEN), np.uint8)
    is_first = column == 0
    tokens[is_first, 0] = np.where(np.diff(band, prepend=0) > 0, ord("-"), ord("$"))
    tokens[is_first, 1:5] = _numbers("#", MAX_COLORS)[color]
    length = edges[end] - edges[column]
    tokens[:, 5:11] = _numbers("!", int(edges[-1]))[length]
    tokens[length == 1, 5:11] = 0
    tokens[:, 11] = _NO_PIXEL + sixel
    return tokens.tobytes().translate(None, b"\0").decode()


@lru_cache(maxsize=8)
def _numbers(sign: str, last: int) -> NDArray[np.uint8]:
    """Return the numbers 0 to `last` behind a sign, a row of ASCII each, zero bytes at its end."""
    texts = np.array([f"{sign}{number}".encode() for number in range(last + 1)])
    width = {"#": 4, "!": 6}[sign]
    return texts.astype(f"S{width}").view(np.uint8).reshape(-1, width)
