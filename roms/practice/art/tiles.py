"""The cells (16x16 pixels, one step of the player) that maps are laid out with, by tilesets.

`CELLS[name]` is a Cell; `TILESETS[set]` lists the names that a tileset holds. Regions with edges
(paths, water, roofs, rugs) are families: a map says only "path" and `dress` picks, for every cell,
the member that suits its neighbours, named family + "_" + closed sides in the order nswe, then
"-" + inner corner for each inside corner ("path_nw", "path_w-se").
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from . import hollow, indoor, lake, outdoor, palettes
from .font import cut

Pixels = tuple[str, ...]

FLOOR, WALL, TALL_GRASS, WATER, HOP_DOWN = 0x00, 0x07, 0x18, 0x29, 0xA3
CARPET_DOWN, DOOR, LADDER, STAIRCASE, CAVE_MOUTH = 0x70, 0x71, 0x72, 0x7A, 0x7B
CUT_TREE, ICE, HOLE = 0x12, 0x23, 0x60
COUNTER, BOOKSHELF, COMPUTER, SHOP_SHELF, TELEVISION, WINDOW = 0x90, 0x91, 0x93, 0x96, 0x97, 0x9D

SIDES = {"n": (0, -1), "s": (0, 1), "w": (-1, 0), "e": (1, 0)}
CORNERS = ("nw", "ne", "sw", "se")


@dataclass(frozen=True, slots=True)
class Cell:
    """One 16x16 cell.

    Attributes:
        pixels: 16 strings of 16 characters '.123' (colour 0..3).
        palette: background palette number of the tileset's palette set.
        collision: COLL id (engine/games/crystal/facts/collisions.csv).
        anim: further frames of the same form, shown after `pixels` in turn; empty if still.
    """

    pixels: Pixels
    palette: int
    collision: int
    anim: tuple[Pixels, ...] = ()


def join(nw: Pixels, ne: Pixels, sw: Pixels, se: Pixels) -> Pixels:
    """Put four 8x8 bricks together to a cell."""
    return tuple(a + b for a, b in [*zip(nw, ne, strict=True), *zip(sw, se, strict=True)])


def repeat(brick: Pixels) -> Pixels:
    """Fill a cell with one 8x8 brick."""
    return join(brick, brick, brick, brick)


def quarter(pixels: Pixels, corner: str) -> Pixels:
    """Return the 8x8 brick in a corner ("nw", "ne", "sw", "se") of a cell."""
    x, y = 8 * (corner[1] == "e"), 8 * (corner[0] == "s")
    return tuple(row[x : x + 8] for row in pixels[y : y + 8])


@dataclass(frozen=True, slots=True)
class Family:
    """A region drawn from bricks: plain, sides n s w e, outer corners, perhaps inner corners.

    Attributes:
        centre: a full cell for the inside of the region.
        friends: families or cells that do not make an edge where they touch this one.
    """

    bricks: tuple[Pixels, ...]
    centre: Pixels
    palette: int
    collision: int
    anim: tuple[Pixels, ...] = ()
    friends: tuple[str, ...] = ()

    @property
    def has_inner(self) -> bool:
        """Tell whether inside corners are drawn."""
        return len(self.bricks) > 9

    def member(self, closed: frozenset[str], inner: frozenset[str]) -> Cell:
        """Draw the cell with edges at the closed sides and at the inner corners."""
        frames = [self._compose(frame, closed, inner) for frame in (self.centre, *self.anim)]
        return Cell(frames[0], self.palette, self.collision, tuple(frames[1:]))

    def _compose(self, centre: Pixels, closed: frozenset[str], inner: frozenset[str]) -> Pixels:
        quarters: list[Pixels] = []
        for number, corner in enumerate(CORNERS):
            edges = [side for side in corner if side in closed]
            if len(edges) == 2:
                quarters.append(self.bricks[5 + number])
            elif edges:
                quarters.append(self.bricks[1 + "nswe".index(edges[0])])
            elif corner in inner:
                quarters.append(self.bricks[9 + number])
            else:
                quarters.append(quarter(centre, corner))
        return join(*quarters)

    def members(self) -> dict[str, Cell]:
        """Draw every member; the key is the suffix, "" for the inside."""
        found: dict[str, Cell] = {}
        for bits in product((False, True), repeat=4):
            closed = frozenset(side for side, bit in zip("nswe", bits, strict=True) if bit)
            free = [c for c in CORNERS if self.has_inner and not closed & set(c)]
            for corner_bits in product((False, True), repeat=len(free)):
                inner = frozenset(c for c, bit in zip(free, corner_bits, strict=True) if bit)
                found[suffix(closed, inner)] = self.member(closed, inner)
        return found


def suffix(closed: frozenset[str], inner: frozenset[str]) -> str:
    """Name a member of a family by its closed sides and inner corners."""
    sides = "".join(side for side in "nswe" if side in closed)
    return ("_" + sides if sides or inner else "") + "".join(
        "-" + corner for corner in CORNERS if corner in inner
    )


WAVES = (  # x, y, length of the crests on a 16x16 patch of open water
    (1, 2, 5),
    (9, 6, 4),
    (4, 10, 4),
    (11, 14, 4),
)
SWAY = (0, 1, 2, 1)


def water_frames() -> list[Pixels]:
    """Draw open water, 4 frames: crests with a trough below sway, a glint wanders."""
    frames: list[Pixels] = []
    for number, shift in enumerate(SWAY):
        rows = [["2"] * 16 for _ in range(16)]
        for wave, (x, y, length) in enumerate(WAVES):
            offset = x + (shift if wave % 2 == 0 else 2 - shift)
            for dx in range(length):
                lift = y - 1 if 0 < dx < length - 1 else y
                rows[lift % 16][(offset + dx) % 16] = "1"
                if dx > 0:
                    rows[y % 16][(offset + dx) % 16] = "3"
            if wave == number:
                rows[(y - 1) % 16][(offset + 1) % 16] = "."
        frames.append(tuple("".join(row) for row in rows))
    return frames


def _families() -> dict[str, Family]:
    bricks = cut(outdoor.PATH_BRICKS)
    plain, pebbles = bricks[0], bricks[0]
    path_centre = join(plain, pebbles, pebbles, plain)
    water = water_frames()
    shore = cut(outdoor.SHORE_BRICKS)
    families = {
        "path": Family(
            tuple(bricks),
            path_centre,
            palettes.PATH,
            FLOOR,
            friends=("bridge", "door", "gym_door"),
        ),
        "water": Family(
            tuple(shore), water[0], palettes.WATER, WATER, tuple(water[1:]), friends=("bridge",)
        ),
    }
    roof = tuple(cut(outdoor.ROOF_BRICKS))
    colours = (
        ("roof_red", palettes.TERRACOTTA),
        ("roof_blue", palettes.BLUE),
        ("roof_slate", palettes.SLATE),
    )
    for name, palette in colours:
        families[name] = Family(roof, repeat(roof[0]), palette, WALL)
    rug = tuple(cut(indoor.RUG_BRICKS))
    families["rug"] = Family(rug, repeat(rug[0]), palettes.RED, FLOOR)
    return families


def _outdoor() -> dict[str, Cell]:
    tuft, bare = cut(outdoor.GRASS_BRICKS)
    red, red_sway, yellow, yellow_sway = cut(outdoor.FLOWER_BRICKS)
    tall, tall_sway = cut(outdoor.TALL_GRASS_BRICKS)
    (hedge,) = cut(outdoor.HEDGE_BRICK)
    top, top_under, foot, foot_over = cut(outdoor.TREE_HALVES)
    ledge_left, ledge, ledge_right = cut(outdoor.LEDGE_BRICKS)
    lawn = ("2" * 8,) * 8
    fence, fence_down, sign, lantern = cut(outdoor.WOODWORK)
    wall, window, door = cut(outdoor.HOUSE)
    heal, shop = cut(outdoor.PLAQUES)
    gym_wall, gym_door, gym_crest = cut(outdoor.GYM)
    (boulder,) = cut(outdoor.BOULDER)
    (bridge,) = cut(outdoor.BRIDGE)

    def flower(still: Pixels, sway: Pixels, palette: int) -> Cell:
        other = join(sway, bare, bare, sway)
        return Cell(join(still, bare, bare, still), palette, FLOOR, (other,))

    ground, wood, house = palettes.GROUND, palettes.WOOD, palettes.WALL
    return {
        "grass": Cell(join(bare, tuft, tuft, bare), ground, FLOOR),
        "grass_bare": Cell(join(bare, bare, bare, bare), ground, FLOOR),
        "flower": flower(red, red_sway, palettes.TERRACOTTA),
        "flower_yellow": flower(yellow, yellow_sway, wood),
        "tall_grass": Cell(
            join(tall, tall, tall, tall),
            ground,
            TALL_GRASS,
            (join(tall_sway, tall_sway, tall_sway, tall_sway),),
        ),
        "tree": Cell(top + foot, ground, WALL),
        "tree_under": Cell(top_under + foot, ground, WALL),
        "tree_over": Cell(top + foot_over, ground, WALL),
        "tree_between": Cell(top_under + foot_over, ground, WALL),
        "hedge": Cell(join(hedge, hedge, hedge, hedge), ground, WALL),
        "boulder": Cell(boulder, palettes.SLATE, WALL),
        "ledge_left": Cell(join(lawn, lawn, ledge_left, ledge), palettes.PATH, HOP_DOWN),
        "ledge": Cell(join(lawn, lawn, ledge, ledge), palettes.PATH, HOP_DOWN),
        "ledge_right": Cell(join(lawn, lawn, ledge, ledge_right), palettes.PATH, HOP_DOWN),
        "fence": Cell(fence, wood, WALL),
        "fence_down": Cell(fence_down, wood, WALL),
        "sign": Cell(sign, wood, WALL),
        "lantern": Cell(lantern, wood, WALL),
        "bridge": Cell(bridge, wood, FLOOR),
        "wall": Cell(wall, house, WALL),
        "window": Cell(window, house, WALL),
        "door": Cell(door, house, DOOR),
        "wall_heal": Cell(heal, house, WALL),
        "wall_shop": Cell(shop, house, WALL),
        "gym_wall": Cell(gym_wall, palettes.SLATE, WALL),
        "gym_door": Cell(gym_door, palettes.SLATE, DOOR),
        "gym_crest": Cell(gym_crest, palettes.SLATE, WALL),
    }


def _indoor() -> dict[str, Cell]:
    joint, board, tiled, flags, void = cut(indoor.FLOOR_BRICKS)
    wall_top, wall, window, clock = cut(indoor.WALLS)
    mat, stairs_up, stairs_down = cut(indoor.WAYS)
    pillow, blanket, table, stool = cut(indoor.FURNITURE)
    books, goods = (tuple(row * 2 for row in half) for half in cut(indoor.SHELVES))
    counter, counter_down = cut(indoor.COUNTERS)
    television, computer, machine, healer = cut(indoor.MACHINES)
    (cooker,) = cut(indoor.COOKER)
    desk, desk_orb, desk_orb_open = cut(indoor.LAB_TABLE)
    plant, stone, statue = cut(indoor.STANDING)
    plaster, timber, metal = palettes.PLASTER, palettes.TIMBER, palettes.METAL
    return {
        "void": Cell(repeat(void), palettes.PAPERWORK, WALL),
        "wood_floor": Cell(join(joint, board, board, joint), palettes.BOARDS, FLOOR),
        "floor": Cell(repeat(tiled), palettes.BOARDS, FLOOR),
        "gym_floor": Cell(repeat(flags), palettes.STONE, FLOOR),
        "wall_top": Cell(wall_top, plaster, WALL),
        "wall_in": Cell(wall, plaster, WALL),
        "window_in": Cell(window, plaster, WINDOW),
        "clock": Cell(clock, plaster, WALL),
        "mat_exit": Cell(mat, palettes.LEAF, CARPET_DOWN),
        "stairs_up": Cell(stairs_up, timber, STAIRCASE),
        "stairs_down": Cell(stairs_down, timber, STAIRCASE),
        "bed_top": Cell(pillow, palettes.RED, WALL),
        "bed": Cell(blanket, palettes.RED, WALL),
        "table": Cell(table, timber, WALL),
        "chair": Cell(stool, timber, FLOOR),
        "bookshelf": Cell(books, timber, BOOKSHELF),
        "shop_shelf": Cell(goods, metal, SHOP_SHELF),
        "counter": Cell(counter, timber, COUNTER),
        "counter_down": Cell(counter_down, timber, COUNTER),
        "tv": Cell(television, metal, TELEVISION),
        "pc": Cell(computer, metal, COMPUTER),
        "lab_machine": Cell(machine, metal, WALL),
        "heal_machine": Cell(healer, metal, WALL),
        "cooker": Cell(cooker, metal, WALL),
        "desk": Cell(desk, metal, WALL),
        "desk_orb": Cell(desk_orb, metal, WALL),
        "desk_orb_open": Cell(desk_orb_open, metal, WALL),
        "plant": Cell(plant, palettes.LEAF, WALL),
        "gym_stone": Cell(stone, palettes.STONE, WALL),
        "statue": Cell(statue, palettes.STONE, WALL),
    }


def _lake() -> dict[str, Cell]:
    sapling, cliff, mouth = cut(lake.SAPLING_AND_CLIFF)
    cellar, shrine = cut(lake.CELLAR_AND_SHRINE)
    ground, wood, slate = palettes.GROUND, palettes.WOOD, palettes.SLATE
    return {
        "cut_tree": Cell(sapling, ground, CUT_TREE),
        "cliff": Cell(repeat(quarter(cliff, "nw")), slate, WALL),
        "cave_mouth": Cell(mouth, slate, CAVE_MOUTH),
        "cellar": Cell(cellar, wood, LADDER),
        "shrine": Cell(shrine, ground, WALL),
        "shrine_right": Cell(tuple(row[::-1] for row in shrine), ground, WALL),
    }


def _hall() -> dict[str, Cell]:
    (arch,) = cut(lake.ARCH)
    return {"arch": Cell(arch, palettes.PLASTER, DOOR)}


def _cave() -> dict[str, Cell]:
    floor, rock, face, crystal = cut(lake.CAVE)
    ladder_down, ladder_up, exit_light = cut(lake.CAVE_WAYS)
    ice, hole, moss = cut(hollow.FLOORS)
    lever, door, door_open = cut(hollow.WALLS)
    stone, wood, light = palettes.CAVE_STONE, palettes.CAVE_WOOD, palettes.CAVE_LIGHT
    return {
        "cave_floor": Cell(floor, stone, FLOOR),
        "cave_rock": Cell(rock, stone, WALL),
        "cave_face": Cell(face, stone, WALL),
        "crystal": Cell(crystal, light, WALL),
        "ladder_down": Cell(ladder_down, wood, LADDER),
        "ladder_up": Cell(ladder_up, wood, LADDER),
        "cave_exit": Cell(exit_light, light, CARPET_DOWN),
        "cave_moss": Cell(moss, palettes.CAVE_MOSS, FLOOR),
        "ice": Cell(ice, palettes.CAVE_ICE, ICE),
        "hole": Cell(hole, stone, HOLE),
        "lever": Cell(lever, palettes.CAVE_MOSS, WALL),
        "stone_door": Cell(door, palettes.CAVE_MOSS, WALL),
        "stone_door_open": Cell(door_open, palettes.CAVE_MOSS, DOOR),
    }


INDOOR_FAMILIES = ("rug",)
FAMILIES: dict[str, Family] = _families()


def _all() -> tuple[dict[str, Cell], dict[str, tuple[str, ...]]]:
    sets = {"outdoor": _outdoor(), "indoor": _indoor()}
    sets |= {"lake": _lake(), "hall": _hall(), "cave": _cave()}
    for name, family in FAMILIES.items():
        for tail, cell in family.members().items():
            sets["indoor" if name in INDOOR_FAMILIES else "outdoor"][name + tail] = cell
    cells = {name: cell for group in sets.values() for name, cell in group.items()}
    return cells, {name: tuple(group) for name, group in sets.items()}


CELLS, TILESETS = _all()


def dress(rows: list[list[str]]) -> list[list[str]]:
    """Replace family names, trees, rocks and ledges by the members that suit their neighbours.

    Args:
        rows: cell names of a map, row by row; beyond its border everything goes on as it ends.
    """
    height, width = len(rows), len(rows[0])

    def at(x: int, y: int) -> str:
        return rows[min(max(y, 0), height - 1)][min(max(x, 0), width - 1)]

    def chosen(x: int, y: int) -> str:
        name = at(x, y)
        if name in FAMILIES:
            friends = (name, *FAMILIES[name].friends)
            closed = frozenset(
                side for side, (dx, dy) in SIDES.items() if at(x + dx, y + dy) not in friends
            )
            inner: set[str] = set()
            for corner in CORNERS:
                dx, dy = SIDES[corner[1]][0], SIDES[corner[0]][1]
                if not closed & set(corner) and at(x + dx, y + dy) not in friends:
                    inner.add(corner)
            if not FAMILIES[name].has_inner:
                inner = set()
            return name + suffix(closed, frozenset(inner))
        if name == "tree":
            under, over = at(x, y - 1) == "tree" and y > 0, at(x, y + 1) == "tree"
            return (
                "tree"
                + {
                    (False, False): "",
                    (True, False): "_under",
                    (False, True): "_over",
                    (True, True): "_between",
                }[under, over]
            )
        if name == "cave_rock" and at(x, y + 1) != "cave_rock":
            return "cave_face"
        if name == "ledge":
            if at(x - 1, y) != "ledge" and not is_wall(at(x - 1, y)):
                return "ledge_left"
            if at(x + 1, y) != "ledge" and not is_wall(at(x + 1, y)):
                return "ledge_right"
        return name

    return [[chosen(x, y) for x in range(width)] for y in range(height)]


def is_wall(name: str) -> bool:
    """Tell whether a cell or family is solid."""
    kind: Cell | Family | None = FAMILIES.get(name) or CELLS.get(name)
    return kind is not None and kind.collision == WALL
