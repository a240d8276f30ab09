"""Find the ways that serve a planner's goal, by RAM where it shows enough, else by known maps."""

from collections import deque
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from engine.games.base import Game
from engine.games.overworld import Ability
from engine.planning.rules.battle import is_weak
from engine.planning.rules.items import says
from engine.types import DIRECTIONS, Creature, GameState, Goal, GoalKind, MapId, MapView, Terrain
from engine.wayfinding.exits import Exit, Link, Tile, ground_exits, link_exits, talk_exits
from engine.wayfinding.world_map import WorldMap

STEPS_A_MAP = 20
"""Steps that each map on the way counts as where they are not known."""

_LOOKED_AT = 3
"""Healers to whom a way is searched at most."""

_CARRYING = ("used surf", "used waterfall")
"""Texts of moves that take the player along."""
_CARRIED_WITHIN = 3
"""Free steps after such a text within which they do."""

_HEALTHY = 0.9
_UNDERGROUND = ("cave", "dungeon")
_WAY = Terrain.WALKABLE | Terrain.DOOR | Terrain.LEDGE


class CarryingMove:
    """Know that a move is about to take the player along: it does so a moment after its text."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Start an episode."""
        self._left = 0  # free steps in which it may still do so
        self._used_at: list[int] = []  # tile (x, y)

    @property
    def is_due(self) -> bool:
        """Return whether to wait for it."""
        return self._left > 0

    def notice(self, state: GameState) -> None:
        """Note a state."""
        tile = [state.place.x, state.place.y]
        if not state.control.is_free and state.battle is None and says(state, *_CARRYING):
            self._left, self._used_at = _CARRIED_WITHIN, tile
        elif state.control.is_free:
            self._left = max(0, self._left - 1) if tile == self._used_at else 0

    def save(self) -> list[Any]:
        """Return all of it, JSON-able."""
        return [self._left, self._used_at]

    def load(self, saved: list[Any]) -> None:
        """Put back what `save` returned."""
        self._left, self._used_at = saved


def needs_healing(party: Collection[Creature]) -> bool:
    """Return whether rest would do any of the party good."""
    is_hurt = any(one.hp < _HEALTHY * one.max_hp or one.status for one in party)
    return is_hurt or is_weak(party, _HEALTHY)


def steps_away(world: WorldMap, state: GameState, goal: Goal) -> int | None:
    """Return about how many steps a goal is away; None: no way is known, or none is open now."""
    if goal.map is None:
        return None
    steps = world.steps_to(state, goal)
    if steps is not None or world.steps_to(state, _here(state)) is not None:
        return steps
    maps = world.maps.distances_to(goal.map).get(state.place.map)  # all that is known of the world
    return None if maps is None else maps * STEPS_A_MAP


def _here(state: GameState) -> Goal:
    """Return a goal that is reached where the player stands, if that is on a map of the world."""
    return Goal("here", "Be here", state.place.map, kind=GoalKind.REACH)


def step_exits(view: MapView, target: Tile) -> tuple[Exit, ...]:
    """Return how to step on a tile, or through the door that is there."""
    if not view.contains(*target) or view.terrain[target[1], target[0]] & Terrain.WARP:
        return link_exits(view, [Link(MapId(0, 0), target)])
    sides = ((action, way.delta) for action, way in DIRECTIONS.items())
    beside = [Exit((target[0] - dx, target[1] - dy), action) for action, (dx, dy) in sides]
    return tuple(
        one
        for one in beside
        if view.contains(*one.tile)
        and view.terrain[one.tile[1], one.tile[0]] & (Terrain.WALKABLE | Terrain.WATER)
    )


def hunting_exits(state: GameState, target: Tile | None) -> tuple[Exit, ...]:
    """Return steps on which wild creatures are met: about a tile, in the grass, or in a cave."""
    view, here = state.map, (state.place.x, state.place.y)
    if target is not None and here != target:
        return step_exits(view, target)
    if target is not None and view.contains(*target):
        ground = int(view.terrain[target[1], target[0]]) & (Terrain.WATER | Terrain.GRASS)
        return ground_exits(view, ground or Terrain.WALKABLE, (target,))
    grass = ground_exits(view, Terrain.GRASS)
    if grass or state.place.environment not in _UNDERGROUND:
        return grass
    return ground_exits(view, Terrain.WALKABLE)


def links_to(state: GameState, world: WorldMap, target: MapId) -> tuple[Link, ...]:
    """Return the ways out of this map that lead to another or begin the way there."""
    view = state.map
    direct = [
        *(Link(target, (warp.x, warp.y)) for warp in view.warps if warp.target == target),
        *(Link(target, None, edge.side) for edge in view.edges if edge.target == target),
    ]
    return tuple(direct) or world.maps.links_towards(state.place.map, target)


def heal_goal(state: GameState, game: Game, world: WorldMap) -> Goal | None:
    """Return where to rest: where one rested last, else the nearest of the known healers.

    None where no way to any is open.
    """
    here, last, healers = state.place.map, state.healing_place, game.atlas.healers
    if last is not None and _is_near_center(state, game, world, last):
        name = game.tables.MAPS.get((last.group, last.number), "the last town")
        rest = Goal("heal", f"Rest in {name}", last, is_interaction=True, kind=GoalKind.HEAL)
        if here == last or steps_away(world, state, rest) is not None:
            return rest
    known = sorted(
        (distance, i)
        for i, healer in enumerate(healers)
        if healer.map is not None
        and (distance := world.maps.distances_to(healer.map).get(here)) is not None
    )
    near = (healers[i] for _, i in known[:_LOOKED_AT])
    return next((one for one in near if steps_away(world, state, one) is not None), None)


def exits_for(
    state: GameState, game: Game, world: WorldMap, goal: Goal, target: Tile | None
) -> tuple[Exit, ...]:
    """Return how to continue for a goal, not one to see new ground, where the player can walk.

    `target` is where on the goal's map, for what may have moved since the goal was set.
    """
    is_same = target is None or goal.map is None or target == goal.target
    moved = goal if is_same else replace(goal, target=target)
    return world.exits(state, moved, lambda: _exits_here(state, game, world, goal, target))


def _exits_here(
    state: GameState, game: Game, world: WorldMap, goal: Goal, target: Tile | None
) -> tuple[Exit, ...]:
    """Return them as far as this map and the links of maps tell."""
    here, view, atlas = state.place.map, state.map, game.atlas
    if goal.kind is GoalKind.HEAL and goal.target is None and atlas.is_rest(state.place.name):
        return _exits_to(view, atlas.healer)
    if goal.map is None:
        return ()
    if here != goal.map:
        can_surf = bool(atlas.abilities(state) & Ability.SURF)
        return link_exits(view, links_to(state, world, goal.map), can_surf=can_surf)
    if goal.kind is GoalKind.HEAL and target is None:
        doors = [Link(w.target, (w.x, w.y)) for w in view.warps if atlas.is_rest(w.name)]
        return link_exits(view, doors)
    if goal.kind is GoalKind.BUY and target is None:
        return _exits_to(view, atlas.clerk)
    if target is None or goal.kind in {GoalKind.TRAIN, GoalKind.CATCH}:
        return hunting_exits(state, target)
    if goal.is_interaction:
        return world.talk_exits(state, target)
    return step_exits(view, target)


def _exits_to(view: MapView, number: int) -> tuple[Exit, ...]:
    """Return how to speak to who has a number among the objects of this map."""
    found = ((one.x, one.y) for one in view.objects if one.index == number)
    return tuple(entry for tile in found for entry in talk_exits(view, tile))


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
    """Return whether a way to a town is known, and maps' names do not rule out a healer there."""
    here, is_rest = state.place.map, game.atlas.is_rest
    beside = (link.target for link in world.maps.links_from(town))
    names = [game.tables.MAPS.get((there.group, there.number), "") for there in beside]
    if names and not any(map(is_rest, names)):
        return False
    return here == town or is_rest(state.place.name) or bool(links_to(state, world, town))
