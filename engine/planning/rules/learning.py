"""Decide which moves are worth learning, and which one makes room."""

from collections.abc import Collection

from engine.games.base import GameTables
from engine.planning.rules.damage import expected_damage
from engine.planning.rules.items import Suggestion, is_replacement, to_row, words
from engine.types import Action, Battle, Creature, GameState, Move

_FIELD_MOVES = frozenset(
    {
        "CUT", "FLY", "SURF", "STRENGTH", "FLASH", "WHIRLPOOL", "WATERFALL", "ROCK SMASH", "DIVE",
    }
)  # fmt: skip
"""Moves that open ways: they are not forgotten, and most of them cannot be."""


def keeping_value(tables: GameTables, move: Move, own: Creature) -> float:
    """Return what a move is worth to keep: its damage against no particular enemy."""
    return expected_damage(tables, move, own, None) * tables.MOVES[move.id][3] / 100


def weakest_move(tables: GameTables, own: Creature) -> tuple[float, int] | None:
    """Return (value, slot) of the move to give up first; None: all of them open ways."""
    values = (
        (keeping_value(tables, move, own), slot)
        for slot, move in enumerate(own.moves)
        if move.id in tables.MOVES and move.name not in _FIELD_MOVES
    )
    return min(values, default=None)


def is_better_move(tables: GameTables, state: GameState, battle: Battle) -> bool:
    """Return whether the move that the question names beats the weakest that is known."""
    own = _learner(state, battle)
    weakest = weakest_move(tables, own) if own else None
    if own is None or weakest is None:
        return False
    text = " ".join(state.screen_text).upper()
    named = [facts[0] for facts in tables.MOVES.values() if f" {facts[0]}?" in f" {text}"]
    return _beats(tables, named, own, weakest[0])


def _beats(tables: GameTables, names: Collection[str], own: Creature, value: float) -> bool:
    """Return whether any of the named moves is new and worth more to its learner."""
    known = {move.id for move in own.moves}
    new = (
        Move(number, facts[0], facts[4])
        for number, facts in tables.MOVES.items()
        if number not in known and facts[0] in names
    )
    return any(keeping_value(tables, move, own) > value for move in new)


def forget_menu(tables: GameTables, state: GameState, battle: Battle) -> Suggestion:
    """Give up the weakest move; where all may be kept, only one that does no harm.

    Where the new move is listed as well, that one goes unless it beats the weakest.
    """
    own, keep = _learner(state, battle), "keep the current moves"
    weakest = weakest_move(tables, own) if own else None
    if own is None or weakest is None or not state.control.cursor[0]:
        return Action.B, keep
    shown = words(state)
    is_listed = all(move.name in shown for move in own.moves)
    if is_replacement(state) and not (is_listed and _beats(tables, shown, own, weakest[0])):
        return to_row(state, state.control.menu_size[0]), keep
    if "KEEP ALL" in shown and weakest[0] > 0:
        return Action.B, keep
    return to_row(state, weakest[1] + 1), f"forget {own.moves[weakest[1]].name} for the new move"


def _learner(state: GameState, battle: Battle) -> Creature | None:
    """Return who learns: whose moves are listed, which need not be who fights.

    The new move may be listed as well, so who knows most of the moves counts.
    """
    shown = words(state)
    listed = (
        one for one in state.party if one.moves and all(move.name in shown for move in one.moves)
    )
    return max(listed, key=lambda one: len(one.moves), default=battle.own)
