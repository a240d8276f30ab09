"""Paint the indoor maps: walls, floors, furniture."""

from __future__ import annotations

from . import furniture
from .canvas import CLEAR, Canvas, Painted
from .ramps import BOARDS, CLOTH, SLABS, TILED, VOID, WALLS, WOOD
from .regions import CELL, around, cells, depths

FLOORS = (
    "wood_floor",
    "floor",
    "gym_floor",
    "chair",
    "rug",
    "mat_exit",
    "stairs_up",
    "stairs_down",
    "steps",
    "balcony",
    "gallery",
)
"""Cells that people reach: what rises from below them lies over people."""
UPRIGHT = ("wall_top", "wall_in", "window_in", "clock")
TOPS = ("counter", "counter_down")
RAISED = ("balcony", "gallery")


STYLES = ("home", *TILED, "gym")
"""Kinds of rooms, by what is in them."""


def style(names: list[list[str]]) -> str:
    """Return a room's style."""
    found = {name for row in names for name in row}
    if "gym_floor" in found:
        return "gym"
    if "floor" not in found:
        return "home"
    signs = {"rest_house": "heal_machine", "shop": "shop_shelf"}
    return next((kind for kind, sign in signs.items() if sign in found), "laboratory")


class Painter:
    """Paints one room.

    Attributes:
        below, over: The two pictures.
        special: Cells with furniture: those of the secondary tileset.
    """

    def __init__(self, names: list[list[str]]) -> None:
        self._names = names
        self._height, self._width = len(names), len(names[0])
        self.below = Canvas(self._width * CELL, self._height * CELL, VOID)
        self.over = Canvas(self.below.width, self.below.height)
        self.special: set[tuple[int, int]] = set()
        self._style = style(names)

    def at(self, x: int, y: int) -> str:
        """Return a cell's name, "void" outside."""
        inside = 0 <= x < self._width and 0 <= y < self._height
        return self._names[y][x] if inside else "void"

    def paint(self) -> None:
        """Paint everything."""
        for x, y, name in cells(self._names):
            if name in UPRIGHT:
                self._wall(x, y)
            elif name != "void":
                self._floor(x, y)
        for x, y, name in cells(self._names):
            if name == "rug":
                self._rug(x, y)
            elif name in ("table", "desk", *TOPS):
                self._top(x, y, name)
            elif name in RAISED:
                self._raised(x, y, name)
            else:
                self._thing(x, y, name)

    # ---- the room itself -----------------------------------------------------------------------

    def _wall(self, x: int, y: int) -> None:
        shades = WALLS[self._style]
        px, py = x * CELL, y * CELL
        self.below.box(px, py, CELL, CELL, shades[3])
        is_top = y == 0
        for at in range(CELL):
            if self._style == "home" and at % 8 in (2, 3):
                self.below.box(px + at, py, 1, CELL, shades[2])
            elif self._style != "home" and at in (0, 8):
                self.below.box(px + at, py, 1, CELL, shades[1 if self._style == "gym" else 2])
                self.below.box(px + at + 1, py, 1, CELL, shades[4])
        if self._style == "gym":
            for at in (5, 11):
                self.below.box(px, py + at, CELL, 1, shades[2])
        if is_top:
            for at, shade in enumerate((0, 1, 4, 1, 2)):
                self.below.box(px, py + at, CELL, 1, shades[shade])
        else:
            trim = WOOD if self._style == "home" else shades
            self.below.box(px, py + 7, CELL, 1, shades[0])
            self.below.box(px, py + 8, CELL, 1, trim[4])
            self.below.box(px, py + 9, CELL, 5, trim[3] if trim is WOOD else trim[1])
            for at in (3, 11):
                self.below.box(px + at, py + 10, 1, 4, trim[2] if trim is WOOD else trim[0])
            self.below.box(px, py + 14, CELL, 1, trim[1] if trim is WOOD else trim[0])
            self.below.box(px, py + 15, CELL, 1, trim[0])
        if self.at(x - 1, y) == "void":
            self.below.box(px, py, 1, CELL, shades[0])
        if self.at(x + 1, y) == "void":
            self.below.box(px + CELL - 1, py, 1, CELL, shades[0])

    def _floor(self, x: int, y: int) -> None:
        px, py = x * CELL, y * CELL
        if self._style == "home":
            self._boards(px, py, x)
        elif self._style in TILED:
            tiles = TILED[self._style]
            shade = 2 + (x + y) % 2
            self.below.box(px, py, CELL, CELL, tiles[shade])
            self.below.box(px, py, CELL, 1, tiles[shade + 1])
            self.below.box(px, py, 1, CELL, tiles[shade + 1])
            self.below.box(px, py + 15, CELL, 1, tiles[1])
            self.below.box(px + 15, py, 1, CELL, tiles[1])
        else:
            self.below.box(px, py, CELL, CELL, SLABS[3])
            for at in (7, 15):
                self.below.box(px, py + at, CELL, 1, SLABS[2])
            for at, row in ((11, 0), (4, 8)):
                self.below.box(px + at, py + row, 1, 7, SLABS[2])
                self.below.box(px + at + 1, py + row, 1, 7, SLABS[4])
        if self.at(x, y - 1) in UPRIGHT:
            shades = {"home": BOARDS, "gym": SLABS, **TILED}[self._style]
            darker = dict(zip(shades[1:], shades, strict=False))
            for line in self.below.rows[py : py + 3]:
                line[px : px + CELL] = [darker[colour] for colour in line[px : px + CELL]]

    def _boards(self, px: int, py: int, x: int) -> None:
        self.below.box(px, py, CELL, CELL, BOARDS[3])
        for row in (0, 8):
            self.below.box(px, py + row, CELL, 1, BOARDS[4])
            self.below.box(px, py + row + 7, CELL, 1, BOARDS[1])
            joint = 5 if (row == 0) == (x % 2 == 0) else -1
            if joint >= 0:
                self.below.box(px + joint, py + row, 1, 7, BOARDS[1])
            for at in range(2, CELL, 5):
                self.below.put(px + at, py + row + 3 + at % 3, BOARDS[2])
                self.below.put(px + at + 1, py + row + 3 + at % 3, BOARDS[2])

    def _rug(self, x: int, y: int) -> None:
        goes_on = around(lambda cx, cy: self.at(cx, cy) == "rug", x, y)
        for j, row in enumerate(depths(goes_on, 1, 3, 0)):
            for i, depth in enumerate(row):
                if depth < 0:
                    continue
                shade = 2
                if depth < 1:
                    shade = 0
                elif depth < 3:
                    shade = 3
                elif depth < 4:
                    shade = 1
                elif abs(i - 7.5) + abs(j - 7.5) < 3:
                    shade = 4 if abs(i - 7.5) + abs(j - 7.5) < 2 else 3
                self.below.put(x * CELL + i, y * CELL + j, CLOTH[shade])

    # ---- furniture -----------------------------------------------------------------------------

    def _top(self, x: int, y: int, name: str) -> None:
        """Draw a table, desk or counter: joined to its neighbours of the same kind."""
        kinds = TOPS if name in TOPS else (name,)
        sides = around(lambda cx, cy: self.at(cx, cy) in kinds, x, y)
        picture = furniture.table_top(sides, name if name not in TOPS else "counter")
        self._stand(picture, x, y)

    def _raised(self, x: int, y: int, name: str) -> None:
        """Draw a floor over the floor: under it one walks where it is a gallery."""
        sides = around(lambda cx, cy: self.at(cx, cy) in RAISED, x, y)
        picture = furniture.gallery(sides)
        (self.over if name == "gallery" else self.below).blit(picture, x * CELL, y * CELL)
        self.special.add((x, y))

    def _thing(self, x: int, y: int, name: str) -> None:
        picture: Canvas | None
        if name == "gym_stone":
            rocky = ("gym_stone", "statue", *UPRIGHT)
            sides = around(lambda cx, cy: self.at(cx, cy) in rocky, x, y)
            picture = furniture.rock(sides)
        else:
            picture = furniture.standing(name, self.at(x - 1, y) == name)
        if picture:
            self._stand(picture, x, y)

    def _stand(self, picture: Canvas, x: int, y: int) -> None:
        """Lay something on a cell: over people where it rises above floor they reach."""
        top = (y + 1) * CELL - picture.height
        for dy, row in enumerate(picture.rows):
            for dx, colour in enumerate(row):
                px, py = x * CELL + dx, top + dy
                if colour == CLEAR or not 0 <= py < self.below.height or px >= self.below.width:
                    continue
                above = py // CELL < y and self._names[py // CELL][px // CELL] in FLOORS
                (self.over if above else self.below).rows[py][px] = colour
                self.special.add((px // CELL, py // CELL))


def paint(names: list[list[str]]) -> Painted:
    """Paint a map."""
    painter = Painter(names)
    painter.paint()
    return Painted(painter.below, painter.over, frozenset(painter.special))


def paint_border() -> Painted:
    """Paint the four cells that lie around a map."""
    return paint([["void"] * 2] * 2)
