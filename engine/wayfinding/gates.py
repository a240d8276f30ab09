"""Plan which turning gates are pushed on the way to an exit, within one map."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import repeat
from typing import NamedTuple

from engine.types import Facing, MapView, Terrain, TurningGate
from engine.wayfinding.exits import Tile
from engine.wayfinding.graph import FACINGS
from engine.wayfinding.search import Last, Recent
from engine.wayfinding.yard import KEPT_PLANS, Plan, Push, Yard, fewest_pushes

_MOST_STATES = 20_000
"""States of one search; after it there is taken to be no way."""

_CLOCKWISE = (Facing.UP, Facing.RIGHT, Facing.DOWN, Facing.LEFT)
_LONGEST = 2


@dataclass(frozen=True, slots=True)
class _Part:
    """Where one tile's length of an arm may lie: along the side between two tiles.

    Whoever crosses it from `before` to `after` turns the gate clockwise.

    Attributes:
        length: Of the arms that reach it.
        swept: Must be no wall when the arm turns clockwise; anticlockwise it is `before`.
    """

    before: Tile
    after: Tile
    facing: Facing
    back: Facing
    length: int
    swept: Tile

    @property
    def side(self) -> tuple[Tile, Tile]:
        """Return the two tiles in an order that does not depend on the gate."""
        return min(self.before, self.after), max(self.before, self.after)


class _Crossing(NamedTuple):
    """A push, with the bits of the side that it crosses and of the areas before and after it."""

    push: Push
    side: int
    before: int
    after: int
    turned: int
    """Quarter turns of the gate then."""


@dataclass(frozen=True, slots=True)
class _Position:
    """A gate in one of its four positions: the sides along which its arms lie, and the pushes."""

    arms: int
    crossings: tuple[_Crossing, ...]


def with_arms(view: MapView) -> MapView:
    """Return a map with walls along the sides of tiles where the arms of its gates are."""
    terrain = view.terrain.copy()
    for gate in view.turning_gates:
        for part in _arms(gate, 0):
            for (x, y), way in ((part.before, part.facing), (part.after, part.back)):
                if view.contains(x, y):
                    terrain[y, x] |= Terrain.WALLS[way]
    terrain.setflags(write=False)
    return replace(view, terrain=terrain)


def _parts(gate: TurningGate) -> Iterator[_Part]:
    """Yield where a gate's arms may lie: four times two, first above it, then clockwise."""
    for side, way in enumerate(_CLOCKWISE):
        facing, back = _CLOCKWISE[(side + 1) % 4], _CLOCKWISE[(side - 1) % 4]
        (dx, dy), (ax, ay) = way.delta, facing.delta
        for length in range(1, _LONGEST + 1):
            x = (2 * gate.x + (2 * length - 1) * dx - ax) // 2
            y = (2 * gate.y + (2 * length - 1) * dy - ay) // 2
            after = x + ax, y + ay
            # The game looks at one tile too far to the right here, and at `after` elsewhere.
            swept = (after[0] + 1, after[1]) if (way, length) == (Facing.UP, 2) else after
            yield _Part((x, y), after, facing, back, length, swept)


def _arms(gate: TurningGate, quarters: int) -> list[_Part]:
    """Return where a gate's arms lie after some quarter turns, clockwise."""
    arms = [gate.arms[(side - quarters) % 4] for side in range(4) for _ in range(_LONGEST)]
    return [part for part, arm in zip(_parts(gate), arms, strict=True) if part.length <= arm]


class Maze:
    """The ground of a map with turning gates, as areas that no arm ever cuts.

    Sets of areas, and of the sides along which arms may lie, are the bits of one integer.

    Args:
        view: The map.
        closed: Tiles that the player does not enter.
    """

    def __init__(self, view: MapView, closed: Iterable[Tile]) -> None:
        self._view, self._yard = view, Yard(view, closed)
        parts = [part for gate in view.turning_gates for part in _parts(gate)]
        leaves = dict(zip(FACINGS, self._yard.leaves, strict=True))
        for part in parts:
            leaves[part.facing] &= ~self._bit(part.before)
            leaves[part.back] &= ~self._bit(part.after)
        self._areas, left = [], self._yard.walked
        while left:
            self._areas.append(self._yard.reach(left & -left, left, tuple(leaves.values())))
            left &= ~self._areas[-1]
        walked = (part for part in parts if self._is_walked(part))
        between = {part.side: self.area(part.before) | self.area(part.after) for part in walked}
        self._sides = {side: 1 << number for number, side in enumerate(between)}
        self._links = [(self._sides[side], areas) for side, areas in between.items()]
        self._gates = [
            [self._position(number, gate, quarters) for quarters in range(4)]
            for number, gate in enumerate(view.turning_gates)
        ]

    def _bit(self, tile: Tile) -> int:
        return self._yard.bit(tile) if self._view.contains(*tile) else 0

    def area(self, tile: Tile) -> int:
        """Return the bit of a tile's area, 0 for none."""
        own = self._bit(tile)
        return next((1 << number for number, area in enumerate(self._areas) if area & own), 0)

    def _is_walked(self, part: _Part) -> bool:
        """Return whether one walks across where an arm may lie: there is no wall."""
        is_open = self._yard.step(self._bit(part.before), part.facing)
        return bool(is_open and self.area(part.before) and self.area(part.after))

    def _position(self, number: int, gate: TurningGate, quarters: int) -> _Position:
        """Return a gate after some quarter turns, clockwise."""
        arms, crossings = _arms(gate, quarters), []
        is_free = all(self._is_open(*part.swept) for part in arms)
        is_free_back = all(self._is_open(*part.before) for part in arms)
        walked = [part for part in arms if part.side in self._sides]
        for part in walked:
            before, after = self.area(part.before), self.area(part.after)
            side = self._sides[part.side]
            if is_free:
                push = Push(part.before, part.facing, number)
                crossings.append(_Crossing(push, side, before, after, (quarters + 1) % 4))
            if is_free_back:
                push = Push(part.after, part.back, number)
                crossings.append(_Crossing(push, side, after, before, (quarters + 3) % 4))
        return _Position(sum(self._sides[part.side] for part in walked), tuple(crossings))

    def _is_open(self, x: int, y: int) -> bool:
        """Return whether an arm meets no wall on a tile; around the map there is one."""
        is_floor = Terrain.WALKABLE | Terrain.WATER
        return self._view.contains(x, y) and bool(self._view.terrain[y, x] & is_floor)

    def reach(self, area: int, turned: tuple[int, ...] = ()) -> int:
        """Return the areas that are reached without a push from one, after some quarter turns."""
        arms = 0
        for positions, quarters in zip(self._gates, turned or repeat(0), strict=False):
            arms |= positions[quarters].arms
        links = [areas for side, areas in self._links if not side & arms]
        reached, before = area, 0
        while reached != before:
            before = reached
            for areas in links:
                if reached & areas:
                    reached |= areas
        return reached

    def find_turns(self, start: Tile, goals: Collection[Tile]) -> tuple[Push, ...] | None:
        """Return the fewest pushes of gates after which a goal is reached; None: none do."""
        wanted = sum({self.area(tile) for tile in goals})
        if not wanted:
            return None

        def moves(
            reached: int, turned: tuple[int, ...]
        ) -> Iterator[tuple[Push, int, tuple[int, ...]]]:
            taken = 0  # of several arms along one side, only the first gate's is pushed
            for number, quarters in enumerate(turned):
                position = self._gates[number][quarters]
                ways = {
                    (after, then): push
                    for push, side, before, after, then in position.crossings
                    if reached & before and not side & taken
                }
                for (after, then), push in ways.items():
                    yield push, after, (*turned[:number], then, *turned[number + 1 :])
                taken |= position.arms

        def is_end(reached: int, turned: tuple[int, ...]) -> bool:
            return reached & wanted != 0

        first = (0,) * len(self._gates)
        return fewest_pushes(self.area(start), first, self.reach, moves, is_end, _MOST_STATES)


class GatePlans:
    """Remember the last plans, by the map's ground, its gates, and where the player can walk."""

    def __init__(self) -> None:
        self._maze, self._plans = Last[Maze](), Recent[Plan](KEPT_PLANS)

    def next_turn(
        self, view: MapView, start: Tile, closed: Iterable[Tile], goals: Collection[Tile]
    ) -> tuple[Push, ...] | None:
        """Return the pushes that are left, as `Maze.find_turns` does, from a cache."""
        walls, ends = frozenset(closed), frozenset(goals)
        ground = view.terrain.tobytes(), view.warps, view.turning_gates, walls
        maze = self._maze.of((), ground, lambda: Maze(view, walls))
        if not (area := maze.reach(maze.area(start))):
            return ()  # in a doorway or the like, which any way out is taken from
        return self._plans.of((ground, area, ends), lambda: maze.find_turns(start, ends))
