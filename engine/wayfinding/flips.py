"""Notice that the player goes forwards and backwards between two maps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from engine.types import GameState, MapId

Ground = tuple[MapId, int, int]

_TIMES = 6
_LONGEST = 1_000
"""Free steps for which the way of the world is followed."""

_REMEMBERED = 600
"""Tiles."""


@dataclass(frozen=True, slots=True)
class Flips:
    """What was seen of the last two maps.

    Attributes:
        maps: The last map, and the one before it.
        been: Tiles of both where the player was, in order.
        times: How often one led to the other since a tile was new.
        left: Steps for which the player counts as flipping.
    """

    maps: tuple[MapId, ...] = ()
    been: tuple[Ground, ...] = ()
    times: int = 0
    left: int = 0

    @property
    def is_flipping(self) -> bool:
        """Return whether one map led to the other and back too often."""
        return self.left > 0

    def after(self, state: GameState) -> "Flips":
        """Return what is known after a state."""
        place = state.place
        if not state.control.is_free:
            return self
        maps, times, left = self.maps, self.times, max(0, self.left - 1)
        ground = place.map, place.x, place.y
        if place.map not in maps and len(maps) == 2:
            return Flips((place.map, maps[0]), (ground,), 0, left)
        if not maps or place.map != maps[0]:
            maps, times = (place.map, *maps[:1]), times + 1
        if ground not in self.been:
            return Flips(maps, (*self.been, ground)[-_REMEMBERED:], 0, left)
        if times >= _TIMES:
            times, left = 0, _LONGEST
        return Flips(maps, self.been, times, left)

    def save(self) -> list[Any]:
        """Return it, JSON-able."""
        maps = [[one.group, one.number] for one in self.maps]
        been = [[one.group, one.number, x, y] for one, x, y in self.been]
        return [maps, been, self.times, self.left]

    @classmethod
    def load(cls, saved: Sequence[Any]) -> Self:
        """Return what was saved; older checkpoints saved nothing."""
        if not saved:
            return cls()
        maps, been, times, left = saved
        grounds = tuple((MapId(group, number), x, y) for group, number, x, y in been)
        return cls(tuple(MapId(*one) for one in maps), grounds, int(times), int(left))
