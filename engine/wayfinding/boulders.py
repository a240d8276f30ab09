"""Plan how boulders are pushed: onto their hole, or out of the way to an exit, within one map.

It is a breadth-first search over where the boulders are and which tiles the player reaches. Sets of
tiles are the bits of one integer, so that a search takes milliseconds.
"""

from collections import OrderedDict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from engine.types import Facing, MapView, Terrain
from engine.wayfinding.graph import FACINGS

Tile = tuple[int, int]

_MOST_STATES = 4_000
"""States of one search; after it there is taken to be no plan."""
_REMEMBERED = 32


@dataclass(frozen=True, slots=True)
class Push:
    """Stand on a tile, look that way, and push the boulder that is there."""

    stand: Tile
    facing: Facing
    boulder: int


class Yard:
    """The ground of one map on which boulders are pushed.

    Args:
        view: The map, as memory shows it.
        closed: Tiles that neither the player nor a boulder enters: people, other things.
    """

    def __init__(self, view: MapView, closed: Iterable[Tile]) -> None:
        self._width = view.width + 1  # an empty column, so that no row leads to the next
        terrain = view.terrain
        shut = {(warp.x, warp.y) for warp in view.warps} | set(closed)
        self.floor = 0
        walls = dict.fromkeys(FACINGS, 0)
        for y in range(view.height):
            for x in range(view.width):
                tile = int(terrain[y, x])
                if tile & Terrain.WALKABLE and not tile & Terrain.ICE and (x, y) not in shut:
                    self.floor |= self.bit((x, y))
                for facing in FACINGS:
                    if tile & (Terrain.WALLS[facing] | Terrain.HOPS[facing]):
                        walls[facing] |= self.bit((x, y))
        self._shifts = {
            Facing.DOWN: self._width,
            Facing.UP: -self._width,
            Facing.LEFT: -1,
            Facing.RIGHT: 1,
        }
        opposite = dict(
            zip(FACINGS, (Facing.UP, Facing.DOWN, Facing.RIGHT, Facing.LEFT), strict=True)
        )
        self._leaves = {
            facing: ~walls[facing] & ~self._moved(walls[opposite[facing]], opposite[facing])
            for facing in FACINGS
        }

    def bit(self, tile: Tile) -> int:
        """Return the bit of a tile."""
        return 1 << (tile[1] * self._width + tile[0])

    def _moved(self, tiles: int, facing: Facing) -> int:
        by = self._shifts[facing]
        return tiles << by if by > 0 else tiles >> -by

    def step(self, tiles: int, facing: Facing) -> int:
        """Return where one press leads from some tiles, over no wall along a tile's side."""
        return self._moved(tiles & self._leaves[facing], facing)

    def reach(self, start: int, boulders: int) -> int:
        """Return the tiles that are reached from one around the boulders."""
        free = self.floor & ~boulders
        reached = coming = start
        while coming:
            found = 0
            for facing in FACINGS:
                found |= self.step(coming, facing)
            coming = found & free & ~reached
            reached |= coming
        return reached


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
    first = yard.bit(start), tuple(boulders[number] for number in numbers), ()
    waiting: deque[tuple[int, tuple[Tile, ...], tuple[Push, ...]]] = deque([first])
    seen: set[tuple[int, tuple[Tile, ...]]] = set()
    while waiting and len(seen) < _MOST_STATES:
        player, tiles, pushes = waiting.popleft()
        blocked = sum(map(yard.bit, tiles))
        reached = yard.reach(player, blocked)
        if hole is None and reached & wanted:
            return pushes
        if (key := (reached & -reached, tiles)) in seen:
            continue
        seen.add(key)
        for i, number in enumerate(numbers):
            if number not in movable:
                continue
            own, (x, y) = yard.bit(tiles[i]), tiles[i]
            for facing in FACINGS:
                dx, dy = facing.delta
                stand, ahead = (x - dx, y - dy), (x + dx, y + dy)
                is_hole = hole == (number, ahead)
                behind = reached & yard.bit(stand) if min(stand) >= 0 else 0
                target = yard.step(own, facing) if min(ahead) >= 0 else 0
                is_open = is_hole or target & yard.floor & ~blocked
                if yard.step(behind, facing) != own or not is_open:
                    continue
                made = (*pushes, Push(stand, facing, number))
                if is_hole:
                    return made
                waiting.append((behind, (*tiles[:i], ahead, *tiles[i + 1 :]), made))
    return None


class BoulderPlans:
    """Remember the last plans, by the map's ground and where everything stands."""

    def __init__(self) -> None:
        self._plans: OrderedDict[object, tuple[Push, ...] | None] = OrderedDict()

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
        if key not in self._plans:
            yard = Yard(view, walls)
            self._plans[key] = find_pushes(yard, start, boulders, ends, hole)
            if len(self._plans) > _REMEMBERED:
                self._plans.popitem(last=False)
        return self._plans[key]
