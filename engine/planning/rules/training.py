"""Choose where to meet wild creatures, by their levels, and walk about there."""

import numpy as np

from engine.games.base import Atlas, GameTables
from engine.planning.rules.ways import step_exits
from engine.types import DIRECTIONS, GameState, Goal, GoalKind, MapId, MapView, Terrain
from engine.wayfinding.exits import Exit, Tile, grass_exits

_UNDERGROUND = ("cave", "dungeon")
_LEVELS_BELOW, _LEVELS_ABOVE = 5, 3
"""How far the wild ones may be below the party's strongest to teach it much, and above it."""


def training_places(atlas: Atlas, tables: GameTables) -> tuple[Goal, ...]:
    """Return those that are listed, and all other maps whose wild levels are known."""
    listed = {one.map for one in atlas.training}
    others = (MapId(*key) for key in sorted(tables.WILD_LEVELS))
    return (
        *atlas.training,
        *(
            Goal("train", f"Train: {tables.map_name(one)}", one, kind=GoalKind.TRAIN)
            for one in others
            if one not in listed
        ),
    )


def worthwhile(places: tuple[Goal, ...], tables: GameTables, highest: int) -> tuple[Goal, ...]:
    """Return the places whose wild creatures suit a level, else those with the strongest."""
    levels = [
        tables.WILD_LEVELS.get((one.map.group, one.map.number)) if one.map else None
        for one in places
    ]
    known = [most for _, most in filter(None, levels)]
    if not known:
        return places
    enough = min(highest - _LEVELS_BELOW, max(known) - _LEVELS_BELOW)
    return tuple(
        place
        for place, found in zip(places, levels, strict=True)
        if found is None or (found[1] >= enough and found[0] <= highest + _LEVELS_ABOVE)
    )


def hunting_exits(state: GameState, target: Tile | None) -> tuple[Exit, ...]:
    """Return steps on which wild creatures are met: about a tile, in the grass, or in a cave."""
    view, here = state.map, (state.place.x, state.place.y)
    if target is not None and here != target:
        return step_exits(view, target)
    if target is not None and view.contains(*target):
        ground = int(view.terrain[target[1], target[0]]) & (Terrain.WATER | Terrain.GRASS)
        return _steps_on(view, ground or Terrain.WALKABLE, (target,))
    grass = grass_exits(view)
    if grass or state.place.environment not in _UNDERGROUND:
        return grass
    return _steps_on(view, Terrain.WALKABLE, None)


def _steps_on(view: MapView, ground: int, tiles: tuple[Tile, ...] | None) -> tuple[Exit, ...]:
    """Return steps from one tile of such ground to another, through no door; from all: None."""
    fits = (view.terrain & ground != 0) & (view.terrain & Terrain.WARP == 0)
    found = tiles if tiles is not None else ((x, y) for y, x in np.argwhere(fits).tolist())
    return tuple(
        Exit((x, y), action)
        for x, y in found
        for action, facing in DIRECTIONS.items()
        if view.contains(x + facing.delta[0], y + facing.delta[1])
        and fits[y + facing.delta[1], x + facing.delta[0]]
    )
