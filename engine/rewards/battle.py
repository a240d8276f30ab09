"""Pay for fighting well and for a stronger party, charge for being beaten."""

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


HEAL_WORTH = 0.3
"""Share of the party's health that must come back at once for a heal to count."""

_LEVEL_DECAY = 0.15


class LevelReward:
    """Pay for each level of the strongest creature above the level the first one came with.

    The n-th such level pays 1 / (1 + 0.15 n).

    Farming: a running maximum, so depositing, withdrawing or losing a creature pays nothing, and
    levels are worth less and less, so that grinding is soon worse than getting on.
    """

    name = "level"

    def reset(self, state: GameState) -> None:
        """Take the levels at the start as given."""
        self._first = self._best = _best_level(state)

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return what new levels are worth."""
        if step.current.party is step.previous.party and self._best:
            return 0.0
        best = _best_level(step.current)
        if not self._best:
            self._first = self._best = best
        if best <= self._best:
            return 0.0
        worth = sum(
            1.0 / (1.0 + _LEVEL_DECAY * (level - self._first - 1))
            for level in range(self._best + 1, best + 1)
        )
        strongest = max(step.current.party, key=lambda creature: creature.level)
        payments.note(f"{strongest.name} reached level {best}")
        self._best = best
        return worth

    def save(self) -> Any:
        """Return the first and the best level."""
        return [self._first, self._best]

    def restore(self, saved: Any) -> None:
        """Put the first and the best level back."""
        self._first, self._best = int(saved[0]), int(saved[1])


class CatchReward:
    """Pay 1 for each species more that counts as caught after a wild battle than ever before.

    Farming: a running maximum of the game's own count of species, so the same species again, boxes
    and releases pay nothing. A gift or a trade raises the maximum unpaid: the first creature is
    a milestone already.
    """

    name = "catch"

    def reset(self, state: GameState) -> None:
        """Take the species at the start as caught."""
        self._most = state.caught

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return the number of species caught."""
        caught = step.current.caught - self._most
        if caught <= 0:
            return 0.0
        self._most = step.current.caught
        # The species is noted before the battle ends, so the step began in it.
        battle = step.previous.battle
        if battle is None or battle.kind is not BattleKind.WILD:
            return 0.0
        name = battle.enemy.name if battle.enemy is not None else "a new species"
        payments.note(f"caught {name} for the first time")
        return float(caught)

    def save(self) -> Any:
        """Return the most species that ever counted as caught."""
        return self._most

    def restore(self, saved: Any) -> None:
        """Put back what `save` returned."""
        self._most = int(saved)


class HealReward:
    """Pay the share of health restored by a rest, once a milestone.

    Farming: health differences can be had again and again (a creature that drains, a bed, a
    centre), so at most one rest between two milestones pays, only outside of battle, only for a
    restored share above `HEAL_WORTH`, and never for waking up after a defeat.
    """

    name = "heal"

    def reset(self, state: GameState) -> None:
        """A rest may be paid."""
        self._is_open = True

    def pay(self, step: Transition, payments: Payments) -> float:
        """Return the share restored."""
        if step.reached:
            self._is_open = True
        before, now = step.previous, step.current
        if (
            not self._is_open
            or now.party is before.party
            or len(now.party) != len(before.party)
            or now.battle is not None
            or before.battle is not None
            or step.has_whited_out
        ):
            return 0.0
        health = party_health(before)
        restored = party_health(now) - health
        if restored < HEAL_WORTH or health <= 0.0:
            return 0.0
        self._is_open = False
        payments.note("the party rested")
        return restored

    def save(self) -> Any:
        """Return whether a rest may be paid."""
        return self._is_open

    def restore(self, saved: Any) -> None:
        """Put back whether a rest may be paid."""
        self._is_open = bool(saved)


def party_health(state: GameState) -> float:
    """Return the party's health, 0 to 1."""
    total = sum(creature.max_hp for creature in state.party)
    return sum(creature.hp for creature in state.party) / total if total else 0.0


def _best_level(state: GameState) -> int:
    return max((creature.level for creature in state.party), default=0)
