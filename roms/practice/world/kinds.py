"""What a map consists of, and a step of the story.

Maps are text, one sign a walk cell (the player's step); `OUTDOOR`, `INDOOR` and `CAVE` say which
cell of art/tiles.py a sign stands for, and `dress` there picks the edges. Positions are (x, y) in
walk cells from the top left.
"""

from dataclasses import dataclass

OUTDOOR: dict[str, str] = {
    ".": "grass",
    "f": "flower",
    "y": "flower_yellow",
    "%": "tall_grass",
    "T": "tree",
    "o": "boulder",
    "v": "ledge",
    "=": "fence",
    "s": "sign",
    "l": "lantern",
    ":": "path",
    "~": "water",
    "#": "bridge",
    "R": "roof_red",
    "B": "roof_blue",
    "G": "roof_slate",
    "w": "wall",
    "i": "window",
    "D": "door",
    "+": "wall_heal",
    "$": "wall_shop",
    "W": "gym_wall",
    "C": "gym_crest",
    "E": "gym_door",
    "c": "cut_tree",
    "X": "cliff",
    "M": "cave_mouth",
    "L": "cellar",
    "S": "shrine",
    "Z": "shrine_right",
}

INDOOR: dict[str, str] = {
    " ": "void",
    ".": "wood_floor",
    ",": "floor",
    "_": "gym_floor",
    "^": "wall_top",
    "-": "wall_in",
    "n": "window_in",
    "c": "clock",
    "m": "mat_exit",
    "<": "stairs_up",
    ">": "stairs_down",
    "b": "bed_top",
    "d": "bed",
    "t": "table",
    "h": "chair",
    "k": "bookshelf",
    "S": "shop_shelf",
    "=": "counter",
    "!": "counter_down",
    "v": "tv",
    "p": "pc",
    "M": "lab_machine",
    "H": "heal_machine",
    "K": "cooker",
    "D": "desk",
    "P": "plant",
    "g": "gym_stone",
    "Y": "statue",
    "r": "rug",
    "A": "arch",
}

CAVE: dict[str, str] = {
    "#": "cave_rock",
    ".": "cave_floor",
    "*": "crystal",
    "d": "ladder_down",
    "u": "ladder_up",
    "m": "cave_exit",
    ",": "cave_moss",
    "~": "water",
    "i": "ice",
    "h": "hole",
    "!": "lever",
    "D": "stone_door",
    "O": "stone_door_open",
}

Lines = str | tuple[tuple[str, str], ...]
"""Words: one text, or (event or "", text) pairs of which the first with a set event is said."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, or something that can be talked to, standing on a map.

    Attributes:
        sprite: Key of SPRITES.
        x, y: Walk cell.
        says: Words; ignored with `script` or `trainer`.
        script: Name in SCRIPTS.
        trainer: Name in SIGHT_TRAINERS.
        move: "stand", "still" (a thing), "wander" (up to `radius` cells from home), "spin",
            "ring" (clockwise, round the square `radius` cells east and south of home) or
            "boulder".
        face: Where one who stands looks.
        hidden_by: Event that takes it off the map; a boulder sets it by falling into a hole.
    """

    sprite: str
    x: int
    y: int
    says: Lines = ""
    script: str = ""
    trainer: str = ""
    move: str = "stand"
    face: str = "down"
    radius: int = 2
    hidden_by: str = ""


@dataclass(frozen=True, slots=True)
class Sign:
    """A cell that is read with A."""

    x: int
    y: int
    says: Lines = ""
    script: str = ""


@dataclass(frozen=True, slots=True)
class Warp:
    """A door, stairs or a mat.

    Attributes:
        target: A map, or "" for where the player came from.
        arrival: The number, from 1, of a warp of the target map.
    """

    x: int
    y: int
    target: str = ""
    arrival: int = 255


@dataclass(frozen=True, slots=True)
class Trigger:
    """A rectangle of cells that starts a script when stepped on, in one scene of the map.

    Scripts set the scene (scene_set() in game.h); at first it is 0.
    """

    x0: int
    y0: int
    x1: int
    y1: int
    script: str
    scene: int = 0


@dataclass(frozen=True, slots=True)
class BlockChange:
    """A block that looks different while an event is set.

    Attributes:
        x, y: Walk cell of its top left corner, even.
        rows: Its four cells, as in Map.rows.
    """

    event: str
    x: int
    y: int
    rows: tuple[str, str]


@dataclass(frozen=True, slots=True)
class SightTrainer:
    """A trainer who challenges on sight, until `event` is set.

    Attributes:
        key: In creatures.TRAINERS.
        sight: How many cells far.
        before, lost, after: Words before the battle, when beaten, later.
        script: Runs instead of saying `lost`.
        rests_party: The player's creatures are healed before the battle.
    """

    key: str
    event: str
    sight: int
    before: str
    lost: str
    after: str
    script: str = ""
    rests_party: bool = False


@dataclass(frozen=True, slots=True)
class Map:
    """One map.

    Attributes:
        rows: Walk cells as text; width and height even, as blocks are two by two cells.
        kind: "town", "route", "indoor" or "cave".
        landmark: In LANDMARKS.
        connections: Side -> (map, offset in blocks of its left or top edge from ours).
        changes: Blocks that scripts change.
        pool: Key of creatures.POOLS for the tall grass, in a cave for the floor.
        spawn: Where a whiteout returns to, with the bit in wVisitedSpawns.
        tileset: Of pack.TILESETS; "": as `kind` says.
    """

    rows: tuple[str, ...]
    kind: str
    landmark: str
    warps: tuple[Warp, ...] = ()
    people: tuple[Person, ...] = ()
    signs: tuple[Sign, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    changes: tuple[BlockChange, ...] = ()
    connections: tuple[tuple[str, str, int], ...] = ()
    pool: str = ""
    spawn: tuple[int, int, int] | None = None
    tileset: str = ""


@dataclass(frozen=True, slots=True)
class Milestone:
    """A step of the story: see `engine.games.base.Milestone`.

    Attributes:
        key: Names it.
        kind: What shows it, e.g. "map", "event", "party", "badge".
        value: The map, event or move by its name, else a number.
        text: The goal in words.
        place: The map where one goes to reach it; "": for kind "map" the map itself, else unknown.
        tile: (x, y) of who or what is met there.
        requires: Keys of those before it, with blanks between.
        how: "talk" to who is at the tile, "step" on it, "push" the boulder onto it, or "catch" one
            that can learn the move.
        who: Is at the tile.
        trainer: Key of creatures.TRAINERS: who is fought for it or on the way there; the level to
            have before follows from the team.
        holds_at_start: Its condition holds before `requires`, too.
        is_taken_back: The game undoes it.
    """

    key: str
    kind: str
    value: str | int
    text: str
    place: str = ""
    tile: tuple[int, int] | None = None
    requires: str = ""
    how: str = ""
    who: str = ""
    trainer: str = ""
    holds_at_start: bool = False
    is_taken_back: bool = False
