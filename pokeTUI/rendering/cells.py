"""Hold a picture as terminal cells and write rows of it as ANSI text."""

from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray
from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from pokeTUI.rendering.colors import ColorTable

BLANK = 0
"""Glyph 0 of every glyph set is the space: its foreground is not seen."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A picture in cells, each array (rows, columns).

    Glyphs are uint8 indices into the glyph set, colours uint16 entries of the table, or None for
    the terminal's own.
    """

    glyph: NDArray[np.uint8]
    foreground: NDArray[np.uint16] | None
    background: NDArray[np.uint16] | None

    def changed_rows(self, before: "Cells") -> NDArray[np.intp]:
        """Return the rows that differ from those of `before`."""
        differs = self.glyph != before.glyph
        if self.foreground is not None and before.foreground is not None:
            differs |= self.foreground != before.foreground
        if self.background is not None and before.background is not None:
            differs |= self.background != before.background
        return np.flatnonzero(differs.any(axis=1))


class RowWriter:
    """Write rows of cells as text with SGR codes only where a colour changes.

    The first of `glyphs` is the space; without colours there is no `table`.
    """

    def __init__(self, glyphs: str, table: ColorTable | None) -> None:
        self.glyphs = glyphs
        self._table = table
        self._glyph_bytes = np.zeros((len(glyphs), 4), np.uint8)
        for row, glyph in zip(self._glyph_bytes, glyphs, strict=True):
            encoded = glyph.encode()
            row[: len(encoded)] = np.frombuffer(encoded, np.uint8)

    def ansi(self, cells: Cells, rows: NDArray[np.intp]) -> list[str]:
        """Return each of `rows` as self-contained text (it ends with a reset)."""
        glyph = cells.glyph[rows]
        count, columns = glyph.shape
        parts: list[NDArray[np.uint8]] = []
        codes: list[tuple[NDArray[np.bool_], NDArray[np.uint8]]] = []
        if self._table is not None and cells.foreground is not None:
            color = _hold(cells.foreground[rows], glyph != BLANK)
            codes.append((_changes(color), self._table.foreground[color]))
        if self._table is not None and cells.background is not None:
            color = cells.background[rows].astype(np.intp)
            codes.append((_changes(color), self._table.background[color]))
        if codes:
            parts.extend(_sgr(codes, (count, columns)))
        parts.append(self._glyph_bytes[glyph])
        data = np.concatenate(parts, axis=2).reshape(count, -1)
        is_used = data != 0
        text = data[is_used].tobytes()
        ends = np.cumsum(is_used.sum(axis=1)).tolist()
        starts = [0, *ends[:-1]]
        reset = "\x1b[0m" if codes else ""
        return [text[start:end].decode() + reset for start, end in zip(starts, ends, strict=True)]

    def segments(self, cells: Cells, row: int) -> list[Segment]:
        """Return one row as Segments, for what cannot use ANSI text (overlays, screenshots)."""
        glyph = cells.glyph[row].tolist()
        unknown = [-1] * len(glyph)
        fore = unknown if cells.foreground is None else cells.foreground[row].tolist()
        back = unknown if cells.background is None else cells.background[row].tolist()
        segments: list[Segment] = []
        columns = zip(fore, back, glyph, strict=True)
        for (color, ground), run in groupby(columns, key=itemgetter(0, 1)):
            text = "".join(self.glyphs[index] for _, _, index in run)
            style = Style(color=self._color(color), bgcolor=self._color(ground))
            segments.append(Segment(text, style))
        return segments

    def _color(self, entry: int) -> Color | None:
        if entry < 0 or self._table is None:
            return None
        red, green, blue = self._table.rgb[entry].tolist()
        return Color.from_rgb(red, green, blue)


def _hold(color: NDArray[np.uint16], is_seen: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Let cells whose foreground is not seen keep the last seen one of their row."""
    columns = np.arange(color.shape[1])
    last = np.maximum.accumulate(np.where(is_seen, columns, 0), axis=1)
    return np.take_along_axis(color, last, axis=1).astype(np.intp)


def _changes(color: NDArray[np.intp]) -> NDArray[np.bool_]:
    is_changed = np.ones(color.shape, np.bool_)
    is_changed[:, 1:] = color[:, 1:] != color[:, :-1]
    return is_changed


def _sgr(
    codes: list[tuple[NDArray[np.bool_], NDArray[np.uint8]]], shape: tuple[int, int]
) -> list[NDArray[np.uint8]]:
    """Return the bytes of ESC [ parameters m for every cell, zero where nothing changes."""
    any_change = np.logical_or.reduce([is_changed for is_changed, _ in codes])
    parts = [_constant(b"\x1b[", any_change, shape)]
    is_open: NDArray[np.bool_] | None = None
    for is_changed, code in codes:
        if is_open is not None:
            parts.append(_constant(b";", is_open & is_changed, shape))
        parts.append(np.where(is_changed[..., None], code, np.uint8(0)))
        is_open = is_changed
    parts.append(_constant(b"m", any_change, shape))
    return parts


def _constant(text: bytes, where: NDArray[np.bool_], shape: tuple[int, int]) -> NDArray[np.uint8]:
    values = np.frombuffer(text, np.uint8)
    return np.broadcast_to(values, (*shape, len(text))) * where[..., None]
