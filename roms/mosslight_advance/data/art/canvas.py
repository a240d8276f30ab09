"""A canvas of 15-bit colours, colours, and PNG files to look at pictures."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

CLEAR = -1
"""The colour of a pixel that is see-through."""


def rgb(code: str) -> int:
    """Return the 15-bit colour (red lowest) of `rrggbb`."""
    red, green, blue = (int(code[at : at + 2], 16) >> 3 for at in (0, 2, 4))
    return red | green << 5 | blue << 10


def ramp(codes: str) -> tuple[int, ...]:
    """Return colours, from dark to light, of codes with blanks between."""
    return tuple(rgb(code) for code in codes.split())


def mix(one: int, other: int, part: float) -> int:
    """Return a colour between two: `one` at 0, `other` at 1."""
    mixed = 0
    for shift in (0, 5, 10):
        a, b = one >> shift & 31, other >> shift & 31
        mixed |= round(a + (b - a) * part) << shift
    return mixed


def noise(x: int, y: int, seed: int = 0) -> int:
    """Return a number below 256 that looks like chance, always the same for a place."""
    value = (x * 374761393 + y * 668265263 + seed * 2246822519) & 0xFFFFFFFF
    value = (value ^ value >> 13) * 1274126177 & 0xFFFFFFFF
    return (value ^ value >> 16) >> 8 & 0xFF


class Canvas:
    """A picture of `width` x `height` pixels.

    Attributes:
        rows: Colours, row by row; CLEAR where it is see-through.
    """

    def __init__(self, width: int, height: int, colour: int = CLEAR) -> None:
        self.width, self.height = width, height
        self.rows = [[colour] * width for _ in range(height)]

    @classmethod
    def from_text(cls, text: str, colours: Mapping[str, int]) -> Canvas:
        """Read a drawing: one sign a pixel; signs without a colour are see-through."""
        lines = text.split()
        canvas = cls(len(lines[0]), len(lines))
        canvas.rows = [[colours.get(sign, CLEAR) for sign in line] for line in lines]
        return canvas

    def copy(self) -> Canvas:
        """Return the same picture again."""
        return self.cut(0, 0, self.width, self.height)

    def cut(self, x: int, y: int, width: int, height: int) -> Canvas:
        """Return a part that lies within."""
        part = Canvas(0, 0)
        part.width, part.height = width, height
        part.rows = [row[x : x + width] for row in self.rows[y : y + height]]
        return part

    def mirrored(self) -> Canvas:
        """Return the picture with left and right exchanged."""
        part = self.copy()
        for row in part.rows:
            row.reverse()
        return part

    def get(self, x: int, y: int) -> int:
        """Return a pixel, CLEAR outside."""
        if 0 <= x < self.width and 0 <= y < self.height:
            return self.rows[y][x]
        return CLEAR

    def put(self, x: int, y: int, colour: int) -> None:
        """Set a pixel, if it lies within."""
        if 0 <= x < self.width and 0 <= y < self.height:
            self.rows[y][x] = colour

    def box(self, x: int, y: int, width: int, height: int, colour: int) -> None:
        """Fill a rectangle."""
        for row in self.rows[max(y, 0) : max(y + height, 0)]:
            for at in range(max(x, 0), min(x + width, self.width)):
                row[at] = colour

    def blit(self, other: Canvas, x: int, y: int) -> None:
        """Lay a picture over this one, its see-through pixels left out."""
        for dy, row in enumerate(other.rows):
            if not 0 <= y + dy < self.height:
                continue
            mine = self.rows[y + dy]
            for dx, colour in enumerate(row):
                if colour != CLEAR and 0 <= x + dx < self.width:
                    mine[x + dx] = colour

    def line(self, x0: float, y0: float, x1: float, y1: float, colour: int, wide: int = 1) -> None:
        """Draw a straight line with a square pen of `wide` pixels."""
        steps = int(max(abs(x1 - x0), abs(y1 - y0), 1))
        for step in range(steps + 1):
            x = round(x0 + (x1 - x0) * step / steps)
            y = round(y0 + (y1 - y0) * step / steps)
            self.box(x - (wide - 1) // 2, y - (wide - 1) // 2, wide, wide, colour)

    def ellipse(self, cx: float, cy: float, rx: float, ry: float, colour: int) -> None:
        """Fill an ellipse."""
        for y in range(int(cy - ry), int(cy + ry) + 2):
            for x in range(int(cx - rx), int(cx + rx) + 2):
                u, v = (x + 0.5 - cx) / rx, (y + 0.5 - cy) / ry
                if u * u + v * v <= 1:
                    self.put(x, y, colour)

    def polygon(self, points: Sequence[tuple[float, float]], colour: int) -> None:
        """Fill a polygon."""
        for y in range(int(min(p[1] for p in points)), int(max(p[1] for p in points)) + 1):
            cuts = sorted(_crossings(points, y + 0.5))
            for left, right in zip(cuts[::2], cuts[1::2], strict=False):
                for x in range(round(left), round(right)):
                    self.put(x, y, colour)

    def outline(self, colour: int, over: Iterable[int] = ()) -> None:
        """Draw a line around what is drawn; colours in `over` count as see-through."""
        open_colours = {CLEAR, *over}
        before = self.copy()
        for y in range(self.height):
            for x in range(self.width):
                if before.rows[y][x] not in open_colours:
                    continue
                around = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
                if any(before.get(*at) not in open_colours for at in around):
                    self.rows[y][x] = colour

    def replace(self, exchange: Mapping[int, int]) -> Canvas:
        """Return the picture with colours exchanged."""
        part = self.copy()
        part.rows = [[exchange.get(colour, colour) for colour in row] for row in self.rows]
        return part

    def colours(self) -> list[int]:
        """Return the colours in it, each once, sorted."""
        return sorted({colour for row in self.rows for colour in row} - {CLEAR})

    def tiles(self) -> Iterator[Canvas]:
        """Yield its 8x8 tiles, row by row."""
        for y in range(0, self.height, 8):
            for x in range(0, self.width, 8):
                yield self.cut(x, y, 8, 8)

    def packed(self, palette: Sequence[int]) -> list[int]:
        """Return its tiles as words of 8 pixels, by the places of the colours in `palette`.

        Raises:
            KeyError: A colour is not in the palette.
        """
        places = {colour: number for number, colour in reversed(list(enumerate(palette))) if number}
        places[CLEAR] = 0
        return [
            sum(places[colour] << 4 * at for at, colour in enumerate(row))
            for tile in self.tiles()
            for row in tile.rows
        ]


def _crossings(points: Sequence[tuple[float, float]], y: float) -> Iterator[float]:
    for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[0]], strict=True):
        if (y0 <= y) != (y1 <= y):
            yield x0 + (y - y0) * (x1 - x0) / (y1 - y0)


PHASES = 4
"""How many pictures take turns where something moves: water, flowers."""


@dataclass(frozen=True, slots=True)
class Painted:
    """A painted map.

    Attributes:
        below, over: What lies below and over people.
        special: Walk cells that belong to the secondary tileset.
        phases: Walk cell -> what lies below people in turn, where that moves.
        doors: Walk cell of a door -> what lies below people, half open and open.
    """

    below: Canvas
    over: Canvas
    special: frozenset[tuple[int, int]]
    phases: Mapping[tuple[int, int], Sequence[Canvas]] = field(default_factory=dict)
    doors: Mapping[tuple[int, int], Sequence[Canvas]] = field(default_factory=dict)


def own_palette(*pictures: Canvas) -> list[int]:
    """Return 16 colours, the first see-through, that hold all of some pictures'.

    Raises:
        ValueError: They have more than 15 colours.
    """
    colours = sorted({colour for picture in pictures for colour in picture.colours()})
    if len(colours) > 15:
        raise ValueError(f"{len(colours)} colours, 15 are possible")
    return [0, *colours] + [0] * (15 - len(colours))


def write_png(canvas: Canvas, path: Path, scale: int = 3, behind: int = 0x6739) -> None:
    """Write a picture to look at, enlarged, over the colour `behind`."""
    raw = bytearray()
    for row in canvas.rows:
        line = bytearray()
        for colour in row:
            value = behind if colour == CLEAR else colour
            line += bytes((value >> s & 31) * 255 // 31 for s in (0, 5, 10)) * scale
        raw += (b"\0" + line) * scale
    head = struct.pack(">IIBBBBB", canvas.width * scale, canvas.height * scale, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(bytes(raw), 6)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))
