"""Teach moves from machines to who can learn them, and learn moves that are worth it."""

from collections.abc import Collection
from typing import Any

from engine.games.base import Atlas, GameTables
from engine.planning.rules.damage import expected_damage
from engine.planning.rules.items import (
    MACHINE_POCKET,
    ItemUse,
    Suggestion,
    choose_item,
    confirm_use,
    is_replacement,
    is_use_menu,
    prompt_of,
    says,
    to_entry,
    to_row,
    words,
)
from engine.types import Action, Battle, Creature, GameState, Move, Prompt

_MOST_MOVES = 4
_KEPT = frozenset({"FLY", "FLASH", "DIVE"})
"""Moves that no rule needs and that cannot be forgotten either."""
_REFUSALS = ("not compatible", "can't learn", "cannot learn", "can't be learned", "already knows")
_FULL = ("learn more", "knows four")
"""Of the texts that say that a move must go: no refusals, though they begin like some."""
_EGG = "EGG"

_FIELD_MOVES = frozenset(
    {
        "CUT", "FLY", "SURF", "STRENGTH", "FLASH", "WHIRLPOOL", "WATERFALL", "ROCK SMASH", "DIVE",
    }
)  # fmt: skip
"""Moves that open ways: they are not forgotten, and most of them cannot be."""


class Teacher:
    """Choose what to teach to whom; remembers who turned out not to be able to learn it.

    Args:
        tables: Of machines, moves and who can learn them.
        atlas: Names the moves that open ways.
    """

    def __init__(self, tables: GameTables, atlas: Atlas) -> None:
        self._tables = tables
        self._moves = {move for move, _ in atlas.field_moves.values()}
        self.reset()

    def reset(self) -> None:
        """Start an episode."""
        self._refused: set[tuple[int, int]] = set()  # machine and species
        self._given_up: set[int] = set()  # machines, until the story goes on
        self._num_reached = 0

    def notice(self, state: GameState, num_reached: int) -> None:
        """Note a state, and in it whether somebody cannot learn what is being taught."""
        if num_reached != self._num_reached:
            self._num_reached = num_reached
            self._given_up.clear()
        is_read = state.battle is None and prompt_of(state) is Prompt.TEXT  # all of it is shown
        is_refusal = is_read and says(state, *_REFUSALS) and not says(state, *_FULL)
        if is_refusal and (use := self.lesson(state)) and use.slot is not None:
            self._refused.add((use.item, state.party[use.slot].species))

    def give_up(self, use: ItemUse) -> None:
        """Note that teaching led to nothing."""
        self._given_up.add(use.item)

    def lesson(self, state: GameState) -> ItemUse | None:
        """Return how to teach a move that opens ways and that nobody knows; None: there is none."""
        if not state.bag.machines or not state.party:
            return None
        known = {move.name for one in state.party for move in one.moves}
        for item, _ in state.bag.machines:
            name = self._tables.MACHINES.get(item, "")
            if name in self._moves - known and item not in self._given_up:
                learner = self._learner(state, item, name)
                if learner is not None:
                    return learner
        return None

    def can_learn(self, state: GameState, move: str) -> bool:
        """Return whether one of the party can learn a move for which a place can be made."""
        items = (item for item, name in self._tables.MACHINES.items() if name == move)
        return any(self._learner(state, item, move) is not None for item in items)

    def save(self) -> list[Any]:
        """Return all of it, JSON-able."""
        return [[list(one) for one in sorted(self._refused)], sorted(self._given_up),
                self._num_reached]  # fmt: skip

    def load(self, saved: list[Any]) -> None:
        """Put back what `save` returned."""
        refused, given_up, self._num_reached = saved
        self._refused = {(item, species) for item, species in refused}
        self._given_up = set(given_up)

    def _learner(self, state: GameState, item: int, move: str) -> ItemUse | None:
        """Return how to teach a machine to the one who loses least by it."""
        able = self._tables.LEARNERS.get(move)
        choices = [
            (lost, one.level, slot, forget)
            for slot, one in enumerate(state.party)
            if one.name != _EGG
            and (able is None or one.species in able)
            and (item, one.species) not in self._refused
            and (place := self._place(one)) is not None
            for lost, forget in [place]
        ]
        if not choices:
            return None
        _, _, slot, forget = min(choices)
        why = f"teach {move} to {state.party[slot].name}"
        return ItemUse(item, MACHINE_POCKET, slot, why, forget, move)

    def _place(self, one: Creature) -> tuple[float, int] | None:
        """Return what is lost by another move, and in which place; None: all moves open ways.

        Less than nothing is lost, and the place is -1, where there is room.
        """
        if len(one.moves) < _MOST_MOVES:
            return -1.0, -1
        values = (
            (self._value(move.id), slot)
            for slot, move in enumerate(one.moves)
            if move.name not in self._moves | _KEPT
        )
        return min(values, default=None)

    def _value(self, move: int) -> float:
        facts = self._tables.MOVES.get(move)
        return facts[2] * facts[3] / 100 if facts else 0.0


def teach_menu(state: GameState, use: ItemUse) -> Suggestion:
    """Answer a menu on the way to teaching a machine, by what the menu shows."""
    shown = words(state)
    learner = state.party[use.slot] if use.slot is not None else None
    if learner is not None and len(learner.moves) == _MOST_MOVES:
        names = [move.name for move in learner.moves]
        if shown.issuperset(names):
            if not state.control.cursor[0]:
                return Action.B, "the cursor is not known: keep the current moves"
            return to_row(state, use.forget + 1), f"forget {names[use.forget]}: {use.why}"
    if is_use_menu(state) or "TEACH" in {line.upper() for line in shown}:
        return confirm_use(state, use)
    if use.slot is not None and _is_party(state):
        return to_row(state, use.slot + 1), use.why
    if state.control.pocket == MACHINE_POCKET and use.move in shown:
        return to_entry(state, use.move), use.why
    return choose_item(state, use)


def _is_party(state: GameState) -> bool:
    """Return whether a list shows the party, or asks for one of it."""
    is_listed = words(state).issuperset(one.name for one in state.party)
    return state.control.menu_size[0] > len(state.party) and (
        is_listed or says(state, "which", "whom")
    )


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
