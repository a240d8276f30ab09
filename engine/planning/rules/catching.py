"""Catch wild creatures: which ones, how far they are weakened before, and with which ball."""

from collections.abc import Mapping

from engine.games.base import GameTables
from engine.planning.rules.answers import Wishes
from engine.planning.rules.damage import expected_damage, usable_moves
from engine.planning.rules.items import BALL_POCKET, ItemUse
from engine.types import Bag, Battle, BattleKind, Creature

_CATCHABLE, _CATCHABLE_FOR_SURE = 0.6, 0.35
"""Shares of health down to which any creature is weakened, and one that is looked for."""
_TOO_WEAK = 0.3
"""Share of the own health below which nobody is weakened any more."""

_SLEEP_MOVES = frozenset(
    {"SPORE", "SLEEP POWDER", "LOVELY KISS", "HYPNOSIS", "GRASSWHISTLE", "SING"}
)

_QUALITY: Mapping[str, int] = {"GREAT BALL": 1, "ULTRA BALL": 2}
"""Of balls, by name; others have 0."""
_MASTER_BALL = "MASTER BALL"
_HIGH_LEVEL = 15
"""Level from which the best ball is thrown first."""


def is_wanted(battle: Battle, wishes: Wishes, bag: Bag) -> bool:
    """Return whether the wild creature is to be caught, and there is a ball for it."""
    enemy = battle.enemy
    if enemy is None or battle.kind is not BattleKind.WILD or not bag.balls:
        return False
    return wishes.wants_catch and (not wishes.species or enemy.species in wishes.species)


def is_in_the_way(battle: Battle, wishes: Wishes, bag: Bag) -> bool:
    """Return whether another species is looked for than that of the wild creature."""
    is_looking = wishes.wants_catch and wishes.species and bag.balls
    return bool(is_looking) and not is_wanted(battle, wishes, bag)


def weakening_move(
    tables: GameTables, own: Creature, enemy: Creature, wishes: Wishes
) -> int | None:
    """Return the slot of the move to use before a ball; None: it is time to throw one."""
    is_looked_for = bool(wishes.species)
    if is_looked_for and own.hp < _TOO_WEAK * own.max_hp:
        return None
    share = _CATCHABLE_FOR_SURE if is_looked_for else _CATCHABLE
    gentle = gentle_move(tables, own, enemy)
    if gentle is not None and enemy.hp > share * enemy.max_hp:
        return gentle
    if not is_looked_for or enemy.status:
        return None
    return next((slot for slot, move in usable_moves(own) if move.name in _SLEEP_MOVES), None)


def gentle_move(tables: GameTables, own: Creature, enemy: Creature) -> int | None:
    """Return the slot of what harms a creature most and leaves it standing; None: nothing does."""
    harms = [(expected_damage(tables, move, own, enemy), -slot) for slot, move in usable_moves(own)]
    gentle = [one for one in harms if 0 < one[0] * 1.1 < enemy.hp]
    return -max(gentle)[1] if gentle else None


def ball_use(tables: GameTables, bag: Bag, enemy: Creature) -> ItemUse | None:
    """Return how to throw the ball that suits a creature; None without any.

    The best are kept for those of high level, and the one that never fails for when there is no
    other.
    """
    sign = -1 if enemy.level >= _HIGH_LEVEL else 1
    names = ((tables.ITEMS.get(item, ""), item) for item, count in bag.balls if count)
    ranked = [(name == _MASTER_BALL, sign * _QUALITY.get(name, 0), item) for name, item in names]
    if not ranked:
        return None
    return ItemUse(min(ranked)[2], BALL_POCKET, None, f"throw a ball at {enemy.name}")
