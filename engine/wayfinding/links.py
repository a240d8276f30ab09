"""Know which map leads to which, by doors, sides and boats, and how many maps apart two are."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping

from engine.games.base import Ferry
from engine.games.overworld import Overworld
from engine.types import SIDES, Facing, MapId, Terrain
from engine.wayfinding.exits import Link


class MapLinks:
    """Know the ways from map to map.

    Args:
        links: Map -> (kind, x, y, target), kind "warp" or a side.
    """

    def __init__(
        self,
        links: Mapping[tuple[int, int], tuple[tuple[str, int, int, tuple[int, int]], ...]],
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

    def distances_from(self, here: MapId, links: Iterable[Link] | None = None) -> dict[MapId, int]:
        """Return map -> how many maps away it is, of those that a way leads to, nearest first.

        Args:
            here: Where to start.
            links: The ways out of there that are open; None: all that are known.
        """
        if links is None:
            return _maps_away(here, self._targets)
        return _maps_away(here, {**self._targets, here: [link.target for link in links]})

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


def world_links(
    world: Overworld, ferries: Iterable[Ferry] = ()
) -> dict[tuple[int, int], tuple[tuple[str, int, int, tuple[int, int]], ...]]:
    """Return which map leads to which, also by ferry, as `WorldMap` takes it."""
    ids = [(one.group, one.number) for one in map(world.map_id, range(len(world)))]
    found: dict[tuple[int, int], list[tuple[str, int, int, tuple[int, int]]]] = {}
    for row, x, y, target, _ in world.warps.tolist():
        tile = world.tile(row, x, y)
        here = 0 if tile is None else int(world.terrain[tile])
        # On plain ground one only arrives; in a wall is a door that an event is yet to open.
        if target >= 0 and (here & Terrain.WARP or not here & Terrain.WALKABLE):
            found.setdefault(ids[row], []).append(("warp", x, y, ids[target]))
    for row, facing, target, *_ in world.connections.tolist():
        found.setdefault(ids[row], []).append((SIDES[Facing(facing)], 0, 0, ids[target]))
    for ferry in ferries:
        start, end = ((one.group, one.number) for one in (ferry.place, ferry.target))
        found.setdefault(start, []).append(("warp", *ferry.person, end))
    return {key: tuple(links) for key, links in found.items()}


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
