"""Say which actions can have no effect now, each with the reason."""

from collections.abc import Mapping

from engine.games import masking as shared
from engine.games.base import BattleCells, GameTables, MenuKind, menu_kind
from engine.games.masking import MenuUses
from engine.types import DIRECTIONS, GAME_BOY_ADVANCE_ACTIONS, Action, GameState, Prompt

_COUNT = len(GAME_BOY_ADVANCE_ACTIONS)
_L, _R = (GAME_BOY_ADVANCE_ACTIONS.names.index(name) for name in ("L", "R"))
_WAIT = GAME_BOY_ADVANCE_ACTIONS.idle

_IDLE_ENTRIES = ("▶OPTION", "▶SAVE", "▶POKéNAV", "▶POKéDEX")
_COLUMNS = 2
"""Of a battle's menus."""

_SELECT = "only registered items and the order of moves need it"
_NEVER: Mapping[int, str] = {_L: shared.UNUSED, _R: shared.UNUSED, Action.SELECT: _SELECT}
_EVOLVING, _EVOLVES = "evolving", "B would stop the evolution"
_PASSING = 2
"""Tiles from which somebody may come past the tile ahead in a moment."""


def _but(reason: str, *useful: int) -> dict[int, str]:
    """Give all actions a reason but `useful`, and those of `_NEVER`, which have one."""
    return {
        action: reason for action in range(_COUNT) if action not in useful and action not in _NEVER
    }


_OF_PROMPT: Mapping[Prompt, dict[int, str]] = {
    Prompt.PRINTING: _but(shared.PRINTING, Action.A, Action.B),
    Prompt.TEXT: _but(shared.BOX_WAITS, Action.A, Action.B),
    Prompt.NAMING: _but(shared.NO_LETTER, Action.A, Action.B, Action.START, *DIRECTIONS),
    Prompt.QUANTITY: _but(shared.MENU_WAITS, Action.A, Action.B, *DIRECTIONS),
    Prompt.SCREEN: _but(shared.SCREEN_WAITS, Action.A, Action.B, *DIRECTIONS),
}
"""What is of no use where the prompt alone says it."""
_NO_INPUT = _but(shared.SCRIPTED, Action.A, Action.B)


def menu_uses(tables: GameTables) -> MenuUses:
    """Return what the START menu can be good for."""
    return MenuUses.of(tables, flash_badge=1, HM06="ROCK SMASH", HM08="DIVE")


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
    if control.is_busy:
        del blocked[_WAIT]
    if control.is_busy and any(_EVOLVING in line for line in state.screen_text):
        return blocked | _but(_EVOLVES, Action.A, _WAIT)
    if control.prompt in _OF_PROMPT:
        return blocked | _OF_PROMPT[control.prompt]
    if not state.party:
        blocked[Action.START] = shared.NO_CREATURE
    if control.in_menu:
        _block_in_menu(state, uses.tables.BATTLE_CELLS, blocked)
    elif control.is_free:
        may_wait = shared.block_on_foot(state, blocked)
        if _may_come_past(state):
            blocked.pop(Action.A, None)
        if state.party and not uses.has_any(state):
            blocked[Action.START] = shared.MENU_IDLE
        if may_wait or len(blocked) == _COUNT:
            del blocked[_WAIT]
    elif control.is_scripted or control.in_transition or state.battle is not None:
        blocked |= _NO_INPUT
    return blocked


def _may_come_past(state: GameState) -> bool:
    """Return whether somebody is near enough to stand ahead of the player in a moment."""
    dx, dy = state.place.facing.delta
    x, y = state.place.x + dx, state.place.y + dy
    return any(abs(one.x - x) + abs(one.y - y) <= _PASSING for one in state.map.objects)


def _block_in_menu(state: GameState, cells: BattleCells, blocked: dict[int, str]) -> None:
    blocked[Action.START] = (
        shared.UNUSED_IN_BATTLE if state.battle is not None else shared.MENU_WAITS
    )
    kind = menu_kind(state)
    if kind in {MenuKind.YES_NO, MenuKind.START} or state.control.menu_size[1] == 1:
        blocked[Action.LEFT] = blocked[Action.RIGHT] = shared.ONE_COLUMN
    if kind is MenuKind.BATTLE:
        _block_edges(state, 2 * _COLUMNS, blocked)
        shared.block_in_battle_menu(state, cells, blocked)
    elif kind is MenuKind.MOVES and state.control.menu_size[1] == _COLUMNS:
        moves = shared.own_moves(state)
        _block_edges(state, len(moves), blocked)
        shared.block_empty_move(moves, _chosen(state), blocked)
    elif kind is MenuKind.START:
        del blocked[Action.START]  # it closes the menu
        if any(line.startswith(_IDLE_ENTRIES) for line in state.screen_text):
            blocked[Action.A] = shared.OPTIONS_SET
    elif state.control.pocket or state.control.selection:
        # A bag's list: its pockets lie beside one another.
        blocked.pop(Action.LEFT, None)
        blocked.pop(Action.RIGHT, None)


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
            blocked[action] = shared.CURSOR_EDGE


def _chosen(state: GameState) -> int:
    """Return the number of the entry under the cursor in a menu of two columns."""
    row, column = state.control.cursor
    return _COLUMNS * (row - 1) + column - 1
