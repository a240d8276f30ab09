"""Build the graph of a whole world: to which walk tile each press of a direction leads.

It follows from the maps alone, so that it is built once, for all tiles at a time (`build_graph`),
and kept in the user's cache folder.
"""

import io
import mmap
import os
import zipfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.games.base import Ferry
from engine.games.overworld import BACK, Ability, Overworld, PersonKind, Stance
from engine.ground.files import make_folder, open_to_read, write_file
from engine.types import Facing, Terrain
from engine.wayfinding.network import (
    Indices,
    Table,
    build_tables,
    find_nodes,
    first_tiles,
    is_on_map,
    soft_tiles,
    table_size,
    tiles_of,
)

FACINGS = (Facing.DOWN, Facing.UP, Facing.LEFT, Facing.RIGHT)
"""Order of the directions in arrays."""

VERSION = 6
"""Of the rules below: graphs of older versions are not read."""

_OPPOSITE = (1, 0, 3, 2)
_GRASS_COST = 3
"""A tile of tall grass counts as this many: each may cost a battle."""
_ASKED_COST = 40
"""A door that asks whether to open it counts as this many: it may refuse."""
_MAX_FILE = 1 << 26
_NEEDS = (
    (Terrain.WATER, Ability.SURF),
    (Terrain.CUT_TREE, Ability.CUT),
    (Terrain.WHIRLPOOL, Ability.WHIRLPOOL),
)


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The edges of the world, reversed: from which tiles one press leads to a tile.

    Attributes:
        first: (N + 1,) int32; `sources[first[t]:first[t + 1]]` lead to tile t.
        sources: (E,) int32.
        costs: (N,) uint8, the cost of entering a tile.
        needs: (N,) uint8 `Ability` bits that entering a tile takes.
        climbs: (C, 2) int32, from below a waterfall to above it.
        nodes: (K,) int32, the tiles between which `tables` has distances.
        tables: uint16, as `engine.wayfinding.network.build_tables` returns them.
    """

    first: Indices
    sources: Indices
    costs: NDArray[np.uint8]
    needs: NDArray[np.uint8]
    climbs: Indices
    nodes: Indices = field(default_factory=lambda: np.zeros(0, np.int32))
    tables: Table = field(default_factory=lambda: np.zeros(0, np.uint16))

    @property
    def size(self) -> int:
        """Return its bytes."""
        return sum(getattr(self, name).nbytes for name in _FIELDS)


_FIELDS: Mapping[str, np.dtype[np.generic]] = {
    "first": np.dtype(np.int32),
    "sources": np.dtype(np.int32),
    "costs": np.dtype(np.uint8),
    "needs": np.dtype(np.uint8),
    "climbs": np.dtype(np.int32),
    "nodes": np.dtype(np.int32),
    "tables": np.dtype(np.uint16),
}


def successors(world: Overworld, walls: Collection[int] = ()) -> tuple[Indices, Indices]:
    """Return where presses lead: (4, N) int32 tile by direction of `FACINGS`, -1 for nowhere.

    And (C, 2) int32 `Graph.climbs`. Ways that need an ability count as open, and so do those that a
    script opens; on a door that a script opens, or on which somebody stands, one stays, and every
    press leads through it, so that its tile can be closed. One also stays on doors that lead back
    to where one came from: see `Conditions.back`. Nobody enters `walls`: slides end before them.
    A door that asks is entered from below.
    """
    terrain, beside = world.terrain, _neighbours(world)
    is_floor = terrain & (Terrain.WALKABLE | Terrain.WATER | Terrain.CUT_TREE) != 0
    is_floor[list(walls)] = False
    steps = [_is_open(terrain, is_floor, beside[d], d) for d in range(4)]
    asked = asking_doors(world)
    below = beside[0][asked][beside[0][asked] >= 0]
    steps[1][below] |= is_floor[below]
    warp, arrivals = warp_arrivals(world)
    is_warp = np.zeros(len(terrain), np.bool_)
    leads = np.full(len(terrain), -1, np.int32)
    # The first warp of a tile counts.
    is_warp[warp], leads[warp[::-1]] = True, arrivals[::-1]
    ends = np.arange(len(terrain), dtype=np.int32)
    pushed = (terrain & Terrain.PUSH != 0) & steps[0] & ~is_warp
    ends[pushed] = beside[0][pushed]
    is_door = is_warp & (terrain & Terrain.DOOR != 0)
    leads_back = (world.warps["arrival"] == BACK) & is_on_map(world, world.warps)
    ways_back = tiles_of(world, world.warps[leads_back])
    shut = np.concatenate((world.gates["tile"], _standing(world)))
    back, gates = (tiles[is_door[tiles]] for tiles in (ways_back, shut))
    is_door[gates] = is_door[back] = False
    gates = np.concatenate((gates, asked))
    ends[is_door] = leads[is_door]
    falls = np.flatnonzero(terrain & Terrain.WATERFALL)
    ends[falls] = _slide(falls, beside[0], steps[0], ends)
    ice = np.flatnonzero(terrain & Terrain.ICE)
    found = np.full((4, len(terrain)), -1, np.int32)
    for d, facing in enumerate(FACINGS):
        reached = ends.copy()
        reached[ice] = _slide(ice, beside[d], steps[d], ends)
        found[d][steps[d]] = reached[beside[d][steps[d]]]
        beyond = np.where(beside[d] >= 0, beside[d][beside[d]], -1)
        hops = ~steps[d] & is_floor & (terrain & Terrain.HOPS[facing] != 0) & (beyond >= 0)
        hops &= is_floor[beyond]
        found[d][hops] = ends[beyond[hops]]
        mats = ~steps[d] & ~hops & is_warp & (terrain & Terrain.MATS[facing] != 0)
        found[d][mats] = leads[mats]
    found[:, gates], found[:, back] = leads[gates], -1
    tops = ends.copy()
    tops[falls] = _slide(falls, beside[1], steps[1], np.arange(len(terrain), dtype=np.int32))
    feet = np.flatnonzero(steps[1] & (terrain & Terrain.WATERFALL == 0))
    feet = feet[terrain[beside[1][feet]] & Terrain.WATERFALL != 0]
    found[1][feet] = -1
    return found, np.stack((feet, tops[beside[1][feet]]), 1).astype(np.int32)


def asking_doors(world: Overworld) -> Indices:
    """Return the tiles of doors that ask whether to open them: warps in walls with a sign on them.

    A door in a wall without a sign is one that an event is yet to open.
    """
    warps, signs = (
        tiles_of(world, things[is_on_map(world, things)]) for things in (world.warps, world.signs)
    )
    walls = world.terrain[warps] & (Terrain.WALKABLE | Terrain.WARP | Terrain.WATER) == 0
    return np.intersect1d(warps[walls], signs).astype(np.int32)


def sailings(world: Overworld, ferries: Sequence[Ferry]) -> list[tuple[int, int, int]]:
    """Return the ways by ferry: its number, the tile to stand on, and where one comes out."""
    found = []
    for i, ferry in enumerate(ferries):
        row, target = world.row(ferry.place), world.row(ferry.target)
        arrival = None if target is None else world.tile(target, *ferry.arrival)
        for facing in FACINGS if row is not None and arrival is not None else ():
            dx, dy = facing.delta
            x, y = ferry.person[0] - dx, ferry.person[1] - dy
            tile = world.tile(row or 0, x, y)
            if tile is not None and world.terrain[tile] & Terrain.COUNTER:
                tile = world.tile(row or 0, x - dx, y - dy)
            if tile is not None and world.terrain[tile] & (Terrain.WALKABLE | Terrain.WATER):
                found.append((i, tile, arrival or 0))
    return found


def people_on_ice(world: Overworld) -> dict[int, int]:
    """Return the tiles of ice on which somebody stands who never walks, and their rows."""
    rows = np.flatnonzero(is_on_map(world, world.people))
    people = world.people[rows]
    tiles = tiles_of(world, people)
    is_there = (people["stance"] != Stance.WALKS) & (people["hours"] == 0)
    is_there &= (people["kind"] != PersonKind.ITEM) & (world.terrain[tiles] & Terrain.ICE != 0)
    return dict(zip(tiles[is_there].tolist(), rows[is_there].tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Presses:
    """Where presses lead, with the slides apart that depend on who stands on the ice.

    Attributes:
        leading: (4, N) int32 as of `successors`, -1 for those slides.
        climbs: As of `successors`.
        slides: (2, S) int64, those slides: direction and tile.
        ends: (2, S) int32, where they lead with nobody there, and with everybody; -1 for nowhere.
    """

    leading: Indices
    climbs: Indices
    slides: NDArray[np.int64]
    ends: Indices

    @property
    def tiles(self) -> Indices:
        """Return (E, 2) int32, from and to, of all those slides."""
        pairs = np.stack((np.tile(self.slides[1], 2), self.ends.ravel()), 1)
        return pairs[pairs[:, 1] >= 0].astype(np.int32)


def presses(world: Overworld) -> Presses:
    """Return where presses lead."""
    leading, climbs = successors(world)
    people = people_on_ice(world)
    blocked = successors(world, people)[0] if people else leading
    ways, sources = np.nonzero(leading != blocked)
    ends = np.stack((leading[ways, sources], blocked[ways, sources]))
    leading[ways, sources] = -1
    return Presses(leading, climbs, np.stack((ways, sources)), ends)


def _standing(world: Overworld) -> NDArray[np.int64]:
    """Return the tiles of those that never walk."""
    people = world.people[is_on_map(world, world.people)]
    return tiles_of(world, people[people["stance"] != Stance.WALKS])


def build_graph(world: Overworld, ferries: Sequence[Ferry] = ()) -> Graph:
    """Work out the ways of a whole world."""
    sailing = np.array([way[1:] for way in sailings(world, ferries)], np.int32)
    ways = presses(world)
    leading, climbs = ways.leading, ways.climbs
    graph = graph_of(world.terrain, leading, climbs)
    graph.costs[asking_doors(world)] = _ASKED_COST
    soft = soft_tiles(world, graph.needs)
    more = np.concatenate((climbs.ravel(), _landings(world), ways.tiles.ravel(), sailing.ravel()))
    nodes = find_nodes(world, leading, more, soft)
    tables = build_tables(world, leading, graph.costs, graph.needs, nodes, soft)
    return replace(graph, nodes=nodes, tables=tables)


def _landings(world: Overworld) -> Indices:
    """Return the tiles of all warps, and those below where one arrives there."""
    warps = world.warps[is_on_map(world, world.warps)]
    tiles = tiles_of(world, warps)
    heights, widths = (world.maps[name][warps["map"]] for name in ("height", "width"))
    below = tiles + widths
    is_pushed = (world.terrain[tiles] & Terrain.PUSH != 0) & (warps["y"] + 1 < heights)
    return np.concatenate((tiles, below[is_pushed])).astype(np.int32)


def graph_of(terrain: NDArray[np.uint32], leading: Indices, climbs: Indices) -> Graph:
    """Return the graph of what `successors` returned, without nodes and tables."""
    count = len(terrain)
    tiles = np.arange(count, dtype=np.int32)
    is_way = (leading >= 0) & (leading != tiles)
    targets = leading[is_way]
    sources = np.broadcast_to(tiles, leading.shape)[is_way]
    order = np.argsort(targets, kind="stable")
    first = np.zeros(count + 1, np.int32)
    np.cumsum(np.bincount(targets, minlength=count), out=first[1:])
    costs = np.where(terrain & Terrain.GRASS, _GRASS_COST, 1).astype(np.uint8)
    needs = np.zeros(count, np.uint8)
    for bit, ability in _NEEDS:
        needs[terrain & bit != 0] |= np.uint8(ability)
    return Graph(first, sources[order], costs, needs, climbs)


def warp_arrivals(world: Overworld) -> tuple[Indices, Indices]:
    """Return (W,) int32 the tiles of all warps that lie on their map, and where they lead, or -1.

    On doors, stairs and caves one arrives a tile below.
    """
    maps, warps = world.maps, world.warps
    is_inside = is_on_map(world, warps)
    tiles = np.where(is_inside, tiles_of(world, warps), -1)
    starts = np.searchsorted(warps["map"], np.arange(len(maps)))
    arriving = np.where(warps["target"] >= 0, starts[warps["target"]] + warps["arrival"] - 1, -1)
    arrivals = np.where(arriving >= 0, tiles[arriving], -1)
    below = arrivals + maps["width"][warps["target"]]
    ends = maps["first_tile"] + maps["width"].astype(np.int32) * maps["height"]
    is_pushed = (arrivals >= 0) & (world.terrain[arrivals] & Terrain.PUSH != 0)
    is_pushed &= below < ends[warps["target"]]
    arrivals = np.where(is_pushed, below, arrivals)
    return tiles[is_inside].astype(np.int32), arrivals[is_inside].astype(np.int32)


def crossings(world: Overworld, link: np.void) -> tuple[Indices, Indices]:
    """Return the tiles along a connection, and those across it."""
    row, target = int(link["map"]), int(link["target"])
    (width, height), (other_width, other_height) = world.size(row), world.size(target)
    along = np.arange(int(link["first"]), int(link["last"]) + 1, dtype=np.int32)
    new = (along + int(link["shift"])) & 0xFF
    across, facing = int(link["across"]), Facing(int(link["facing"]))
    first, other_first = (int(world.maps["first_tile"][each]) for each in (row, target))
    if facing in (Facing.UP, Facing.DOWN):
        is_known = (new < other_width) & (along < width) & (across < other_height)
        own = along + (0 if facing is Facing.UP else (height - 1) * width)
        other = across * other_width + new
    else:
        is_known = (new < other_height) & (along < height) & (across < other_width)
        own = along * width + (0 if facing is Facing.LEFT else width - 1)
        other = new * other_width + across
    return first + own[is_known], other_first + other[is_known]


def _neighbours(world: Overworld) -> Indices:
    """Return (4, N) int32, the tile on each side, on another map beyond an edge; -1 for none."""
    sizes = world.maps["width"].astype(np.int32) * world.maps["height"]
    counts = np.diff(first_tiles(world))  # with those under bridges
    tiles = np.arange(len(world.terrain), dtype=np.int32)
    widths = np.repeat(world.maps["width"].astype(np.int32), counts)
    local = tiles - np.repeat(world.maps["first_tile"], counts)
    x, last = local % widths, np.repeat(sizes, counts)
    found = np.full((4, len(tiles)), -1, np.int32)
    found[0] = np.where(local + widths < last, tiles + widths, -1)
    found[1] = np.where(local >= widths, tiles - widths, -1)
    found[2] = np.where(x > 0, tiles - 1, -1)
    found[3] = np.where(x + 1 < widths, tiles + 1, -1)
    for link in world.connections:
        own, other = crossings(world, link)
        found[FACINGS.index(Facing(int(link["facing"])))][own] = other
    for number, place, *_ in world.bridges.lower:
        found[:, number] = found[:, place]
    for tile, facing, target in world.bridges.steps:
        found[FACINGS.index(facing), tile] = target
    return found


def _is_open(
    terrain: NDArray[np.uint32], is_floor: NDArray[np.bool_], beside: Indices, d: int
) -> NDArray[np.bool_]:
    """Return from which tiles a step in a direction succeeds, with nobody in the way."""
    is_open = is_floor & (beside >= 0) & is_floor[beside]
    is_open &= terrain & Terrain.WALLS[FACINGS[d]] == 0
    return np.asarray(is_open & (terrain[beside] & Terrain.WALLS[FACINGS[_OPPOSITE[d]]] == 0))


def _slide(
    tiles: NDArray[np.intp], beside: Indices, is_open: NDArray[np.bool_], ends: Indices
) -> Indices:
    """Return where one stops who enters each of the slippery tiles and slides on until blocked."""
    reached = ends.copy()
    reached[tiles] = tiles
    is_free = is_open[tiles]
    while True:
        stops = np.where(is_free, reached[beside[tiles]], tiles).astype(np.int32)
        if np.array_equal(stops, reached[tiles]):
            return stops
        reached[tiles] = stops


def save_graph(path: Path, graph: Graph) -> None:
    """Write a graph so that `load_graph` can map it.

    Raises:
        OSError: It could not be written.
    """
    content = io.BytesIO()
    np.savez(content, **{name: getattr(graph, name) for name in _FIELDS})
    make_folder(path.parent)
    write_file(path, content.getvalue())


def load_graph(path: Path, world: Overworld) -> Graph | None:
    """Map a graph into memory, shared with all that do; None: there is none, or it is damaged."""
    try:
        with os.fdopen(open_to_read(path, _MAX_FILE), "rb") as file:
            graph = Graph(**_mapped(file))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, NotImplementedError):
        return None
    first, sources, num_tiles = graph.first, graph.sources, len(world.terrain)
    is_whole = (
        len(first) == num_tiles + 1
        and len(graph.costs) == len(graph.needs) == num_tiles
        and first[0] == 0
        and first[-1] == len(sources)
        and bool((np.diff(first) >= 0).all())
        and all(
            not part.size or 0 <= part.min() <= part.max() < num_tiles
            for part in (sources, graph.climbs, graph.nodes)
        )
        and bool((np.diff(graph.nodes) > 0).all())
        and len(graph.tables) == table_size(world, graph.nodes, graph.needs)
    )
    return graph if is_whole else None


def _mapped(file: io.BufferedReader) -> dict[str, Any]:
    """Return the arrays of an uncompressed .npz file, mapped, once their checksums are right.

    Raises:
        ValueError, KeyError, zipfile.BadZipFile: It is damaged, or not of ours.
    """
    found: dict[str, Any] = {}
    with zipfile.ZipFile(file) as archive:
        if archive.testzip() is not None:
            raise ValueError("wrong checksum")
        members = {name: archive.getinfo(f"{name}.npy") for name in _FIELDS}
        pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        for name, member in members.items():
            start = member.header_offset
            file.seek(start + 26)
            name_size, extra_size = (int.from_bytes(file.read(2), "little") for _ in range(2))
            file.seek(start + 30 + name_size + extra_size)
            is_stored = member.compress_type == zipfile.ZIP_STORED
            if not is_stored or np.lib.format.read_magic(file) != (1, 0):
                raise ValueError("it is compressed")
            shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(file)
            wanted = (2,) if name == "climbs" else ()
            if dtype != _FIELDS[name] or is_fortran or shape[1:] != wanted:
                raise ValueError("wrong array type")
            count = int(np.prod(shape))
            found[name] = np.frombuffer(pages, dtype, count, file.tell()).reshape(shape)
    return found
