"""Expect the damage of moves, by the formula published for these games."""

import math
from collections.abc import Mapping

from engine.games.base import SAME_TYPE_BONUS, GameTables, effectiveness
from engine.types import Creature, Move

_AVERAGE_ROLL = 0.925
"""The random factor is 0.85 to 1."""
LOWEST_ROLL = 0.85
_SURE = 0.95
"""Chance from which a move counts as one that hits."""

_SPECIAL_TYPES = frozenset(
    {"FIRE", "WATER", "GRASS", "ELECTRIC", "PSYCHIC", "PSYCHIC_TYPE", "ICE", "DRAGON", "DARK"}
)
"""Names of the types that use special attack and defence; their numbers differ between games."""
_ATTACK, _DEFENCE, SPEED, _SPECIAL_ATTACK, _SPECIAL_DEFENCE = range(5)

_FIXED: Mapping[str, int] = {"SONICBOOM": 20, "DRAGON RAGE": 40}
_BY_LEVEL = frozenset({"SEISMIC TOSS", "NIGHT SHADE", "PSYWAVE"})
_POWERS: Mapping[str, float] = {
    # Where the table of moves has one power for what varies or strikes often: a usual one.
    "RETURN": 60, "FRUSTRATION": 30, "HIDDEN POWER": 50, "MAGNITUDE": 70, "PRESENT": 50,
    "FLAIL": 40, "REVERSAL": 40, "DOUBLESLAP": 45, "COMET PUNCH": 54, "FURY ATTACK": 45,
    "PIN MISSILE": 42, "SPIKE CANNON": 60, "BARRAGE": 45, "FURY SWIPES": 54, "BONE RUSH": 75,
    "DOUBLE KICK": 60, "TWINEEDLE": 50, "BONEMERANG": 100, "TRIPLE KICK": 40, "BEAT UP": 20,
    "BULLET SEED": 30, "ARM THRUST": 45, "ROCK BLAST": 75, "ICICLE SPEAR": 30, "LOW KICK": 50,
    # Two turns for one blow.
    "RAZOR WIND": 40, "SOLARBEAM": 60, "SKULL BASH": 50, "SKY ATTACK": 70, "HYPER BEAM": 75,
    "DIG": 30, "FLY": 35, "DIVE": 30, "BOUNCE": 42, "BLAST BURN": 75, "HYDRO CANNON": 75,
    "FRENZY PLANT": 75,
    # Only good where something else came first, or at the price of the fight.
    "DREAM EATER": 0, "SNORE": 0, "COUNTER": 0, "MIRROR COAT": 0, "FUTURE SIGHT": 40,
    "FOCUS PUNCH": 20, "SPIT UP": 0, "DOOM DESIRE": 40,
    "EXPLOSION": 10, "SELFDESTRUCT": 10, "GUILLOTINE": 10, "HORN DRILL": 10, "FISSURE": 10,
}  # fmt: skip


def expected_damage(
    tables: GameTables, move: Move, attacker: Creature, target: Creature | None
) -> float:
    """Return the health that a move that hits takes on average; 0.0 for one that is not known."""
    facts = tables.MOVES.get(move.id)
    if facts is None:
        return 0.0
    name, kind, listed, _, _ = facts
    factor = effectiveness(tables, kind, target.types if target else ())
    if name in _FIXED:
        return _FIXED[name] if factor else 0.0
    if name in _BY_LEVEL:
        return attacker.level if factor else 0.0
    power = _POWERS.get(name, listed)
    if not power or not factor:
        return 0.0
    ratio = _stat_ratio(tables.TYPES.get(kind, ""), attacker, target)
    base = (2 * attacker.level / 5 + 2) * power * ratio / 50 + 2
    bonus = SAME_TYPE_BONUS if kind in attacker.types else 1.0
    return base * bonus * factor * _AVERAGE_ROLL


def hit_chance(tables: GameTables, move: Move) -> float:
    """Return how often a move hits."""
    facts = tables.MOVES.get(move.id)
    return facts[3] / 100 if facts else 0.0


def move_value(
    tables: GameTables, move: Move, attacker: Creature, target: Creature | None
) -> float:
    """Return the health a move is worth in this turn; damage beyond what is left counts little.

    A blow that ends the fight for sure is better than a stronger one that may miss.
    """
    damage = expected_damage(tables, move, attacker, target)
    left = target.hp if target else damage
    useful = min(damage * LOWEST_ROLL / _AVERAGE_ROLL, left) + 0.01 * damage
    return useful * hit_chance(tables, move)


def usable_moves(creature: Creature) -> tuple[tuple[int, Move], ...]:
    """Return (slot, move) of those with points left."""
    return tuple((slot, move) for slot, move in enumerate(creature.moves) if move.points)


def best_damage(tables: GameTables, attacker: Creature, target: Creature | None) -> float:
    """Return the most that a blow can be expected to take, misses counted; 0.0 without any."""
    blows = (
        expected_damage(tables, move, attacker, target) * hit_chance(tables, move)
        for _, move in usable_moves(attacker)
    )
    return max(blows, default=0.0)


def worst_blow(tables: GameTables, attacker: Creature, target: Creature) -> float:
    """Return the most that one blow takes if it hits."""
    blows = (expected_damage(tables, move, attacker, target) for move in attacker.moves)
    return max(blows, default=0.0) / _AVERAGE_ROLL


def ends_fight(tables: GameTables, attacker: Creature, target: Creature) -> bool:
    """Return whether a move that hardly ever misses takes all that is left, at the lowest roll."""
    return any(
        expected_damage(tables, move, attacker, target) * LOWEST_ROLL / _AVERAGE_ROLL >= target.hp
        and hit_chance(tables, move) >= _SURE
        for _, move in usable_moves(attacker)
    )


def is_faster(own: Creature, enemy: Creature) -> bool:
    """Return whether a creature strikes first; where stats are not known it may not."""
    return bool(own.stats and enemy.stats) and own.stats[SPEED] > enemy.stats[SPEED]


def _stat_ratio(kind: str, attacker: Creature, target: Creature | None) -> float:
    """Return attack over defence, 1.0 where they are not known."""
    if target is None or not attacker.stats or not target.stats:
        return 1.0
    is_special = kind in _SPECIAL_TYPES
    attack = attacker.stats[_SPECIAL_ATTACK if is_special else _ATTACK]
    defence = target.stats[_SPECIAL_DEFENCE if is_special else _DEFENCE]
    return attack / max(1, defence)


def loses_race(
    tables: GameTables, own: Creature, enemy: Creature, *, blows_before: int = 0
) -> bool:
    """Return whether the enemy's blows end a creature before its own end the enemy.

    Args:
        tables: Moves and type chart of the game.
        own: Who fights, or would.
        enemy: Its foe.
        blows_before: How many the enemy has first, such as one while somebody is sent in.
    """
    damage, blow = best_damage(tables, own, enemy), worst_blow(tables, enemy, own)
    if not damage or not blow:
        return not damage
    needed, stood = math.ceil(enemy.hp / damage), math.ceil(own.hp / blow) - blows_before
    return needed > stood if is_faster(own, enemy) else needed >= stood
