"""Notice which moves do nothing to the present foe, for whatever reason."""

from collections.abc import Mapping
from typing import Any

from engine.planning.rules.items import prompt_of, says
from engine.types import Battle, Creature, GameState, Prompt

_SURE = ("doesn't affect", "not affected", "no effect", "unaffected", "moves miss with")
"""Texts that say so."""
_BY_CHANCE = ("attack missed", "avoided", "evaded", "protect", "substitute")
"""Texts of a move that could have done something."""
_ENOUGH = 2
"""How often a move is in vain before it is dropped."""


class UselessMoves:
    """Count how often moves were in vain, by species of the present battle's foes.

    A move that is used loses a point. If the foe has the same health and status when the next menu
    opens, and the move did not miss by chance, it was in vain.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Start an episode, or another battle."""
        self._in_vain: dict[tuple[int, int], int] = {}  # species and move
        self._points: dict[int, int] = {}  # of the own creature, by move
        self._own: list[int] = []
        self._foe: list[Any] = []
        self._used = 0
        self._before: list[Any] = []  # the foe when the move was used
        self._is_sure = False

    def notice(self, state: GameState) -> None:
        """Note a state."""
        battle = state.battle
        if battle is None:
            self.reset()
        elif battle.own is not None and battle.enemy is not None:
            self._notice_use(battle, battle.own)
            self._notice_effect(state, battle)
            self._foe = _facts(battle)

    def of(self, battle: Battle | None) -> frozenset[int]:
        """Return the moves that are of no use against the present foe."""
        foe = battle.enemy if battle else None
        counts = self._in_vain.items()
        return frozenset(
            move
            for (species, move), count in counts
            if foe and species == foe.species and count >= _ENOUGH
        )

    def save(self) -> dict[str, Any]:
        """Return all of it, JSON-able."""
        return {
            "in_vain": [[*key, count] for key, count in sorted(self._in_vain.items())],
            "points": [list(one) for one in self._points.items()],
            "own": self._own,
            "foe": self._foe,
            "used": self._used,
            "before": self._before,
            "is_sure": self._is_sure,
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Put back what `save` returned."""
        self._in_vain = {(one[0], one[1]): one[2] for one in saved["in_vain"]}
        self._points = dict(saved["points"])
        self._own, self._foe = list(saved["own"]), list(saved["foe"])
        self._used, self._before = int(saved["used"]), list(saved["before"])
        self._is_sure = bool(saved["is_sure"])

    def _notice_use(self, battle: Battle, own: Creature) -> None:
        who = [battle.own_slot, own.species]
        points = {move.id: move.points for move in own.moves}
        spent = [move for move, left in points.items() if left < self._points.get(move, 0)]
        if who == self._own and len(spent) == 1:
            self._used, self._before, self._is_sure = spent[0], self._foe, False
        elif who != self._own:
            self._used = 0
        self._own, self._points = who, points

    def _notice_effect(self, state: GameState, battle: Battle) -> None:
        if says(state, *_BY_CHANCE):
            self._used = 0
        self._is_sure |= says(state, *_SURE)
        if not self._used or not self._before or prompt_of(state) is not Prompt.MENU:
            return
        key = int(self._before[1]), self._used
        if self._before == _facts(battle):
            self._in_vain[key] = self._in_vain.get(key, 0) + (_ENOUGH if self._is_sure else 1)
        else:
            self._in_vain.pop(key, None)
        self._used = 0


def _facts(battle: Battle) -> list[Any]:
    """Return what a move would change of the foe, and which one it is."""
    foe = battle.enemy
    return [battle.enemy_slot, foe.species, foe.hp, foe.status] if foe else []
