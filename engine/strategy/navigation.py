"""Find the way: over a map's tiles round what stands on them, and from map to map.

Tiles are left through *exits*: stand on a tile and press a button there. A door is stepped on, a
carpet is pressed on, an edge is walked off, a person is faced and spoken to; all are exits, so one
search by distance to the nearest exit serves them all.
"""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from engine.types import (
    DIRECTIONS,
    MAP_BORDER,
    SIDES,
    Action,
    Facing,
    GameState,
    MapId,
    MapView,
    Terrain,
)

Tile = tuple[int, int]
"""Walk tile (x, y)."""

_SIDES: Mapping[str, Action] = {SIDES[facing]: action for action, facing in DIRECTIONS.items()}
_GRASS_COST = 3
"""A tile of tall grass counts as this many: each may cost a battle."""

_NEAR = 4
"""People farther than this are not walked round: they will have moved."""

_FAR = 1_000_000
_STANDING = Terrain.WALKABLE | Terrain.LEDGE
_CACHE_SIZE = 64
_LONGEST_PATH = 400
"""Tiles of a path; what is farther is left out."""


@dataclass(frozen=True, slots=True)
class Exit:
    """Stand on `tile` and press `action`; `is_talk`: face that way, then press A."""

    tile: Tile
    action: Action
    is_talk: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A way from one map to another: a warp tile, or a side ("north", ...)."""

    target: MapId
    warp: Tile | None
    side: str = ""


class WorldMap:
    """Know which map leads to which, by `links`.

    That is the generated MAP_LINKS: map -> (kind, x, y, target), kind "warp" or a side.
    """

    def __init__(
        self, links: Mapping[tuple[int, int], tuple[tuple[str, int, int, tuple[int, int]], ...]]
    ) -> None:
        self._links = {
            MapId(*key): tuple(_link(entry) for entry in entries) for key, entries in links.items()
        }
        self._distances: dict[MapId, dict[MapId, int]] = {}
        self._targets = {
            here: [link.target for link in links] for here, links in self._links.items()
        }
        self._sources: defaultdict[MapId, list[MapId]] = defaultdict(list)
        for here, targets in self._targets.items():
            for target in targets:
                self._sources[target].append(here)

    def links_from(self, here: MapId) -> tuple[Link, ...]:
        """Return the known ways out of a map."""
        return self._links.get(here, ())

    def distances_from(self, here: MapId) -> dict[MapId, int]:
        """Return how many maps away those are that a way leads to, from near to far."""
        return _maps_away(here, self._targets)

    def links_towards(self, here: MapId, goal: MapId) -> tuple[Link, ...]:
        """Return the links out of `here` that begin a shortest way to `goal`; () if none does."""
        distances = self.distances_to(goal)
        if here not in distances:
            return ()
        return tuple(
            link
            for link in self.links_from(here)
            if distances.get(link.target, len(distances)) == distances[here] - 1
        )

    def distances_to(self, goal: MapId) -> dict[MapId, int]:
        """Return from each map how many maps away `goal` is."""
        if goal not in self._distances:
            self._distances[goal] = _maps_away(goal, self._sources)
        return self._distances[goal]


class Navigator:
    """Find the next button towards exits on the current map."""

    def __init__(self) -> None:
        self._fields: OrderedDict[object, dict[Tile, int]] = OrderedDict()

    def step_towards(self, state: GameState, exits: tuple[Exit, ...]) -> tuple[list[Action], int]:
        """Return the buttons that lead closer to the nearest exit, and how far it then is.

        No button comes back when there is no way.
        """
        here = (state.place.x, state.place.y)
        field = self._field(state, exits)
        at_exit = [entry for entry in exits if entry.tile == here]
        if at_exit:
            return [_press(entry, state.place.facing) for entry in at_exit], 0
        best: list[Action] = []
        # Who stands in a doorway is on no way, but next to one.
        lowest = field.get(here, _FAR)
        for action, tile in _neighbours(state.map, here):
            steps = field.get(tile, _FAR)
            if steps < lowest:
                best, lowest = [action], steps
            elif best and steps == lowest:
                best.append(action)
        # Going on straight saves the turn.
        straight = [action for action in best if DIRECTIONS[action] is state.place.facing]
        return straight or best, lowest

    def path(self, state: GameState, exits: tuple[Exit, ...]) -> tuple[Tile, ...]:
        """Return the tiles to walk to the nearest exit and through it, while it is on the map."""
        if not exits:
            return ()
        tile, facing = (state.place.x, state.place.y), state.place.facing
        field = self._field(state, exits)
        path: list[Tile] = []
        while len(path) < _LONGEST_PATH and not any(entry.tile == tile for entry in exits):
            steps, _, action, following = min(
                (field.get(other, _FAR), DIRECTIONS[action] is not facing, action, other)
                for action, other in _neighbours(state.map, tile)
            )
            if steps >= field.get(tile, _FAR):
                return ()
            tile, facing = following, DIRECTIONS[action]
            path.append(tile)
        leaving = next((e for e in exits if e.tile == tile and not e.is_talk), None)
        if leaving is not None:
            dx, dy = DIRECTIONS[leaving.action].delta
            beyond = (tile[0] + dx, tile[1] + dy)
            path += [beyond] if state.map.contains(*beyond) else []
        return tuple(path[:_LONGEST_PATH])

    def _field(self, state: GameState, exits: tuple[Exit, ...]) -> dict[Tile, int]:
        """Return the distance from each tile to the nearest exit, round people who are near."""
        here = (state.place.x, state.place.y)
        standing = {(thing.x, thing.y) for thing in state.map.objects}
        blocked = frozenset(tile for tile in standing if distance(tile, here) <= _NEAR)
        key = (state.place.map, state.map.terrain.tobytes(), exits, blocked)
        field = self._fields.get(key)
        if field is None:
            field = self._fields[key] = _distances(state.map, exits, blocked)
            if len(self._fields) > _CACHE_SIZE:
                self._fields.popitem(last=False)
        else:
            self._fields.move_to_end(key)
        return field


def link_exits(view: MapView, links: Iterable[Link]) -> tuple[Exit, ...]:
    """Return how to leave the map through any of the links."""
    exits: list[Exit] = []
    for link in links:
        exits += _edge_exits(view, link.side) if link.warp is None else _warp_exits(view, link.warp)
    return tuple(exits)


def talk_exits(view: MapView, target: Tile) -> tuple[Exit, ...]:
    """Return from where the person or thing at `target` can be faced, across counters too."""
    exits = []
    for action, facing in DIRECTIONS.items():
        dx, dy = facing.delta
        tile = (target[0] - dx, target[1] - dy)
        if view.contains(*tile) and view.terrain[tile[1], tile[0]] & Terrain.COUNTER:
            tile = (tile[0] - dx, tile[1] - dy)
        if _is_walkable(view, tile):
            exits.append(Exit(tile, action, is_talk=True))
    return tuple(exits)


def grass_exits(view: MapView) -> tuple[Exit, ...]:
    """Return steps from one tile of tall grass to the next."""
    exits = []
    grass = view.terrain & Terrain.GRASS != 0
    for y, x in zip(*np.nonzero(grass), strict=True):
        for action, tile in _neighbours(view, (int(x), int(y))):
            if grass[tile[1], tile[0]]:
                exits.append(Exit((int(x), int(y)), action))
    return tuple(exits)


def _maps_away(start: MapId, leading: Mapping[MapId, Iterable[MapId]]) -> dict[MapId, int]:
    """Search from map to map, breadth first."""
    distances = {start: 0}
    queue = deque([start])
    while queue:
        reached = queue.popleft()
        for other in leading.get(reached, ()):
            if other not in distances:
                distances[other] = distances[reached] + 1
                queue.append(other)
    return distances


def _link(entry: tuple[str, int, int, tuple[int, int]]) -> Link:
    kind, x, y, target = entry
    return Link(MapId(*target), (x, y)) if kind == "warp" else Link(MapId(*target), None, kind)


def _press(entry: Exit, facing: Facing) -> Action:
    if entry.is_talk and facing is DIRECTIONS[entry.action]:
        return Action.A
    return entry.action


def _warp_exits(view: MapView, warp: Tile) -> list[Exit]:
    """Return how to take a warp: press on from a carpet, step on anything else."""
    here = int(view.terrain[warp[1], warp[0]]) if view.contains(*warp) else 0
    if here & Terrain.MAT:
        return [Exit(warp, a) for a, way in DIRECTIONS.items() if here & Terrain.MATS[way]]
    exits = []
    for action, way in DIRECTIONS.items():
        dx, dy = way.delta
        tile = (warp[0] - dx, warp[1] - dy)
        if _is_walkable(view, tile):
            exits.append(Exit(tile, action))
    return exits


def _edge_exits(view: MapView, side: str) -> list[Exit]:
    """Return the tiles at a side from which a walkable tile of the neighbour is stepped on."""
    action, grid, walkable = _SIDES[side], view.bordered, Terrain.WALKABLE
    dx, dy = DIRECTIONS[action].delta
    if dx:
        tiles = [(view.width - 1 if dx > 0 else 0, y) for y in range(view.height)]
    else:
        tiles = [(x, view.height - 1 if dy > 0 else 0) for x in range(view.width)]
    return [
        Exit(tile, action)
        for tile in tiles
        if _is_walkable(view, tile)
        and (grid is None or grid[tile[1] + dy + MAP_BORDER, tile[0] + dx + MAP_BORDER] & walkable)
    ]


def _is_walkable(view: MapView, tile: Tile) -> bool:
    """Return whether one may stand on a tile of the map; ledges are only jumped over."""
    if not view.contains(*tile):
        return False
    return int(view.terrain[tile[1], tile[0]]) & _STANDING == Terrain.WALKABLE


def _neighbours(view: MapView, tile: Tile) -> list[tuple[Action, Tile]]:
    found = []
    for action, facing in DIRECTIONS.items():
        dx, dy = facing.delta
        neighbour = (tile[0] + dx, tile[1] + dy)
        if view.contains(*neighbour):
            found.append((action, neighbour))
    return found


def distance(one: Tile, other: Tile) -> int:
    """Return how many steps apart two tiles are, with nothing between them."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def _costs(view: MapView, blocked: frozenset[Tile]) -> NDArray[np.int32]:
    """Return (height, width) what entering a tile costs; 0 where it cannot be entered."""
    costs = (view.terrain & Terrain.WALKABLE).astype(np.int32)
    costs[view.terrain & Terrain.GRASS != 0] = _GRASS_COST
    # A door would be taken, not walked over; a ledge does not carry.
    costs[view.terrain & (Terrain.DOOR | Terrain.LEDGE) != 0] = 0
    for x, y in blocked:
        if view.contains(x, y):
            costs[y, x] = 0
    return costs


def _distances(view: MapView, exits: tuple[Exit, ...], blocked: frozenset[Tile]) -> dict[Tile, int]:
    """Search backwards from the exits (Dijkstra)."""
    costs = _costs(view, blocked).tolist()
    distances: dict[Tile, int] = {}
    heap = [(0, entry.tile) for entry in exits if entry.tile not in blocked]
    heapify(heap)
    while heap:
        steps, tile = heappop(heap)
        if tile in distances:
            continue
        distances[tile] = steps
        cost = max(1, costs[tile[1]][tile[0]])
        for _, neighbour in _neighbours(view, tile):
            if neighbour not in distances and costs[neighbour[1]][neighbour[0]]:
                heappush(heap, (steps + cost, neighbour))
    return distances
