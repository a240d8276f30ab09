"""Know where a way on a map ends: a tile to stand on, and a button to press there.

A door is stepped on, a carpet is pressed on, an edge is walked off, a person is faced and spoken
to; all are exits, so that one search for the nearest exit serves them all.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

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
from engine.wayfinding.graph import FACINGS

Tile = tuple[int, int]
"""Walk tile (x, y)."""

_SIDES: Mapping[str, Action] = {SIDES[facing]: action for action, facing in DIRECTIONS.items()}


@dataclass(frozen=True, slots=True)
class Exit:
    """Stand on `tile` and press `action`; `is_talk`: face that way, then press A, which speaks to
    somebody or asks whether to surf.

    `beyond`: how far it still is from there. `under`: the number of the tile under a bridge where
    one has to stand; 0: none.
    """

    tile: Tile
    action: Action
    is_talk: bool = False
    beyond: int = 0
    under: int = 0

    def number(self, view: MapView) -> int:
        """Return the number of the tile to stand on."""
        return self.under or view.tile(*self.tile)


@dataclass(frozen=True, slots=True)
class Link:
    """A way from one map to another: a warp tile, or a side ("north", ...)."""

    target: MapId
    warp: Tile | None
    side: str = ""


def link_exits(view: MapView, links: Iterable[Link], *, can_surf: bool = False) -> tuple[Exit, ...]:
    """Return how to leave the map through any of the links."""
    exits: list[Exit] = []
    for link in links:
        if link.warp is None:
            exits += edge_exits(view, link.side, can_surf=can_surf)
        else:
            exits += warp_exits(view, link.warp)
    return tuple(exits)


def talk_exits(view: MapView, target: Tile, ways: Collection[Facing] = FACINGS) -> tuple[Exit, ...]:
    """Return the exits from which the person or thing at `target` is faced, across counters too.

    At a bridge, only those at the same level. `ways`: the directions in which one may look.
    """
    exits, place, wanted = [], view.tile(*target), _tiles_of(view, target)
    for action, facing in DIRECTIONS.items():
        dx, dy = facing.delta
        tile = (target[0] - dx, target[1] - dy)
        if view.contains(*tile) and view.terrain[tile[1], tile[0]] & Terrain.COUNTER:
            tile = (tile[0] - dx, tile[1] - dy)
        if facing in ways and _is_open(view, tile):
            own = view.tile(*tile)
            exits += [
                Exit(tile, action, is_talk=True, under=0 if one == own else one)
                for one in view.bridges.tiles(own)
                if view.bridges.ahead(one, facing, place) in wanted
            ]
    return tuple(exits)


def is_faced(state: GameState, target: Tile) -> bool:
    """Return whether the player looks at who or what is at `target`, across a counter too."""
    return is_ready(state, talk_exits(state.map, target))


def is_ready(state: GameState, exits: Iterable[Exit]) -> bool:
    """Return whether the player stands at one of the exits and looks towards it."""
    place, view = state.place, state.map
    here = view.tile(place.x, place.y, place.level)
    return any(one.number(view) == here and DIRECTIONS[one.action] is place.facing for one in exits)


def ground_exits(
    view: MapView, ground: int, tiles: Iterable[Tile] | None = None
) -> tuple[Exit, ...]:
    """Return steps from one tile of such ground, tall grass say, to another, through no door.

    `tiles`: where to begin; None: on any tile of it.
    """
    fits = (view.terrain & ground != 0) & (view.terrain & Terrain.WARP == 0)
    found = tiles if tiles is not None else ((x, y) for y, x in np.argwhere(fits).tolist())
    return tuple(
        Exit((x, y), action)
        for x, y in found
        for action, facing in DIRECTIONS.items()
        if view.contains(x + facing.delta[0], y + facing.delta[1])
        and fits[y + facing.delta[1], x + facing.delta[0]]
    )


def warp_exits(view: MapView, warp: Tile) -> list[Exit]:
    """Return how to take a warp: press on from a carpet, step on a door, ask at a closed one."""
    here = int(view.terrain[warp[1], warp[0]]) if view.contains(*warp) else 0
    if here & Terrain.MAT:
        return [Exit(warp, a) for a, way in DIRECTIONS.items() if here & Terrain.MATS[way]]
    if warp in view.signs and not here & (Terrain.WALKABLE | Terrain.DOOR):
        below = warp[0], warp[1] + 1
        return [Exit(below, Action.UP, is_talk=True)] if _is_walkable(view, below) else []
    if not here & Terrain.DOOR:
        return []  # one only arrives there
    exits = []
    for action, way in DIRECTIONS.items():
        dx, dy = way.delta
        tile = (warp[0] - dx, warp[1] - dy)
        if _is_walkable(view, tile):
            exits.append(Exit(tile, action))
    return exits


def edge_exits(view: MapView, side: str, *, can_surf: bool) -> list[Exit]:
    """Return the tiles at a side from which an open tile of the neighbour is stepped on."""
    action, grid = _SIDES[side], view.bordered
    open_to = Terrain.WALKABLE | (Terrain.WATER if can_surf else 0)
    dx, dy = DIRECTIONS[action].delta
    if dx:
        tiles = [(view.width - 1 if dx > 0 else 0, y) for y in range(view.height)]
    else:
        tiles = [(x, view.height - 1 if dy > 0 else 0) for x in range(view.width)]
    exits = []
    for x, y in tiles:
        own = beyond = int(view.terrain[y, x])
        if grid is not None:
            beyond = int(grid[y + dy + MAP_BORDER, x + dx + MAP_BORDER])
        if own & open_to and beyond & open_to:
            # From the shore A asks whether to surf.
            is_shore = bool(beyond & Terrain.WATER and not own & Terrain.WATER)
            exits.append(Exit((x, y), action, is_talk=is_shore))
    return exits


def _is_open(view: MapView, tile: Tile) -> bool:
    """Return whether one may be on a tile of the map, on foot or swimming."""
    is_there = view.contains(*tile)
    return is_there and bool(view.terrain[tile[1], tile[0]] & (Terrain.WALKABLE | Terrain.WATER))


def _is_walkable(view: MapView, tile: Tile) -> bool:
    """Return whether one may stand on a tile of the map."""
    return view.contains(*tile) and bool(view.terrain[tile[1], tile[0]] & Terrain.WALKABLE)


def ahead_of(entry: Exit) -> Tile:
    """Return the tile that an exit's button leads to."""
    facing = DIRECTIONS.get(entry.action)
    dx, dy = facing.delta if facing else (0, 0)
    return entry.tile[0] + dx, entry.tile[1] + dy


def distance(one: Tile, other: Tile) -> int:
    """Return how many steps apart two tiles are, with nothing between them."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def _tiles_of(view: MapView, target: Tile) -> Collection[int]:
    """Return the tiles that whoever is at a place fills."""
    place = view.tile(*target)
    found = view.bridges.tiles(place)
    if len(found) == 1:
        return found
    people = (*view.objects, *view.beyond)
    levels = {one.level for one in people if (one.x, one.y) == target}
    return {tile for level in levels or (0,) for tile in view.bridges.tiles(place, level)}
