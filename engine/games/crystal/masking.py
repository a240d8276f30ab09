"""Say which actions can have no effect now, each with the reason."""

import numpy as np
from numpy.typing import NDArray

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
    Terrain,
)

_NO_CREATURE = "the menu holds nothing before the first creature"
_UNUSED = "nothing uses it"
_NOBODY_HURT = "nobody is hurt, or nothing in the bag helps"
_OPTIONS_SET = "the options are set for speed, and the run saves itself"
_UNUSED_IN_BATTLE = "a battle does not use it"
_WALL = "the way is blocked and nothing there answers"
_STANDING_THERE = "someone or something is in the way and already faced"
_NOTHING_AHEAD = "nothing ahead answers"
_BOX_WAITS = "the text box waits for A or B"
_MENU_WAITS = "nothing moves while a menu waits"
_ONE_COLUMN = "the menu has one column"
_SCRIPTED = "the game is moving by itself"
_FREE_WAIT = "nothing is worth waiting for"
_NOTHING_TO_CANCEL = "there is nothing to cancel while walking"

_NO_MOVE_LEFT = "this move has no points left"
_NO_OTHER = "no other creature can fight"
_NOTHING_TO_USE = "the bag holds nothing of use here"
_NO_ESCAPE = "there is no running from a trainer"
_NOTHING_TO_LEAVE = "the fight cannot be left this way"
_CURSOR_EDGE = "the cursor is at the edge"
_TEAM, _BAG, _RUN = (1, 2), (2, 1), (2, 2)
"""Cursor (row, column) of the entries of a battle's first menu beside FIGHT."""
_IDLE_ENTRIES = ("▶OPTION", "▶SAVE")
_FIGHTERS_TO_SWITCH = 2
_HURT = 0.5
"""Share of its health below which a creature is worth a visit to the bag."""

NO_INPUT: dict[int, str] = {
    action: _SCRIPTED for action in Action if action not in {Action.A, Action.B, Action.NOOP}
}


def blocked_actions(state: GameState, *, is_select_used: bool = True) -> dict[int, str]:
    """Return the actions that are of no use now, with the reason for each; never all of them.

    Args:
        state: The game at rest.
        is_select_used: The game gives SELECT a meaning.
    """
    control = state.control
    if not control.in_game:
        return {}
    blocked: dict[int, str] = {}
    if not state.party:
        blocked[Action.START] = blocked[Action.SELECT] = _NO_CREATURE
    elif not is_select_used:
        blocked[Action.SELECT] = _UNUSED
    if control.in_menu:
        _block_in_menu(state, blocked)
    elif control.in_text:
        blocked |= dict.fromkeys((*DIRECTIONS, Action.START, Action.SELECT), _BOX_WAITS)
        blocked[Action.NOOP] = _BOX_WAITS
    elif control.is_free:
        _block_on_foot(state, blocked)
        if state.party and not _needs_menu(state):
            blocked[Action.START] = _NOBODY_HURT
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


def _needs_menu(state: GameState) -> bool:
    """Return whether the START menu holds something that helps: a hurt creature and an item."""
    is_hurt = any(c.hp < _HURT * c.max_hp or c.status for c in state.party)
    return is_hurt and bool(state.bag.items)


def _block_on_foot(state: GameState, blocked: dict[int, str]) -> None:
    blocked[Action.B] = _NOTHING_TO_CANCEL
    place, view = state.place, state.map
    grid = view.bordered
    if grid is None or place.x >= view.width or place.y >= view.height:
        return
    standing = {(thing.x, thing.y) for thing in view.objects}
    has_neighbour = False
    for action, facing in DIRECTIONS.items():
        dx, dy = facing.delta
        target = (place.x + dx, place.y + dy)
        is_faced = place.facing is facing
        if target in standing:
            has_neighbour = True
            if is_faced:
                blocked[action] = _STANDING_THERE
        elif not _is_way(view, grid, place.x, place.y, facing) and (
            is_faced or not view.answers(place.x, place.y, facing)
        ):
            blocked[action] = _WALL
    if not view.answers(place.x, place.y, place.facing):
        blocked[Action.A] = _NOTHING_AHEAD
    if not has_neighbour and len(blocked) < len(Action) - 1:
        blocked[Action.NOOP] = _FREE_WAIT


def _is_way(view: MapView, grid: NDArray[np.uint16], x: int, y: int, facing: Facing) -> bool:
    """Return whether pressing a direction can lead somewhere: walk, hop, leave by a mat."""
    if int(grid[y + MAP_BORDER, x + MAP_BORDER]) & (Terrain.MATS[facing] | Terrain.HOPS[facing]):
        return True
    dx, dy = facing.delta
    if not view.contains(x + dx, y + dy) and SIDES[facing] not in view.connections:
        return False
    return bool(grid[y + dy + MAP_BORDER, x + dx + MAP_BORDER] & Terrain.WALKABLE)
