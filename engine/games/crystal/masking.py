"""Say which actions can have no effect now, each with the reason."""

from collections.abc import Iterable, Mapping

from engine.games import masking as shared
from engine.games.base import BattleCells, GameTables, MenuKind, Tune, menu_kind
from engine.games.masking import MenuUses
from engine.types import DIRECTIONS, Action, GameState, Prompt

_SPINNER = "UP and DOWN choose, A confirms"
_FREE_WAIT = "there is nothing to wait for"
_EVOLVING, _EVOLVES = "evolving", "B would stop the evolution"
_CARDS = "the Pokégear takes directions, A and B"
_IDLE_ENTRIES = ("▶OPTION", "▶SAVE")


def _but(reason: str, *useful: Action) -> dict[int, str]:
    return {action: reason for action in Action if action not in useful}


_NO_INPUT = _but(shared.SCRIPTED, Action.A, Action.B, Action.NOOP)
_OF_PROMPT: Mapping[Prompt, Mapping[int, str]] = {
    Prompt.PRINTING: _but(shared.PRINTING, Action.A, Action.B, Action.NOOP),
    Prompt.TEXT: _but(shared.BOX_WAITS, Action.A, Action.B),
    Prompt.NAMING: _but(shared.NO_LETTER, Action.A, Action.B, Action.START, *DIRECTIONS),
    Prompt.SPINNER: _but(_SPINNER, Action.A, Action.UP, Action.DOWN),
    Prompt.QUANTITY: _but(shared.MENU_WAITS, Action.A, Action.B, *DIRECTIONS),
    Prompt.SCREEN: {Action.NOOP: shared.SCREEN_WAITS},
}
"""What is of no use where the prompt alone says it."""


def menu_uses(tables: GameTables) -> MenuUses:
    """Return what the START menu can be good for."""
    return MenuUses.of(tables, flash_badge=0, HM06="WHIRLPOOL")


def blocked_actions(
    state: GameState, uses: MenuUses, *, is_select_used: bool = True
) -> dict[int, str]:
    """Return the actions that are of no use now, with the reason for each; never all of them.

    Args:
        state: The game at rest.
        uses: Says whether the START menu holds something to do; its tables say how a battle's
            first menu is laid out.
        is_select_used: The game gives SELECT a meaning.
    """
    control = state.control
    if not control.in_game:
        return {}
    if not (control.is_free or control.in_menu) and _is_evolving(state):
        return _but(_EVOLVES, Action.A, Action.NOOP)
    if control.card:
        return _but(_CARDS, Action.A, Action.B, Action.NOOP, *DIRECTIONS)
    if control.prompt in _OF_PROMPT:
        return dict(_OF_PROMPT[control.prompt])
    blocked: dict[int, str] = {}
    if not state.party:
        blocked[Action.START] = blocked[Action.SELECT] = shared.NO_CREATURE
    elif not is_select_used:
        blocked[Action.SELECT] = shared.UNUSED
    if control.in_menu:
        _block_in_menu(state, uses.tables.BATTLE_CELLS, blocked)
    elif control.is_free:
        if not shared.block_on_foot(state, blocked) and len(blocked) < len(Action) - 1:
            blocked[Action.NOOP] = _FREE_WAIT
        if state.party and not uses.has_any(state):
            blocked[Action.START] = shared.MENU_IDLE
        _unblock_before_listener(state, uses.tables.TUNES, blocked)
    elif control.is_scripted or control.in_transition or state.battle is not None:
        blocked |= _NO_INPUT
    return blocked


def _unblock_before_listener(
    state: GameState, tunes: Iterable[Tune], blocked: dict[int, str]
) -> None:
    """Let A through before who listens to the radio, 2 x 2 tiles large, and START to tune it."""
    dx, dy = state.place.facing.delta
    ahead_x, ahead_y = state.place.x + dx, state.place.y + dy
    standing = {(thing.x, thing.y) for thing in state.map.objects}
    for tune in tunes:
        x, y = tune.person
        is_ahead = ahead_x - x in (0, 1) and ahead_y - y in (0, 1)
        if tune.place == state.place.map and tune.person in standing and is_ahead:
            blocked.pop(Action.A, None)
            if state.music != tune.music:
                blocked.pop(Action.START, None)


def _is_evolving(state: GameState) -> bool:
    return any(_EVOLVING in line for line in state.screen_text)


def _block_in_menu(state: GameState, cells: BattleCells, blocked: dict[int, str]) -> None:
    blocked[Action.NOOP] = shared.MENU_WAITS
    if state.battle is not None:
        blocked[Action.START] = blocked[Action.SELECT] = shared.UNUSED_IN_BATTLE
    kind = menu_kind(state)
    if kind in {MenuKind.MOVES, MenuKind.YES_NO, MenuKind.START}:
        blocked[Action.LEFT] = blocked[Action.RIGHT] = shared.ONE_COLUMN
    if kind is MenuKind.BATTLE:
        row, column = state.control.cursor
        blocked[Action.UP if row == 1 else Action.DOWN] = shared.CURSOR_EDGE
        blocked[Action.LEFT if column == 1 else Action.RIGHT] = shared.CURSOR_EDGE
        shared.block_in_battle_menu(state, cells, blocked)
    elif kind is MenuKind.MOVES:
        moves = shared.own_moves(state)
        if len(moves) == 1:
            blocked[Action.UP] = blocked[Action.DOWN] = shared.CURSOR_EDGE
        shared.block_empty_move(moves, state.control.cursor[0] - 1, blocked)
    if kind is MenuKind.START and any(line.startswith(_IDLE_ENTRIES) for line in state.screen_text):
        blocked[Action.A] = shared.OPTIONS_SET
    if kind is MenuKind.YES_NO:
        blocked[Action.START] = blocked[Action.SELECT] = shared.MENU_WAITS
