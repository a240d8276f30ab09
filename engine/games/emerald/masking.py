"""Say which actions can have no effect now, each with the reason."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engine.games.base import BattleCells, GameTables
from engine.games.crystal.menu_uses import OUTDOORS, UNDERGROUND, FieldMoves, MenuUses
from engine.games.menus import MenuKind, menu_kind
from engine.types import (
    DIRECTIONS,
    GAME_BOY_ADVANCE_ACTIONS,
    MAP_BORDER,
    SIDES,
    Action,
    BattleKind,
    Facing,
    GameState,
    MapView,
    Prompt,
    Terrain,
)

_COUNT = len(GAME_BOY_ADVANCE_ACTIONS)
_L, _R = (GAME_BOY_ADVANCE_ACTIONS.names.index(name) for name in ("L", "R"))
_WAIT = GAME_BOY_ADVANCE_ACTIONS.idle

_UNUSED = "nothing uses it"
_NO_CREATURE = "nothing useful in the menu before the first creature"
_MENU_IDLE = "nothing useful in the menu now"
_OPTIONS_SET = "the options are preset, and the run saves itself"
_UNUSED_IN_BATTLE = "not used in battle"
_WALL = "blocked, and nothing there to interact with"
_STANDING_THERE = "blocked, and already facing it"
_NOTHING_AHEAD = "nothing ahead to interact with"
_BOX_WAITS = "the text box waits for A or B"
_PRINTING = "text is printing: only A and B speed it up"
_NO_LETTER = "it enters no letter"
_MENU_WAITS = "a menu is open"
_ONE_COLUMN = "the menu has one column"
_SCREEN_WAITS = "the screen waits for a button"
_SCRIPTED = "a scene is playing"
_NOTHING_TO_CANCEL = "there is nothing to cancel while walking"
_NO_MOVE_LEFT = "this move has no points left"
_NO_OTHER = "no other creature can fight"
_NOTHING_TO_USE = "nothing useful in the bag here"
_NO_ESCAPE = "you cannot run from a trainer"
_NOTHING_TO_LEAVE = "this does not leave the battle"
_CURSOR_EDGE = "the cursor is at the edge"

_IDLE_ENTRIES = ("▶OPTION", "▶SAVE", "▶POKéNAV", "▶POKéDEX")
_FIGHTERS_TO_SWITCH = 2
_PUSHING = "STRENGTH"
"""Who knows it pushes boulders, which no state tells from people."""
_COLUMNS = 2
"""Of a battle's menus."""

_NEVER: Mapping[int, str] = {_L: _UNUSED, _R: _UNUSED, Action.SELECT: _UNUSED}

_HIDDEN_MACHINES: Mapping[str, str] = {
    "HM01": "CUT",
    "HM02": "FLY",
    "HM03": "SURF",
    "HM04": "STRENGTH",
    "HM05": "FLASH",
    "HM06": "ROCK SMASH",
    "HM07": "WATERFALL",
    "HM08": "DIVE",
}
_FIELD_MOVES: FieldMoves = {
    "FLY": (OUTDOORS, 5),
    "TELEPORT": (OUTDOORS, None),
    "FLASH": (UNDERGROUND, 1),
    "DIG": (UNDERGROUND, None),
}


def _but(reason: str, *useful: Action) -> dict[int, str]:
    """Return the buttons that have a use at times but for `useful`."""
    return {
        action: reason for action in range(_COUNT) if action not in useful and action not in _NEVER
    }


_OF_PROMPT: Mapping[Prompt, dict[int, str]] = {
    Prompt.PRINTING: _but(_PRINTING, Action.A, Action.B),
    Prompt.TEXT: _but(_BOX_WAITS, Action.A, Action.B),
    Prompt.NAMING: _but(_NO_LETTER, Action.A, Action.B, Action.START, *DIRECTIONS),
    Prompt.QUANTITY: _but(_MENU_WAITS, Action.A, Action.B, *DIRECTIONS),
    Prompt.SCREEN: _but(_SCREEN_WAITS, Action.A, Action.B, *DIRECTIONS),
}
"""What is of no use where the prompt alone says it."""
_NO_INPUT = _but(_SCRIPTED, Action.A, Action.B)


def menu_uses(tables: GameTables) -> MenuUses:
    """Return what the START menu can be good for."""
    return MenuUses(tables, _HIDDEN_MACHINES, _FIELD_MOVES)


def blocked_actions(state: GameState, uses: MenuUses) -> dict[int, str]:
    """Return the actions that are of no use now, with the reason for each; never all of them.

    Args:
        state: The game at rest.
        uses: Says whether the START menu holds something to do; its tables say how a battle's
            first menu is laid out.
    """
    control = state.control
    if not control.in_game:
        return {}
    blocked = dict(_NEVER)
    if control.prompt in _OF_PROMPT:
        return blocked | _OF_PROMPT[control.prompt]
    if not state.party:
        blocked[Action.START] = _NO_CREATURE
    if control.in_menu:
        _block_in_menu(state, uses.tables.BATTLE_CELLS, blocked)
    elif control.is_free:
        _block_on_foot(state, blocked)
        if state.party and not uses.has_any(state):
            blocked[Action.START] = _MENU_IDLE
        if len(blocked) == _COUNT:
            del blocked[_WAIT]
    elif control.is_scripted or control.in_transition or state.battle is not None:
        blocked |= _NO_INPUT
    return blocked


def _block_in_menu(state: GameState, cells: BattleCells, blocked: dict[int, str]) -> None:
    blocked[Action.START] = _UNUSED_IN_BATTLE if state.battle is not None else _MENU_WAITS
    kind = menu_kind(state)
    if kind in {MenuKind.YES_NO, MenuKind.START} or state.control.menu_size[1] == 1:
        blocked[Action.LEFT] = blocked[Action.RIGHT] = _ONE_COLUMN
    if kind is MenuKind.BATTLE:
        _block_in_battle_menu(state, cells, blocked)
    elif kind is MenuKind.MOVES:
        _block_in_move_list(state, blocked)
    elif kind is MenuKind.START:
        del blocked[Action.START]  # it closes the menu
        if any(line.startswith(_IDLE_ENTRIES) for line in state.screen_text):
            blocked[Action.A] = _OPTIONS_SET
    elif state.control.pocket or state.control.selection:
        # A bag's list: its pockets lie beside one another.
        blocked.pop(Action.LEFT, None)
        blocked.pop(Action.RIGHT, None)


def _block_in_battle_menu(state: GameState, cells: BattleCells, blocked: dict[int, str]) -> None:
    """Leave FIGHT and what else can do something: another creature, an item, running away."""
    blocked[Action.B] = _NOTHING_TO_LEAVE
    _block_edges(state, 2 * _COLUMNS, blocked)
    battle, bag, cursor = state.battle, state.bag, state.control.cursor
    is_trainer = battle is not None and battle.kind is BattleKind.TRAINER
    fighters = sum(creature.hp > 0 for creature in state.party)
    if cursor == cells.team and fighters < _FIGHTERS_TO_SWITCH:
        blocked[Action.A] = _NO_OTHER
    elif cursor == cells.bag and not bag.items and (is_trainer or not bag.balls):
        blocked[Action.A] = _NOTHING_TO_USE
    elif cursor == cells.run and is_trainer:
        blocked[Action.A] = _NO_ESCAPE


def _block_in_move_list(state: GameState, blocked: dict[int, str]) -> None:
    own = state.battle.own if state.battle else None
    moves = own.moves if own else ()
    _block_edges(state, len(moves), blocked)
    chosen = _chosen(state)
    if chosen < len(moves) and not moves[chosen].points and any(move.points for move in moves):
        blocked[Action.A] = _NO_MOVE_LEFT


def _block_edges(state: GameState, count: int, blocked: dict[int, str]) -> None:
    """Block what does not move the cursor among `count` entries, two in a row."""
    chosen = _chosen(state)
    column = chosen % _COLUMNS
    for action, is_edge in (
        (Action.UP, chosen < _COLUMNS),
        (Action.DOWN, chosen + _COLUMNS >= count),
        (Action.LEFT, column == 0),
        (Action.RIGHT, column == _COLUMNS - 1 or chosen + 1 >= count),
    ):
        if is_edge:
            blocked[action] = _CURSOR_EDGE


def _chosen(state: GameState) -> int:
    """Return the number of the entry under the cursor in a menu of two columns."""
    row, column = state.control.cursor
    return _COLUMNS * (row - 1) + column - 1


def _block_on_foot(state: GameState, blocked: dict[int, str]) -> None:
    blocked[Action.B] = _NOTHING_TO_CANCEL
    place, view = state.place, state.map
    grid = view.bordered
    if grid is None or not view.contains(place.x, place.y):
        return
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
    if has_neighbour:
        del blocked[_WAIT]  # who stands there may walk on


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


_OPPOSITE: Mapping[Facing, Facing] = {
    Facing.DOWN: Facing.UP,
    Facing.UP: Facing.DOWN,
    Facing.LEFT: Facing.RIGHT,
    Facing.RIGHT: Facing.LEFT,
}
