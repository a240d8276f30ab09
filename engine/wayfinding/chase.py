"""Notice that somebody who walks about is never caught up with, and where they come past."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from engine.games.overworld import Stance
from engine.types import GameState, MapId
from engine.wayfinding.exits import Tile
from engine.wayfinding.people import Present

_LONG = 40
"""Free steps near somebody, without a word, after which one waits for them instead."""

_REMEMBERED = 64
"""Places of people."""


@dataclass(frozen=True, slots=True)
class Chase:
    """What was seen of those who walk on one map since the player last was not free.

    Attributes:
        map: The map.
        steps: Number of somebody, and for how many steps they were near.
        places: Number of somebody, and a tile where they were.
    """

    map: MapId | None = None
    steps: tuple[tuple[int, int], ...] = ()
    places: tuple[tuple[int, int, int], ...] = ()

    def after(self, state: GameState, present: Iterable[Present]) -> "Chase":
        """Return what is known after a state."""
        here = state.place.map
        if not state.control.is_free:
            return Chase(here)
        known = self if here == self.map else Chase(here)
        steps, places = dict(known.steps), dict.fromkeys(known.places)
        for one in present:
            if one.stance is Stance.WALKS:
                steps[one.index] = min(steps.get(one.index, 0) + one.is_close, _LONG)
                places[one.index, *one.tiles[0]] = None
        return Chase(here, tuple(steps.items()), tuple(places)[-_REMEMBERED:])

    def ring(self, index: int) -> frozenset[Tile]:
        """Return where somebody comes past who was not caught up with for long; else nothing."""
        if dict(self.steps).get(index, 0) < _LONG:
            return frozenset()
        return frozenset((x, y) for other, x, y in self.places if other == index)

    def save(self) -> list[Any]:
        """Return it, JSON-able."""
        here = [self.map.group, self.map.number] if self.map else []
        return [here, [list(one) for one in self.steps], [list(one) for one in self.places]]

    @classmethod
    def load(cls, saved: Sequence[Any]) -> Self:
        """Return what was saved; older checkpoints saved nothing."""
        if not saved:
            return cls()
        here, steps, places = saved
        return cls(
            MapId(*here) if here else None,
            tuple((index, count) for index, count in steps),
            tuple((index, x, y) for index, x, y in places),
        )
