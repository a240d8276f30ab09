"""Pay for fighting well, charge for being beaten."""

import math
from typing import Any

from engine.rewards.base import Payments, RewardComponent, Transition
from engine.types import Battle, BattleKind, Creature, GameState

WILD_WINS_PAID = 8
"""Wild battles an episode that pay; each less than the one before."""

WILD_SHARE = 0.3
"""What the first wild win pays, in shares of a trainer's creature."""

_FAINTED_SHARE = 0.5
"""Of a creature's pay: this much for the last blow, the rest for the damage."""


class BattleReward:
    """Pay for damage to a trainer's creatures and for beating them; a little for wild ones.

    A trainer's creature is worth 1 in all: half by the share of its health that was ever taken,
    half for its fainting. A wild creature pays at its fainting only, a share that shrinks with
    every win and ends after `WILD_WINS_PAID`.

    Farming: a trainer's creature pays for its lowest health only, so retries after a defeat pay
    only what was not reached before, and healing it pays nothing; wild battles run dry. Unlimited
    pay for wild battles made agents grind for ever (reinforcement-learning.md).
    """

    name = "battle"

    def reset(self, state: GameState) -> None:
        """Nobody has been fought."""
        self._lowest: dict[str, float] = {}
        self._wild_wins = 0
        self._is_wild_beaten = False

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return what the step's damage is worth."""
        battle = step.current.battle
        if battle is None:
            self._is_wild_beaten = False
            return 0.0
        if battle.enemy is None:
            return 0.0
        if battle.kind is BattleKind.WILD:
            return self._pay_wild(battle.enemy, payments)
        return self._pay_trainer(battle, battle.enemy, payments)

    def _pay_wild(self, enemy: Creature, payments: Payments) -> float:
        if enemy.hp or self._is_wild_beaten:
            return 0.0
        self._is_wild_beaten = True
        self._wild_wins += 1
        if self._wild_wins > WILD_WINS_PAID:
            return 0.0
        payments.note(f"beat a wild {enemy.name}")
        return WILD_SHARE / math.sqrt(self._wild_wins)

    def _pay_trainer(self, battle: Battle, enemy: Creature, payments: Payments) -> float:
        # The species too: the slot may change a moment before the struct does.
        key = f"{battle.trainer_class}.{battle.trainer_id}.{battle.enemy_slot}.{enemy.species}"
        health = enemy.hp / enemy.max_hp
        lowest = self._lowest.get(key, 1.0)
        if health >= lowest:
            return 0.0
        self._lowest[key] = health
        pay = (lowest - health) * (1.0 - _FAINTED_SHARE)
        if enemy.hp == 0:
            payments.note(f"beat a trainer's {enemy.name}")
            return pay + _FAINTED_SHARE
        payments.note(f"hit a trainer's {enemy.name}: {lowest - health:.0%} of its health")
        return pay

    def save(self) -> Any:
        """Return whom it has paid for."""
        return [self._lowest, self._wild_wins, self._is_wild_beaten]

    def restore(self, saved: Any) -> None:
        """Put back whom it has paid for."""
        self._lowest = {str(key): float(value) for key, value in saved[0].items()}
        self._wild_wins, self._is_wild_beaten = int(saved[1]), bool(saved[2])


class WhiteoutCharge(RewardComponent):
    """Charge 1 for being beaten and carried home.

    Farming: none. It is mild, so that weak play is not taught to avoid all fights.
    """

    name = "whiteout"

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return -1 at a whiteout."""
        if not step.has_whited_out:
            return 0.0
        payments.note("whited out")
        return -1.0
