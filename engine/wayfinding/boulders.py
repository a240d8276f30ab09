"""Plan how boulders are pushed: onto their hole, or out of the way to an exit, within one map."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations

from engine.types import MapView
from engine.wayfinding.exits import Tile
from engine.wayfinding.graph import FACINGS
from engine.wayfinding.search import Recent
from engine.wayfinding.yard import KEPT_PLANS, Plan, Push, Yard, fewest_pushes

_MOST_STATES = 4_000
"""States of one search; after it there is taken to be no plan."""


def find_pushes(
    yard: Yard,
    start: Tile,
    boulders: Mapping[int, Tile],
    goals: Collection[Tile] = (),
    hole: tuple[int, Tile] | None = None,
) -> tuple[Push, ...] | None:
    """Return the fewest pushes after which a goal is reached, or a boulder falls; None: none do.

    Args:
        yard: The ground.
        start: Where the player stands.
        boulders: Number -> tile.
        goals: Tiles that the player wants to reach.
        hole: Number of a boulder, and the tile onto which it is to be pushed.
    """
    for movable in _selections(boulders, hole):
        found = _search(yard, start, boulders, movable, goals, hole)
        if found is not None:
            return found
    return None


def _selections(
    boulders: Mapping[int, Tile], hole: tuple[int, Tile] | None
) -> Iterator[frozenset[int]]:
    """Yield which boulders may be pushed: few first, for those searches are short."""
    for size in (1, 2):
        for chosen in combinations(boulders, size):
            if hole is None or hole[0] in chosen:
                yield frozenset(chosen)
    if len(boulders) > 2:
        yield frozenset(boulders)


def _search(
    yard: Yard,
    start: Tile,
    boulders: Mapping[int, Tile],
    movable: frozenset[int],
    goals: Collection[Tile],
    hole: tuple[int, Tile] | None,
) -> tuple[Push, ...] | None:
    numbers = tuple(boulders)
    wanted = sum({yard.bit(tile) for tile in goals})

    def is_end(reached: int, tiles: tuple[Tile, ...]) -> bool:
        if hole is None:
            return reached & wanted != 0
        return tiles[numbers.index(hole[0])] == hole[1]

    def moves(
        reached: int, tiles: tuple[Tile, ...]
    ) -> Iterator[tuple[Push, int, tuple[Tile, ...]]]:
        blocked = sum(map(yard.bit, tiles))
        for i, number in enumerate(numbers):
            if number not in movable:
                continue
            own, (x, y) = yard.bit(tiles[i]), tiles[i]
            for facing in FACINGS:
                dx, dy = facing.delta
                stand, ahead = (x - dx, y - dy), (x + dx, y + dy)
                behind = reached & yard.bit(stand) if min(stand) >= 0 else 0
                target = yard.step(own, facing) if min(ahead) >= 0 else 0
                is_open = hole == (number, ahead) or target & yard.floor & ~blocked
                if yard.step(behind, facing) == own and is_open:
                    push = Push(stand, facing, number)
                    yield push, behind, (*tiles[:i], ahead, *tiles[i + 1 :])

    def reach(player: int, tiles: tuple[Tile, ...]) -> int:
        return yard.reach(player, yard.walked & ~sum(map(yard.bit, tiles)))

    first = tuple(boulders.values())
    return fewest_pushes(yard.bit(start), first, reach, moves, is_end, _MOST_STATES)


class BoulderPlans:
    """Remember the last plans, by the map's ground and where everything stands."""

    def __init__(self) -> None:
        self._plans = Recent[Plan](KEPT_PLANS)

    def next_push(
        self,
        view: MapView,
        start: Tile,
        boulders: Mapping[int, Tile],
        closed: Iterable[Tile],
        goals: Collection[Tile] = (),
        hole: tuple[int, Tile] | None = None,
    ) -> tuple[Push, ...] | None:
        """Return the pushes that are left, as `find_pushes` does, from a cache."""
        walls, ends = frozenset(closed), frozenset(goals)
        yard_key = view.terrain.tobytes(), view.warps, walls
        key = (yard_key, start, tuple(boulders.items()), ends, hole)
        return self._plans.of(
            key, lambda: find_pushes(Yard(view, walls), start, boulders, ends, hole)
        )
