"""Fight sensibly: the best move by power, type and accuracy, or run, switch, catch."""

from collections.abc import Collection

from engine.games.base import GameTables
from engine.games.matchup import strength
from engine.games.menus import MenuKind, menu_kind
from engine.types import Action, Battle, BattleKind, Creature, GameState

Suggestion = tuple[Action, str]
"""A button and why."""

_WEAK = 0.3
"""Share of health below which a wild battle is not worth it."""

_CATCHABLE = 0.6
"""Share of health below which a wild creature is worth a ball."""

# Cells of the battle's first menu, (row, column).
_FIGHT, _TEAM, _BAG, _RUN = (1, 1), (1, 2), (2, 1), (2, 2)


def battle_button(
    tables: GameTables, state: GameState, *, wants_catch: bool, wants_run: bool | None
) -> Suggestion:
    """Return a button for a battle's menus and messages.

    Args:
        tables: Moves and type chart of the game.
        state: In a battle.
        wants_catch: A new creature would be welcome.
        wants_run: Leave a wild battle, or never; None: when it is wise.
    """
    battle = state.battle
    assert battle is not None
    match menu_kind(state):
        case MenuKind.NONE:
            return Action.B, "let the battle go on"
        case MenuKind.YES_NO:
            return Action.B, "no to the question"
        case MenuKind.BATTLE:
            return _first_menu(state, battle, wants_catch=wants_catch, wants_run=wants_run)
        case MenuKind.MOVES:
            return _move_menu(tables, state, battle)
        case _:
            return _other_menu(tables, state, battle, wants_catch=wants_catch)


def _first_menu(
    state: GameState, battle: Battle, *, wants_catch: bool, wants_run: bool | None
) -> Suggestion:
    own, enemy = battle.own, battle.enemy
    if own is None or enemy is None:
        return Action.B, "wait for both sides"
    if battle.kind is BattleKind.WILD:
        if wants_run:
            return _to_cell(state, _RUN), f"run from {enemy.name}"
        if wants_catch and state.bag.balls and enemy.hp <= _CATCHABLE * enemy.max_hp:
            return _to_cell(state, _BAG), f"a ball for {enemy.name}"
        is_own_weak = own.hp / max(1, own.max_hp) < _WEAK
        if wants_run is None and is_own_weak and enemy.hp > 0.3 * enemy.max_hp:
            return _to_cell(state, _RUN), f"{own.name} is weak: run"
    return _to_cell(state, _FIGHT), f"fight {enemy.name}"


def _move_menu(tables: GameTables, state: GameState, battle: Battle) -> Suggestion:
    own = battle.own
    if own is None:
        return Action.B, "no creature to command"
    usable = [
        (strength(tables, move.id, own, battle.enemy), -slot)
        for slot, move in enumerate(own.moves)
        if move.points
    ]
    if not usable:
        return Action.B, "no points left"
    slot = -max(usable)[1]
    return _to_row(state, slot + 1), f"{own.moves[slot].name} is the best move"


def _other_menu(
    tables: GameTables, state: GameState, battle: Battle, *, wants_catch: bool
) -> Suggestion:
    own = battle.own
    if own is not None and own.hp == 0 and state.control.menu_size == (len(state.party), 1):
        return _next_creature(tables, state, battle)
    words = {line.strip("▶▷◀◁ ") for line in state.screen_text}
    if "KEEP ALL" in words:
        return _forget_menu(tables, state, battle)
    if wants_catch and battle.kind is BattleKind.WILD:
        if "BALLS" in words:
            return _to_row(state, 1), "throw a ball"
        if words & {"ITEMS", "KEY ITEMS"}:
            return Action.RIGHT, "look for the balls"
    return Action.B, "close this menu"


def _next_creature(tables: GameTables, state: GameState, battle: Battle) -> Suggestion:
    """Send the creature with the strongest move against the enemy."""
    own = battle.own
    # The party's copy of the creature in battle may lag.
    fainted = (own.species, own.level, own.hp) if own else None
    alive = [
        (
            max(
                (strength(tables, move.id, one, battle.enemy) for move in one.moves),
                default=0.0,
            ),
            -i,
        )
        for i, one in enumerate(state.party)
        if one.hp > 0 and (one.species, one.level, one.hp) != fainted
    ]
    if not alive:
        return Action.A, "nobody is left"
    index = -max(alive)[1]
    return _to_row(state, index + 1), f"send {state.party[index].name}"


def _forget_menu(tables: GameTables, state: GameState, battle: Battle) -> Suggestion:
    for slot, move in enumerate(battle.own.moves if battle.own else ()):
        facts = tables.MOVES.get(move.id)
        if facts is not None and facts[2] == 0:
            return _to_row(state, slot + 1), f"forget {move.name} for the new move"
    return Action.B, "keep the moves"


def is_weak(party: Collection[Creature], share: float) -> bool:
    """Return whether the strongest creature is below this share of health, or has no points."""
    fit = [one for one in party if one.hp > 0]
    if not party:
        return False
    if not fit:
        return True
    best = max(fit, key=lambda one: one.level)
    has_points = any(move.points for move in best.moves) if best.moves else True
    return best.hp < share * best.max_hp or not has_points


def _to_cell(state: GameState, cell: tuple[int, int]) -> Action:
    """Return the button that moves the cursor to (row, column), or A there."""
    row, column = state.control.cursor
    if row != cell[0]:
        return Action.DOWN if row < cell[0] else Action.UP
    if column != cell[1]:
        return Action.RIGHT if column < cell[1] else Action.LEFT
    return Action.A


def _to_row(state: GameState, row: int) -> Action:
    return _to_cell(state, (row, state.control.cursor[1]))
