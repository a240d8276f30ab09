"""Draw 4-colour pictures from shapes: outlined, shaded by light from the top left, then details.

Coordinates are pixels with pixel centres at .5, x to the right, y down. A colour is '.', '1', '2'
or '3'. A shape is a Mask (a set of pixels); painting one fills it, puts a light crescent on its
top left, a shaded one on its bottom right and an outline around it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from math import ceil, cos, floor, hypot, radians, sin

Point = tuple[float, float]
Mask = frozenset[tuple[int, int]]
Pixels = tuple[str, ...]

CURVE_STEPS = 8  # straight pieces a curve is cut into between two of its points


def ellipse(cx: float, cy: float, rx: float, ry: float, angle_deg: float = 0) -> Mask:
    """Cover an ellipse around cx, cy, turned clockwise by an angle."""
    turn_x, turn_y = cos(radians(angle_deg)), sin(radians(angle_deg))
    reach = ceil(max(rx, ry)) + 1
    mask: set[tuple[int, int]] = set()
    for y in range(floor(cy) - reach, ceil(cy) + reach):
        for x in range(floor(cx) - reach, ceil(cx) + reach):
            dx, dy = x + 0.5 - cx, y + 0.5 - cy
            across, along = dx * turn_x + dy * turn_y, dy * turn_x - dx * turn_y
            if (across / rx) ** 2 + (along / ry) ** 2 <= 1:
                mask.add((x, y))
    return frozenset(mask)


def polygon(*points: Point) -> Mask:
    """Cover a polygon with straight sides."""
    mask: set[tuple[int, int]] = set()
    for y in range(floor(min(p[1] for p in points)), ceil(max(p[1] for p in points)) + 1):
        crossings: list[float] = []
        for (x0, y0), (x1, y1) in zip(points, (*points[1:], points[0]), strict=True):
            if (y0 <= y + 0.5) != (y1 <= y + 0.5):
                crossings.append(x0 + (y + 0.5 - y0) * (x1 - x0) / (y1 - y0))
        crossings.sort()
        for left, right in zip(crossings[::2], crossings[1::2], strict=True):
            mask.update((x, y) for x in range(ceil(left - 0.5), ceil(right - 0.5)))
    return frozenset(mask)


def blob(*points: Point) -> Mask:
    """Cover the inside of a smooth closed curve through the points."""
    return polygon(*_curve((points[-1], *points, points[0], points[1])))


def tube(*points: tuple[float, float, float]) -> Mask:
    """Cover a bent limb: a smooth line through (x, y, radius) points, as thick as they say."""
    path = [(x, y) for x, y, _ in points]
    radii = [radius for _, _, radius in points]
    line = [*_curve((path[0], *path, path[-1])), path[-1]]
    mask: set[tuple[int, int]] = set()
    for number, (x, y) in enumerate(line):
        place = number / CURVE_STEPS
        first = min(int(place), len(radii) - 2)
        part = place - first
        radius = radii[first] * (1 - part) + radii[first + 1] * part
        mask |= ellipse(x, y, radius, radius)
    return frozenset(mask)


def rim(mask: Mask) -> Mask:
    """Return the pixels of a shape that touch its outside."""
    return frozenset(
        (x, y) for x, y in mask if not {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} <= mask
    )


def thickness(mask: Mask) -> float:
    """Estimate how many pixels across a shape is, however long and bent."""
    return 2 * len(mask) / max(1, len(rim(mask)))


def curve_weights(t: float) -> tuple[float, float, float, float]:
    """Return what four points weigh on a Catmull-Rom curve, at 0..1 between the middle two."""
    return (
        (-t + 2 * t * t - t**3) / 2,
        (2 - 5 * t * t + 3 * t**3) / 2,
        (t + 4 * t * t - 3 * t**3) / 2,
        (t**3 - t * t) / 2,
    )


def _curve(points: Sequence[Point]) -> list[Point]:
    """Run a Catmull-Rom curve from the second to the last but one point."""
    line: list[Point] = []
    for a, b, c, d in zip(points, points[1:], points[2:], points[3:], strict=False):
        for step in range(CURVE_STEPS):
            weights = curve_weights(step / CURVE_STEPS)
            line.append(
                (
                    sum(w * p[0] for w, p in zip(weights, (a, b, c, d), strict=True)),
                    sum(w * p[1] for w, p in zip(weights, (a, b, c, d), strict=True)),
                )
            )
    return line


class Canvas:
    """A square picture being drawn, back to front."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._pixels: dict[tuple[int, int], str] = {}

    def paint(
        self,
        mask: Mask,
        fill: str = "1",
        light: str = "",
        shade: str = "",
        edge: str = "3",
        light_px: int = 3,
        shade_px: int = 0,
        within: Mask | None = None,
    ) -> Mask:
        """Paint a shape.

        Args:
            mask: the shape.
            fill: colour of its inside.
            light: colour of the crescent on the top left; "" for none.
            shade: colour of the crescent on the bottom right; "" for none.
            edge: outline colour; "" for none.
            light_px: width of the light crescent.
            shade_px: width of the shaded crescent; 0 takes two fifths of the shape's thickness.
            within: shape whose inside this one must not leave (markings); it keeps its outline.

        Returns:
            The painted pixels.
        """
        depth = shade_px or min(6, max(1, round(0.4 * thickness(mask))))
        inside = mask if within is None else mask & (within - rim(within))
        border = rim(mask)
        for x, y in inside:
            colour = fill
            if shade and self._beyond(mask, x, y, depth):
                colour = shade
            elif light and self._beyond(mask, x, y, -light_px):
                colour = light
            if edge and (x, y) in border:
                colour = edge
            self._pixels[x, y] = colour
        return inside

    @staticmethod
    def _beyond(mask: Mask, x: int, y: int, distance: int) -> bool:
        """Tell whether a step along the light leaves the shape; ragged by one pixel (dither)."""
        reach = distance + ((x + y) % 2 if distance > 3 else 0)
        return (x + round(reach * 0.6), y + reach) not in mask

    def erase(self, mask: Mask) -> None:
        """Make pixels background again."""
        for pixel in mask:
            self._pixels.pop(pixel, None)

    def line(self, colour: str, *points: Point, within: Mask | None = None) -> None:
        """Draw a smooth line, one pixel wide, through the points."""
        inside = None if within is None else within - rim(within)
        if len(points) == 2:
            path = list(points)
        else:
            path = [*_curve((points[0], *points, points[-1])), points[-1]]
        for (x0, y0), (x1, y1) in itertools.pairwise(path):
            steps = max(1, ceil(hypot(x1 - x0, y1 - y0) * 2))
            for step in range(steps + 1):
                x = floor(x0 + (x1 - x0) * step / steps)
                y = floor(y0 + (y1 - y0) * step / steps)
                if inside is None or (x, y) in inside:
                    self._pixels[x, y] = colour

    def dots(self, colour: str, points: Iterable[tuple[int, int]]) -> None:
        """Set single pixels."""
        for point in points:
            self._pixels[point] = colour

    def stamp(self, x: int, y: int, *rows: str) -> None:
        """Put hand-drawn pixels with their top left corner at x, y; a space changes nothing."""
        for dy, row in enumerate(rows):
            for dx, colour in enumerate(row):
                if colour != " ":
                    self._pixels[x + dx, y + dy] = colour

    def pixels(self) -> Pixels:
        """Return the picture, background as '.'."""
        return tuple(
            "".join(self._pixels.get((x, y), ".") for x in range(self.size))
            for y in range(self.size)
        )
