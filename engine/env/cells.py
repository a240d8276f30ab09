"""Say coarsely where a game is, so that states can be remembered by it."""

from typing import NamedTuple

from engine.types import GameState

_NO_BATTLE = -1


class Cell(NamedTuple):
    """A coarse place, and what was reached by then.

    Attributes:
        group: Of the map.
        number: Of the map, in its group.
        column: x by the size of a cell.
        row: y likewise.
        reached: Count of milestones since power-on.
        party: Count of creatures.
        enemy: In a battle the quarters of health that the enemy has left, up to 4; else -1.
    """

    group: int
    number: int
    column: int
    row: int
    reached: int
    party: int
    enemy: int

    @property
    def map(self) -> tuple[int, int]:
        """Return group and number of the map."""
        return self.group, self.number


def cell_of(state: GameState, reached: int, tiles: int) -> Cell | None:
    """Return where a game is, in cells of so many tiles; None where nobody can act.

    Texts and menus are of no cell: they would be left at once, or come again.
    """
    if state.battle is None and not state.control.is_free:
        return None
    enemy = _NO_BATTLE
    if state.battle is not None:
        creature = state.battle.enemy
        if creature is None:
            return None
        enemy = -(-4 * creature.hp // max(1, creature.max_hp))
    place = state.place
    return Cell(
        place.map.group,
        place.map.number,
        place.x // tiles,
        place.y // tiles,
        reached,
        len(state.party),
        enemy,
    )
