"""Know which map leads to which, and how far it is over all maps.

Where the game's image carries its world, an exit also has the distance that is left beyond it: the
way chosen is the shortest over all maps. Without it, the maps seen so far are known.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from engine.games.base import Game
from engine.games.overworld import (
    BACK,
    SIGN_FACING,
    Ability,
)
from engine.types import (
    SIDES,
    Facing,
    GameState,
    Goal,
    GoalKind,
    MapId,
    MapView,
    Terrain,
)
from engine.wayfinding.chase import Chase
from engine.wayfinding.exits import (
    Exit,
    Tile,
    ahead_of,
    edge_exits,
    talk_exits,
    warp_exits,
)
from engine.wayfinding.flips import Flips
from engine.wayfinding.graph import FACINGS
from engine.wayfinding.links import MapLinks, world_links
from engine.wayfinding.people import people_of
from engine.wayfinding.routes import (
    Conditions,
    RouteFinder,
    route_finder,
)
from engine.wayfinding.search import CLOSED, FAR, Last, Search
from engine.wayfinding.triggers import Triggers

_MOST_CHANGED = 0.25
"""Share of the tiles that scripts may change; beyond it, the map is not the image's."""

_CACHE_SIZE = 64
_FLOOR = Terrain.WALKABLE | Terrain.WATER


@dataclass(frozen=True, slots=True)
class Leaving:
    """Where the way to a goal leaves the present map; where the goal is on it, the way's end.

    Attributes:
        tile: The last tile here.
        facing: The direction that is pressed there; None: none, or any.
        steps_out: Distance to that tile.
        steps: Distance to the goal.
    """

    tile: Tile
    facing: Facing | None
    steps_out: int
    steps: int


class WorldMap:
    """Know which map leads to which, and how far it is over all maps.

    Args:
        links: Map -> (kind, x, y, target), kind "warp" or a side.
        finder: Searches the world that the image carries, if it does.
        game: What is played; needed with `finder`.
    """

    def __init__(
        self,
        links: Mapping[tuple[int, int], tuple[tuple[str, int, int, tuple[int, int]], ...]],
        finder: RouteFinder | None = None,
        game: Game | None = None,
    ) -> None:
        self.maps = MapLinks(links)
        self._finder = finder
        self._game = game
        self._goal_tiles: dict[tuple[Goal, Ability], frozenset[int]] = {}
        self._known, self._checked = Last[Conditions](), Last[bool]()
        self._last_field, self._leaving = (
            Last[Search | None](),
            Last[tuple[tuple[Exit, int], ...]](),
        )
        self._springs = Last[Mapping[Tile, int]]()
        self.people = people_of(finder.world if finder else None)
        self._flips, self._chase = Flips(), Chase()
        scenes = game.tables.SCENES if game else {}
        self._triggers = Triggers(finder.world if finder else None, scenes)

    @classmethod
    def of(cls, game: Game) -> Self:
        """Return the world of a game: from its image, else as far as its atlas knows it."""
        world = game.overworld
        if world is None:
            return cls(game.atlas.links)
        ferries = game.tables.FERRIES
        return cls(world_links(world, ferries), route_finder(world, game.sha1, ferries), game)

    def reset(self) -> None:
        """Start an episode: forget which triggers sent the player back."""
        self._triggers.reset()
        self._flips, self._chase = Flips(), Chase()

    def notice(self, state: GameState) -> None:
        """Remember where the player was, and triggers that send players back."""
        self._flips = self._flips.after(state)
        self._chase = self._chase.after(state, self.people.present(state))
        self._triggers.notice(state)

    def save(self) -> dict[str, Any]:
        """Return what was noticed, JSON-able."""
        return {
            **self._triggers.save(),
            "flips": self._flips.save(),
            "chase": self._chase.save(),
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Put back what `save` returned."""
        self._triggers.load(facts)
        self._flips = Flips.load(facts.get("flips", ()))
        self._chase = Chase.load(facts.get("chase", ()))

    def exits(
        self, state: GameState, goal: Goal, known: Callable[[], tuple[Exit, ...]]
    ) -> tuple[Exit, ...]:
        """Return the exits that lead to a goal, each with the way that is left beyond it.

        Args:
            state: The game now.
            goal: Where to go.
            known: Finds the exits that serve the goal as far as this map shows; they are returned
                where the world is not known, and with those out of the map where the goal is on it.
        """
        field = self._field(state, goal)
        is_here = state.place.map == goal.map
        if field is None or (is_here and goal.target is None):
            return known()  # a goal without a tile is there: coming back brings no nearer
        leaving = self._leaving_towards(state, goal, field)
        if self._flips.is_flipping and not is_here:
            leaving = self._first_out(state, goal, leaving)
        return (*known(), *leaving) if is_here else leaving or known()

    def _first_out(
        self, state: GameState, goal: Goal, leaving: tuple[Exit, ...]
    ) -> tuple[Exit, ...]:
        """Return only the exits by which the world's own way leaves this map."""
        ways = self.way_to(state, goal)
        last = next((i for i, (place, _) in enumerate(ways) if place != state.place.map), 0)
        tile = ways[last - 1][1] if last else None
        return tuple(one for one in leaving if tile in (one.tile, ahead_of(one))) or leaving

    def steps_to(self, state: GameState, goal: Goal) -> int | None:
        """Return how many tiles a goal is away with nobody in the way; None: out of reach.

        Also where the world is not known.
        """
        field, at = self._field(state, goal), state.place
        row = self._finder.world.row(at.map) if self._finder else None
        if self._finder is None or field is None or row is None:
            return None
        tile = self._finder.world.tile(row, at.x, at.y, at.level)
        steps = FAR if tile is None else field[tile]
        return steps if steps < CLOSED else None

    def way_to(self, state: GameState, goal: Goal) -> tuple[tuple[MapId, Tile], ...]:
        """Return map and tile of every press of the way to a goal over all maps; () if unknown."""
        if self._finder is None or self._field(state, goal) is None:
            return ()
        world, at = self._finder.world, state.place
        row = world.row(at.map)
        start = None if row is None else world.tile(row, at.x, at.y, at.level)
        if start is None:
            return ()
        path = self._finder.path(start, self._tiles_of(state, goal), self._conditions(state))
        found = (world.locate(tile) for tile in path)
        return tuple((world.map_id(row), (x, y)) for row, x, y in found)

    def leaving(self, state: GameState, goal: Goal) -> Callable[[int, int, int], Leaving | None]:
        """Return a function of a tile (x, y, level): where the way from it to a goal leaves here.

        It holds for all states that differ in place only, and returns None where no way is known.
        """
        search, finder = self._field(state, goal), self._finder
        row = None if finder is None else finder.world.row(state.place.map)
        if finder is None or search is None or row is None:
            return lambda x, y, level: None
        world = finder.world
        ways = finder.ways_out(search, self._tiles_of(state, goal), self._conditions(state))

        def find(x: int, y: int, level: int) -> Leaving | None:
            start = world.tile(row, x, y, level)
            if start is None or (left := search[start]) >= FAR:
                return None
            last, way = ways(start)
            facing = None if way is None else FACINGS[way]
            return Leaving(world.locate(last)[1:], facing, left - search[last], left)

        return find

    def _field(self, state: GameState, goal: Goal) -> Search | None:
        """Return the distances of the tiles to a goal; None where the world is not known."""
        return self._last_field.of(
            (state, goal, self._triggers.shut), (), lambda: self._find_field(state, goal)
        )

    def _find_field(self, state: GameState, goal: Goal) -> Search | None:
        if self._finder is None or goal.map is None or not self._is_as_in_image(state):
            return None
        tiles = self._tiles_of(state, goal)
        return self._finder.distances(tiles, self._conditions(state)) if tiles else None

    def _is_as_in_image(self, state: GameState) -> bool:
        """Return whether the map in memory can be the image's, but for what scripts changed."""
        if self._finder is None:
            return False
        world, here, terrain = self._finder.world, state.place.map, state.map.terrain

        def compare() -> bool:
            row = world.row(here)
            if row is None or world.grid(row).shape != terrain.shape:
                return False
            return bool((world.grid(row) != terrain).mean() <= _MOST_CHANGED)

        return self._checked.of((terrain,), (here,), compare)

    def _tiles_of(self, state: GameState, goal: Goal) -> frozenset[int]:
        """Return the tiles on one of which the player stands when a goal is reached."""
        if self._finder is None or self._game is None:
            return frozenset()
        abilities, needs = self._game.atlas.abilities(state), self._finder.graph.needs
        key = goal, abilities
        found = self._goal_tiles.get(key)
        if found is None:
            if len(self._goal_tiles) >= _CACHE_SIZE:
                self._goal_tiles.clear()
            tiles = (tile for tile in self._find_tiles(goal) if int(needs[tile]) & ~abilities == 0)
            found = self._goal_tiles[key] = frozenset(tiles)
        return found

    def _find_tiles(self, goal: Goal) -> Iterator[int]:
        if self._finder is None or goal.map is None:
            return
        world = self._finder.world
        row = world.row(goal.map)
        if row is None:
            return
        grid, first = world.grid(row), int(world.maps["first_tile"][row])
        if goal.target is None:
            wanted = Terrain.WALKABLE
            if goal.kind in {GoalKind.TRAIN, GoalKind.CATCH} and (grid & Terrain.GRASS).any():
                wanted = Terrain.GRASS
            yield from (first + np.flatnonzero(grid & wanted)).tolist()
            return
        yield from self._tiles_around(goal, row, goal.target)
        if goal.is_interaction and self.people.is_big(goal.map, goal.target):
            x, y = goal.target
            for other in ((x + 1, y), (x, y + 1), (x + 1, y + 1)):
                yield from self._tiles_around(goal, row, other)

    def _tiles_around(self, goal: Goal, row: int, target: Tile) -> Iterator[int]:
        """Yield from which tiles one of a goal's tiles is reached."""
        if self._finder is None or goal.map is None:
            return
        world, (x, y) = self._finder.world, target
        grid, (width, height) = world.grid(row), world.size(row)
        ways, own = self._ways_to(goal.map, target), world.tile(row, x, y)
        level = self.people.level(goal.map, target) if goal.is_interaction else 0
        wanted = () if own is None else world.bridges.tiles(own, level)
        for facing in ways if goal.is_interaction else FACINGS:
            dx, dy = facing.delta
            tile = x - dx, y - dy
            if not (0 <= tile[0] < width and 0 <= tile[1] < height):
                continue
            if goal.is_interaction and grid[tile[1], tile[0]] & Terrain.COUNTER:
                tile = tile[0] - dx, tile[1] - dy
            number, ahead = world.tile(row, *tile), world.bridges.ahead
            if number is not None and own is not None and world.terrain[number] & _FLOOR:
                yield from (
                    one for one in world.bridges.tiles(number) if ahead(one, facing, own) in wanted
                )
        if not goal.is_interaction:
            yield from wanted

    def _ways_to(self, here: MapId, target: Tile) -> Collection[Facing]:
        """Return in which directions the player may look at what is on a tile of a map."""
        sides = self._game.tables.SIDES if self._game is not None else {}
        row = self._finder.world.row(here) if self._finder else None
        ways = sides.get((here.group, here.number, *target), frozenset(FACINGS))
        signs = FACINGS if row is None else self._sides_of_sign(row, *target)
        return [way for way in FACINGS if way in ways and way in signs]

    def talk_exits(self, state: GameState, target: Tile) -> tuple[Exit, ...]:
        """Return from where the one is spoken to whose place on this map is `target`.

        They are looked for where they stand now, somebody large on each tile, and only from the
        sides from which they answer. Who was not caught up with for long is waited for where they
        come past.
        """
        who = self.people.who(state, target)
        ring = self._chase.ring(who.index) if who is not None else frozenset()
        waiting = self._beside(state, tuple(sorted(ring)))
        # Who stands inside of the ring is kept clear of.
        outside = tuple(one for one in waiting if not _is_within(one.tile, ring))
        return outside or self._beside(state, self.people.tiles_now(state, target))

    def _beside(self, state: GameState, tiles: tuple[Tile, ...]) -> tuple[Exit, ...]:
        return tuple(
            entry
            for tile in tiles
            for entry in talk_exits(state.map, tile, self._ways_to(state.place.map, tile))
            if entry.tile not in tiles
        )

    def triggers_here(self, state: GameState) -> Mapping[Tile, int]:
        """Return what entering the tiles of this map costs that would start a scene now."""
        finder, row = self._finder, None
        if finder is not None:
            row = finder.world.row(state.place.map)
        if finder is None or row is None:
            return {}
        active = self._conditions(state).triggers
        return self._springs.of((active,), (row,), lambda: finder.triggers_on(row, active))

    def _sides_of_sign(self, row: int, x: int, y: int) -> tuple[Facing, ...]:
        """Return in which directions a tile may be faced to press A."""
        if self._finder is None:
            return FACINGS
        signs = self._finder.world.signs
        here = signs[(signs["map"] == row) & (signs["x"] == x) & (signs["y"] == y)]
        only = SIGN_FACING.get(int(here["kind"][0])) if len(here) else None
        return FACINGS if only is None else (only,)

    def _conditions(self, state: GameState) -> Conditions:
        if self._finder is None or self._game is None:
            return Conditions()
        finder, abilities = self._finder, self._game.atlas.abilities(state)
        here, warps = state.place.map, state.map.warps
        back = (here, warps) if any(warp.index == BACK for warp in warps) else None

        def find() -> Conditions:
            found = finder.conditions(
                state, abilities, self._triggers.scenes(state), self._triggers.shut
            )
            return replace(found, back=tuple(self._leading_back(state)))

        key = state.event_flags, state.scenes, abilities, self._triggers.shut, back
        return self._known.of((), key, find)

    def _leading_back(self, state: GameState) -> Iterator[tuple[int, int]]:
        """Yield `Conditions.back`: memory says where one came from."""
        row = self._finder.world.row(state.place.map) if self._finder else None
        if self._finder is None or row is None:
            return
        for warp in state.map.warps:
            tile = self._finder.world.tile(row, warp.x, warp.y)
            if warp.index == BACK and tile is not None:
                for arrival in self._finder.arrival(warp.target, BACK, state.place.map):
                    yield tile, arrival

    def _leaving_towards(self, state: GameState, goal: Goal, field: Search) -> tuple[Exit, ...]:
        """Return the exits out of this map from which a way leads on.

        An exit whose way comes back to this map must bring nearer: else one would leave the map and
        come back for ever where the way on it is longer just now than the image says. Where
        somebody or a gate closes every way to the goal, no exit leads around them either.
        """
        view, finder, at = state.map, self._finder, state.place
        row = finder.world.row(at.map) if finder else None
        if finder is None or self._game is None or row is None:
            return ()
        own = finder.world.tile(row, at.x, at.y, at.level)
        left = FAR if own is None else field[own]
        closed_off = left if left >= CLOSED else None
        can_surf = bool(self._game.atlas.abilities(state) & Ability.SURF)
        found = self._leaving.of(
            (field, view.terrain, view.bordered),
            (row, view.warps, closed_off, can_surf),
            lambda: tuple(
                _leaving(finder, view, row, field, closed_off=closed_off, can_surf=can_surf)
            ),
        )
        goals, now = self._tiles_of(state, goal), self._conditions(state)
        return tuple(
            one
            for one, arrival in (*found, *self._ferries(state, field))
            if one.beyond <= left or not finder.comes_back(field, goals, now, arrival, row)
        )

    def _ferries(self, state: GameState, field: Search) -> Iterator[tuple[Exit, int]]:
        """Yield from where somebody is asked to take the player elsewhere, and the arrivals."""
        if self._finder is None:
            return
        sails = self._conditions(state).sails
        for ferry, is_open in zip(self._finder.ferries, sails, strict=True):
            row = self._finder.world.row(ferry.target)
            if ferry.place != state.place.map or not is_open or row is None:
                continue
            arrival = self._finder.world.tile(row, *ferry.arrival)
            if arrival is not None and field[arrival] < FAR:
                for entry in self.talk_exits(state, ferry.person):
                    yield replace(entry, beyond=field[arrival] + 1), arrival


def _leaving(
    finder: RouteFinder,
    view: MapView,
    row: int,
    field: Search,
    *,
    closed_off: int | None,
    can_surf: bool,
) -> Iterator[tuple[Exit, int]]:
    """Yield the exits out of the map in a row from which a way leads on, by the distances `field`.

    With each comes the tile where one arrives.

    `closed_off` is the player's distance to the goal if every way to it is closed.
    """
    world = finder.world

    def leads_on(entry: Exit, beyond: int) -> bool:
        tile = world.tile(row, *entry.tile)
        return closed_off is None or tile is None or min(closed_off, field[tile]) > beyond

    for warp in view.warps:
        if not view.contains(warp.x, warp.y):
            continue
        arrivals = finder.arrival(warp.target, warp.index, world.map_id(row))
        beyond, arrival = min(((field[tile], tile) for tile in arrivals), default=(FAR, 0))
        if beyond < FAR:
            for entry in warp_exits(view, (warp.x, warp.y)):
                if leads_on(entry, beyond):
                    yield replace(entry, beyond=beyond + 1), arrival
    for facing, side in SIDES.items():
        across = finder.across(row, facing)
        for entry in edge_exits(view, side, can_surf=can_surf) if across else ():
            tile = across.get(world.tile(row, *entry.tile) or 0)
            if tile is not None and field[tile] < FAR and leads_on(entry, field[tile]):
                yield replace(entry, beyond=field[tile] + 1), tile


def _is_within(tile: Tile, ring: Collection[Tile]) -> bool:
    """Return whether a tile lies between others, in both directions."""
    sides = (sorted(other[i] for other in ring) for i in (0, 1))
    return all(side[0] < at < side[-1] for at, side in zip(tile, sides, strict=True))
