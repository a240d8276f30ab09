"""Say how well a move does, by the game's tables."""

from engine.games.base import GameTables
from engine.types import Creature

SAME_TYPE_BONUS = 1.5


def effectiveness(tables: GameTables, attack: int, types: tuple[int, ...]) -> float:
    """Return how an attack type does against a creature of `types`: 0 to 4."""
    result = 1.0
    for kind in set(types):  # a creature of one type has it twice
        result *= tables.TYPE_CHART.get((attack, kind), 1.0)
    return result


def strength(tables: GameTables, move_id: int, own: Creature, enemy: Creature | None) -> float:
    """Return the damage to expect of a move, in no unit; 0.0 for one that is not known."""
    facts = tables.MOVES.get(move_id)
    if facts is None:
        return 0.0
    _, kind, power, accuracy, _ = facts
    bonus = SAME_TYPE_BONUS if kind in own.types else 1.0
    return (
        power * accuracy / 100 * bonus * effectiveness(tables, kind, enemy.types if enemy else ())
    )
