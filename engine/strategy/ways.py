"""Find the ways that serve a planner's goal, by RAM where it shows enough, else by known maps."""

from collections import deque
from collections.abc import Collection, Iterator

from engine.games.base import Game, GameTables
from engine.strategy.battle import is_weak
from engine.strategy.navigation import (
    Exit,
    Link,
    Tile,
    WorldMap,
    grass_exits,
    link_exits,
    talk_exits,
)
from engine.types import DIRECTIONS, Creature, GameState, Goal, GoalKind, MapId, Terrain

_HEALTHY = 0.9
_WAY = Terrain.WALKABLE | Terrain.DOOR | Terrain.LEDGE


def needs_healing(party: Collection[Creature]) -> bool:
    """Return whether rest would do any of the party good."""
    is_hurt = any(one.hp < _HEALTHY * one.max_hp or one.status for one in party)
    return is_hurt or is_weak(party, _HEALTHY)


def links_to(state: GameState, world: WorldMap, target: MapId) -> tuple[Link, ...]:
    """Return the ways out of this map that lead to another or begin the way there."""
    view = state.map
    direct = [
        *(Link(target, (warp.x, warp.y)) for warp in view.warps if warp.target == target),
        *(Link(target, None, edge.side) for edge in view.edges if edge.target == target),
    ]
    return tuple(direct) or world.links_towards(state.place.map, target)


def heal_goal(state: GameState, game: Game, world: WorldMap) -> Goal | None:
    """Return where to rest: where one rested last, else the nearest of the known healers."""
    here, last, healers = state.place.map, state.healing_place, game.atlas.healers
    if last is not None and _is_near_center(state, game, world, last):
        name = game.tables.MAPS.get((last.group, last.number), "the last town")
        return Goal("heal", f"Rest in {name}", last, is_interaction=True, kind=GoalKind.HEAL)
    known = [
        (distance, i)
        for i, healer in enumerate(healers)
        if healer.map is not None
        and (distance := world.distances_to(healer.map).get(here)) is not None
    ]
    return healers[min(known)[1]] if known else None


def exits_for(
    state: GameState, game: Game, world: WorldMap, goal: Goal, target: Tile | None
) -> tuple[Exit, ...]:
    """Return how to continue for a planner's goal, not one to explore, where the player can walk.

    `target` is where on the goal's map, for what may have moved since the goal was set.
    """
    here, view, atlas = state.place.map, state.map, game.atlas
    if goal.kind is GoalKind.HEAL and goal.target is None and atlas.is_rest(state.place.name):
        healer = next(((one.x, one.y) for one in view.objects if one.index == atlas.healer), None)
        return talk_exits(view, healer) if healer else ()
    if goal.map is None:
        return ()
    if here != goal.map:
        return link_exits(view, links_to(state, world, goal.map))
    if goal.kind is GoalKind.HEAL and target is None:
        doors = [Link(w.target, (w.x, w.y)) for w in view.warps if atlas.is_rest(w.name)]
        return link_exits(view, doors)
    if target is None:
        return grass_exits(view) if goal.kind in {GoalKind.TRAIN, GoalKind.CATCH} else ()
    if goal.is_interaction:
        return talk_exits(view, target)
    return link_exits(view, [Link(here, target)])


def step_to_new_ground(state: GameState, been: Collection[Tile]) -> Exit | None:
    """Return the first step to the nearest tile in reach that is not in `been`."""
    view, place = state.map, state.place
    start = (place.x, place.y)
    standing = {(one.x, one.y) for one in view.objects}
    first: dict[Tile, Exit] = {}
    # Straight on comes first among equals: that saves the turn.
    ways = sorted(DIRECTIONS, key=lambda action: DIRECTIONS[action] is not place.facing)
    queue = deque([start])
    while queue:
        x, y = tile = queue.popleft()
        for action in ways:
            dx, dy = DIRECTIONS[action].delta
            ahead = (x + dx, y + dy)
            if not view.contains(*ahead):
                continue
            is_way = int(view.terrain[ahead[1], ahead[0]]) & _WAY == Terrain.WALKABLE
            if not is_way or ahead in standing or ahead in first or ahead == start:
                continue
            first[ahead] = first[tile] if tile in first else Exit(start, action)
            if ahead not in been:
                return first[ahead]
            queue.append(ahead)
    return None


def _is_near_center(state: GameState, game: Game, world: WorldMap, town: MapId) -> bool:
    """Return whether a way to a town is known, and no name of a map denies a healer there."""
    here, is_rest = state.place.map, game.atlas.is_rest
    names = list(_names_beside(game.tables, world, town))
    if names and not any(map(is_rest, names)):
        return False
    return here == town or is_rest(state.place.name) or bool(links_to(state, world, town))


def _names_beside(tables: GameTables, world: WorldMap, here: MapId) -> Iterator[str]:
    for link in world.links_from(here):
        yield tables.MAPS.get((link.target.group, link.target.number), "")
