"""Find the next button on the present map, as memory shows it, around what stands on it."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from engine.games.base import Atlas
from engine.games.overworld import (
    CONNECTION_FIELDS,
    GATE_FIELDS,
    MAP_FIELDS,
    PERSON_FIELDS,
    SCENE_FIELDS,
    SIGN_FIELDS,
    TRIGGER_FIELDS,
    WARP_FIELDS,
    Ability,
    Overworld,
    Stance,
)
from engine.types import (
    DIRECTIONS,
    Action,
    Facing,
    GameState,
    MapId,
    MapView,
    Terrain,
)
from engine.wayfinding.boulders import BoulderPlans
from engine.wayfinding.exits import (
    Exit,
    Tile,
    ahead_of,
    warp_exits,
)
from engine.wayfinding.gates import GatePlans, with_arms
from engine.wayfinding.graph import FACINGS, Graph, graph_of, successors
from engine.wayfinding.network import Indices
from engine.wayfinding.people import people_of
from engine.wayfinding.search import FAR, SHUT, Last, Recent, entering, tile_distances
from engine.wayfinding.yard import Push

_ACTIONS: tuple[Action, ...] = tuple(
    next(action for action, facing in DIRECTIONS.items() if facing is way) for way in FACINGS
)
_CACHE_SIZE = 64
_LONGEST_PATH = 400
"""Tiles of a path; the rest is left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Floor:
    """The graph of one map, as memory shows it; presses that leave it lead nowhere."""

    leading: Indices
    climbs: Mapping[int, list[int]]
    graph: Graph


@dataclass(frozen=True, slots=True)
class _Field:
    """The distances on one map to the nearest exit, and the costs of its tiles, row after row."""

    distances: list[int]
    costs: bytes
    leading: list[list[int]]
    climbs: Mapping[int, list[int]]


class Navigator:
    """Find the next button towards exits on the current map.

    Args:
        atlas: Says which moves open what is closed on foot.
        world: Says how people and things on the maps stand.
        triggers: Returns what entering tiles costs that start a scene.
    """

    def __init__(
        self,
        atlas: Atlas | None = None,
        world: Overworld | None = None,
        triggers: Callable[[GameState], Mapping[Tile, int]] = lambda state: {},
    ) -> None:
        self._atlas = atlas or Atlas()
        self._people, self._triggers = people_of(world), triggers
        self._floors = Recent[Floor](_CACHE_SIZE)
        self._fields = Recent[_Field](_CACHE_SIZE)
        self._last_field = Last[_Field]()
        self._plans, self._turns = BoulderPlans(), GatePlans()
        self._shown = Last[MapView]()

    def step_towards(self, state: GameState, exits: tuple[Exit, ...]) -> tuple[list[Action], int]:
        """Return the buttons that lead closer to the nearest exit, and how far it then is.

        No button comes back when there is no way.
        """
        place = state.place
        if not state.map.contains(place.x, place.y):
            return [], FAR
        state, exits = self._past_gates(state, self._open(state, exits))
        view, boulders = state.map, self._people.boulders(state)
        field, here = self._field(state, exits), view.tile(place.x, place.y, place.level)
        if boulders and self._atlas.abilities(state) & Ability.STRENGTH:
            around = self._field(state, exits, boulders.values())
            if around.distances[here] < FAR:
                field = around
            else:
                pushes = self.pushes(state, [entry.tile for entry in exits])
                if pushes:
                    return self._push(state, pushes, boulders)
                if not self._people.are_home(state, boulders):
                    return [], FAR  # they go back when the map is left
        at_exit = [entry for entry in exits if entry.number(view) == here]
        left = min((entry.beyond for entry in at_exit), default=FAR)
        if at_exit and left <= field.distances[here]:
            nearest = [entry for entry in at_exit if entry.beyond == left]
            # Going straight on saves a turn, and is easier to learn for a policy that imitates it.
            ahead = [entry for entry in nearest if DIRECTIONS.get(entry.action) is place.facing]
            return [_press(entry, place.facing) for entry in ahead or nearest], left
        options = _options(field, here)
        total = min((each[0] for each in options), default=FAR)
        best = [each for each in options if each[0] == total]
        straight = [each for each in best if FACINGS[each[1]] is place.facing]
        stones = self._people.stones(state, self._atlas.abilities(state))
        actions: list[Action] = []
        for _, way, tile in straight or best:
            stone = stones.get(view.locate(tile))
            if stone is None or FACINGS[way] is not place.facing:
                actions.append(_way_in(view, here, way, place.facing))
            else:
                # A smashes a rock, and makes ready to push a boulder.
                actions += [Action.A, _ACTIONS[way]] if stone is Stance.BOULDER else [Action.A]
        return actions, min((field.distances[tile] for *_, tile in best), default=FAR)

    def _past_gates(
        self, state: GameState, exits: tuple[Exit, ...]
    ) -> tuple[GameState, tuple[Exit, ...]]:
        """Return the state with arms of gates as walls, and the exits, or which gate to push first.

        Where no pushes lead to an exit, they lead out of the map: the gates turn back then.
        """
        view, at = state.map, (state.place.x, state.place.y)
        if not view.turning_gates:
            return state, exits
        shown = self._shown.of((view,), (), lambda: with_arms(view))
        costs = self._people.in_the_way(state, self._atlas.abilities(state))
        closed = [view.locate(tile) for tile, cost in costs.items() if cost == SHUT]
        doors = (entry for warp in view.warps for entry in warp_exits(view, (warp.x, warp.y)))
        are_turned = any(gate.is_turned for gate in view.turning_gates)
        for ends in (exits, tuple(doors) if are_turned else ()):
            pushes = self._turns.next_turn(view, at, closed, [entry.tile for entry in ends])
            if pushes:
                first, left = pushes[0], len(pushes)
                ends = (Exit(first.stand, _ACTIONS[FACINGS.index(first.facing)], beyond=left),)
            if pushes is not None:
                return replace(state, map=shown), ends
        return replace(state, map=shown), ()

    def pushes(
        self, state: GameState, goals: Collection[Tile] = (), hole: tuple[int, Tile] | None = None
    ) -> tuple[Push, ...] | None:
        """Return how to push the map's boulders to reach a goal, or one of them onto its hole.

        Args:
            state: The game now.
            goals: Tiles to reach.
            hole: Number of a boulder, and the tile of its hole.

        Returns:
            The pushes that are left; None where none help: leave the map and come back, for
            boulders go back then.
        """
        boulders, abilities = self._people.boulders(state), self._atlas.abilities(state)
        others = set(map(state.map.locate, self._people.in_the_way(state, abilities)))
        others -= set(boulders.values())
        start = state.place.x, state.place.y
        return self._plans.next_push(state.map, start, boulders, others, goals, hole)

    def push_onto(self, state: GameState, index: int, hole: Tile) -> list[Action]:
        """Return the buttons that lead to pushing a boulder onto its hole; none: leave the map.

        Nobody can push boulders back; leaving the map and coming back puts them where they were.
        """
        pushes, boulders = self.pushes(state, (), (index, hole)), self._people.boulders(state)
        return self._push(state, pushes, boulders)[0] if pushes else []

    def _push(
        self, state: GameState, pushes: tuple[Push, ...], boulders: Mapping[int, Tile]
    ) -> tuple[list[Action], int]:
        """Return the buttons for the first push, and how many steps are left at least."""
        first, view, place = pushes[0], state.map, state.place
        action = _ACTIONS[FACINGS.index(first.facing)]
        if (place.x, place.y) == first.stand:
            # A makes ready to push.
            actions = [Action.A, action] if place.facing is first.facing else [action]
            return actions, len(pushes)
        field = self._field(state, (Exit(first.stand, action),), boulders.values())
        here = view.tile(place.x, place.y, place.level)
        options = _options(field, here)
        total = min((each[0] for each in options), default=FAR)
        ways = [each[1] for each in options if each[0] == total]
        straight = [way for way in ways if FACINGS[way] is place.facing]
        actions = [_way_in(view, here, way, place.facing) for way in straight or ways]
        return actions, total + len(pushes)

    def path(self, state: GameState, exits: tuple[Exit, ...]) -> tuple[Tile, ...]:
        """Return the tiles to walk to the nearest exit and through it, while it is on the map."""
        place = state.place
        if not exits or not state.map.contains(place.x, place.y):
            return ()
        state, exits = self._past_gates(state, self._open(state, exits))
        view = state.map
        field, facing = self._field(state, exits), place.facing
        here = view.tile(place.x, place.y, place.level)
        ends: dict[int, Exit] = {}
        for entry in sorted(exits, key=lambda entry: entry.beyond):
            ends.setdefault(entry.number(view), entry)
        path: list[Tile] = []
        while len(path) < _LONGEST_PATH:
            if here in ends and ends[here].beyond <= field.distances[here]:
                break
            options = _options(field, here)
            if not options:
                return ()
            _, _, way, here = min(
                (each[0], FACINGS[each[1]] is not facing, *each[1:]) for each in options
            )
            facing = FACINGS[way]
            path.append(view.locate(here))
        leaving = ends.get(here)
        if leaving is not None and not leaving.is_talk:
            dx, dy = DIRECTIONS[leaving.action].delta
            beyond = (leaving.tile[0] + dx, leaving.tile[1] + dy)
            path += [beyond] if view.contains(*beyond) else []
        return tuple(path[:_LONGEST_PATH])

    def _field(
        self, state: GameState, exits: tuple[Exit, ...], walls: Collection[Tile] = ()
    ) -> _Field:
        """Return the distance from each tile to the nearest exit, around people."""
        view, where, abilities = state.map, state.place.map, self._atlas.abilities(state)
        springs = self._triggers(state).items()
        costs = {view.tile(*tile): cost for tile, cost in springs if view.contains(*tile)}
        costs |= self._people.in_the_way(state, abilities)
        costs |= {view.tile(*tile): SHUT for tile in walls}
        on_ice = self._people.on_ice(view, Terrain.ICE)
        return self._last_field.of(  # comparing costs less than the hash of a key
            (view.terrain,),
            (where, view.warps, exits, costs, abilities, on_ice),
            lambda: self._look_up(view, exits, costs, abilities, (where, on_ice)),
        )

    def _open(self, state: GameState, exits: tuple[Exit, ...]) -> tuple[Exit, ...]:
        """Leave out the exits on whose far side somebody stands: they shut a warp."""
        view, costs = state.map, self._people.in_the_way(state, self._atlas.abilities(state))

        def is_shut(x: int, y: int) -> bool:
            return view.contains(x, y) and costs.get(view.tile(x, y)) == SHUT

        return tuple(one for one in exits if one.is_talk or not is_shut(*ahead_of(one)))

    def _look_up(
        self,
        view: MapView,
        exits: tuple[Exit, ...],
        costs: Mapping[int, int],
        abilities: Ability,
        here: tuple[MapId, frozenset[Tile]],
    ) -> _Field:
        floor_key = here, view.terrain.tobytes(), view.warps, view.bridges
        key = floor_key, exits, frozenset(costs.items()), abilities
        floor = partial(floor_of, view, here[1])

        def search() -> _Field:
            return _search_floor(view, self._floors.of(floor_key, floor), exits, costs, abilities)

        return self._fields.of(key, search)


def floor_of(view: MapView, walls: Iterable[Tile]) -> Floor:
    """Return the graph of one map, built by the same rules as that of a world.

    Nobody steps on `walls`, and slides end before them.
    """
    under = np.array([bits for *_, bits in view.bridges.lower], np.uint32)
    terrain = np.concatenate((view.terrain.ravel(), under), dtype=np.uint32, casting="unsafe")
    for tile in walls:
        terrain[view.tile(*tile)] = 0
    warps = [(0, warp.x, warp.y, -1, 0) for warp in view.warps]
    world = Overworld(
        maps=np.array([(0, 0, 0, 0, view.width, view.height, 0)], MAP_FIELDS),
        terrain=terrain,
        warps=np.array(warps, WARP_FIELDS),
        connections=np.zeros(0, CONNECTION_FIELDS),
        people=np.zeros(0, PERSON_FIELDS),
        signs=np.zeros(0, SIGN_FIELDS),
        triggers=np.zeros(0, TRIGGER_FIELDS),
        scenes=np.zeros(0, SCENE_FIELDS),
        gates=np.zeros(0, GATE_FIELDS),
        bridges=view.bridges,
    )
    leading, climbs = successors(world)
    below: dict[int, list[int]] = {}
    for foot, top in climbs.tolist():
        below.setdefault(top, []).append(foot)
    return Floor(leading, below, graph_of(world.terrain, leading, climbs))


def _search_floor(
    view: MapView,
    floor: Floor,
    exits: tuple[Exit, ...],
    in_the_way: Mapping[int, int],
    abilities: Ability,
) -> _Field:
    """Return the distances on one map, searched backwards from the exits."""
    costs = floor.graph.costs.copy()
    costs[floor.graph.needs & ~np.uint8(abilities) != 0] = 0
    for tile, cost in in_the_way.items():
        if costs[tile] != SHUT:
            costs[tile] = cost
    goals: dict[int, int] = {}
    for entry in exits:
        tile = entry.number(view)
        if in_the_way.get(tile) != SHUT and view.contains(*entry.tile):
            goals[tile] = min(entry.beyond, goals.get(tile, FAR))
    climbs = floor.climbs if abilities & Ability.WATERFALL else {}
    counted = costs.tobytes()
    span = 0, len(counted)
    distances = tile_distances(floor.graph, counted, goals, goals, climbs, span)
    return _Field(distances, counted, floor.leading.T.tolist(), climbs)


def _options(field: _Field, here: int) -> list[tuple[int, int, int]]:
    """Return the presses that lead closer: distance, index in FACINGS, tile."""
    found = []
    for way, tile in enumerate(field.leading[here]):
        if tile >= 0 and tile != here and field.costs[tile] and field.distances[tile] < FAR:
            found.append((field.distances[tile] + entering(field.costs[tile]), way, tile))
    for top, feet in field.climbs.items():
        if here in feet and field.distances[top] < FAR:
            found.append((field.distances[top] + field.costs[top], FACINGS.index(Facing.UP), top))
    # From a tile that cannot be entered, such as a doorway, any way out is taken.
    limit = field.distances[here]
    return [each for each in found if each[0] <= limit]


def _way_in(view: MapView, here: int, way: int, facing: Facing) -> Action:
    """Return the button for a step: A where a tree, water or the like asks what to do."""
    dx, dy = FACINGS[way].delta
    x, y = view.locate(here)
    x, y = x + dx, y + dy
    ahead = int(view.terrain[y, x]) if view.contains(x, y) else 0
    asks = ahead & (Terrain.CUT_TREE | Terrain.WHIRLPOOL)
    asks |= ahead & Terrain.WATERFALL if FACINGS[way] is Facing.UP else 0
    if ahead & Terrain.WATER and not view.bits(here) & Terrain.WATER:
        asks |= Terrain.WATER
    return Action.A if asks and FACINGS[way] is facing else _ACTIONS[way]


def _press(entry: Exit, facing: Facing) -> Action:
    if entry.is_talk and facing is DIRECTIONS[entry.action]:
        return Action.A
    return entry.action
