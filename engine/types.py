"""Define the frozen values that cross module borders: the game, decisions, rewards, plans.

Nothing here imports more than numpy and the errors, so every package may use it.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import IntEnum, StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.errors import DecisionValidationError

Frame = NDArray[np.uint8]
"""A game frame: (height, width, 3) uint8, RGB."""


class Action(IntEnum):
    """The nine documented actions; the value is the index in the action space."""

    A = 0
    B = 1
    START = 2
    SELECT = 3
    UP = 4
    DOWN = 5
    LEFT = 6
    RIGHT = 7
    NOOP = 8

    @classmethod
    def of(cls, value: Any) -> Self:
        """Return the action with an index.

        Raises:
            DecisionValidationError: It is no index of an action; 3.7 and True are none either.
        """
        return cls(action_index(value, len(cls)))


@dataclass(frozen=True, slots=True)
class GameAction:
    """One action of a game."""

    name: str
    """Unique in the game, e.g. "UP"."""
    keys: tuple[str, ...] = ()
    """Keys that press it in the cockpit, as Textual names them, the shown one first; empty: it is
    not pressed by hand."""
    button: Action | None = None
    """What it means to whoever plays by rules; None: nothing that rules use."""
    is_button: bool = True
    """It is a button that can be held; False for waiting."""
    help: str = ""


@dataclass(frozen=True, slots=True)
class ActionSet:
    """The actions of a game in order: an action is its index."""

    actions: tuple[GameAction, ...]

    def __len__(self) -> int:
        return len(self.actions)

    def __iter__(self) -> Iterator[GameAction]:
        return iter(self.actions)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names in order."""
        return tuple(action.name for action in self.actions)

    @property
    def buttons(self) -> tuple[int, ...]:
        """Return the actions that are buttons and can be held."""
        return tuple(index for index, action in enumerate(self.actions) if action.is_button)

    def name(self, action: int) -> str:
        """Return the name of an action, "action 17" where there is none."""
        known = 0 <= action < len(self.actions)
        return self.actions[action].name if known else f"action {action}"

    def index(self, button: Action) -> int | None:
        """Return the action that means `button`, None where the game has none."""
        return next((i for i, a in enumerate(self.actions) if a.button is button), None)

    @property
    def idle(self) -> int:
        """Return the action that presses nothing; where there is none, the last one."""
        found = self.index(Action.NOOP)
        return len(self.actions) - 1 if found is None else found

    def check(self, value: Any) -> int:
        """Return `value` as an action.

        Raises:
            DecisionValidationError: It is no index of an action; 3.7 and True are none either.
        """
        return action_index(value, len(self.actions))


GAME_BOY_ACTIONS = ActionSet(
    (
        GameAction("A", ("z", "a"), Action.A, help="The A button (also a)."),
        GameAction("B", ("x", "b"), Action.B, help="The B button (also b)."),
        GameAction("START", ("enter",), Action.START, help="The START button."),
        GameAction("SELECT", ("backspace",), Action.SELECT, help="The SELECT button."),
        GameAction("UP", ("up",), Action.UP, help="Walk, or move the cursor."),
        GameAction("DOWN", ("down",), Action.DOWN, help="Walk down."),
        GameAction("LEFT", ("left",), Action.LEFT, help="Walk left."),
        GameAction("RIGHT", ("right",), Action.RIGHT, help="Walk right."),
        GameAction("NOOP", (), Action.NOOP, is_button=False, help="Press nothing."),
    )
)
"""The nine documented actions, with the indices of `Action`."""

GAME_BOY_FRAME_SHAPE = (144, 160, 3)

GAME_BOY_ADVANCE_ACTIONS = ActionSet(
    (
        GameAction("A", ("z",), Action.A, help="The A button."),
        GameAction("B", ("x", "b"), Action.B, help="The B button (also b)."),
        GameAction("START", ("enter",), Action.START, help="The START button."),
        GameAction("SELECT", ("backspace",), Action.SELECT, help="The SELECT button."),
        GameAction("UP", ("up",), Action.UP, help="Walk, or move the cursor."),
        GameAction("DOWN", ("down",), Action.DOWN, help="Walk down."),
        GameAction("LEFT", ("left",), Action.LEFT, help="Walk left."),
        GameAction("RIGHT", ("right",), Action.RIGHT, help="Walk right."),
        GameAction("L", ("a",), help="The left shoulder button."),
        GameAction("R", ("s",), help="The right shoulder button."),
    )
)
"""Ten buttons; none waits, so `idle` is R, which does nothing in the games here."""

GAME_BOY_ADVANCE_FRAME_SHAPE = (160, 240, 3)


@dataclass(frozen=True, slots=True)
class Spaces:
    """Sizes of what is observed and of what can be done."""

    feature_size: int
    """F, the length of a feature vector."""
    num_actions: int
    """A, how many actions there are."""
    pixels_shape: tuple[int, ...] = (0,)
    """Of what networks see of frames: (3, H // 2, W // 2); (0,) where they see none."""


def action_index(value: Any, count: int) -> int:
    """Return `value` as the index of one of `count` actions.

    Raises:
        DecisionValidationError: It is none; 3.7 and True are none either.
    """
    is_array = isinstance(value, np.generic | np.ndarray) and value.ndim == 0
    is_whole = np.issubdtype(value.dtype, np.integer) if is_array else type(value) in (int, Action)
    if not is_whole or not 0 <= value < count:
        raise DecisionValidationError(
            f"There is no action {value!r:.40}.", f"Use an index from 0 to {count - 1}."
        )
    return int(value)


class Facing(IntEnum):
    """Where the player looks; the value is that of wPlayerDirection bits 2-3."""

    DOWN = 0
    UP = 4
    LEFT = 8
    RIGHT = 12

    @property
    def delta(self) -> tuple[int, int]:
        """Return the step (dx, dy) in walk tiles; y grows downwards."""
        return _DELTAS[self]


_DELTAS: Mapping[Facing, tuple[int, int]] = MappingProxyType(
    {Facing.DOWN: (0, 1), Facing.UP: (0, -1), Facing.LEFT: (-1, 0), Facing.RIGHT: (1, 0)}
)

DIRECTIONS: Mapping[Action, Facing] = MappingProxyType(
    {
        Action.UP: Facing.UP,
        Action.DOWN: Facing.DOWN,
        Action.LEFT: Facing.LEFT,
        Action.RIGHT: Facing.RIGHT,
    }
)
SIDES: Mapping[Facing, str] = MappingProxyType(
    {Facing.UP: "north", Facing.DOWN: "south", Facing.LEFT: "west", Facing.RIGHT: "east"}
)
"""The side of a map over which one leaves it when looking there."""


@dataclass(frozen=True, slots=True)
class MapId:
    """A map's group and number (wMapGroup, wMapNumber)."""

    group: int
    number: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where the player stands, in walk tiles of the current map."""

    map: MapId
    name: str
    x: int
    y: int
    facing: Facing
    environment: str
    """town, route, indoor, cave, gate or dungeon."""
    landmark: str = ""
    """Where on the region's map, e.g. the town that a house stands in."""
    level: int = 0
    """Height at which the player stands, which tells on a bridge from under it; 0: not known."""


@dataclass(frozen=True, slots=True)
class Warp:
    """A tile that leads elsewhere: a door, stairs, a mat."""

    x: int
    y: int
    target: MapId
    index: int
    """1-based arrival warp in the target map (255: the warp that was last taken)."""
    name: str = ""
    """The target's."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A side of the map over which one walks into its neighbour."""

    side: str
    target: MapId
    name: str
    """The target's."""


@dataclass(frozen=True, slots=True)
class MapObject:
    """A person or thing on the map, at its walk tile."""

    index: int
    sprite: int
    x: int
    y: int
    level: int = 0
    """Height at which it stands, as `Place.level`."""


@dataclass(frozen=True, slots=True)
class TurningGate:
    """A gate around the top left corner of a walk tile, whose arms lie along the sides of tiles.

    Whoever walks against an arm turns the gate a quarter, and walks on, unless it meets a wall.

    Attributes:
        x: Of the tile.
        y: Of the tile.
        arms: How many tiles long the arms are now that point up, right, down and left, 0 for none.
        is_turned: It is not as it was when the map was entered.
    """

    x: int
    y: int
    arms: tuple[int, int, int, int]
    is_turned: bool = False


class Terrain:
    """Bits that say what a walk tile lets the player do; a tile of no bit is a wall.

    A game's reader makes them of the game's own tile numbers, so that nothing else knows those.
    """

    WALKABLE = 1
    GRASS = 2
    """Tall grass, where wild creatures are."""
    WATER = 4
    DOOR = 8
    """Leads elsewhere as soon as it is stepped on: doors, stairs, ladders, caves, pits."""
    COUNTER = 16
    """Somebody behind it can be talked to across it."""
    ANSWERS = 32
    """May answer A: shelves, trees, machines, counters."""
    HOPS: Mapping[Facing, int] = MappingProxyType(
        {Facing.DOWN: 64, Facing.UP: 128, Facing.LEFT: 256, Facing.RIGHT: 512}
    )
    """A ledge: standing on the tile one hops off it in this direction."""
    LEDGE = 64 + 128 + 256 + 512
    MATS: Mapping[Facing, int] = MappingProxyType(
        {Facing.DOWN: 1024, Facing.UP: 2048, Facing.LEFT: 4096, Facing.RIGHT: 8192}
    )
    """Leads elsewhere when one stands on the tile and presses on in this direction."""
    MAT = 1024 + 2048 + 4096 + 8192
    WARP = DOOR | MAT
    WALLS: Mapping[Facing, int] = MappingProxyType(
        {Facing.DOWN: 1 << 14, Facing.UP: 1 << 15, Facing.LEFT: 1 << 16, Facing.RIGHT: 1 << 17}
    )
    """A wall along this side of the tile: it is neither left nor entered over it."""
    ICE = 1 << 18
    """One slides on in the same direction until something is in the way or the ice ends."""
    PUSH = 1 << 19
    """Whoever arrives on the tile is pushed one tile down: doors, stairs, caves."""
    CUT_TREE = 1 << 20
    """A small tree that Cut removes."""
    WHIRLPOOL = 1 << 21
    WATERFALL = 1 << 22


class TileKind(IntEnum):
    """What a walk tile is, in a word; what stands on it and where it leads is kept apart."""

    WALL = 0
    FLOOR = 1
    GRASS = 2
    WATER = 3
    LEDGE = 4
    DOOR = 5

    @classmethod
    def of(cls, terrain: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """Return the kinds of tiles by their `Terrain` bits."""
        kinds = np.full(terrain.shape, cls.WALL, np.uint8)
        for bits, kind in (
            (Terrain.WALKABLE, cls.FLOOR),
            (Terrain.WATER, cls.WATER),
            (Terrain.GRASS, cls.GRASS),
            (Terrain.LEDGE, cls.LEDGE),
            (Terrain.WARP, cls.DOOR),
        ):
            kinds[terrain & bits != 0] = kind
        return kinds


@dataclass(frozen=True)  # without slots, for what is cached
class Bridges:
    """Which walk tiles one may stand on at several levels: on a bridge, and under it.

    Tiles have numbers. Such a place's own is that of its highest level; each lower level is a
    further tile, whose number comes after those of the map.

    Attributes:
        lower: Number, number of the place, level, and `Terrain` bits of each further tile.
        steps: Number, direction, and the number ahead, -1 for none, where that is not simply the
            place ahead.
    """

    lower: tuple[tuple[int, int, int, int], ...] = ()
    steps: tuple[tuple[int, Facing, int], ...] = ()

    @cached_property
    def _levels(self) -> Mapping[int, Mapping[int, int]]:
        """Return by place: level -> number of the further tile."""
        found: dict[int, dict[int, int]] = {}
        for number, place, level, _ in self.lower:
            found.setdefault(place, {})[level] = number
        return found

    @cached_property
    def _ahead(self) -> Mapping[tuple[int, Facing], int]:
        return {(number, facing): target for number, facing, target in self.steps}

    def tile(self, place: int, level: int) -> int:
        """Return the tile at a level of a place, the highest one where it has no such level."""
        lower = self._levels.get(place)
        return place if lower is None else lower.get(level, place)

    def tiles(self, place: int, level: int = 0) -> tuple[int, ...]:
        """Return the tiles of a place that somebody at a level fills, all of them for level 0."""
        lower = self._levels.get(place)
        if lower is None:
            return (place,)
        if not level:
            return (place, *lower.values())
        own = lower.get(level, place)
        # Who comes from a tile of level 0 stays at that level, and meets everybody.
        return (own, lower[0]) if 0 in lower else (own,)

    def ahead(self, tile: int, facing: Facing, plain: int) -> int:
        """Return the tile ahead of a tile, where `plain` is the number of the place there."""
        return self._ahead.get((tile, facing), plain)


NO_BRIDGES = Bridges()

MAP_BORDER = 6
"""Walk tiles on each side of a map that `MapView.bordered` holds too."""


@dataclass(frozen=True, slots=True, eq=False)
class MapView:
    """The current map: its size, what each tile is, and what stands on it."""

    width: int
    height: int
    terrain: NDArray[np.uint32]
    """(height, width) uint32 `Terrain` bits of the walk tiles, [y, x]; read-only."""
    warps: tuple[Warp, ...]
    objects: tuple[MapObject, ...]
    connections: frozenset[str]
    """Edges that lead to a neighbouring map, of "north", "south", "west", "east"."""
    signs: tuple[tuple[int, int], ...] = ()
    """Walk tiles (x, y) that answer when faced with A and are no object."""
    bordered: NDArray[np.uint32] | None = None
    """(height + 12, width + 12) uint32, `terrain` with the `MAP_BORDER` tiles around the map, which
    hold the neighbours' nearest strips; read-only. None where it is not known."""
    edges: tuple[Edge, ...] = ()
    """The connections whose neighbour RAM names; the practice game leaves it out."""
    kinds: NDArray[np.uint8] | None = None
    """(height, width) uint8, `terrain` as TileKind; read-only. None where it is not known."""
    beyond: tuple[MapObject, ...] = ()
    """Who and what is on the map but too far away to be among `objects`: there they stand again
    when the player comes near."""
    turning_gates: tuple[TurningGate, ...] = ()
    """As they stand now; `terrain` is without them."""
    bridges: Bridges = NO_BRIDGES
    """The tiles under bridges; tile (x, y) has number y * width + x."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MapView) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def contains(self, x: int, y: int) -> bool:
        """Return whether a walk tile is one of the map's own."""
        return 0 <= x < self.width and 0 <= y < self.height

    def tile(self, x: int, y: int, level: int | None = None) -> int:
        """Return the number of a tile at a level, or at the highest one."""
        place = y * self.width + x
        return place if level is None else self.bridges.tile(place, level)

    def locate(self, tile: int) -> tuple[int, int]:
        """Return x and y of a tile by its number."""
        own = self.width * self.height
        y, x = divmod(tile if tile < own else self.bridges.lower[tile - own][1], self.width)
        return x, y

    def bits(self, tile: int) -> int:
        """Return the `Terrain` bits of a tile by its number."""
        own = self.width * self.height
        return int(self.terrain.flat[tile]) if tile < own else self.bridges.lower[tile - own][3]

    def answers(self, x: int, y: int, facing: Facing) -> bool:
        """Return whether A could do something for a player at (x, y) who looks to `facing`."""
        dx, dy = facing.delta
        target = (x + dx, y + dy)
        if target in self.signs or any((thing.x, thing.y) == target for thing in self.objects):
            return True
        if not self.contains(*target):
            return False
        ahead = int(self.terrain[target[1], target[0]])
        if ahead & Terrain.COUNTER:
            beyond = (target[0] + dx, target[1] + dy)
            return any((thing.x, thing.y) == beyond for thing in self.objects)
        return bool(ahead & (Terrain.ANSWERS | Terrain.WATER))

    def _key(self) -> tuple[object, ...]:
        """Return all fields, arrays as bytes, which compare to one truth."""
        values = (getattr(self, each.name) for each in fields(self))
        return tuple(v.tobytes() if isinstance(v, np.ndarray) else v for v in values)


class Prompt(StrEnum):
    """What the screen waits for, if it is not the player's next step."""

    NONE = ""
    """Nothing: the player can act, or the game is moving by itself."""
    PRINTING = "printing"
    """A text is being written."""
    TEXT = "text"
    """A text waits for A or B."""
    YES_NO = "yes/no"
    MENU = "menu"
    QUANTITY = "quantity"
    NAMING = "naming"
    SPINNER = "spinner"
    """A clock's hour, minute or day: up and down change it, A takes it."""
    SCREEN = "screen"
    """A screen of its own, such as a creature's entry: it waits for A or B."""


@dataclass(frozen=True, slots=True)
class Control:
    """Whether the player can act, and what the game waits for."""

    in_game: bool
    """A game is running (not power-on, title or main menu)."""
    is_free: bool
    in_text: bool
    """A text box is open, whether it waits (its arrow blinks) or is being written."""
    in_menu: bool
    is_scripted: bool
    in_transition: bool
    cursor: tuple[int, int]
    """The menu cursor (row, column), 1-based; (0, 0) when none accepts input."""
    menu_size: tuple[int, int]
    """Rows and columns of that menu."""
    prompt: Prompt = Prompt.NONE
    selection: int = 0
    """What the cursor stands on in lists of items, by number, or where a radio's dial stands; 0
    where nothing tells."""
    pocket: int = 0
    """Which pocket an open bag shows: 0 items, 1 balls, 2 key items, 3 machines, 4 berries; on a
    screen of its own, which card of a Pokégear, as `card`."""

    @property
    def card(self) -> int:
        """Return which card an open Pokégear shows: 1 clock, 2 map, 3 phone, 4 radio; 0: none."""
        return self.pocket if self.prompt is Prompt.SCREEN else 0

    @property
    def is_busy(self) -> bool:
        """Return whether the game moves by itself: it asks nothing, and nobody can walk."""
        if self.prompt is not Prompt.NONE:
            return self.prompt is Prompt.PRINTING
        return self.in_game and not (self.is_free or self.in_text or self.in_menu)


@dataclass(frozen=True, slots=True, eq=False)
class MapOutline:
    """A map as it lies beside others, before it is entered.

    Maps that are joined by their edges lie on one plane; houses and caves have planes of their own.
    """

    map: MapId
    name: str
    plane: int
    x: int
    """Of the upper left walk tile on the plane; y grows downwards."""
    y: int
    kinds: NDArray[np.uint8]
    """(height, width) `TileKind` of the walk tiles."""
    doors: tuple[tuple[int, int, MapId], ...] = ()
    """Warps: walk tile (x, y) of this map, and where it leads."""


@dataclass(frozen=True, slots=True)
class Move:
    """A move that a creature knows."""

    id: int
    name: str
    points: int


@dataclass(frozen=True, slots=True)
class Creature:
    """One creature, in the party or across the field; `hp` is at most `max_hp`."""

    species: int
    name: str
    level: int
    hp: int
    max_hp: int
    status: str
    """"" when well, else sleep, poison, burn, freeze or paralysis."""
    moves: tuple[Move, ...] = ()
    experience: int = 0
    held_item: int = 0
    types: tuple[int, ...] = ()
    """Type ids of the game, one or two; empty when not known."""
    stats: tuple[int, ...] = ()
    """Attack, defence, speed, special attack and defence; in battle as the fight changed them."""


class BattleKind(StrEnum):
    """Who is fought."""

    WILD = "wild"
    TRAINER = "trainer"


@dataclass(frozen=True, slots=True)
class Battle:
    """A battle in progress. `own` and `enemy` are None until they are sent out.

    In battle `own` is right at once; its copy in the party lags to the turn's end.
    """

    kind: BattleKind
    trainer_class: int
    own: Creature | None
    enemy: Creature | None
    trainer_id: int = 0
    """Number within the class."""
    enemy_slot: int = 0
    """Place of `enemy` in its trainer's team."""
    own_slot: int = 0
    """Place of `own` in the party."""
    trainer_name: str = ""
    """The trainer class's name; "" when wild."""
    is_double: bool = False
    """Two fight on each side."""
    target: Creature | None = None
    """On whom the cursor is while it is asked whom a move is for; None: it is not asked."""

    @property
    def legal_moves(self) -> tuple[int, ...]:
        """Return the places of the own moves with points left, of all where none has any."""
        moves = self.own.moves if self.own else ()
        left = tuple(slot for slot, move in enumerate(moves) if move.points)
        return left or tuple(range(len(moves)))


@dataclass(frozen=True, slots=True)
class Bag:
    """The pockets: item ids, with their counts but for key items."""

    items: tuple[tuple[int, int], ...] = ()
    balls: tuple[tuple[int, int], ...] = ()
    key_items: tuple[int, ...] = ()
    machines: tuple[tuple[int, int], ...] = ()
    """TMs and HMs."""
    berries: tuple[tuple[int, int], ...] = ()
    """A fifth pocket, in games that have it."""

    def has(self, item: int) -> bool:
        """Return whether an item is in any pocket."""
        counted = (*self.items, *self.balls, *self.machines, *self.berries)
        return item in self.key_items or any(one == item for one, _ in counted)


NO_MAP = MapView(0, 0, np.zeros((0, 0), np.uint32), (), (), frozenset())
"""Where there is no map to be read."""


@dataclass(frozen=True, slots=True)
class GameState:
    """Everything the project knows of the game at rest, read from RAM alone.

    What a game does not have keeps its default. A game may extend the class by what is its own.
    """

    place: Place
    control: Control
    party: tuple[Creature, ...] = ()
    battle: Battle | None = None
    badges: tuple[int, int] = (0, 0)
    """Bit masks of the two regions' badges."""
    money: int = 0
    play_time_s: float = 0.0
    caught: int = 0
    """Count of species."""
    seen: int = 0
    bag: Bag = Bag()
    event_flags: bytes = b""
    """As many bytes as the game has, e.g. 256; bit n is flag n, least significant first."""
    screen_text: tuple[str, ...] = ()
    """Lines of text inside boxes, as shown."""
    map: MapView = NO_MAP
    caught_flags: bytes = b""
    """As many bytes as the game has, e.g. 32; bit species - 1, least significant first."""
    seen_flags: bytes = b""
    fly_points: tuple[MapId, ...] = ()
    """Visited maps that one can fly to."""
    healing_place: MapId | None = None
    """Where a whiteout leads; None: home."""
    repel_steps: int = 0
    scenes: bytes = b""
    """Scene numbers of the maps that have any, in the order of `GameTables.SCENES`."""
    engine_flags: bytes = b""
    """Bit n is engine flag n (gear, badges, field moves used), least significant first."""
    music: int = 0
    """Number of the music on the map, which a radio may have changed; 0 where nothing tells."""

    def get(self, name: str, default: Any = None) -> Any:
        """Return a field by name, `default` where there is none, as a mapping would."""
        return getattr(self, name, default)

    def has_event(self, flag: int) -> bool:
        """Return whether event flag `flag` is set."""
        return _has_bit(self.event_flags, flag)

    def has_engine_flag(self, flag: int) -> bool:
        """Return whether engine flag `flag` is set."""
        return _has_bit(self.engine_flags, flag)

    def has_caught(self, species: int) -> bool:
        """Return whether a species was caught or given."""
        return _has_bit(self.caught_flags, species - 1)

    def has_seen(self, species: int) -> bool:
        """Return whether a species was met."""
        return _has_bit(self.seen_flags, species - 1)

    @property
    def badge_count(self) -> int:
        """Count the badges of both regions."""
        return self.badges[0].bit_count() + self.badges[1].bit_count()


def _has_bit(flags: bytes, index: int) -> bool:
    return 0 <= index < 8 * len(flags) and bool(flags[index >> 3] >> (index & 7) & 1)


class Source(StrEnum):
    """Who chose an action."""

    POLICY = "policy"
    PLANNER = "planner"
    RULES = "rules"
    RANDOM = "random"
    HUMAN = "human"
    RECORDED = "recorded"
    """In a replay: who chose it then is not recorded, nor how confidently."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One chosen action, with who chose it and why."""

    action: int
    """Its index in the game's actions."""
    source: Source
    confidence: float
    """0 to 1."""
    reason: str


class GoalKind(StrEnum):
    """What is to be done for a goal: how far a planner can be believed is counted by kind."""

    EXPLORE = "explore"
    REACH = "reach"
    """Enter a map."""
    MEET = "meet"
    """Go to somebody or something and press A."""
    HEAL = "heal"
    TRAIN = "train"
    CATCH = "catch"
    FIGHT = "fight"
    """Win the battle."""
    RUN = "run"
    """Get out of the battle."""
    BUY = "buy"


@dataclass(frozen=True, slots=True)
class Goal:
    """What the planner wants next, and how RAM shows that it is done."""

    key: str
    """The milestone this serves, e.g. "got_starter"."""
    text: str
    map: MapId | None = None
    target: tuple[int, int] | None = None
    """Walk tile (x, y) on that map, if any."""
    is_interaction: bool = False
    """Whether to face the target and press A there."""
    kind: GoalKind = GoalKind.EXPLORE


@dataclass(frozen=True, slots=True)
class GoalTally:
    """How an episode's goals of one kind went, by RAM alone."""

    setter: str
    """Who set them: "rules", or the name of a model."""
    kind: GoalKind
    reached: int
    failed: int
    """Given up after too many steps, or open when the episode ended."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What the planner suggests for the next action: a goal and a prior over actions."""

    goal: Goal
    prior: NDArray[np.float32]
    """(A,) float32, non-negative, sums to 1, or all zero when it has no advice."""
    confidence: float
    reason: str
    """One line: why these actions serve the goal."""
    nearness: float = math.nan
    """Of the goal, 1 there and falling towards 0 with the way to it; nan where no way is known or
    walked just now."""


@dataclass(frozen=True, slots=True)
class RewardBreakdown:
    """The reward of one step by component; the sum of `components` is the reward exactly."""

    components: tuple[tuple[str, float], ...]
    """(name, value) in the composer's fixed order."""
    causes: tuple[str, ...] = ()
    """Short words for what was paid, e.g. "first visit to MILLBROOK PATH"."""
    payers: tuple[str, ...] = ()
    """For each cause the component that noted it."""

    @property
    def total(self) -> float:
        """Sum the components."""
        return float(sum([value for _, value in self.components]))


BRANCHED = "branched"
"""`EpisodeSummary.start` of an episode that a person began at a snapshot."""


@dataclass(frozen=True, slots=True)
class AntiStuckStatus:
    """How an episode gets on, and what `engine.env.anti_stuck` does where it does not."""

    idle_steps: int
    """Since the last new tile or milestone."""
    masked: tuple[int, ...] = ()
    """Actions that are masked now, since they led to nothing here; () while it does not
    intervene."""
    interventions: int = 0
    """How often it masked one so far."""


@dataclass(frozen=True, slots=True)
class SmallPicture:
    """One of several games that are shown together, as it is now."""

    env_index: int
    frame: Frame
    """Shrunk as `engine.commands.ShowGames` asked for."""
    milestones: frozenset[str]
    """Keys reached in this episode."""
    episode_steps: int


@dataclass(frozen=True, slots=True)
class EpisodeSummary:
    """How an episode went."""

    env_index: int
    total_reward: float
    length: int
    components: tuple[tuple[str, float], ...]
    steps_to_milestone: Mapping[str, int] = field(default_factory=dict)
    """Milestone key to the step of the episode that reached it."""
    maps_seen: int = 0
    is_success: bool = False
    """The run's goal (the first badge, by default) was reached."""
    battles_won: int = 0
    planner_share: float = 0.0
    """Share of its decisions for which the planner made the difference, a language model or the
    rules, 0 to 1."""
    llm_share: float = 0.0
    """The language model's part of that."""
    interventions: int = 0
    """How often the anti-stuck watch stepped in."""
    is_aborted: bool = False
    """Its process died or hung: the episode has no end of its own."""
    goals: tuple[GoalTally, ...] = ()
    start: str = ""
    """Where it began: milestone of the archived state, "demo 83 %", `BRANCHED`; "" for the true
    start."""
    recording: str = ""
    """The episode's inputs (`engine.env.input_recording`), "" where there are none."""
    stood_still: bool = False
    """It was ended in an evaluation because nothing new happened for long."""
    is_exam: bool = False
    """The policy played it alone, as it is evaluated (`engine.training.exams`)."""

    @property
    def is_usual(self) -> bool:
        """Tell whether it began at the true start and was no exam game."""
        return not (self.start or self.is_exam)

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> "EpisodeSummary":
        """Read what `dataclasses.asdict` and JSON made of a summary.

        Raises:
            KeyError, TypeError, ValueError: It is none.
        """
        components = tuple((name, value) for name, value in facts["components"])
        goals = tuple(
            GoalTally(**{**tally, "kind": GoalKind(tally["kind"])})
            for tally in facts.get("goals", ())
        )
        return cls(**{**facts, "components": components, "goals": goals})


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How several episodes from the true start went, played without learning."""

    episodes: int
    avg_reward: float
    std_reward: float
    avg_length: float
    avg_llm_usage: float
    """Share of decisions for which a language model made the difference, 0 to 1."""
    success_rate: float
    """Share of episodes that reached the run's goal."""
    milestones: Mapping[str, float] = field(default_factory=dict)
    """Milestone key to the share of episodes that reached it; in older ones those above 0 only."""
    avg_rules_usage: float = 0.0
    """Likewise the rules."""
    milestone_rate: float | None = None
    """Share of all milestones of the game that an episode reached, on average."""
    avg_q_value: float | None = None
    """Mean value of the actions taken; None where the policy has no action values."""
    std_q_value: float | None = None
    progress: float | None = None
    """Share of the way to the run's goal, in milestones, that a game came on average; None where
    it was not measured."""

    @property
    def came(self) -> float:
        """Return `progress`, or the success rate where that was not measured."""
        return self.success_rate if self.progress is None else self.progress


Observation = dict[str, Any]
"""The Gymnasium observation.

Keys: `screen`, `state_variables`, `features`, `action_mask`, `strategic_context`.
"""
