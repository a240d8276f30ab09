"""Define a game's whole world, as the user's own ROM holds it: maps, ways, people and triggers.

Everything is an array, so that it can be cached, mapped into memory and shared. Walk tiles of all
maps are numbered through: tile (x, y) of map m is `first_tile[m] + y * width[m] + x`. The tiles
under its bridges come after its others.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag, StrEnum

import numpy as np
from numpy.typing import NDArray

from engine.types import NO_BRIDGES, Bridges, Facing, MapId, MapOutline, TileKind

MAP_FIELDS = np.dtype(
    [
        ("group", "u1"),
        ("number", "u1"),
        ("environment", "u1"),
        ("landmark", "u1"),
        ("width", "<i2"),
        ("height", "<i2"),
        ("first_tile", "<i4"),
    ]
)
"""Sizes are in walk tiles; `environment` as `ENVIRONMENTS` names it."""

ENVIRONMENTS: Mapping[int, str] = {
    1: "town",
    2: "route",
    3: "indoor",
    4: "cave",
    5: "other",
    6: "gate",
    7: "dungeon",
}

WARP_FIELDS = np.dtype(
    [("map", "<i2"), ("x", "u1"), ("y", "u1"), ("target", "<i2"), ("arrival", "u1")]
)
"""`target`: row of the map it leads to, -1 where that is not known beforehand; `arrival`: 1-based
number of the warp there."""

BACK = 255
"""`arrival` of a warp that leads back to where one came from."""

CONNECTION_FIELDS = np.dtype(
    [
        ("map", "<i2"),
        ("facing", "u1"),
        ("target", "<i2"),
        ("shift", "u1"),
        ("across", "u1"),
        ("first", "<i2"),
        ("last", "<i2"),
    ]
)
"""A side, looking to `facing`, whose tiles `first` to `last` lead to the map in row `target`.

One arrives in its row (north, south) or column (west, east) `across`; the other coordinate is the
old one plus `shift`, modulo 256.
"""

PERSON_FIELDS = np.dtype(
    [
        ("map", "<i2"),
        ("index", "u1"),
        ("x", "u1"),
        ("y", "u1"),
        ("sprite", "u1"),
        ("stance", "u1"),
        ("kind", "u1"),
        ("hours", "u1"),
        ("sight", "u1"),
        ("flag", "<i2"),
        ("beat_flag", "<i2"),
        ("item", "<u2"),
        ("level", "u1"),
    ]
)
"""`index`: number on the map from 1, as `MapObject.index`; `flag`: the event flag that hides it
when set, -1 without one; `beat_flag`: set once a trainer is beaten, else -1; `hours`: bits of the
times of day at which it is there (morning, day, night), 0 for always; `item`: in a ball; `level`:
height at which it stands, 0 where it is not known."""

SIGN_FIELDS = np.dtype(
    [("map", "<i2"), ("x", "u1"), ("y", "u1"), ("kind", "u1"), ("flag", "<i2"), ("item", "<u2")]
)
TRIGGER_FIELDS = np.dtype(
    [("map", "<i2"), ("x", "u1"), ("y", "u1"), ("scene", "u1"), ("place", "<i2")]
)
"""A tile that starts a scripted scene while a number is `scene`: the one at `place` in
`GameState.scenes`, or where that is -1 the map's scene number."""

ANY_SCENE = 255
SCENE_FIELDS = np.dtype([("map", "<i2"), ("address", "<u2")])
"""Where in work RAM a map's scene number is."""

GATE_FIELDS = np.dtype([("tile", "<i4"), ("flag", "<i2"), ("opens", "u1")])
"""A tile that a script opens or closes: it is open while the event flag's bit is `opens`."""


class ImplausibleError(Exception):
    """An image does not hold what the layout says; the message says what."""


class When(StrEnum):
    """When a script has changed a block."""

    SET = "set"
    """While the event flag is set."""
    CLEAR = "clear"
    """While it is not set."""
    ALWAYS = "always"
    SOMETIMES = "sometimes"
    """On a condition that is not known."""


@dataclass(frozen=True, slots=True)
class BlockChange:
    """A block of 2 x 2 walk tiles that a script replaces when the map is loaded.

    Attributes:
        map: Group and number.
        x, y: Walk tile of its top left corner.
        old: The block in the image.
        new: The block that replaces it.
        when: When it has done so.
        flag: Event flag that `when` refers to; -1 without one.
    """

    map: tuple[int, int]
    x: int
    y: int
    old: int
    new: int
    when: When
    flag: int = -1


class Ability(IntFlag):
    """What opens a way that is closed on foot."""

    SURF = 1
    CUT = 2
    STRENGTH = 4
    WHIRLPOOL = 8
    WATERFALL = 16
    ROCK_SMASH = 32


NO_ABILITY = Ability(0)


class Stance(IntEnum):
    """How somebody or something stands on a map."""

    FIXED = 0
    WALKS = 1
    BOULDER = 2
    """Strength pushes it."""
    ROCK = 3
    """Rock Smash breaks it."""
    BIG = 4
    """It fills 2 x 2 tiles."""
    TREE = 5
    """Cut fells it."""


class PersonKind(IntEnum):
    """What somebody or something is for."""

    SCRIPT = 0
    ITEM = 1
    TRAINER = 2


class SignKind(IntEnum):
    """How a sign is read."""

    READ = 0
    UP = 1
    DOWN = 2
    RIGHT = 3
    LEFT = 4
    IF_SET = 5
    IF_CLEAR = 6
    ITEM = 7
    """A hidden item."""
    COPY = 8


SIGN_FACING: Mapping[int, Facing] = {
    SignKind.UP: Facing.UP,
    SignKind.DOWN: Facing.DOWN,
    SignKind.RIGHT: Facing.RIGHT,
    SignKind.LEFT: Facing.LEFT,
}
"""The only direction from which such a sign is read."""


@dataclass(frozen=True, slots=True, eq=False)
class Overworld:
    """All maps of a game and what is on them; the arrays are read-only.

    Attributes:
        maps: (M,) MAP_FIELDS.
        terrain: (N,) uint32 `engine.types.Terrain` bits of all walk tiles, map after map; where
            scripts change a tile, the variant through which more ways lead.
        warps: (W,) WARP_FIELDS, map after map, in the order of their numbers.
        connections: CONNECTION_FIELDS.
        people: PERSON_FIELDS.
        signs: SIGN_FIELDS.
        triggers: TRIGGER_FIELDS.
        scenes: SCENE_FIELDS.
        gates: GATE_FIELDS, in the order of their tiles.
        addresses: What was found -> where in the ROM, "bank:address", for people.
        bridges: The tiles under bridges, which are in `terrain` too.
    """

    maps: NDArray[np.void]
    terrain: NDArray[np.uint32]
    warps: NDArray[np.void]
    connections: NDArray[np.void]
    people: NDArray[np.void]
    signs: NDArray[np.void]
    triggers: NDArray[np.void]
    scenes: NDArray[np.void]
    gates: NDArray[np.void]
    addresses: Mapping[str, str] = field(default_factory=dict)
    bridges: Bridges = NO_BRIDGES
    _places: Mapping[int, int] = field(init=False, repr=False)
    _rows: Mapping[MapId, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        keys = zip(self.maps["group"].tolist(), self.maps["number"].tolist(), strict=True)
        rows = {MapId(*key): row for row, key in enumerate(keys)}
        object.__setattr__(self, "_rows", rows)
        places = {number: place for number, place, *_ in self.bridges.lower}
        object.__setattr__(self, "_places", places)
        for name in self.__slots__[:9]:
            getattr(self, name).setflags(write=False)

    def __len__(self) -> int:
        return len(self.maps)

    def row(self, map_id: MapId) -> int | None:
        """Return a map's row in `maps`, None where there is no such map."""
        return self._rows.get(map_id)

    def map_id(self, row: int) -> MapId:
        """Return the group and number of the map in a row."""
        return MapId(int(self.maps["group"][row]), int(self.maps["number"][row]))

    def size(self, row: int) -> tuple[int, int]:
        """Return a map's width and height in walk tiles."""
        return int(self.maps["width"][row]), int(self.maps["height"][row])

    def tile(self, row: int, x: int, y: int, level: int | None = None) -> int | None:
        """Return the number of a tile at a level, or the highest one; None outside of the map."""
        width, height = self.size(row)
        if not (0 <= x < width and 0 <= y < height):
            return None
        place = int(self.maps["first_tile"][row]) + y * width + x
        return place if level is None else self.bridges.tile(place, level)

    def locate(self, tile: int) -> tuple[int, int, int]:
        """Return the row of the map that a tile lies on, and its x and y."""
        tile = self._places.get(tile, tile)
        row = int(np.searchsorted(self.maps["first_tile"], tile, side="right")) - 1
        y, x = divmod(tile - int(self.maps["first_tile"][row]), int(self.maps["width"][row]))
        return row, x, y

    def grid(self, row: int) -> NDArray[np.uint32]:
        """Return (height, width) terrain of one map, [y, x]."""
        width, height = self.size(row)
        first = int(self.maps["first_tile"][row])
        return self.terrain[first : first + width * height].reshape(height, width)


def outlines(world: Overworld, name: Callable[[MapId], str]) -> tuple[MapOutline, ...]:
    """Return how the maps lie beside each other; `name` gives a map's.

    Maps that are joined by their edges share a plane, on which the first of them is at (0, 0).
    """
    places: dict[int, tuple[int, int, int]] = {}
    beside: dict[int, list[tuple[int, int, int]]] = {}
    for link in world.connections:
        row = int(link["map"])
        beside.setdefault(row, []).append((int(link["target"]), *_offset(world, link)))
    for plane in range(len(world)):
        waiting = [] if plane in places else [(plane, 0, 0)]
        for row, x, y in waiting:
            if row not in places:
                places[row] = (plane, x, y)
                waiting += [(to, x + dx, y + dy) for to, dx, dy in beside.get(row, ())]
    doors: dict[int, list[tuple[int, int, MapId]]] = {}
    for warp in world.warps[world.warps["target"] >= 0]:
        door = int(warp["x"]), int(warp["y"]), world.map_id(int(warp["target"]))
        doors.setdefault(int(warp["map"]), []).append(door)
    found = []
    for row in range(len(world)):
        here, kinds = world.map_id(row), TileKind.of(world.grid(row))
        found.append(MapOutline(here, name(here), *places[row], kinds, tuple(doors.get(row, ()))))
    return tuple(found)


def _offset(world: Overworld, link: np.void) -> tuple[int, int]:
    """Return how far right of and below a map its neighbour begins."""
    width, height = world.size(int(link["map"]))
    across, shift = int(link["across"]), (int(link["shift"]) ^ 0x80) - 0x80
    match Facing(int(link["facing"])):
        case Facing.UP:
            return -shift, -1 - across
        case Facing.DOWN:
            return -shift, height - across
        case Facing.LEFT:
            return -1 - across, -shift
        case _:
            return width - across, -shift
