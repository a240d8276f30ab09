"""Paint the outdoor maps: ground, water, trees, houses."""

from __future__ import annotations

from . import houses, outdoor_things, plants
from .canvas import CLEAR, PHASES, Canvas, Painted, mix, noise
from .ramps import EARTH, GRASS, SAND, WATER
from .regions import CELL, around, cells, depths

LAWN = ("grass", "flower", "flower_yellow", "path", "tall_grass", "ledge")
"""Cells that people reach: what rises from below them lies over people."""


SHADOW_WIDTH = 7
MOVING = ("water", "flower", "flower_yellow")
EDGE = mix(GRASS[1], SAND[1], 0.5)
"""Of a path."""


class Painter:
    """Paints one map, layer by layer.

    Attributes:
        below, over: The two pictures.
        special, phases, doors: See Painted.
    """

    def __init__(self, names: list[list[str]]) -> None:
        self._names = names
        self._height, self._width = len(names), len(names[0])
        self.below = Canvas(self._width * CELL, self._height * CELL)
        self.over = Canvas(self.below.width, self.below.height)
        self.special: set[tuple[int, int]] = set()
        self.phases: dict[tuple[int, int], list[Canvas]] = {}
        self.doors: dict[tuple[int, int], list[Canvas]] = {}

    def at(self, x: int, y: int) -> str:
        """Return a cell's name; beyond the border everything goes on as it ends."""
        x, y = min(max(x, 0), self._width - 1), min(max(y, 0), self._height - 1)
        return self._names[y][x]

    def paint(self) -> None:
        """Paint everything."""
        for x, y, name in cells(self._names):
            cell = Canvas(CELL, CELL)
            self._ground(cell, x, y, name)
            self.below.blit(cell, x * CELL, y * CELL)
            if name == "tall_grass":
                self.over.blit(plants.tall_grass_front(), x * CELL, y * CELL)
        for y in range(self._height + 3):
            for x in range(-1, self._width):
                self._tree(x, y)
        for x, y, name in cells(self._names):
            self._thing(x, y, name)
        found = list(houses.find(self.at, self._width, self._height))
        for house in found:
            self._stand(
                house.picture(), house.x * CELL, house.y * CELL - houses.RISE, is_special=True
            )
        for house in found:
            self._doors(house)
            self._shadow(house)
        for x, y, name in cells(self._names):
            if name in MOVING:
                self._move(x, y, name)

    def _shadow(self, house: houses.House) -> None:
        """Darken the lawn at a house's right, away from the light."""
        left = (house.x + house.width) * CELL - 3
        bottom = (house.y + house.height + 1) * CELL
        for dx in range(SHADOW_WIDTH):
            for y in range(bottom - 20 + dx, bottom):
                at = left + dx
                if at < self.below.width and self.below.rows[y][at] in GRASS[1:4]:
                    self.below.rows[y][at] = GRASS[0] if dx < SHADOW_WIDTH - 1 else GRASS[1]
                    self.special.add((at // CELL, y // CELL))

    def _doors(self, house: houses.House) -> None:
        """Cut out how a house's door looks half open and open."""
        y = house.y + house.height
        for number, name in enumerate(house.front):
            if name in ("door", "gym_door"):
                self.doors[house.x + number, y] = [
                    house.picture(opened).cut(
                        number * CELL, houses.RISE + house.height * CELL, CELL, CELL
                    )
                    for opened in (1, 2)
                ]

    def _move(self, x: int, y: int, name: str) -> None:
        """Paint a cell's further phases, where nothing stands over it."""
        now = self.below.cut(x * CELL, y * CELL, CELL, CELL)
        grounds = [Canvas(CELL, CELL) for _ in range(PHASES)]
        for phase, ground in enumerate(grounds):
            self._ground(ground, x, y, name, phase)
        phases = []
        for ground in grounds:
            phases.append(now.copy())
            for row, new, old in zip(phases[-1].rows, ground.rows, grounds[0].rows, strict=True):
                for at, colour in enumerate(row):
                    if colour == old[at]:
                        row[at] = new[at]
        self.phases[x, y] = phases

    def _ground(self, cell: Canvas, x: int, y: int, name: str, phase: int = 0) -> None:
        cell.blit(plants.lawn(x, y), 0, 0)
        if name == "path":
            self._path(cell, x, y)
        elif name == "water":
            self._water(cell, x, y, phase)
        elif name == "ledge":
            cell.blit(outdoor_things.ledge(self._is_open(x - 1, y), self._is_open(x + 1, y)), 0, 0)
        elif name == "tall_grass":
            cell.blit(plants.tall_grass(), 0, 0)
        elif name in ("flower", "flower_yellow"):
            cell.blit(plants.flowers(name, phase), 0, 0)

    def _is_open(self, x: int, y: int) -> bool:
        return self.at(x, y) not in ("ledge", "tree")

    def _path(self, cell: Canvas, x: int, y: int) -> None:
        def member(cx: int, cy: int) -> bool:
            return self.at(cx, cy) in ("path", "door", "gym_door")

        goes_on = around(member, x, y)
        deep = depths(goes_on, 1, 6)
        for j, row in enumerate(deep):
            for i, depth in enumerate(row):
                if depth < 0:
                    continue
                colour = SAND[2]
                if depth < 1:
                    colour = GRASS[0] if j < 8 and not goes_on[0] else EDGE
                elif depth < 2:
                    colour = SAND[1]
                elif (i, j) in ((4, 5), (12, 11)):
                    colour = SAND[3]
                elif (i, j) in ((5, 5), (11, 3), (3, 12)):
                    colour = SAND[1] if noise(x, y) < 90 else SAND[3]
                cell.put(i, j, colour)

    def _water(self, cell: Canvas, x: int, y: int, phase: int) -> None:
        def member(cx: int, cy: int) -> bool:
            return self.at(cx, cy) == "water"

        goes_on = around(member, x, y)
        deep = depths(goes_on, 3, 6, 0)
        waves = outdoor_things.waves(phase)
        for j, row in enumerate(deep):
            for i, depth in enumerate(row):
                if depth < -1.6:
                    continue
                if depth < 0:
                    colour = SAND[2] if depth < -1 else EARTH[2]
                elif not goes_on[0] and j < 8:
                    colour = EARTH[1] if j < 5 else WATER[0] if j < 7 else WATER[2]
                elif depth < 1:
                    colour = WATER[3]
                elif depth < 2:
                    colour = WATER[2]
                else:
                    colour = waves.rows[j][i]
                cell.put(i, j, colour)

    # ---- what stands ---------------------------------------------------------------------------

    def _stand(self, picture: Canvas, px: int, py: int, *, is_special: bool = False) -> None:
        """Lay something over the map: over people where it rises above ground they reach."""
        for dy, row in enumerate(picture.rows):
            for dx, colour in enumerate(row):
                x, y = px + dx, py + dy
                if colour == CLEAR or not 0 <= x < self.below.width:
                    continue
                if not 0 <= y < self.below.height:
                    continue
                reached = self._names[y // CELL][x // CELL] in LAWN and colour != GRASS[0]
                (self.over if reached else self.below).rows[y][x] = colour
                if is_special:
                    self.special.add((x // CELL, y // CELL))

    def _is_tree(self, x: int, y: int) -> bool:
        return self.at(x, y) == "tree"

    def _is_broad(self, x: int, y: int) -> bool:
        """Tell whether a broad tree's lower left cell is this one: they stand on odd cells."""
        return (
            x % 2 == 1
            and y % 2 == 1
            and self._is_tree(x, y)
            and self._is_tree(x + 1, y)
            and all(self.at(cx, y - 1) in ("tree", *LAWN) for cx in (x, x + 1))
        )

    def _tree(self, x: int, y: int) -> None:
        if not self._is_tree(x, y):
            return
        left = x if x % 2 else x - 1
        base = y if y % 2 else y + 1
        if self._is_broad(left, base):
            if (x, y) == (left, base) or (x == -1 and y == base):
                top = (y + 1) * CELL - plants.TREE_HEIGHT
                self._stand(plants.tree(), left * CELL, top)
        elif x >= 0:
            top = (y + 1) * CELL - plants.SLIM_HEIGHT
            self._stand(plants.slim_tree(), x * CELL, top)

    def _thing(self, x: int, y: int, name: str) -> None:
        picture = outdoor_things.standing(name)
        if picture:
            self._stand(
                picture, x * CELL, (y + 1) * CELL - picture.height, is_special=name != "boulder"
            )


def paint(names: list[list[str]]) -> Painted:
    """Paint a map."""
    painter = Painter(names)
    painter.paint()
    return Painted(
        painter.below, painter.over, frozenset(painter.special), painter.phases, painter.doors
    )


def paint_border() -> Painted:
    """Paint the four cells that lie around a map: a wood without an end."""
    wood = paint([["tree"] * 6 for _ in range(6)])
    return Painted(wood.below.cut(64, 32, 32, 32), wood.over.cut(64, 32, 32, 32), frozenset())
