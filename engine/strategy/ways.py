"""Find the ways that serve a planner's goal, by RAM where it says enough, else by known maps."""

from collections import deque
from collections.abc import Collection, Iterator

from engine.env.actions import DIRECTIONS
from engine.games.crystal.collision import DOORS, IS_WALKABLE, LEDGES
from engine.games.profile import GameTables
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
from engine.types import Creature, GameState, Goal, GoalKind, MapId

_HEALTHY = 0.9
_CENTER = "CENTER"
"""Part of the names of maps where one rests."""
_NURSE = 1
"""Her number among such a map's objects."""


def needs_healing(party: Collection[Creature]) -> bool:
    """Tell whether rest would do any of the party good."""
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


def heal_goal(
    state: GameState, tables: GameTables, world: WorldMap, healers: tuple[Goal, ...]
) -> Goal | None:
    """Return where to rest: where one rested last, else the nearest of the known healers."""
    here, last = state.place.map, state.healing_place
    if last is not None and _is_near_center(state, tables, world, last):
        name = tables.MAPS.get((last.group, last.number), "the last town")
        return Goal("heal", f"Rest in {name}", last, is_interaction=True, kind=GoalKind.HEAL)
    known = [
        (distance, i)
        for i, healer in enumerate(healers)
        if healer.map is not None
        and (distance := world.distances_to(healer.map).get(here)) is not None
    ]
    return healers[min(known)[1]] if known else None


def exits_for(
    state: GameState, world: WorldMap, goal: Goal, target: Tile | None
) -> tuple[Exit, ...]:
    """Return how to go on for a goal of a planner.

    Args:
        state: The game now; the player can walk.
        world: Which map leads to which.
        goal: Not one to explore.
        target: Where on the goal's map, as far as that has changed since it was set.
    """
    here, view = state.place.map, state.map
    if goal.kind is GoalKind.HEAL and goal.target is None and _CENTER in state.place.name:
        nurse = next(((one.x, one.y) for one in view.objects if one.index == _NURSE), None)
        return talk_exits(view, nurse) if nurse else ()
    if goal.map is None:
        return ()
    if here != goal.map:
        return link_exits(view, links_to(state, world, goal.map))
    if goal.kind is GoalKind.HEAL and target is None:
        doors = [Link(w.target, (w.x, w.y)) for w in view.warps if _CENTER in w.name]
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
            if not (0 <= ahead[0] < view.width and 0 <= ahead[1] < view.height):
                continue
            collision = int(view.collision[ahead[1], ahead[0]])
            is_way = IS_WALKABLE[collision] and collision not in DOORS and collision not in LEDGES
            if not is_way or ahead in standing or ahead in first or ahead == start:
                continue
            first[ahead] = first[tile] if tile in first else Exit(start, action)
            if ahead not in been:
                return first[ahead]
            queue.append(ahead)
    return None


def _is_near_center(state: GameState, tables: GameTables, world: WorldMap, town: MapId) -> bool:
    """Tell whether a way is known to a town, and nothing says that nobody heals there."""
    here = state.place.map
    names = list(_names_beside(tables, world, town))
    if names and not any(_CENTER in name for name in names):
        return False
    return here == town or _CENTER in state.place.name or bool(links_to(state, world, town))


def _names_beside(tables: GameTables, world: WorldMap, here: MapId) -> Iterator[str]:
    for link in world.links_from(here):
        yield tables.MAPS.get((link.target.group, link.target.number), "")
