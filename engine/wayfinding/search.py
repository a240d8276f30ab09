"""Search backwards from goals: over the tiles of one map, or over the network of a whole world."""

import heapq
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from operator import is_not
from typing import Generic, TypeVar

import numpy as np

from engine.games.overworld import Ability
from engine.wayfinding.graph import Graph
from engine.wayfinding.network import NO_WAY, Network

_T = TypeVar("_T")

FAR = 1 << 30
"""Distance of what cannot be reached."""

CLOSED = 10_000
"""What passing somebody in the way, or a gate that is closed, counts as: distances from here on
lead through as many of them as they hold multiples of it."""

_FEW = 12
"""Nodes of a map up to which loops of Python are faster than NumPy."""

SHUT, HELD = 0, 255
"""Costs of tiles that cannot be entered, and of those that count as `CLOSED`."""


def tile_distances(
    graph: Graph,
    costs: bytes,
    known: Mapping[int, int],
    goals: Iterable[int],
    more: Mapping[int, list[int]],
    span: tuple[int, int],
    limit: int = FAR,
) -> list[int]:
    """Return the distance from each tile of a map to where distances are known, `FAR` for no way.

    Args:
        graph: The ways.
        costs: Cost of entering each tile.
        known: Tile -> distance from there at most.
        goals: Tiles that can be entered in any case.
        more: Tile -> tiles that lead to it, in addition to the graph.
        span: First tile of the map, and the one after its last.
        limit: Distances above it need not be the least.
    """
    # Python's integers in lists and memory views are faster here than NumPy's. Mapped arrays need
    # not lie at multiples of 4, which only views of bytes put up with.
    first, sources = (part.view(np.uint8).data.cast("i") for part in (graph.first, graph.sources))
    begin, end = span
    distances = [FAR] * (end - begin)
    waiting: dict[int, list[int]] = {}
    for tile, left in known.items():
        distances[tile - begin] = left
        waiting.setdefault(left, []).append(tile)
    while waiting and (distance := min(waiting)) <= limit:
        reached = waiting.pop(distance)
        while reached and distance <= limit:
            later: list[int] = []
            after = distance + 1
            for tile in reached:
                if distances[tile - begin] != distance:
                    continue
                cost = costs[tile]
                if cost == 1:
                    bucket, total = later, after
                elif cost == SHUT and tile not in goals:
                    continue
                else:
                    total = distance + entering(cost)
                    bucket = waiting.setdefault(total, [])
                leading: Iterable[int] = sources[first[tile] : first[tile + 1]]
                if tile in more:
                    leading = [*leading, *more[tile]]
                for source in leading:
                    if begin <= source < end and total < distances[source - begin]:
                        distances[source - begin] = total
                        bucket.append(source)
            reached = later + waiting.pop(after, [])
            distance = after
    return distances


def entering(cost: int) -> int:
    """Return the distance that entering a tile adds; a goal that is shut counts as any tile."""
    return 1 if cost == SHUT else CLOSED if cost == HELD else cost


class Search:
    """The distances from tiles to the nearest goal, searched only as far as they are asked for.

    They do not depend on what was asked before.

    Args:
        graph: The ways.
        network: The same, reduced.
        costs: Cost of entering each tile.
        goals: Tiles to reach.
        more: Tile -> tiles that lead to it, beside the graph; both are nodes of the network.
        abilities: What the party can do.

    Attributes:
        leaving: Cache of `RouteFinder.ways_out`: tile -> where the way from there leaves its map.
        coming_back: Cache of `RouteFinder.comes_back`: tile and row of a map -> the answer.
    """

    def __init__(
        self,
        graph: Graph,
        network: Network,
        costs: bytes,
        goals: frozenset[int],
        more: Mapping[int, list[int]],
        abilities: Ability,
    ) -> None:
        self._graph, self._network, self._costs = graph, network, costs
        self._goals, self._more = goals, more
        self.leaving: dict[int, tuple[int, int | None]] = {}
        self.coming_back: dict[tuple[int, int], bool] = {}
        self._tables = network.swimming if abilities & Ability.SURF else network.foot
        counts = np.frombuffer(costs, np.uint8)[network.nodes].astype(np.int32)
        is_goal = np.isin(network.nodes, list(goals))
        counts[(counts == SHUT) & is_goal] = 1
        counts[counts == SHUT] = FAR
        counts[counts == HELD] = CLOSED
        self._costs_of: list[int] = counts.tolist()
        """By node: the cost of entering it."""
        self._left = [FAR] * len(counts)
        """By node: the distance from it, as far as it is known."""
        self._news: dict[int, list[int]] = {}
        """By map: the nodes whose shorter distances were not passed on yet."""
        self._waiting: list[tuple[int, int]] = []
        """Heap of these maps, each by the least of such distances."""
        self._fields: dict[int, tuple[int, list[int]]] = {}
        self._goals_of: dict[int, list[int]] = {}
        for tile in goals:
            self._goals_of.setdefault(self._row(tile), []).append(tile)
        self._more_ways: dict[int, list[int]] = {}
        """By node: those that lead to it beside the network's."""
        for tile, leading in more.items():
            ways = self._more_ways.setdefault(bisect_left(network.nodes, tile), [])
            ways += [bisect_left(network.nodes, source) for source in leading]
        for row, tiles in self._goals_of.items():
            self._begin(row, tiles)

    def __getitem__(self, tile: int) -> int:
        """Return the distance from a tile, `FAR` where there is no way."""
        net, left, row = self._network, self._left, self._row(tile)
        node = bisect_left(net.nodes, tile)
        if row not in net.ends and node < len(left) and net.nodes[node] == tile:
            while self._waiting and self._waiting[0][0] < left[node]:
                self._relax()
            return left[node]
        if not net.leaves[tile]:
            return 0 if tile in self._goals else FAR
        if row not in self._fields:
            while row not in net.ends and self._waiting and self._relax() != row:
                pass
            self._find_field(row)
        until, field = self._fields[row]
        while (found := field[tile - net.firsts[row]]) > until:
            self._settle(found)
            until, field = self._find_field(row)
        return found

    def next_of(self, tile: int, tiles: Iterable[int]) -> int:
        """Return which of the tiles that a press leads to the shortest way goes through.

        Args:
            tile: Where one is; the distance from there has been asked for.
            tiles: Those that a press leads to.
        """
        limit = self[tile]

        def left(tile: int) -> int:
            if self._costs[tile] == SHUT and tile not in self._goals:
                return FAR
            return self._within(limit, tile) + entering(self._costs[tile])

        return min(tiles, key=left)

    def all(self) -> list[int]:
        """Return the distances from all tiles."""
        self._settle(FAR)
        return [left for row in range(len(self._tables)) for left in self._find_field(row)[1]]

    def _row(self, tile: int) -> int:
        return bisect_right(self._network.firsts, tile) - 1

    def _begin(self, row: int, goals: list[int]) -> None:
        """Find the way from the nodes of a map to the goals on it."""
        net, field = self._network, self._distances(row, dict.fromkeys(goals, 0))
        for node in range(net.spans[row], net.spans[row + 1]):
            if (distance := field[net.nodes[node] - net.firsts[row]]) < FAR:
                self._shorten(node, distance)

    def _within(self, limit: int, tile: int) -> int:
        """Return the distance from a tile, or any greater one than a limit that is certain."""
        net, row = self._network, self._row(tile)
        node = bisect_left(net.nodes, tile)
        if row not in net.ends and node < len(net.nodes) and net.nodes[node] == tile:
            return self._left[node]
        until, field = self._fields.get(row) or (-1, [])
        if until < limit:
            until, field = self._find_field(row, limit)
        return field[tile - net.firsts[row]]

    def _find_field(self, row: int, limit: int = FAR) -> tuple[int, list[int]]:
        """Return up to where distances are certain, and those from the tiles of a map."""
        net, left = self._network, self._left
        nodes = range(net.spans[row], net.spans[row + 1])
        known = {net.nodes[node]: left[node] for node in nodes if left[node] < FAR}
        known |= dict.fromkeys(self._goals_of.get(row, ()), 0)
        if row in net.ends:
            outside, exits = net.ends[row]
            left_there = min(self[net.nodes[outside]] + self._costs_of[outside], FAR)
            for tile in (net.nodes[node] for node in exits):
                known[tile] = min(left_there, known.get(tile, FAR))
        until = min(limit, self._waiting[0][0] if self._waiting else FAR)
        self._fields[row] = until, self._distances(row, known, limit)
        return self._fields[row]

    def _distances(self, row: int, known: Mapping[int, int], limit: int = FAR) -> list[int]:
        span = self._network.firsts[row], self._network.firsts[row + 1]
        return tile_distances(self._graph, self._costs, known, self._goals, self._more, span, limit)

    def _settle(self, distance: int) -> None:
        """Search until all distances up to this one are certain."""
        while self._waiting and self._waiting[0][0] < distance:
            self._relax()

    def _shorten(self, node: int, distance: int) -> None:
        """Note that the distance from a node is shorter than was known."""
        row = self._network.rows[node]
        news = self._news.setdefault(row, [])
        if not news or distance < self._left[news[0]]:  # the first one is the nearest
            heapq.heappush(self._waiting, (distance, row))
            news.insert(0, node)
        else:
            news.append(node)
        self._left[node] = distance

    def _relax(self) -> int:
        """Pass on the new distances of the nearest map, to its other nodes and those leading there.

        Returns:
            The map's row.
        """
        _, row = heapq.heappop(self._waiting)
        news = self._news.pop(row, None)
        if news is None:
            return row
        net, left, costs = self._network, self._left, self._costs_of
        gained, own = set(news), news
        while own:
            shorter = self._pass_on(row, own)
            gained |= shorter
            # The table has all ways through others than soft tiles already.
            own = [node for node in shorter if net.is_soft[node]]
        for node in gained:
            distance = left[node] + costs[node]
            for source in net.sources[net.sources_of[node] : net.sources_of[node + 1]]:
                if distance < left[source]:
                    self._shorten(source, distance)
            for source in self._more_ways.get(node, ()):
                if distance < left[source]:
                    self._shorten(source, distance)
        return row

    def _pass_on(self, row: int, news: list[int]) -> set[int]:
        """Shorten the distances from a map's nodes by ways through some of them; return which."""
        net, left, costs, table = self._network, self._left, self._costs_of, self._tables[row]
        begin, end = net.spans[row], net.spans[row + 1]
        if end - begin <= _FEW:
            shorter = set()
            for node in news:
                through = left[node] + costs[node]
                for other, leg in enumerate(table[:, node - begin].tolist(), begin):
                    if leg != NO_WAY and through + leg < left[other]:
                        left[other] = through + leg
                        shorter.add(other)
            return shorter
        entered = np.array([min(left[node] + costs[node], FAR) for node in news], np.int32)
        legs = table[:, np.array(news) - begin]
        ways = legs + entered
        ways[legs == NO_WAY] = FAR
        found, former = ways.min(1), np.array(left[begin:end], np.int32)
        is_shorter = found < former
        left[begin:end] = np.where(is_shorter, found, former).tolist()
        return set((np.flatnonzero(is_shorter) + begin).tolist())


class Last(Generic[_T]):
    """Cache the last result: from one step to the next its inputs have mostly not changed."""

    def __init__(self) -> None:
        self._same: tuple[object, ...] = ()
        self._equal: tuple[object, ...] | None = None
        self._result: list[_T] = []

    def of(self, same: tuple[object, ...], equal: tuple[object, ...], make: Callable[[], _T]) -> _T:
        """Return it, made anew unless the objects are the `same` and the values are `equal`."""
        if self._equal != equal or any(map(is_not, same, self._same)):
            self._same, self._equal, self._result = same, equal, [make()]
        return self._result[0]


class Recent(Generic[_T]):
    """Cache the results that were asked for last, by keys.

    Args:
        most: How many.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._results: OrderedDict[Hashable, _T] = OrderedDict()

    def of(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """Return a key's result, made where it is not kept."""
        if key in self._results:
            self._results.move_to_end(key)
            return self._results[key]
        result = self._results[key] = make()
        if len(self._results) > self._most:
            self._results.popitem(last=False)
        return result
