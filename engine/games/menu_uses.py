"""Say whether the START menu holds something to do."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.games.base import GameTables
from engine.types import Creature, GameState, Terrain

_HURT = 0.5
"""Share of its health below which a creature is worth a visit to the bag."""

_REPELS = frozenset({"REPEL", "SUPER REPEL", "MAX REPEL"})
_POINTS = frozenset({"ETHER", "MAX ETHER", "ELIXER", "MAX ELIXER", "MYSTERYBERRY"})
_STRENGTHENING = frozenset(
    {"RARE CANDY", "HP UP", "PROTEIN", "IRON", "CARBOS", "CALCIUM", "PP UP", "MOON STONE",
     "FIRE STONE", "THUNDERSTONE", "WATER STONE", "LEAF STONE", "SUN STONE"}
)  # fmt: skip
_RODS = frozenset({"OLD ROD", "GOOD ROD", "SUPER ROD"})
FieldMoves = Mapping[str, tuple[frozenset[str], int | None]]
"""Moves used from the menu alone: where, and the bit of the badge that allows it, if any. CUT, SURF
and the like are used by facing what they are for."""
OUTDOORS, UNDERGROUND = frozenset({"town", "route"}), frozenset({"cave", "dungeon"})
_SHARED_HEALING = frozenset({"SOFTBOILED", "MILK DRINK"})


@dataclass(frozen=True, slots=True)
class MenuUses:
    """What there can be to do in the START menu.

    Args:
        tables: Names of items and moves; what a game does not have is never of use.
        hidden_machines: Items that teach a move and are not used up -> that move.
        field_moves: The game's.
    """

    tables: GameTables
    hidden_machines: Mapping[str, str]
    field_moves: FieldMoves

    def has_any(self, state: GameState) -> bool:
        """Return whether a healing item, an item, a machine or a field move can do something."""
        bag, party = state.bag, state.party
        if any(map(_is_hurt, party)) and bag.items:
            return True
        moves = {move.name for creature in party for move in creature.moves}
        return (
            any(self._is_useful(self.tables.ITEMS.get(item, ""), state) for item, _ in bag.items)
            or any(self._is_untaught(item, moves) for item, _ in bag.machines)
            or any(self._can_use(move, state) for move in moves)
            or (_faces_water(state) and any(self._is_rod(item) for item in bag.key_items))
        )

    def _is_useful(self, name: str, state: GameState) -> bool:
        if name in _STRENGTHENING:
            return True
        if name in _POINTS:
            return any(not move.points for creature in state.party for move in creature.moves)
        if name == "ESCAPE ROPE":
            return state.place.environment in UNDERGROUND
        return name in _REPELS and not state.repel_steps

    def _is_untaught(self, item: int, moves: set[str]) -> bool:
        """Return whether nobody knows a machine's move; a TM is gone once it was taught."""
        name = self.tables.ITEMS.get(item, "")
        return name not in self.hidden_machines or self.hidden_machines[name] not in moves

    def _is_rod(self, item: int) -> bool:
        return self.tables.ITEMS.get(item) in _RODS

    def _can_use(self, move: str, state: GameState) -> bool:
        if move in _SHARED_HEALING:
            return any(map(_is_hurt, state.party))
        environments, badge = self.field_moves.get(move, (frozenset[str](), None))
        has_badge = badge is None or bool(state.badges[0] >> badge & 1)
        return state.place.environment in environments and has_badge


def _is_hurt(creature: Creature) -> bool:
    return creature.hp < _HURT * creature.max_hp or bool(creature.status)


def _faces_water(state: GameState) -> bool:
    dx, dy = state.place.facing.delta
    x, y = state.place.x + dx, state.place.y + dy
    return state.map.contains(x, y) and bool(int(state.map.terrain[y, x]) & Terrain.WATER)
