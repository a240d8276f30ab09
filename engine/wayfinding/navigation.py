"""Find the way: over a map's tiles around what stands on them, and from map to map.

A way on a map ends in an *exit*: a tile to stand on, and a button to press there. A door is stepped
on, a carpet is pressed on, an edge is walked off, a person is faced and spoken to; all are exits,
so that one search for the nearest exit serves them all. Where the game's image carries its world,
an exit also has the distance that is left beyond it: the way chosen is the shortest over all maps.

The map on which the player stands is searched as memory shows it, all others as the image has them.
"""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_not
from typing import Any, Generic, Self, TypeVar

import numpy as np

from engine.games.base import Atlas, Ferry, Game
from engine.games.overworld import (
    BACK,
    CONNECTION_FIELDS,
    GATE_FIELDS,
    MAP_FIELDS,
    PERSON_FIELDS,
    SCENE_FIELDS,
    SIGN_FACING,
    SIGN_FIELDS,
    TRIGGER_FIELDS,
    WARP_FIELDS,
    Ability,
    Overworld,
    Stance,
)
from engine.types import (
    DIRECTIONS,
    MAP_BORDER,
    SIDES,
    Action,
    Facing,
    GameState,
    Goal,
    GoalKind,
    MapId,
    MapView,
    Terrain,
)
from engine.wayfinding.boulders import BoulderPlans, Push
from engine.wayfinding.chase import Chase
from engine.wayfinding.flips import Flips
from engine.wayfinding.graph import FACINGS, Graph, graph_of, successors
from engine.wayfinding.network import Indices
from engine.wayfinding.people import people_of
from engine.wayfinding.routes import (
    Conditions,
    RouteFinder,
    SceneId,
    route_finder,
    scene_now,
)
from engine.wayfinding.search import CLOSED, FAR, SHUT, Search, entering, tile_distances

_T = TypeVar("_T")
Tile = tuple[int, int]
"""Walk tile (x, y)."""

_SIDES: Mapping[str, Action] = {SIDES[facing]: action for action, facing in DIRECTIONS.items()}
_ACTIONS: tuple[Action, ...] = tuple(
    next(action for action, facing in DIRECTIONS.items() if facing is way) for way in FACINGS
)
_MOST_CHANGED = 0.25
"""Share of the tiles that scripts may change; beyond it, the map is not the image's."""

_CACHE_SIZE = 64
_LONGEST_PATH = 400
"""Tiles of a path; the rest is left out."""


@dataclass(frozen=True, slots=True)
class Exit:
    """Stand on `tile` and press `action`; `is_talk`: face that way, then press A, which speaks to
    somebody or asks whether to surf.

    `beyond`: how far it still is from there.
    """

    tile: Tile
    action: Action
    is_talk: bool = False
    beyond: int = 0


@dataclass(frozen=True, slots=True)
class Link:
    """A way from one map to another: a warp tile, or a side ("north", ...)."""

    target: MapId
    warp: Tile | None
    side: str = ""


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


class Last(Generic[_T]):
    """Cache the last result: from one step to the next its inputs have mostly not changed."""

    def __init__(self) -> None:
        self._same: tuple[object, ...] = ()
        self._equal: tuple[object, ...] | None = None
        self._result: list[_T] = []

    def of(self, same: tuple[object, ...], equal: tuple[object, ...], make: Callable[[], _T]) -> _T:
        """Return it, made anew unless the objects are the `same` and the values are `equal`."""
        if self._equal != equal or any(map(is_not, same, self._same)):
            self._same, self._equal, self._result = same, equal, [make()]
        return self._result[0]


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
        self._links = {
            MapId(*key): tuple(_link(entry) for entry in entries) for key, entries in links.items()
        }
        self._distances: dict[MapId, dict[MapId, int]] = {}
        self._targets = {
            here: [link.target for link in links] for here, links in self._links.items()
        }
        self._sources: defaultdict[MapId, list[MapId]] = defaultdict(list)
        for here, targets in self._targets.items():
            for target in targets:
                self._sources[target].append(here)
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
        self._shut: frozenset[SceneId] = frozenset()
        self._sprung: SceneId | None = None

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
        self._shut, self._sprung = frozenset(), None
        self._flips, self._chase = Flips(), Chase()

    def notice(self, state: GameState) -> None:
        """Remember where the player was, and triggers that send players back.

        Such a trigger's scene is over and has changed nothing.
        """
        self._flips = self._flips.after(state)
        self._chase = self._chase.after(state, self.people.present(state))
        row = self._finder.world.row(state.place.map) if self._finder else None
        if self._finder is None or row is None:
            return
        if not state.control.is_free:
            if state.battle is None and (sprung := self._trigger_here(state, row)) is not None:
                self._sprung = sprung
        elif self._sprung is not None:
            row, scene, place = self._sprung
            if scene_now(state, self._scenes(state), row, place) == scene:
                self._shut |= {self._sprung}
            self._sprung = None

    def _trigger_here(self, state: GameState, row: int) -> SceneId | None:
        """Return the scene that the tile starts on which the player stands; None: it does not."""
        if self._finder is None:
            return None
        triggers = self._finder.world.triggers
        is_here = (triggers["map"] == row) & (triggers["x"] == state.place.x)
        is_here &= triggers["y"] == state.place.y
        scenes = self._scenes(state)
        for _, scene, place in triggers[is_here][["map", "scene", "place"]].tolist():
            if scene_now(state, scenes, row, place) == scene:
                return row, scene, place
        return None

    def save(self) -> dict[str, Any]:
        """Return what was noticed, JSON-able."""
        sprung = list(self._sprung) if self._sprung else None
        return {
            "shut": sorted(map(list, self._shut)),
            "sprung": sprung,
            "flips": self._flips.save(),
            "chase": self._chase.save(),
        }

    def load(self, facts: Mapping[str, Any]) -> None:
        """Put back what `save` returned."""
        self._shut = frozenset(map(_scene_id, facts.get("shut", ())))
        sprung = facts.get("sprung")
        self._sprung = _scene_id(sprung) if sprung else None
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
        return tuple(one for one in leaving if tile in (one.tile, _ahead(one))) or leaving

    def steps_to(self, state: GameState, goal: Goal) -> int | None:
        """Return how many tiles a goal is away with nobody in the way; None: out of reach.

        Also where the world is not known.
        """
        field = self._field(state, goal)
        row = self._finder.world.row(state.place.map) if self._finder else None
        if self._finder is None or field is None or row is None:
            return None
        tile = self._finder.world.tile(row, state.place.x, state.place.y)
        steps = FAR if tile is None else field[tile]
        return steps if steps < CLOSED else None

    def way_to(self, state: GameState, goal: Goal) -> tuple[tuple[MapId, Tile], ...]:
        """Return map and tile of every press of the way to a goal over all maps; () if unknown."""
        if self._finder is None or self._field(state, goal) is None:
            return ()
        world = self._finder.world
        row = world.row(state.place.map)
        start = None if row is None else world.tile(row, state.place.x, state.place.y)
        if start is None:
            return ()
        path = self._finder.path(start, self._tiles_of(state, goal), self._conditions(state))
        found = (world.locate(tile) for tile in path)
        return tuple((world.map_id(row), (x, y)) for row, x, y in found)

    def leaving(self, state: GameState, goal: Goal) -> Callable[[int, int], Leaving | None]:
        """Return a function of a tile (x, y) here: where the way from it to a goal leaves this map.

        It holds for all states that differ in place only, and returns None where no way is known.
        """
        search, finder = self._field(state, goal), self._finder
        row = None if finder is None else finder.world.row(state.place.map)
        if finder is None or search is None or row is None:
            return lambda x, y: None
        first, (width, height) = int(finder.world.maps["first_tile"][row]), finder.world.size(row)
        ways = finder.ways_out(search, self._tiles_of(state, goal), self._conditions(state))

        def find(x: int, y: int) -> Leaving | None:
            start = first + y * width + x
            if not (0 <= x < width and 0 <= y < height) or (left := search[start]) >= FAR:
                return None
            last, way = ways(start)
            row, column = divmod(last - first, width)
            facing = None if way is None else FACINGS[way]
            return Leaving((column, row), facing, left - search[last], left)

        return find

    def _field(self, state: GameState, goal: Goal) -> Search | None:
        """Return the distances of the tiles to a goal; None where the world is not known."""
        return self._last_field.of(
            (state, goal, self._shut), (), lambda: self._find_field(state, goal)
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
        ways = self._ways_to(goal.map, target)
        for facing in ways if goal.is_interaction else FACINGS:
            dx, dy = facing.delta
            tile = x - dx, y - dy
            if not (0 <= tile[0] < width and 0 <= tile[1] < height):
                continue
            if goal.is_interaction and grid[tile[1], tile[0]] & Terrain.COUNTER:
                tile = tile[0] - dx, tile[1] - dy
            if (number := world.tile(row, *tile)) is not None and (
                grid[tile[1], tile[0]] & (Terrain.WALKABLE | Terrain.WATER)
            ):
                yield number
        own = world.tile(row, x, y)
        if not goal.is_interaction and own is not None:
            yield own

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

    def is_faced(self, state: GameState, goal: Goal) -> bool:
        """Return whether the player looks at who or what a goal is about, across a counter too."""
        if goal.target is None or goal.map != state.place.map:
            return False
        tiles = self.people.tiles_now(state, goal.target)
        return is_ready(state, self._beside(state, tiles))

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
            found = finder.conditions(state, abilities, self._scenes(state), self._shut)
            return replace(found, back=tuple(self._leading_back(state)))

        key = state.event_flags, state.scenes, abilities, self._shut, back
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

    def _scenes(self, state: GameState) -> dict[int, int]:
        """Return the scene numbers of maps by their rows."""
        if self._finder is None or self._game is None:
            return {}
        world, places = self._finder.world, self._game.tables.SCENES
        return {
            row: state.scenes[place]
            for key, place in places.items()
            if place < len(state.scenes) and (row := world.row(MapId(*key))) is not None
        }

    def _leaving_towards(self, state: GameState, goal: Goal, field: Search) -> tuple[Exit, ...]:
        """Return the exits out of this map from which a way leads on.

        An exit whose way comes back to this map must bring nearer: else one would leave the map and
        come back for ever where the way on it is longer just now than the image says. Where
        somebody or a gate closes every way to the goal, no exit leads around them either.
        """
        view, finder = state.map, self._finder
        row = finder.world.row(state.place.map) if finder else None
        if finder is None or self._game is None or row is None:
            return ()
        own = finder.world.tile(row, state.place.x, state.place.y)
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

    def links_from(self, here: MapId) -> tuple[Link, ...]:
        """Return the known ways out of a map."""
        return self._links.get(here, ())

    def distances_from(self, here: MapId, links: Iterable[Link] | None = None) -> dict[MapId, int]:
        """Return map -> how many maps away it is, of those that a way leads to, nearest first.

        Args:
            here: Where to start.
            links: The ways out of there that are open; None: all that are known.
        """
        if links is None:
            return _maps_away(here, self._targets)
        return _maps_away(here, {**self._targets, here: [link.target for link in links]})

    def links_towards(self, here: MapId, goal: MapId) -> tuple[Link, ...]:
        """Return the links out of `here` that begin a shortest way to `goal`; () if none does."""
        distances = self.distances_to(goal)
        if here not in distances:
            return ()
        return tuple(
            link
            for link in self.links_from(here)
            if distances.get(link.target, len(distances)) == distances[here] - 1
        )

    def distances_to(self, goal: MapId) -> dict[MapId, int]:
        """Return from each map how many maps away `goal` is."""
        if goal not in self._distances:
            self._distances[goal] = _maps_away(goal, self._sources)
        return self._distances[goal]


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
        self._floors: OrderedDict[object, Floor] = OrderedDict()
        self._fields: OrderedDict[object, _Field] = OrderedDict()
        self._last_field = Last[_Field]()
        self._plans = BoulderPlans()

    def step_towards(self, state: GameState, exits: tuple[Exit, ...]) -> tuple[list[Action], int]:
        """Return the buttons that lead closer to the nearest exit, and how far it then is.

        No button comes back when there is no way.
        """
        place, view = state.place, state.map
        if not view.contains(place.x, place.y):
            return [], FAR
        exits = self._open(state, exits)
        boulders = self._people.boulders(state)
        field, here = self._field(state, exits), place.y * view.width + place.x
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
        at_exit = [entry for entry in exits if entry.tile == (place.x, place.y)]
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
            stone = stones.get((tile % view.width, tile // view.width))
            if stone is None or FACINGS[way] is not place.facing:
                actions.append(_way_in(view, here, way, place.facing))
            else:
                # A smashes a rock, and makes ready to push a boulder.
                actions += [Action.A, _ACTIONS[way]] if stone is Stance.BOULDER else [Action.A]
        return actions, min((field.distances[tile] for *_, tile in best), default=FAR)

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
        others = set(self._people.in_the_way(state, abilities)) - set(boulders.values())
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
        here = place.y * view.width + place.x
        options = _options(field, here)
        total = min((each[0] for each in options), default=FAR)
        ways = [each[1] for each in options if each[0] == total]
        straight = [way for way in ways if FACINGS[way] is place.facing]
        actions = [_way_in(view, here, way, place.facing) for way in straight or ways]
        return actions, total + len(pushes)

    def path(self, state: GameState, exits: tuple[Exit, ...]) -> tuple[Tile, ...]:
        """Return the tiles to walk to the nearest exit and through it, while it is on the map."""
        place, view = state.place, state.map
        if not exits or not view.contains(place.x, place.y):
            return ()
        exits = self._open(state, exits)
        field, facing = self._field(state, exits), place.facing
        here = place.y * view.width + place.x
        ends: dict[int, Exit] = {}
        for entry in sorted(exits, key=lambda entry: entry.beyond):
            ends.setdefault(entry.tile[1] * view.width + entry.tile[0], entry)
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
            path.append((here % view.width, here // view.width))
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
        costs = {**self._triggers(state), **self._people.in_the_way(state, abilities)}
        costs |= dict.fromkeys(walls, SHUT)
        on_ice = self._people.on_ice(view, Terrain.ICE)
        return self._last_field.of(  # comparing costs less than the hash of a key
            (view.terrain,),
            (where, view.warps, exits, costs, abilities, on_ice),
            lambda: self._look_up(view, exits, costs, abilities, (where, on_ice)),
        )

    def _open(self, state: GameState, exits: tuple[Exit, ...]) -> tuple[Exit, ...]:
        """Leave out the exits on whose far side somebody stands: they shut a warp."""
        costs = self._people.in_the_way(state, self._atlas.abilities(state))
        walls = {tile for tile, cost in costs.items() if cost == SHUT}
        return tuple(one for one in exits if one.is_talk or _ahead(one) not in walls)

    def _look_up(
        self,
        view: MapView,
        exits: tuple[Exit, ...],
        costs: Mapping[Tile, int],
        abilities: Ability,
        here: tuple[MapId, frozenset[Tile]],
    ) -> _Field:
        floor_key = here, view.terrain.tobytes(), view.warps
        key = floor_key, exits, frozenset(costs.items()), abilities
        field = self._fields.get(key)
        if field is None:
            floor = self._floor(view, here[1], floor_key)
            field = self._fields[key] = _search_floor(view, floor, exits, costs, abilities)
            if len(self._fields) > _CACHE_SIZE:
                self._fields.popitem(last=False)
        else:
            self._fields.move_to_end(key)
        return field

    def _floor(self, view: MapView, walls: frozenset[Tile], key: object) -> Floor:
        floor = self._floors.get(key)
        if floor is None:
            floor = self._floors[key] = floor_of(view, walls)
            if len(self._floors) > _CACHE_SIZE:
                self._floors.popitem(last=False)
        return floor


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
            for entry in _warp_exits(view, (warp.x, warp.y)):
                if leads_on(entry, beyond):
                    yield replace(entry, beyond=beyond + 1), arrival
    for facing, side in SIDES.items():
        across = finder.across(row, facing)
        for entry in _edge_exits(view, side, can_surf=can_surf) if across else ():
            tile = across.get(world.tile(row, *entry.tile) or 0)
            if tile is not None and field[tile] < FAR and leads_on(entry, field[tile]):
                yield replace(entry, beyond=field[tile] + 1), tile


def link_exits(view: MapView, links: Iterable[Link], *, can_surf: bool = False) -> tuple[Exit, ...]:
    """Return how to leave the map through any of the links."""
    exits: list[Exit] = []
    for link in links:
        if link.warp is None:
            exits += _edge_exits(view, link.side, can_surf=can_surf)
        else:
            exits += _warp_exits(view, link.warp)
    return tuple(exits)


def talk_exits(view: MapView, target: Tile, ways: Collection[Facing] = FACINGS) -> tuple[Exit, ...]:
    """Return the exits from which the person or thing at `target` is faced, across counters too.

    `ways`: the directions in which one may look.
    """
    exits = []
    for action, facing in DIRECTIONS.items():
        dx, dy = facing.delta
        tile = (target[0] - dx, target[1] - dy)
        if view.contains(*tile) and view.terrain[tile[1], tile[0]] & Terrain.COUNTER:
            tile = (tile[0] - dx, tile[1] - dy)
        if facing in ways and _is_open(view, tile):
            exits.append(Exit(tile, action, is_talk=True))
    return tuple(exits)


def is_faced(state: GameState, target: Tile) -> bool:
    """Return whether the player looks at who or what is at `target`, across a counter too."""
    return is_ready(state, talk_exits(state.map, target))


def is_ready(state: GameState, exits: Iterable[Exit]) -> bool:
    """Return whether the player stands at one of the exits and looks towards it."""
    here, facing = (state.place.x, state.place.y), state.place.facing
    return any(one.tile == here and DIRECTIONS[one.action] is facing for one in exits)


def grass_exits(view: MapView) -> tuple[Exit, ...]:
    """Return steps from one tile of tall grass to the next."""
    exits = []
    grass = view.terrain & Terrain.GRASS != 0
    for y, x in np.argwhere(grass).tolist():
        for action, facing in DIRECTIONS.items():
            dx, dy = facing.delta
            if view.contains(x + dx, y + dy) and grass[y + dy, x + dx]:
                exits.append(Exit((x, y), action))
    return tuple(exits)


def _maps_away(start: MapId, leading: Mapping[MapId, Iterable[MapId]]) -> dict[MapId, int]:
    """Search from map to map, breadth first."""
    distances = {start: 0}
    queue = deque([start])
    while queue:
        reached = queue.popleft()
        for other in leading.get(reached, ()):
            if other not in distances:
                distances[other] = distances[reached] + 1
                queue.append(other)
    return distances


def _scene_id(saved: Sequence[int]) -> SceneId:
    """Return what was saved; older checkpoints leave out the place of maps' own scenes."""
    row, scene, place = (*saved, -1)[:3]
    return int(row), int(scene), int(place)


def _link(entry: tuple[str, int, int, tuple[int, int]]) -> Link:
    kind, x, y, target = entry
    return Link(MapId(*target), (x, y)) if kind == "warp" else Link(MapId(*target), None, kind)


def _press(entry: Exit, facing: Facing) -> Action:
    if entry.is_talk and facing is DIRECTIONS[entry.action]:
        return Action.A
    return entry.action


def _warp_exits(view: MapView, warp: Tile) -> list[Exit]:
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


def _edge_exits(view: MapView, side: str, *, can_surf: bool) -> list[Exit]:
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


def _is_within(tile: Tile, ring: Collection[Tile]) -> bool:
    """Return whether a tile lies between others, in both directions."""
    sides = (sorted(other[i] for other in ring) for i in (0, 1))
    return all(side[0] < at < side[-1] for at, side in zip(tile, sides, strict=True))


def _ahead(entry: Exit) -> Tile:
    """Return the tile that an exit's button leads to."""
    facing = DIRECTIONS.get(entry.action)
    dx, dy = facing.delta if facing else (0, 0)
    return entry.tile[0] + dx, entry.tile[1] + dy


def distance(one: Tile, other: Tile) -> int:
    """Return how many steps apart two tiles are, with nothing between them."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def world_links(
    world: Overworld, ferries: Iterable[Ferry] = ()
) -> dict[tuple[int, int], tuple[tuple[str, int, int, tuple[int, int]], ...]]:
    """Return which map leads to which, also by ferry, as `WorldMap` takes it."""
    ids = [(one.group, one.number) for one in map(world.map_id, range(len(world)))]
    found: dict[tuple[int, int], list[tuple[str, int, int, tuple[int, int]]]] = {}
    for row, x, y, target, _ in world.warps.tolist():
        tile = world.tile(row, x, y)
        here = 0 if tile is None else int(world.terrain[tile])
        # On plain ground one only arrives; in a wall is a door that an event is yet to open.
        if target >= 0 and (here & Terrain.WARP or not here & Terrain.WALKABLE):
            found.setdefault(ids[row], []).append(("warp", x, y, ids[target]))
    for row, facing, target, *_ in world.connections.tolist():
        found.setdefault(ids[row], []).append((SIDES[Facing(facing)], 0, 0, ids[target]))
    for ferry in ferries:
        start, end = ((one.group, one.number) for one in (ferry.place, ferry.target))
        found.setdefault(start, []).append(("warp", *ferry.person, end))
    return {key: tuple(links) for key, links in found.items()}


def floor_of(view: MapView, walls: Iterable[Tile]) -> Floor:
    """Return the graph of one map, built by the same rules as that of a world.

    Nobody steps on `walls`, and slides end before them.
    """
    terrain = np.array(view.terrain, np.uint32)
    for x, y in walls:
        terrain[y, x] = 0
    warps = [(0, warp.x, warp.y, -1, 0) for warp in view.warps]
    world = Overworld(
        maps=np.array([(0, 0, 0, 0, view.width, view.height, 0)], MAP_FIELDS),
        terrain=terrain.reshape(-1),
        warps=np.array(warps, WARP_FIELDS),
        connections=np.zeros(0, CONNECTION_FIELDS),
        people=np.zeros(0, PERSON_FIELDS),
        signs=np.zeros(0, SIGN_FIELDS),
        triggers=np.zeros(0, TRIGGER_FIELDS),
        scenes=np.zeros(0, SCENE_FIELDS),
        gates=np.zeros(0, GATE_FIELDS),
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
    in_the_way: Mapping[Tile, int],
    abilities: Ability,
) -> _Field:
    """Return the distances on one map, searched backwards from the exits."""
    costs = floor.graph.costs.copy()
    costs[floor.graph.needs & ~np.uint8(abilities) != 0] = 0
    for (x, y), cost in in_the_way.items():
        if view.contains(x, y) and costs[y * view.width + x] != SHUT:
            costs[y * view.width + x] = cost
    goals: dict[int, int] = {}
    for entry in exits:
        x, y = entry.tile
        if in_the_way.get(entry.tile) != SHUT and view.contains(x, y):
            tile = y * view.width + x
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
    x, y = here % view.width + dx, here // view.width + dy
    ahead = int(view.terrain[y, x]) if view.contains(x, y) else 0
    asks = ahead & (Terrain.CUT_TREE | Terrain.WHIRLPOOL)
    asks |= ahead & Terrain.WATERFALL if FACINGS[way] is Facing.UP else 0
    if ahead & Terrain.WATER and not int(view.terrain.flat[here]) & Terrain.WATER:
        asks |= Terrain.WATER
    return Action.A if asks and FACINGS[way] is facing else _ACTIONS[way]
