"""Say what is of no use in all games with these rules: on foot, and in a battle's menus.

Each game's own masking adds its buttons, menus and prompts; the reasons are worded here once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.games.base import BattleCells, GameTables
from engine.types import (
    DIRECTIONS,
    MAP_BORDER,
    SIDES,
    Action,
    BattleKind,
    Creature,
    Facing,
    GameState,
    MapView,
    Move,
    Terrain,
)

_HURT = 0.5
"""Share of its health below which a creature is worth a visit to the bag."""

_REPELS = frozenset({"REPEL", "SUPER REPEL", "MAX REPEL"})
_POINTS = frozenset({"ETHER", "MAX ETHER", "ELIXER", "MAX ELIXER", "MYSTERYBERRY"})
_STRENGTHENING = frozenset(
    {"RARE CANDY", "HP UP", "PROTEIN", "IRON", "CARBOS", "CALCIUM", "PP UP", "MOON STONE",
     "FIRE STONE", "THUNDERSTONE", "WATER STONE", "LEAF STONE", "SUN STONE"}
)  # fmt: skip
_RODS = frozenset({"OLD ROD", "GOOD ROD", "SUPER ROD"})

_OUTDOORS, _UNDERGROUND = frozenset({"town", "route"}), frozenset({"cave", "dungeon"})
_SHARED_HEALING = frozenset({"SOFTBOILED", "MILK DRINK"})
_HIDDEN_MACHINES: Mapping[str, str] = {
    "HM01": "CUT",
    "HM02": "FLY",
    "HM03": "SURF",
    "HM04": "STRENGTH",
    "HM05": "FLASH",
    "HM07": "WATERFALL",
}
"""What is the same in all games."""


@dataclass(frozen=True, slots=True)
class MenuUses:
    """What there can be to do in the START menu.

    Args:
        tables: Names of items and moves; what a game does not have is never of use.
        hidden_machines: Items that teach a move and are not used up -> that move.
        field_moves: Moves used from the menu alone -> where, and the bit of the badge that allows
            it, if any. CUT, SURF and the like are used by facing what they are for.
    """

    tables: GameTables
    hidden_machines: Mapping[str, str]
    field_moves: Mapping[str, tuple[frozenset[str], int | None]]

    @classmethod
    def of(cls, tables: GameTables, flash_badge: int, **machines: str) -> Self:
        """Return a game's, given the bit of the badge for FLASH and the machines of its own."""
        return cls(
            tables,
            {**_HIDDEN_MACHINES, **machines},
            {
                "FLY": (_OUTDOORS, 5),
                "TELEPORT": (_OUTDOORS, None),
                "FLASH": (_UNDERGROUND, flash_badge),
                "DIG": (_UNDERGROUND, None),
            },
        )

    def has_any(self, state: GameState) -> bool:
        """Return whether a healing item, an item, a machine or a field move can do something."""
        bag, party = state.bag, state.party
        if any(map(_is_hurt, party)) and bag.items:
            return True
        moves = {move.name for creature in party for move in creature.moves}
        return (
            any(self._is_useful(self.tables.ITEMS.get(item, ""), state) for item, _ in bag.items)
            or any(self._is_untaught(item, moves) for item, _ in bag.machines)
            or any(self._can_use(move, state) for move in moves)
            or (
                _faces_water(state)
                and any(self.tables.ITEMS.get(item) in _RODS for item in bag.key_items)
            )
        )

    def _is_useful(self, name: str, state: GameState) -> bool:
        if name in _STRENGTHENING:
            return True
        if name in _POINTS:
            return any(not move.points for creature in state.party for move in creature.moves)
        if name == "ESCAPE ROPE":
            return state.place.environment in _UNDERGROUND
        return name in _REPELS and not state.repel_steps

    def _is_untaught(self, item: int, moves: set[str]) -> bool:
        """Return whether nobody knows a machine's move; a TM is gone once it was taught."""
        name = self.tables.ITEMS.get(item, "")
        return name not in self.hidden_machines or self.hidden_machines[name] not in moves

    def _can_use(self, move: str, state: GameState) -> bool:
        if move in _SHARED_HEALING:
            return any(map(_is_hurt, state.party))
        environments, badge = self.field_moves.get(move, (frozenset[str](), None))
        has_badge = badge is None or bool(state.badges[0] >> badge & 1)
        return state.place.environment in environments and has_badge


def _is_hurt(creature: Creature) -> bool:
    return creature.hp < _HURT * creature.max_hp or bool(creature.status)


def _faces_water(state: GameState) -> bool:
    dx, dy = state.place.facing.delta
    x, y = state.place.x + dx, state.place.y + dy
    return state.map.contains(x, y) and bool(int(state.map.terrain[y, x]) & Terrain.WATER)


UNUSED = "nothing uses it"
NO_CREATURE = "nothing useful in the menu before the first creature"
MENU_IDLE = "nothing useful in the menu now"
OPTIONS_SET = "the options are preset, and the run saves itself"
UNUSED_IN_BATTLE = "not used in battle"
BOX_WAITS = "the text box waits for A or B"
PRINTING = "text is printing: only A and B speed it up"
NO_LETTER = "it enters no letter"
MENU_WAITS = "a menu is open"
ONE_COLUMN = "the menu has one column"
SCREEN_WAITS = "the screen waits for a button"
SCRIPTED = "a scene is playing"
NOTHING_TO_LEAVE = "this does not leave the battle"
CURSOR_EDGE = "the cursor is at the edge"

_WALL = "blocked, and nothing there to interact with"
_STANDING_THERE = "blocked, and already facing it"
_NOTHING_AHEAD = "nothing ahead to interact with"
_NOTHING_TO_CANCEL = "there is nothing to cancel while walking"
_NO_MOVE_LEFT = "this move has no points left"
_NO_OTHER = "no other creature can fight"
_NOTHING_TO_USE = "nothing useful in the bag here"
_NO_ESCAPE = "you cannot run from a trainer"

_FIGHTERS_TO_SWITCH = 2
_PUSHING = "STRENGTH"
"""Who knows it pushes boulders, which no state tells from people."""
_OPPOSITE: Mapping[Facing, Facing] = {
    Facing.DOWN: Facing.UP,
    Facing.UP: Facing.DOWN,
    Facing.LEFT: Facing.RIGHT,
    Facing.RIGHT: Facing.LEFT,
}


def block_in_battle_menu(state: GameState, cells: BattleCells, blocked: dict[int, str]) -> None:
    """Leave FIGHT and what else can do something: another creature, an item, running away.

    Args:
        state: A battle's first menu is open.
        cells: Where its entries are.
        blocked: Is added to; the edges of the menu are not.
    """
    blocked[Action.B] = NOTHING_TO_LEAVE
    battle, bag, cursor = state.battle, state.bag, state.control.cursor
    is_trainer = battle is not None and battle.kind is BattleKind.TRAINER
    fighters = sum(creature.hp > 0 for creature in state.party)
    if cursor == cells.team and fighters < _FIGHTERS_TO_SWITCH:
        blocked[Action.A] = _NO_OTHER
    elif cursor == cells.bag and not bag.items and (is_trainer or not bag.balls):
        blocked[Action.A] = _NOTHING_TO_USE
    elif cursor == cells.run and is_trainer:
        blocked[Action.A] = _NO_ESCAPE


def own_moves(state: GameState) -> Sequence[Move]:
    """Return the moves of the creature that fights for the player; none before it is sent out."""
    own = state.battle.own if state.battle else None
    return own.moves if own else ()


def block_empty_move(moves: Sequence[Move], chosen: int, blocked: dict[int, str]) -> None:
    """Block A on a move without points while another has some; `chosen` counts from 0."""
    if chosen < len(moves) and not moves[chosen].points and any(move.points for move in moves):
        blocked[Action.A] = _NO_MOVE_LEFT


def block_on_foot(state: GameState, blocked: dict[int, str]) -> bool:
    """Block what does nothing where the player stands.

    Returns:
        Whether waiting may change that: somebody stands beside the player, or the map is unknown.
    """
    blocked[Action.B] = _NOTHING_TO_CANCEL
    place, view = state.place, state.map
    grid = view.bordered
    if grid is None or not view.contains(place.x, place.y):
        return True
    standing = {(thing.x, thing.y) for thing in view.objects}
    has_neighbour = False
    for action, facing in DIRECTIONS.items():
        dx, dy = facing.delta
        target = (place.x + dx, place.y + dy)
        is_faced = place.facing is facing
        if target in standing:
            has_neighbour = True
            if is_faced and not _can_push(state):
                blocked[action] = _STANDING_THERE
        elif not _is_way(view, grid, place.x, place.y, facing) and (
            is_faced or not view.answers(place.x, place.y, facing)
        ):
            blocked[action] = _WALL
    if not view.answers(place.x, place.y, place.facing):
        blocked[Action.A] = _NOTHING_AHEAD
    return has_neighbour


def _can_push(state: GameState) -> bool:
    return any(move.name == _PUSHING for one in state.party for move in one.moves)


def _is_way(view: MapView, grid: NDArray[np.uint32], x: int, y: int, facing: Facing) -> bool:
    """Return whether pressing a direction can lead somewhere: walk, swim, hop, leave by a mat."""
    here = grid.item(y + MAP_BORDER, x + MAP_BORDER)
    if here & (Terrain.MATS[facing] | Terrain.HOPS[facing]):
        return True
    dx, dy = facing.delta
    if not view.contains(x + dx, y + dy) and SIDES[facing] not in view.connections:
        return False
    there = grid.item(y + dy + MAP_BORDER, x + dx + MAP_BORDER)
    if here & Terrain.WALLS[facing] or there & Terrain.WALLS[_OPPOSITE[facing]]:
        return False
    return bool(there & (Terrain.WALKABLE | here & Terrain.WATER))
