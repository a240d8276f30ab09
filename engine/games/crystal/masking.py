"""Say which actions can have no effect now, each with the reason."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engine.games.base import GameTables
from engine.games.menu_uses import OUTDOORS, UNDERGROUND, FieldMoves, MenuUses
from engine.games.menus import MenuKind, menu_kind
from engine.types import (
    DIRECTIONS,
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

_NO_CREATURE = "nothing useful in the menu before the first creature"
_UNUSED = "nothing uses it"
_MENU_IDLE = "nothing useful in the menu now"
_OPTIONS_SET = "the options are preset, and the run saves itself"
_UNUSED_IN_BATTLE = "not used in battle"
_WALL = "blocked, and nothing there to interact with"
_STANDING_THERE = "blocked, and already facing it"
_NOTHING_AHEAD = "nothing ahead to interact with"
_BOX_WAITS = "the text box waits for A or B"
_PRINTING = "text is printing: only A and B speed it up"
_NO_LETTER = "it enters no letter"
_SPINNER = "UP and DOWN choose, A confirms"
_MENU_WAITS = "a menu is open"
_ONE_COLUMN = "the menu has one column"
_SCREEN_WAITS = "the screen waits for a button"
_SCRIPTED = "a scene is playing"
_FREE_WAIT = "there is nothing to wait for"
_NOTHING_TO_CANCEL = "there is nothing to cancel while walking"

_NO_MOVE_LEFT = "this move has no points left"
_NO_OTHER = "no other creature can fight"
_NOTHING_TO_USE = "nothing useful in the bag here"
_NO_ESCAPE = "you cannot run from a trainer"
_NOTHING_TO_LEAVE = "this does not leave the battle"
_CURSOR_EDGE = "the cursor is at the edge"
_TEAM, _BAG, _RUN = (1, 2), (2, 1), (2, 2)
"""Cursor (row, column) of the entries of a battle's first menu beside FIGHT."""
_IDLE_ENTRIES = ("▶OPTION", "▶SAVE")
_FIGHTERS_TO_SWITCH = 2
_PUSHING = "STRENGTH"
"""Who knows it pushes boulders, which no state tells from people."""

_HIDDEN_MACHINES: Mapping[str, str] = {
    "HM01": "CUT",
    "HM02": "FLY",
    "HM03": "SURF",
    "HM04": "STRENGTH",
    "HM05": "FLASH",
    "HM06": "WHIRLPOOL",
    "HM07": "WATERFALL",
}
_FIELD_MOVES: FieldMoves = {
    "FLY": (OUTDOORS, 5),
    "TELEPORT": (OUTDOORS, None),
    "FLASH": (UNDERGROUND, 0),
    "DIG": (UNDERGROUND, None),
}


def _but(reason: str, *useful: Action) -> dict[int, str]:
    return {action: reason for action in Action if action not in useful}


NO_INPUT = _but(_SCRIPTED, Action.A, Action.B, Action.NOOP)
_OF_PROMPT: Mapping[Prompt, Mapping[int, str]] = {
    Prompt.PRINTING: _but(_PRINTING, Action.A, Action.B),
    Prompt.TEXT: _but(_BOX_WAITS, Action.A, Action.B),
    Prompt.NAMING: _but(_NO_LETTER, Action.A, Action.B, Action.START, *DIRECTIONS),
    Prompt.SPINNER: _but(_SPINNER, Action.A, Action.UP, Action.DOWN),
    Prompt.QUANTITY: _but(_MENU_WAITS, Action.A, Action.B, *DIRECTIONS),
    Prompt.SCREEN: {Action.NOOP: _SCREEN_WAITS},
}
"""What is of no use where the prompt alone says it."""


def menu_uses(tables: GameTables) -> MenuUses:
    """Return what the START menu can be good for."""
    return MenuUses(tables, _HIDDEN_MACHINES, _FIELD_MOVES)


def blocked_actions(
    state: GameState, uses: MenuUses, *, is_select_used: bool = True
) -> dict[int, str]:
    """Return the actions that are of no use now, with the reason for each; never all of them.

    Args:
        state: The game at rest.
        uses: Says whether the START menu holds something to do.
        is_select_used: The game gives SELECT a meaning.
    """
    control = state.control
    if not control.in_game:
        return {}
    if control.prompt in _OF_PROMPT:
        return dict(_OF_PROMPT[control.prompt])
    blocked: dict[int, str] = {}
    if not state.party:
        blocked[Action.START] = blocked[Action.SELECT] = _NO_CREATURE
    elif not is_select_used:
        blocked[Action.SELECT] = _UNUSED
    if control.in_menu:
        _block_in_menu(state, blocked)
    elif control.is_free:
        _block_on_foot(state, blocked)
        if state.party and not uses.has_any(state):
            blocked[Action.START] = _MENU_IDLE
    elif control.is_scripted or control.in_transition or state.battle is not None:
        blocked |= NO_INPUT
    return blocked


def _block_in_menu(state: GameState, blocked: dict[int, str]) -> None:
    blocked[Action.NOOP] = _MENU_WAITS
    if state.battle is not None:
        blocked[Action.START] = blocked[Action.SELECT] = _UNUSED_IN_BATTLE
    kind = menu_kind(state)
    if kind in {MenuKind.MOVES, MenuKind.YES_NO, MenuKind.START}:
        blocked[Action.LEFT] = blocked[Action.RIGHT] = _ONE_COLUMN
    if kind is MenuKind.BATTLE:
        _block_in_battle_menu(state, blocked)
    elif kind is MenuKind.MOVES:
        _block_in_move_list(state, blocked)
    if kind is MenuKind.START and any(line.startswith(_IDLE_ENTRIES) for line in state.screen_text):
        blocked[Action.A] = _OPTIONS_SET
    if kind is MenuKind.YES_NO:
        blocked[Action.START] = blocked[Action.SELECT] = _MENU_WAITS


def _block_in_battle_menu(state: GameState, blocked: dict[int, str]) -> None:
    """Leave FIGHT and what else can do something: another creature, an item, running away."""
    row, column = state.control.cursor
    blocked[Action.B] = _NOTHING_TO_LEAVE
    blocked[Action.UP if row == 1 else Action.DOWN] = _CURSOR_EDGE
    blocked[Action.LEFT if column == 1 else Action.RIGHT] = _CURSOR_EDGE
    battle, bag = state.battle, state.bag
    is_trainer = battle is not None and battle.kind is BattleKind.TRAINER
    fighters = sum(creature.hp > 0 for creature in state.party)
    if (row, column) == _TEAM and fighters < _FIGHTERS_TO_SWITCH:
        blocked[Action.A] = _NO_OTHER
    elif (row, column) == _BAG and not bag.items and (is_trainer or not bag.balls):
        blocked[Action.A] = _NOTHING_TO_USE
    elif (row, column) == _RUN and is_trainer:
        blocked[Action.A] = _NO_ESCAPE


def _block_in_move_list(state: GameState, blocked: dict[int, str]) -> None:
    own = state.battle.own if state.battle else None
    moves = own.moves if own else ()
    if len(moves) == 1:
        blocked[Action.UP] = blocked[Action.DOWN] = _CURSOR_EDGE
    chosen = state.control.cursor[0] - 1
    if chosen < len(moves) and not moves[chosen].points and any(move.points for move in moves):
        blocked[Action.A] = _NO_MOVE_LEFT


def _block_on_foot(state: GameState, blocked: dict[int, str]) -> None:
    blocked[Action.B] = _NOTHING_TO_CANCEL
    place, view = state.place, state.map
    grid = view.bordered
    if grid is None or place.x >= view.width or place.y >= view.height:
        return
    standing = {(thing.x, thing.y) for thing in view.objects}
    can_push = any(move.name == _PUSHING for one in state.party for move in one.moves)
    has_neighbour = False
    for action, facing in DIRECTIONS.items():
        dx, dy = facing.delta
        target = (place.x + dx, place.y + dy)
        is_faced = place.facing is facing
        if target in standing:
            has_neighbour = True
            if is_faced and not can_push:
                blocked[action] = _STANDING_THERE
        elif not _is_way(view, grid, place.x, place.y, facing) and (
            is_faced or not view.answers(place.x, place.y, facing)
        ):
            blocked[action] = _WALL
    if not view.answers(place.x, place.y, place.facing):
        blocked[Action.A] = _NOTHING_AHEAD
    if not has_neighbour and len(blocked) < len(Action) - 1:
        blocked[Action.NOOP] = _FREE_WAIT


def _is_way(view: MapView, grid: NDArray[np.uint32], x: int, y: int, facing: Facing) -> bool:
    """Return whether pressing a direction can lead somewhere: walk, swim, hop, leave by a mat."""
    here = grid.item(y + MAP_BORDER, x + MAP_BORDER)
    if here & (Terrain.MATS[facing] | Terrain.HOPS[facing]):
        return True
    dx, dy = facing.delta
    if not view.contains(x + dx, y + dy) and SIDES[facing] not in view.connections:
        return False
    open_to = Terrain.WALKABLE | here & Terrain.WATER
    return bool(grid.item(y + dy + MAP_BORDER, x + dx + MAP_BORDER) & open_to)
