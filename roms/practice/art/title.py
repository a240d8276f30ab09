"""The title picture: MOSSLIGHT in mossy letters over three creatures at sunset.

The scene is painted in named colours; afterwards every 8x8 tile takes the first of eight
palettes that holds all its colours. "PRESS START" stands in row PRESS_ROW with palette
PRESS_PALETTE, which nothing else uses, so a program can blink it by fading that palette.
"""

from __future__ import annotations

from dataclasses import dataclass

from .canvas import Mask, ellipse, polygon, tube
from .creatures import PICS
from .font import FONT
from .palettes import RGB, Palette

WIDTH, HEIGHT = 160, 144
MAX_TILES = 200
PRESS_ROW, PRESS_PALETTE = 15, 7

COLOURS: dict[str, RGB] = {
    "B": (40, 48, 104),  # night blue
    "V": (112, 72, 144),  # violet
    "R": (224, 112, 112),  # rose
    "O": (248, 184, 96),  # orange
    "Y": (248, 240, 176),  # light
    "D": (24, 24, 48),  # darkness
    "G": (112, 184, 80),  # moss
    "g": (40, 96, 72),  # deep moss
}
# Colour 0..3 of each palette; the order decides which one a plain tile takes.
PALETTES = ("BDYG", "BVYD", "BVRY", "RVOY", "ROYD", "OYDG", "gDGY", "gDGY")


@dataclass(frozen=True, slots=True)
class Title:
    """The title screen.

    Attributes:
        pixels: 144 strings of 160 characters '.123'.
        attributes: 18 rows of 20 background palette numbers.
        palettes: 8 palettes, RGB888.
    """

    pixels: tuple[str, ...]
    attributes: tuple[tuple[int, ...], ...]
    palettes: tuple[Palette, ...]


class Scene:
    """The picture in named colours."""

    def __init__(self) -> None:
        self.rows = [["B"] * WIDTH for _ in range(HEIGHT)]

    def fill(self, mask: Mask, colour: str, dx: int = 0, dy: int = 0) -> None:
        """Colour a shape, moved by dx, dy."""
        for x, y in mask:
            if 0 <= x + dx < WIDTH and 0 <= y + dy < HEIGHT:
                self.rows[y + dy][x + dx] = colour


def grown(mask: Mask) -> Mask:
    """Add a one-pixel border."""
    steps = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
    return frozenset((x + dx, y + dy) for x, y in mask for dx, dy in steps)


def _stroke(*points: tuple[float, float]) -> Mask:
    return tube(*((x, y, 2.5) for x, y in points))


def letters() -> dict[str, tuple[int, Mask]]:
    """Draw the letters of the logo: width, and strokes in a box 26 pixels high."""
    bow = _stroke((12.5, 5), (8, 2.5), (3.5, 6), (5, 11), (10, 14), (12, 19), (8, 23.5), (3, 21.5))
    ring = ellipse(8.5, 13, 8.4, 12.5) - ellipse(8.5, 13, 3.6, 7.6)
    arc = _stroke((14, 6), (9, 2.5), (3.5, 7), (2.8, 13), (4, 20), (9, 23.5), (13.5, 20))
    return {
        "M": (
            20,
            _stroke((3, 23.5), (4, 3)) | _stroke((4, 3), (10, 16)) | _stroke((10, 16), (16, 3))
            | _stroke((16, 3), (17, 23.5)),
        ),
        "O": (17, ring),
        "S": (15, bow),
        "L": (14, _stroke((3, 2.5), (3, 23.5)) | _stroke((3, 23.5), (11.5, 23))),
        "I": (7, _stroke((3.5, 9), (3.5, 23.5))),
        "G": (17, arc | _stroke((13.7, 20), (14, 14)) | _stroke((14, 14), (9.5, 14))),
        "H": (
            17,
            _stroke((3, 2.5), (3, 23.5)) | _stroke((14, 2.5), (14, 23.5))
            | _stroke((3, 13), (14, 12)),
        ),
        "T": (16, _stroke((2.5, 3), (13.5, 2.5)) | _stroke((8, 3), (8, 23.5))),
    }  # fmt: skip


def _logo(scene: Scene) -> None:
    shapes = letters()
    x = (WIDTH - sum(shapes[letter][0] for letter in "MOSSLIGHT")) // 2
    placed: list[tuple[int, int, Mask]] = []
    for letter in "MOSSLIGHT":
        width, mask = shapes[letter]
        lift = round(((x + width / 2 - WIDTH / 2) / 34) ** 2)
        placed.append((x, 17 + lift, mask))
        x += width
    for x, y, mask in placed:
        for dx, dy in ((0, 0), (1, 1), (1, 2), (0, 2)):
            scene.fill(grown(mask), "D", x + dx, y + dy)
    for x, y, mask in placed:
        scene.fill(mask, "Y", x, y)
        top = {column: min(py for px, py in mask if px == column) for column, _ in mask}
        for px, py in mask:
            hang = (3, 4, 3, 2, 3, 5, 4, 2)[(px + x) % 8]
            if py - top[px] < hang or py > 22 + (px + x) % 2:
                scene.rows[y + py][x + px] = "G"
            elif (px + 1, py) not in mask or ((px, py + 1) not in mask and py > 18):
                scene.rows[y + py][x + px] = "G" if (px + py) % 2 else "Y"
    x, y, _ = placed[5]
    flame = polygon((3.5, -4), (7, 1), (6, 5), (1, 5), (0, 1))
    scene.fill(grown(grown(flame)), "D", x, y)
    scene.fill(flame, "Y", x, y)
    scene.rows[y + 3][x + 3] = scene.rows[y + 2][x + 3] = "G"


def _sky(scene: Scene) -> None:
    bands = ((56, "B", "V"), (72, "V", "R"), (80, "R", "O"))
    for top, _upper, lower in bands:
        for y in range(top, HEIGHT):
            step = min(4, (y - top) // 2)
            for x in range(WIDTH):
                pattern = (step > 3) or (
                    step > 0 and (x + 2 * (y // 2 % 2)) % 4 < step and y % 2 == 0
                )
                pattern = pattern or (step > 2 and (x + y) % 2 == 0)
                scene.rows[y][x] = lower if pattern else scene.rows[y][x]
    for x, y in ((12, 5), (45, 9), (83, 4), (118, 10), (149, 5), (68, 60), (20, 57), (139, 58)):
        scene.rows[y][x] = "Y"
        if x % 2:
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                scene.rows[y + dy][x + dx] = "V" if y < 16 else scene.rows[y + dy][x + dx]


def silhouette(name: str) -> Mask:
    """Return a creature's outline at half size, from its front picture."""
    front = PICS[name].front
    size = len(front)
    outside = {(-1, -1)}
    todo = [(-1, -1)]
    while todo:
        x, y = todo.pop()
        for nx, ny in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if not (-1 <= nx <= size and -1 <= ny <= size) or (nx, ny) in outside:
                continue
            if 0 <= nx < size and 0 <= ny < size and front[ny][nx] != ".":
                continue
            outside.add((nx, ny))
            todo.append((nx, ny))
    return frozenset(
        (x, y)
        for x in range(size // 2)
        for y in range(size // 2)
        if sum((2 * x + i, 2 * y + j) not in outside for i in (0, 1) for j in (0, 1)) > 2
    )


# Name, left edge, eye in the half-size picture, whether it looks to the right.
SITTERS = (
    ("sprigot", 22, (10, 9), True),
    ("cindle", 66, (11, 10), False),
    ("rillet", 110, (6, 10), False),
)


def hill(x: int) -> int:
    """Return the hill's height line at a column."""
    return round(110 - 5 * (1 - ((x - 80) / 80) ** 2)) + (x * 7 // 5 % 3 == 0)


def _ground(scene: Scene) -> None:
    scene.fill(ellipse(80, 98, 29.5, 29.5), "Y")
    for x in range(WIDTH):
        top = hill(x)
        for y in range(top, HEIGHT):
            tuft = y - top < 2 or (y - top < 5 and (x * 5 + y * 3) % 7 < 5 - (y - top))
            moss = y > 112 + (x * 11 // 3) % 5 and (y > 120 or (x + y) % 2 == 0)
            scene.rows[y][x] = "G" if tuft else "g" if moss else "D"
    for name, x, eye, mirror in SITTERS:
        mask = silhouette(name)
        if mirror:
            mask = frozenset((27 - px, py) for px, py in mask)
        top = hill(x + 14) - 27
        scene.fill(mask, "D", x, top)
        scene.rows[top + eye[1]][x + (27 - eye[0] if mirror else eye[0])] = "Y"
    for x in range(WIDTH):
        blade = (9, 6, 3, 1, 4, 8, 12, 7, 3, 5, 2, 6, 10, 5, 2, 4)[x % 16]
        for y in range(HEIGHT - blade, HEIGHT):
            scene.rows[y][x] = "D"
    for x, y in ((13, 122), (29, 133), (57, 134), (92, 131), (124, 134), (147, 124)):
        for dx, dy in ((0, -1), (0, 1), (-1, 0), (1, 0)):
            scene.rows[y + dy][x + dx] = "G"
        scene.rows[y][x] = "Y"


def _press_start(scene: Scene) -> None:
    text = "PRESS START"
    for number, char in enumerate(text):
        code = 0x7F if char == " " else 0x80 + ord(char) - ord("A")
        for dy, row in enumerate(FONT[code]):
            for dx, shade in enumerate(row):
                if shade == "3":
                    x, y = 36 + number * 8 + dx, PRESS_ROW * 8 + dy
                    scene.rows[y][x] = "Y"


def _title() -> Title:
    scene = Scene()
    _sky(scene)
    _ground(scene)
    _logo(scene)
    _press_start(scene)
    pixels = [["."] * WIDTH for _ in range(HEIGHT)]
    attributes: list[tuple[int, ...]] = []
    for ty in range(0, HEIGHT, 8):
        line: list[int] = []
        for tx in range(0, WIDTH, 8):
            used = {scene.rows[ty + dy][tx + dx] for dy in range(8) for dx in range(8)}
            press = ty == PRESS_ROW * 8 and "Y" in used
            fitting = [n for n, names in enumerate(PALETTES) if used <= set(names)]
            if not fitting:
                raise ValueError(f"title tile {tx // 8},{ty // 8} mixes {sorted(used)}")
            palette = PRESS_PALETTE if press else fitting[0]
            line.append(palette)
            for dy in range(8):
                for dx in range(8):
                    colour = PALETTES[palette].index(scene.rows[ty + dy][tx + dx])
                    pixels[ty + dy][tx + dx] = ".123"[colour]
        attributes.append(tuple(line))
    palettes = tuple(
        (COLOURS[names[0]], COLOURS[names[1]], COLOURS[names[2]], COLOURS[names[3]])
        for names in PALETTES
    )
    return Title(tuple("".join(row) for row in pixels), tuple(attributes), palettes)


TITLE: Title = _title()
