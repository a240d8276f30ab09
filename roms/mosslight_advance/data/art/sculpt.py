"""Redraw the first practice game's pictures for 15 colours: round shapes lit from the top left.

The drawings of roms/practice/art say what a creature consists of: shapes with one of four colours,
lines, eyes. Here the same drawings are played on another canvas: larger, every shape rounded and
shaded by a ramp of its material, outlined darkly where it ends and softly where shapes meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import floor, hypot
from types import FunctionType, ModuleType
from typing import Any

from ..sources import shapes
from .canvas import Canvas

SIZE = 64
Mask = frozenset[tuple[int, int]]
Material = str
"""Of a drawing: "." paper, "1" bright, "2" dark, "3" ink; others where a creature has more."""

LIGHT = (-0.52, -0.62, 0.59)
ROUNDNESS = 9.0
"""How many pixels deep a shape is round; what is deeper is flat."""
STEP, SLANT = 1.0, 1.4142
LINE_LIGHT = 0.3
SHAPES = ("blob", "ellipse", "polygon", "tube")


class Sculpture:
    """A canvas as roms/practice/art/canvas.py has it, that keeps materials and light.

    Attributes:
        points: Pixel -> (material, light 0..1, whether it is the rim of a shape).
        materials: Number of the painted shape -> its material, instead of the drawing's.
    """

    def __init__(self, scale: float, left: float, top: float, materials: Mapping[int, str]) -> None:
        self._scale, self._left, self._top = scale, left, top
        self._materials = materials
        self._painted = 0
        self.points: dict[tuple[int, int], tuple[Material, float, bool]] = {}

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Turn a place of the drawing into one of the picture."""
        return x * self._scale + self._left, y * self._scale + self._top

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
        """Paint a shape; see roms/practice/art/canvas.py. Light and shade come by themselves."""
        material = self._materials.get(self._painted, fill)
        self._painted += 1
        inside = mask if within is None else mask & (within - shapes.rim(within))
        border = shapes.rim(mask) if edge else frozenset()
        glow = _light(mask)
        for pixel in inside:
            self.points[pixel] = (material, glow[pixel], pixel in border)
        return inside

    def erase(self, mask: Mask) -> None:
        """Make pixels background again."""
        for pixel in mask:
            self.points.pop(pixel, None)

    def line(self, colour: str, *points: tuple[float, float], within: Mask | None = None) -> None:
        """Draw a smooth line through points of the drawing."""
        inside = None if within is None else within - shapes.rim(within)
        for pixel in _path([self.place(x, y) for x, y in points]):
            if inside is None or pixel in inside:
                self.points[pixel] = (colour, LINE_LIGHT, False)

    def dots(self, colour: str, points: Iterable[tuple[int, int]]) -> None:
        """Set single pixels."""
        for x, y in points:
            self._set(*self.place(x, y), colour)

    def stamp(self, x: int, y: int, *rows: str) -> None:
        """Put hand-drawn pixels, unscaled; a space changes nothing."""
        left, top = self.place(x, y)
        for dy, row in enumerate(rows):
            for dx, colour in enumerate(row):
                if colour != " ":
                    self._set(left + dx, top + dy, colour)

    def _set(self, x: float, y: float, colour: str) -> None:
        bright = {".": 1.0, "3": 0.0}.get(colour, 0.7)
        self.points[floor(x), floor(y)] = (colour, bright, False)

    def pixels(self) -> tuple[str, ...]:
        """End a drawing, whose result here is in `points`."""
        return ()

    def picture(self, ramps: Mapping[Material, Sequence[int]], ink: int) -> Canvas:
        """Return the picture, 64x64.

        Args:
            ramps: The materials' colours, from dark to light.
            ink: The colour of the outline.
        """
        canvas = Canvas(SIZE, SIZE)
        for (x, y), (material, light, is_rim) in self.points.items():
            around = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
            shades = ramps[material]
            if is_rim and any(at not in self.points for at in around):
                canvas.put(x, y, ink)
            elif is_rim:
                canvas.put(x, y, shades[0] if light < 0.8 else shades[min(1, len(shades) - 1)])
            else:
                canvas.put(x, y, shades[min(int(light * len(shades)), len(shades) - 1)])
        return canvas


def _path(points: Sequence[tuple[float, float]]) -> Iterator[tuple[int, int]]:
    """Yield the pixels of a smooth line through points."""
    ends = [points[0], *points, points[-1]]
    for a, b, c, d in zip(ends, ends[1:], ends[2:], ends[3:], strict=False):
        steps = max(2, int(2 * hypot(c[0] - b[0], c[1] - b[1])))
        for step in range(steps + 1):
            weights = shapes.curve_weights(step / steps)
            x, y = (
                sum(w * p[n] for w, p in zip(weights, (a, b, c, d), strict=True)) for n in (0, 1)
            )
            yield floor(x), floor(y)


def _light(mask: Mask) -> dict[tuple[int, int], float]:
    """Return how bright every pixel of a rounded shape is, 0..1."""
    depth = _depths(mask)
    reach = min(max(depth.values(), default=1.0), ROUNDNESS)
    height = {at: reach * (1 - (1 - min(d, reach) / reach) ** 2) ** 0.5 for at, d in depth.items()}
    for _ in range(2):
        height = {
            (x, y): (
                2 * h
                + height.get((x - 1, y), 0)
                + height.get((x + 1, y), 0)
                + height.get((x, y - 1), 0)
                + height.get((x, y + 1), 0)
            )
            / 6
            for (x, y), h in height.items()
        }
    glow = {}
    for x, y in mask:
        across = (height.get((x + 1, y), 0) - height.get((x - 1, y), 0)) / 2
        down = (height.get((x, y + 1), 0) - height.get((x, y - 1), 0)) / 2
        size = hypot(hypot(across, down), 1)
        shine = (-across * LIGHT[0] - down * LIGHT[1] + LIGHT[2]) / size
        glow[x, y] = min(max((shine + 0.25) / 1.2, 0.0), 1.0)
    return glow


def _depths(mask: Mask) -> dict[tuple[int, int], float]:
    """Return how far from its outside every pixel of a shape lies."""
    depth: dict[tuple[int, int], float] = {}
    for forth, order in ((-1, sorted(mask)), (1, sorted(mask, reverse=True))):
        for x, y in order:
            near = (
                depth.get((x + forth, y), 0.0) + STEP if (x + forth, y) in mask else STEP,
                depth.get((x, y + forth), 0.0) + STEP if (x, y + forth) in mask else STEP,
                depth.get((x + forth, y - 1), 0.0) + SLANT if (x + forth, y - 1) in mask else STEP,
                depth.get((x + forth, y + 1), 0.0) + SLANT if (x + forth, y + 1) in mask else STEP,
            )
            depth[x, y] = min(*near, depth.get((x, y), 99.0))
    return depth


def play(
    module: ModuleType,
    name: str,
    scale: float,
    left: float = 0.0,
    top: float = 0.0,
    materials: Mapping[int, str] | None = None,
) -> Sculpture:
    """Play a drawing of the first practice game on a Sculpture.

    Args:
        module: Of roms/practice/art.
        name: Its function.
        scale: Pixels of the picture to one of the drawing.
        left: Where the drawing's left edge comes to lie.
        top: Where its upper edge does.
        materials: Number of a painted shape -> its material.
    """
    sculpture = Sculpture(scale, left, top, materials or {})

    def points(given: Iterable[tuple[float, ...]]) -> list[Any]:
        return [
            (*sculpture.place(one[0], one[1]), *(size * scale for size in one[2:])) for one in given
        ]

    def ellipse(cx: float, cy: float, rx: float, ry: float, angle_deg: float = 0) -> Mask:
        return shapes.ellipse(*sculpture.place(cx, cy), rx * scale, ry * scale, angle_deg)

    studio: dict[str, Any] = dict(vars(module))
    studio |= {
        "Canvas": lambda size: sculpture,
        "ellipse": ellipse,
        "polygon": lambda *given: shapes.polygon(*points(given)),
        "blob": lambda *given: shapes.blob(*points(given)),
        "tube": lambda *given: shapes.tube(*points(given)),
    }
    for key, value in vars(module).items():
        if isinstance(value, FunctionType) and key not in SHAPES:
            studio[key] = FunctionType(value.__code__, studio, key, value.__defaults__)
    drawing: Callable[[], object] = studio[name]
    drawing()
    return sculpture
