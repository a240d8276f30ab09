"""Reduce a world to the tiles where ways enter and leave its maps, with the distances between them.

A search over many maps then goes from one of these to the next, and over single tiles only on the
maps that are asked about: customizable route planning (Delling et al. 2011) with maps for cells.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.games.overworld import Ability, Overworld

Indices = NDArray[np.int32]
Table = NDArray[np.uint16]

NO_WAY = 0xFFFF
"""In a table: no way between the two stays on the map."""

_WORD = 64
_CHUNK = 1 << 13
"""64-bit words that are processed at a time: so many stay in a core's cache."""


def first_tiles(world: Overworld) -> NDArray[np.int64]:
    """Return (M + 1,) the first tile of each map, and the number of all tiles."""
    return np.append(world.maps["first_tile"], len(world.terrain)).astype(np.int64)


def is_on_map(world: Overworld, things: NDArray[np.void]) -> NDArray[np.bool_]:
    """Return which things lie inside of their map."""
    maps, rows = world.maps, things["map"]
    return np.asarray((things["x"] < maps["width"][rows]) & (things["y"] < maps["height"][rows]))


def tiles_of(world: Overworld, things: NDArray[np.void]) -> NDArray[np.int64]:
    """Return the tiles of things that lie inside of their maps."""
    maps, rows = world.maps, things["map"]
    along = things["y"].astype(np.int64) * maps["width"][rows] + things["x"]
    places = np.asarray(maps["first_tile"][rows] + along)
    if not world.bridges.lower or "level" not in (things.dtype.names or ()):
        return places
    at = zip(places.tolist(), things["level"].tolist(), strict=True)
    return np.array([world.bridges.tile(*one) for one in at], np.int64)


def soft_tiles(world: Overworld, needs: NDArray[np.uint8]) -> Indices:
    """Return in order the tiles whose cost depends on the game's state; water is left out."""
    parts = [world.gates["tile"], np.flatnonzero(needs & ~np.uint8(Ability.SURF))]
    parts += [
        tiles_of(world, things[is_on_map(world, things)])
        for things in (world.people, world.triggers)
    ]
    return np.unique(np.concatenate(parts)).astype(np.int32)


def find_nodes(world: Overworld, leading: Indices, more: Indices, soft: Indices) -> Indices:
    """Return the tiles, in order, between which distances are kept.

    Args:
        world: The maps.
        leading: (4, N) where presses lead, -1 for nowhere.
        more: Ends of ways that are not in `leading`.
        soft: As of `soft_tiles`.
    """
    rows = _rows(world)
    crosses = (leading >= 0) & (rows[leading] != rows)
    sources = np.broadcast_to(np.arange(leading.shape[1]), leading.shape)[crosses]
    found = np.concatenate((sources, leading[crosses], more.ravel(), soft))
    return np.unique(found[found >= 0]).astype(np.int32)


def build_tables(
    world: Overworld,
    leading: Indices,
    costs: NDArray[np.uint8],
    needs: NDArray[np.uint8],
    nodes: Indices,
    soft: Indices,
) -> Table:
    """Return the distances between the nodes of each map, one (B, B) table after another.

    A distance is the cost of the tiles between two nodes. Ways through a soft tile are left out: a
    search joins two of them there. First come the tables on foot, then, of the maps that have
    water, those with Surf.
    """
    is_soft = np.zeros(len(costs), np.bool_)
    is_soft[soft] = True
    is_open = ~is_soft & (needs == 0)
    swims = is_open | (~is_soft & (needs == Ability.SURF))
    firsts, counts = first_tiles(world), node_counts(world, nodes)
    wet = np.flatnonzero(wet_maps(world, needs))
    parts: list[Table] = []
    for rows, passable in ((np.arange(len(world)), is_open), (wet, swims)):
        chunk: list[int] = []
        words = size = 0
        for row in [*rows.tolist(), -1]:
            tiles = int(firsts[row + 1] - firsts[row]) if row >= 0 else 0
            wanted = max(words, -(-int(counts[row]) // _WORD)) if row >= 0 else words
            if chunk and (row < 0 or (size + tiles) * wanted > _CHUNK):
                parts += _chunk_tables(chunk, firsts, leading, costs, passable, nodes)
                chunk, size = [], 0
                wanted = -(-int(counts[row]) // _WORD) if row >= 0 else 0
            chunk.append(row)
            words, size = wanted, size + tiles
    return np.concatenate([part.ravel() for part in parts]) if parts else np.zeros(0, np.uint16)


def _chunk_tables(
    rows: list[int],
    firsts: NDArray[np.int64],
    leading: Indices,
    costs: NDArray[np.uint8],
    passable: NDArray[np.bool_],
    nodes: Indices,
) -> list[Table]:
    """Return the tables of some maps, computed together.

    It is a breadth-first search backwards from all nodes at once: each bit of a tile says whether
    one of its map's nodes can be reached from there.
    """
    spans = [np.arange(firsts[row], firsts[row + 1]) for row in rows]
    tiles = np.concatenate(spans)
    local = np.repeat(np.arange(len(rows)), [len(span) for span in spans])
    ends = leading[:, tiles]
    place = np.searchsorted(tiles, ends)
    place[place == len(tiles)] = 0
    is_own = (ends >= 0) & (tiles[place] == ends) & (local[place] == local)
    place = np.where(is_own, place, len(tiles))
    at = np.flatnonzero(np.isin(tiles, nodes))
    begins = np.searchsorted(local[at], np.arange(len(rows) + 1))
    bit = np.arange(len(at)) - begins[local[at]]
    words = int(bit.max(initial=0)) // _WORD + 1
    expand = np.zeros((len(tiles) + 1, words), np.uint64)
    expand[at, bit // _WORD] = np.uint64(1) << (bit % _WORD).astype(np.uint64)
    seen = expand[:-1].copy()
    table = np.full((len(at), words * _WORD), NO_WAY, np.uint16)
    kinds = [
        (int(cost), np.where(passable[tiles] & (costs[tiles] == cost), ~np.uint64(0), np.uint64(0)))
        for cost in np.unique(costs[tiles[passable[tiles]]])
    ]
    later: dict[int, NDArray[np.uint64]] = {0: expand}
    level = 0
    while later:
        if (expanding := later.pop(level, None)) is not None:
            reached = expanding[place[0]]
            for way in place[1:]:
                reached |= expanding[way]
            reached &= ~seen
            seen |= reached
            hits = reached[at]
            if hits.any():
                bits = np.unpackbits(hits.view(np.uint8), axis=1, bitorder="little")
                table[bits.view(np.bool_)] = level
            if reached.any():
                for cost, mask in kinds:
                    coming = later.get(level + cost)
                    if coming is None:
                        coming = later[level + cost] = np.zeros_like(expand)
                    coming[:-1] |= reached & mask[:, None]
        level += 1
    return [
        table[begin:end, : end - begin]
        for begin, end in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True)
    ]


def node_counts(world: Overworld, nodes: Indices) -> NDArray[np.int64]:
    """Return (M,) how many of the nodes each map has."""
    return np.diff(np.searchsorted(nodes, first_tiles(world)))


def wet_maps(world: Overworld, needs: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return (M,) bool, which maps have water that is crossed by Surf alone."""
    wet = np.zeros(len(world) + 1, np.int64)
    np.add.at(wet, _rows(world)[needs == Ability.SURF], 1)
    return wet[:-1] > 0


def table_size(world: Overworld, nodes: Indices, needs: NDArray[np.uint8]) -> int:
    """Return how many numbers the tables of `build_tables` have."""
    squares = node_counts(world, nodes) ** 2
    return int(squares.sum() + squares[wet_maps(world, needs)].sum())


def _rows(world: Overworld) -> NDArray[np.int64]:
    """Return (N,) the row of each tile's map."""
    return np.repeat(np.arange(len(world)), np.diff(first_tiles(world)))


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """The nodes of a world, ready to be searched.

    Attributes:
        nodes: (K,) tiles in order, those of a map beside one another.
        spans: First node of each map, and K.
        firsts: First tile of each map, and N.
        rows: Row of each node's map.
        foot: Of each map the (B, B) distances; see `build_tables`.
        swimming: The same with Surf.
        is_soft: (K,) bytes, 1 where the cost of entering depends on the game's state.
        sources: From nodes `sources[sources_of[k]:sources_of[k + 1]]`, of other maps, a press leads
            to node k.
        ends: Maps that are entered and left by one tile of another map alone, a node: that, and the
            nodes that lead to it, which are left out of `sources`. No way leads through such maps.
        leaves: (N,) bytes, 1 where a press leads from a tile to another one.
    """

    nodes: list[int]
    spans: list[int]
    firsts: list[int]
    rows: list[int]
    is_soft: bytes
    foot: list[Table]
    swimming: list[Table]
    sources: list[int]
    sources_of: list[int]
    ends: dict[int, tuple[int, list[int]]]
    leaves: bytes


def make_network(
    world: Overworld,
    nodes: Indices,
    tables: Table,
    needs: NDArray[np.uint8],
    edges: tuple[Indices, Indices],
    climbs: Indices,
) -> Network:
    """Prepare what a graph holds for searches.

    Args:
        world: The maps.
        nodes: As of `find_nodes`.
        tables: As of `build_tables`.
        needs: (N,) `Ability` bits that entering a tile takes.
        edges: (E,) sources and targets of all ways.
        climbs: (C, 2) ways beside these, open at times; boats lead to other maps.
    """
    rows, counts = _rows(world), node_counts(world, nodes)
    is_soft = np.isin(nodes, soft_tiles(world, needs))
    spans = np.append(0, np.cumsum(counts))
    is_wet = wet_maps(world, needs)
    foot, begin = [], 0
    for count in counts.tolist():
        foot.append(tables[begin : begin + count * count].reshape(count, count))
        begin += count * count
    swimming = list(foot)
    for row in np.flatnonzero(is_wet).tolist():
        count = int(counts[row])
        swimming[row] = tables[begin : begin + count * count].reshape(count, count)
        begin += count * count
    crosses = np.flatnonzero(rows[edges[0]] != rows[edges[1]])
    crosses = crosses[np.argsort(edges[1][crosses], kind="stable")]
    sources, targets = (np.searchsorted(nodes, part[crosses]) for part in edges)
    ends = _ends(rows[nodes].tolist(), sources.tolist(), targets.tolist())
    for row in np.unique(rows[climbs[rows[climbs[:, 0]] != rows[climbs[:, 1]]]]).tolist():
        ends.pop(row, None)  # a boat leads on from there, or in
    is_kept = ~np.isin(rows[nodes[sources]], list(ends))
    leaves = np.zeros(len(rows), np.uint8)
    leaves[edges[0]] = 1
    leaves[climbs[:, 0]] = 1
    return Network(
        nodes.tolist(),
        spans.tolist(),
        first_tiles(world).tolist(),
        rows[nodes].tolist(),
        is_soft.tobytes(),
        foot,
        swimming,
        sources[is_kept].tolist(),
        np.searchsorted(targets[is_kept], np.arange(len(nodes) + 1)).tolist(),
        ends,
        leaves.tobytes(),
    )


def _ends(
    rows: list[int], sources: list[int], targets: list[int]
) -> dict[int, tuple[int, list[int]]]:
    """Return `Network.ends`, from the row of each node and the nodes at both ends of each way."""
    around: dict[int, set[int]] = {}
    exits: dict[int, list[int]] = {}
    for source, target in zip(sources, targets, strict=True):
        around.setdefault(rows[source], set()).add(target)
        around.setdefault(rows[target], set()).add(source)
        exits.setdefault(rows[source], []).append(source)
    alone = {row: next(iter(near)) for row, near in around.items() if len(near) == 1}
    return {
        row: (outside, exits[row])
        for row, outside in alone.items()
        if row in exits and rows[outside] not in alone
    }
