"""Find the shortest way over a whole world: from any walk tile to any other, over all maps.

The graph is kept (`engine.wayfinding.graph`). Who and what is in the way, and what the party can
do, is given to every search.
"""

import contextlib
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.errors import ConfigurationError
from engine.games.base import Ferry
from engine.games.overworld import ANY_SCENE, BACK, NO_ABILITY, Ability, Overworld, Stance
from engine.ground.folders import cache_folder
from engine.types import Facing, GameState, MapId, Terrain
from engine.wayfinding.graph import (
    VERSION,
    Graph,
    Presses,
    build_graph,
    crossings,
    load_graph,
    people_on_ice,
    presses,
    sailings,
    save_graph,
    successors,
)
from engine.wayfinding.network import Indices, is_on_map, make_network, tiles_of
from engine.wayfinding.search import FAR, HELD, SHUT, Recent, Search

_TRIGGER_COST = 12
STONE_COSTS: Mapping[Stance, int] = {Stance.BOULDER: 100, Stance.ROCK: 4, Stance.TREE: 4}
STONE_ABILITIES: Mapping[Stance, Ability] = {
    Stance.BOULDER: Ability.STRENGTH,
    Stance.ROCK: Ability.ROCK_SMASH,
    Stance.TREE: Ability.CUT,
}
"""What moves them out of the way."""

SceneId = tuple[int, int, int]
"""A scene that triggers start: the map's row, its number, and the `place` of TRIGGER_FIELDS."""

_NUM_SEARCHES = 32
"""Searches that are remembered: enough for all games of a worker, each with some goals."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """The part of a game's state that decides which ways are open.

    Attributes:
        abilities: What the party can do.
        is_away: One byte for each of `Overworld.people`: 1 if a flag hides them.
        triggers: One byte for each of `Overworld.triggers`: 1 while it would start a scene, 2 if
            that sent the player back.
        is_closed: One byte for each of `Overworld.gates`: 1 while the tile is closed.
        back: Tiles of the warps that lead back to where one came from, and where that is now.
        sails: One byte for each ferry: 1 while it takes the player along.
    """

    abilities: Ability = NO_ABILITY
    is_away: bytes = b""
    triggers: bytes = b""
    is_closed: bytes = b""
    back: tuple[tuple[int, int], ...] = ()
    sails: bytes = b""


class RouteFinder:
    """Search the ways of one world; the distances to the last few goals are remembered.

    Attributes:
        world: The maps.
        graph: The ways.
        ferries: Who takes the player elsewhere; their ends are nodes of the graph.
    """

    def __init__(self, world: Overworld, graph: Graph, ferries: tuple[Ferry, ...] = ()) -> None:
        self.world, self.graph, self.ferries = world, graph, ferries
        self._sailings = sailings(world, ferries)
        self._searches = Recent[Search](_NUM_SEARCHES)
        self._across: dict[tuple[int, Facing], dict[int, int]] = {}
        self._arrived: dict[tuple[MapId, int, MapId], tuple[int, ...]] = {}
        self._on_ice = people_on_ice(world)
        self._slides_by_people: dict[frozenset[int], tuple[tuple[int, int], ...]] = {}
        maps, people = world.maps, world.people
        self._people = self._inside(people)
        self._triggers = self._inside(world.triggers)
        self._arrivals = np.searchsorted(world.warps["map"], np.arange(len(maps) + 1))
        targets = np.repeat(np.arange(len(graph.costs), dtype=np.int32), np.diff(graph.first))
        ways = graph.sources, targets
        leaving = graph.climbs
        if self._on_ice:
            leaving = np.concatenate((leaving, self._presses.tiles))
        if self._sailings:
            ends = np.array([way[1:] for way in self._sailings], np.int32)
            leaving = np.concatenate((leaving, ends))
        self._network = make_network(world, graph.nodes, graph.tables, graph.needs, ways, leaving)

    def all_open(self, abilities: Ability) -> Conditions:
        """Return the conditions under which every gate is open and every ferry sails."""
        return Conditions(abilities, sails=b"\1" * len(self.ferries))

    def distances(self, goals: Iterable[int], conditions: Conditions) -> Search:
        """Return the distances from tiles to the nearest of the goals' tiles."""
        targets = frozenset(goals)
        return self._searches.of((targets, conditions), lambda: self._search(targets, conditions))

    def path(self, start: int, goals: Iterable[int], conditions: Conditions) -> list[int]:
        """Return the tiles where presses lead to the nearest goal, `start` first; [] if none."""
        targets = frozenset(goals)
        search = self.distances(targets, conditions)
        if search[start] >= FAR:
            return []
        more = self._more_by_tile(conditions)
        path = [start]
        while (tile := path[-1]) not in targets:
            path.append(self._next(search, tile, more))
        return path

    def ways_out(
        self, search: Search, goals: frozenset[int], conditions: Conditions
    ) -> Callable[[int], tuple[int, int | None]]:
        """Return a function that says where the way from a tile to a search's goals leaves its map.

        It returns the last tile there, and the index in `FACINGS` of the press that leaves it, None
        where the way ends there or any press leaves it.
        """
        more, known = self._more_by_tile(conditions), search.leaving

        def find(start: int) -> tuple[int, int | None]:
            row, passed, tile = self.world.locate(start)[0], [], start
            while tile not in known:
                passed.append(tile)
                after = tile if tile in goals else self._next(search, tile, more)
                if after == tile or self.world.locate(after)[0] != row:
                    ways = np.flatnonzero(self._presses.leading[:, tile] == after).tolist()
                    known[tile] = tile, ways[0] if ways and after != tile else None
                else:
                    tile = after
            known.update(dict.fromkeys(passed, known[tile]))
            return known[start]

        return lambda start: known.get(start) or find(start)

    def comes_back(
        self, search: Search, goals: frozenset[int], conditions: Conditions, tile: int, row: int
    ) -> bool:
        """Return whether the way from a tile to a search's goals enters the map in a row."""
        known, passed = search.coming_back, []
        ways, more = self.ways_out(search, goals, conditions), self._more_by_tile(conditions)
        while (tile, row) not in known:
            passed.append((tile, row))
            last, _ = ways(tile) if search[tile] < FAR else (tile, None)
            after = last if last in goals or search[last] >= FAR else self._next(search, last, more)
            if after == last or self.world.locate(after)[0] == row:
                known[after, row] = after != last
            tile = after
        known.update(dict.fromkeys(passed, known[tile, row]))
        return known[tile, row]

    def _next(self, search: Search, tile: int, more: Mapping[int, list[int]]) -> int:
        """Return where the shortest way leads from a tile by one press."""
        first, leading = self._forwards
        tiles = leading[first[tile] : first[tile + 1]].tolist()
        return search.next_of(tile, [*tiles, *more.get(tile, ())])

    def _more_by_tile(self, conditions: Conditions) -> dict[int, list[int]]:
        more: dict[int, list[int]] = {}
        for tile, end in self.more_ways(conditions):
            more.setdefault(tile, []).append(end)
        return more

    def more_ways(self, conditions: Conditions) -> list[tuple[int, int]]:
        """Return the ways beside those of the graph: from which tile one press leads to which."""
        can_climb = bool(conditions.abilities & Ability.WATERFALL)
        climbs = self.graph.climbs.tolist() if can_climb else ()
        sails = conditions.sails
        sailing = [(start, end) for i, start, end in self._sailings if sails and sails[i]]
        return [*climbs, *conditions.back, *self._slides(conditions.is_away), *sailing]

    def _slides(self, is_away: bytes) -> tuple[tuple[int, int], ...]:
        """Return the slides that depend on who stands on the ice, as they are now.

        Where several stand on a map and some are away, those between them may be left out.
        """
        there = frozenset(
            tile for tile, row in self._on_ice.items() if is_away and not is_away[row]
        )
        found = self._slides_by_people.get(there) if self._on_ice else ()
        if found is None:
            (ways, sources), ends = self._presses.slides, self._presses.ends[int(bool(there))]
            if there and there != self._on_ice.keys():
                ends = successors(self.world, there)[0][ways, sources]
            pairs = zip(sources.tolist(), ends.tolist(), strict=True)
            nodes = set(self.graph.nodes.tolist())
            found = tuple(pair for pair in pairs if pair[1] >= 0 and nodes.issuperset(pair))
            self._slides_by_people[there] = found
        return found

    @cached_property
    def _presses(self) -> Presses:
        """Return where presses lead, which the graph does not keep by direction."""
        return presses(self.world)

    @cached_property
    def _forwards(self) -> tuple[Indices, Indices]:
        """Return the edges of `Graph` forwards: first target of each tile, and targets."""
        graph = self.graph
        order = np.argsort(graph.sources, kind="stable")
        count = len(graph.costs)
        targets = np.repeat(np.arange(count, dtype=np.int32), np.diff(graph.first))[order]
        first = np.searchsorted(graph.sources[order], np.arange(count + 1)).astype(np.int32)
        return first, targets

    def reachable(self, starts: Iterable[int], conditions: Conditions) -> NDArray[np.bool_]:
        """Return (N,) bool, to which tiles a way leads that nobody blocks."""
        costs = self.costs(conditions)
        first, leading = (part.data for part in self._forwards)
        more = self._more_by_tile(conditions)
        is_reached, waiting = bytearray(len(costs)), list(starts)
        for tile in waiting:
            is_reached[tile] = 1
        while waiting:
            tile = waiting.pop()
            targets: Iterable[int] = leading[first[tile] : first[tile + 1]]
            if tile in more:
                targets = [*targets, *more[tile]]
            for target in targets:
                if not is_reached[target] and costs[target] not in (SHUT, HELD):
                    is_reached[target] = 1
                    waiting.append(target)
        return np.frombuffer(is_reached, np.bool_)

    def costs(self, conditions: Conditions) -> bytes:
        """Return (N,) bytes, the cost of entering each tile."""
        costs = self.graph.costs.copy()
        costs[self.graph.needs & ~np.uint8(conditions.abilities) != 0] = SHUT
        if conditions.triggers:
            for tile, row in self._triggers:
                state = conditions.triggers[row]
                if state:
                    costs[tile] = max(int(costs[tile]), _trigger_cost(state))
        closed = np.frombuffer(conditions.is_closed, np.bool_)
        costs[self.world.gates["tile"][: len(closed)][closed]] = HELD
        if conditions.is_away:
            stances, away = self.world.people["stance"], conditions.is_away
            for tile, row in self._people:
                if not away[row]:
                    cost = _standing_cost(Stance(int(stances[row])), conditions.abilities)
                    if cost is not None:
                        costs[tile] = cost
        return costs.tobytes()

    def triggers_on(self, row: int, active: bytes) -> dict[tuple[int, int], int]:
        """Return the cost of each tile (x, y) of a map that starts a scene.

        `active` is as `Conditions.triggers`.
        """
        found: dict[tuple[int, int], int] = {}
        for tile, i in self._triggers:
            if active and active[i] and self.world.triggers["map"][i] == row:
                _, x, y = self.world.locate(tile)
                found[x, y] = max(found.get((x, y), 0), _trigger_cost(active[i]))
        return found

    def conditions(
        self,
        state: GameState,
        abilities: Ability,
        scenes: Mapping[int, int],
        shut: frozenset[SceneId],
    ) -> Conditions:
        """Return what a game's state opens and closes.

        Args:
            state: The game now.
            abilities: What the party can do.
            scenes: Row of a map -> its scene number, of those that are known.
            shut: Scenes whose triggers sent the player back.
        """
        people, gates = self.world.people, self.world.gates
        is_away = _bits(state, people["flag"]) | (people["hours"] != 0)
        is_closed = _bits(state, gates["flag"]) != gates["opens"]
        triggers = bytearray(len(self.world.triggers))
        fields = (self.world.triggers[name].tolist() for name in ("map", "scene", "place"))
        for i, (row, scene, place) in enumerate(zip(*fields, strict=True)):
            now = scene_now(state, scenes, row, place)
            if now is not None and scene in (now, ANY_SCENE):
                triggers[i] = 2 if (row, now, place) in shut else 1
        flags = np.array([ferry.flag for ferry in self.ferries], np.int16)
        sails = ((flags < 0) | _bits(state, flags)).tobytes()
        closed = is_closed.tobytes()
        return Conditions(abilities, is_away.tobytes(), bytes(triggers), closed, sails=sails)

    def arrival(self, target: MapId, number: int, here: MapId) -> tuple[int, ...]:
        """Return where a warp to a map's warp `number` leads; several where it leads back.

        Where a script says where it leads, only the map is known: then it may be any tile of it.
        """
        key = target, number, here
        found = self._arrived.get(key)
        if found is None:
            found = self._arrived[key] = self._find_arrival(*key)
        return found

    def _find_arrival(self, target: MapId, number: int, here: MapId) -> tuple[int, ...]:
        row, came_from = self.world.row(target), self.world.row(here)
        if row is None:
            return ()
        begin, end = self._arrivals[row], self._arrivals[row + 1]
        own = self.world.warps[begin:end]
        if number == BACK:
            numbers = np.flatnonzero(own["target"] == came_from).tolist()
            if not numbers:
                first = int(self.world.maps["first_tile"][row])
                floor = np.flatnonzero(self.world.grid(row) & Terrain.WALKABLE)
                return tuple((first + floor).tolist())
        else:
            numbers = [number - 1] if 1 <= number <= len(own) else []
        tiles = []
        for each in numbers:
            tile = self.world.tile(row, int(own["x"][each]), int(own["y"][each]))
            if tile is not None:
                is_pushed = self.world.terrain[tile] & Terrain.PUSH
                below = self.world.tile(row, int(own["x"][each]), int(own["y"][each]) + 1)
                tiles.append(below if is_pushed and below is not None else tile)
        return tuple(tiles)

    def across(self, row: int, facing: Facing) -> Mapping[int, int]:
        """Return the tiles at a side of a map -> those across it."""
        found = self._across.get((row, facing))
        if found is None:
            found = self._across[row, facing] = self._find_across(row, facing)
        return found

    def _find_across(self, row: int, facing: Facing) -> dict[int, int]:
        links = self.world.connections
        found: dict[int, int] = {}
        for link in links[(links["map"] == row) & (links["facing"] == facing)]:
            own, other = crossings(self.world, link)
            found |= dict(zip(own.tolist(), other.tolist(), strict=True))
        return found

    def _search(self, goals: frozenset[int], conditions: Conditions) -> Search:
        more: dict[int, list[int]] = {}
        for tile, end in self.more_ways(conditions):
            more.setdefault(end, []).append(tile)
        costs = self.costs(conditions)
        return Search(self.graph, self._network, costs, goals, more, conditions.abilities)

    def _inside(self, things: NDArray[np.void]) -> list[tuple[int, int]]:
        """Return tile and row of those that stand on their map."""
        rows = np.flatnonzero(is_on_map(self.world, things))
        tiles = tiles_of(self.world, things[rows])
        return list(zip(tiles.tolist(), rows.tolist(), strict=True))


def scene_now(state: GameState, scenes: Mapping[int, int], row: int, place: int) -> int | None:
    """Return the number that a trigger goes by; None: it is not known.

    Args:
        state: The game now.
        scenes: Row of a map -> its scene number, of those that are known.
        row: The map's.
        place: As in TRIGGER_FIELDS.
    """
    if place < 0:
        return scenes.get(row)
    return state.scenes[place] if place < len(state.scenes) else None


def _trigger_cost(active: int) -> int:
    """Return the cost of a tile that starts a scene, or sent the player back."""
    return HELD if active > 1 else _TRIGGER_COST


def _bits(state: GameState, flags: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return which event flags are set; those that are not known are not."""
    bits = np.unpackbits(np.frombuffer(state.event_flags or b"\0", np.uint8), bitorder="little")
    is_known = (flags >= 0) & (flags < len(bits))
    return np.asarray(is_known & (bits[np.where(is_known, flags, 0)] != 0))


def _standing_cost(stance: Stance, abilities: Ability) -> int | None:
    """Return the cost of a tile where somebody or something stands; None: the tile's own."""
    if stance is Stance.WALKS:
        return None  # gone when one comes there
    if stance in STONE_ABILITIES:
        return STONE_COSTS[stance] if abilities & STONE_ABILITIES[stance] else SHUT
    return HELD


@lru_cache(maxsize=2)
def route_finder(world: Overworld, sha1: str, ferries: tuple[Ferry, ...] = ()) -> RouteFinder:
    """Return the finder that all games of this process share.

    Args:
        world: The maps of an image.
        sha1: Of the image: the graph is kept under it in the user's cache folder.
        ferries: Of the game.
    """
    try:
        content = zlib.crc32(world.gates.tobytes(), zlib.crc32(world.terrain.tobytes()))
        content = zlib.crc32(repr(sailings(world, ferries)).encode(), content)
        steps = world.bridges.steps
        content = zlib.crc32(repr(steps).encode() if steps else b"", content)
        path = cache_folder() / f"routes-{sha1}-{VERSION}-{content:08x}.npz"
    except ConfigurationError:
        return RouteFinder(world, build_graph(world, ferries), ferries)
    graph = load_graph(path, world)
    if graph is None:
        graph = build_graph(world, ferries)
        with contextlib.suppress(OSError):  # a cache that cannot be written only costs time
            save_graph(path, graph)
            graph = load_graph(path, world) or graph
            for old in path.parent.glob(f"routes-{sha1}-*.npz"):
                if old != path:  # of an older version
                    old.unlink(missing_ok=True)
    return RouteFinder(world, graph, ferries)
