"""Push boulders onto their holes and out of the way, by a plan made from what the map shows."""

from collections.abc import Collection, Mapping

import numpy as np

from engine.games.base import Game
from engine.games.overworld import Ability, Stance
from engine.types import DIRECTIONS, Action, GameState, Goal, MapId, Terrain
from engine.wayfinding.navigation import Exit, Link, Tile, link_exits
from engine.wayfinding.pushes import Push, find_push, first_step, steps_from

Suggestion = tuple[list[Action], str]

_DETOUR = 10
"""Steps beyond an exit, more than beyond the best one, up to which it does as well."""
_CACHE_SIZE = 256


class Pusher:
    """Suggest the next step or push; what it returns follows from the state alone.

    Args:
        game: Its world says which things on the maps are boulders, its tables where the holes are.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._boulders = _boulders(game)
        self._known: dict[object, Push | None] = {}

    def onto_hole(self, state: GameState, goal: Goal, unchanged: int) -> Suggestion | None:
        """Return how to push the boulder whose hole is a goal's tile; None: that is not for it.

        No button comes back where the map must be left first, which puts the boulders back.

        Args:
            state: The game now.
            goal: Of a milestone that is reached by pushing.
            unchanged: For how many steps nothing visible has changed.
        """
        placed = self._placed(state)
        here = state.place.map
        if goal.map != here or goal.target is None or not placed:
            return None
        holes = self._game.tables.HOLES.get((here.group, here.number), {})
        number = next((one for one, tile in holes.items() if tile == goal.target), None)
        if number not in placed:
            return None
        order = sorted(placed)
        hole = order.index(number), goal.target
        found = self._push(state, placed, hole=hole, exits=frozenset())
        return (
            ([], "the boulders shut the way")
            if found is None
            else self._to(state, found, unchanged)
        )

    def out_of_the_way(
        self, state: GameState, exits: Collection[Exit], unchanged: int
    ) -> Suggestion | None:
        """Return how to make a way to one of the exits; None: there is one, or none can be made."""
        placed = self._placed(state)
        if not placed:
            return None
        nearest = min((one.beyond for one in exits), default=0)
        tiles = frozenset(one.tile for one in exits if one.beyond <= nearest + _DETOUR)
        reach = steps_from(self._floor(state, placed).difference(placed.values()), _tile(state))
        if not tiles.isdisjoint(reach):
            return None
        found = self._push(state, placed, hole=None, exits=tiles)
        return None if found is None else self._to(state, found, unchanged)

    def ways_out(self, state: GameState) -> tuple[Exit, ...]:
        """Return how to leave the map."""
        links = [Link(one.target, (one.x, one.y)) for one in state.map.warps]
        return link_exits(state.map, links)

    def _to(self, state: GameState, push: Push, unchanged: int) -> Suggestion:
        placed = self._placed(state)
        reach = steps_from(self._floor(state, placed).difference(placed.values()), _tile(state))
        step = first_step(reach, push.tile)
        if step is not None:
            return [step], "walk behind the boulder"
        is_faced = state.place.facing is DIRECTIONS[push.action]
        # A makes ready to push; after that it only says so again.
        return [Action.A if is_faced and unchanged else push.action], "push the boulder"

    def _push(
        self,
        state: GameState,
        placed: Mapping[int, Tile],
        *,
        hole: tuple[int, Tile] | None,
        exits: frozenset[Tile],
    ) -> Push | None:
        floor, start = self._floor(state, placed), _tile(state)
        tiles = tuple(placed[one] for one in sorted(placed))
        key = state.place.map, floor, start, tiles, hole, exits
        if key not in self._known:
            if len(self._known) >= _CACHE_SIZE:
                self._known.clear()
            self._known[key] = find_push(floor, start, tiles, hole=hole, exits=exits)
        return self._known[key]

    def _placed(self, state: GameState) -> dict[int, Tile]:
        """Return where the boulders of this map are, by number, if the party can push them."""
        here = state.place.map
        if here not in self._boulders or not self._game.atlas.abilities(state) & Ability.STRENGTH:
            return {}
        numbers = self._boulders[here]
        things = (*state.map.beyond, *state.map.objects)
        return {one.index: (one.x, one.y) for one in things if one.index in numbers}

    def _floor(self, state: GameState, placed: Mapping[int, Tile]) -> frozenset[Tile]:
        """Return the tiles to walk and push on: no doors, no holes, nobody else's."""
        view, here = state.map, state.place.map
        is_open = (view.terrain & Terrain.WALKABLE != 0) & (view.terrain & Terrain.WARP == 0)
        closed = set(self._game.tables.HOLES.get((here.group, here.number), {}).values())
        things = (*view.beyond, *view.objects)
        closed |= {(one.x, one.y) for one in things if one.index not in placed}
        tiles = ((x, y) for y, x in np.argwhere(is_open).tolist())
        return frozenset(tile for tile in tiles if tile not in closed) | {_tile(state)}


def _tile(state: GameState) -> Tile:
    return state.place.x, state.place.y


def _boulders(game: Game) -> dict[MapId, frozenset[int]]:
    """Return the numbers of the boulders on each map that has any."""
    world, found = game.overworld, dict[MapId, set[int]]()
    if world is None:
        return {}
    for one in world.people[world.people["stance"] == int(Stance.BOULDER)]:
        found.setdefault(world.map_id(int(one["map"])), set()).add(int(one["index"]))
    return {here: frozenset(numbers) for here, numbers in found.items()}
