"""Tell who and what stands in the way on the present map, and where somebody is now."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from engine.games.overworld import Ability, Overworld, Stance
from engine.types import GameState, MapId, MapObject, MapView
from engine.wayfinding.exits import Tile
from engine.wayfinding.routes import STONE_ABILITIES, STONE_COSTS

_NEAR = 4
"""People who walk and are farther away than this are ignored: they will have moved."""

_BIG = ((0, 0), (1, 0), (0, 1), (1, 1))
"""The tiles of somebody 2 x 2 tiles large, from the top left one."""


@dataclass(frozen=True, slots=True)
class Present:
    """Somebody or something on the present map.

    Attributes:
        index: Number on the map.
        tiles: Where it stands now.
        stance: As the image says; None: not known.
        is_close: The player would run into it before it can have moved.
        level: Height at which it stands, as `engine.types.Place.level`.
    """

    index: int
    tiles: tuple[Tile, ...]
    stance: Stance | None
    is_close: bool
    level: int = 0


class People:
    """Know from the image how everybody stands and where each is at home.

    Args:
        world: The image's maps; None: nothing is known.
    """

    def __init__(self, world: Overworld | None = None) -> None:
        self._stances: dict[tuple[MapId, int], Stance] = {}
        self._homes: dict[tuple[MapId, Tile], list[int]] = {}
        self._levels: dict[tuple[MapId, Tile], int] = {}
        if world is None:
            return
        for one in world.people:
            here, index = world.map_id(int(one["map"])), int(one["index"])
            self._stances[here, index] = Stance(int(one["stance"]))
            home = here, (int(one["x"]), int(one["y"]))
            self._homes.setdefault(home, []).append(index)
            self._levels.setdefault(home, int(one["level"]))

    def present(self, state: GameState) -> Iterator[Present]:
        """Yield who is on the map, also out of sight."""
        here, at = state.place.map, (state.place.x, state.place.y)
        for thing in state.map.objects:
            is_close = abs(thing.x - at[0]) + abs(thing.y - at[1]) <= _NEAR
            yield self._one(here, thing, is_close)
        for thing in state.map.beyond:
            yield self._one(here, thing, is_close=False)

    def _one(self, here: MapId, thing: MapObject, is_close: bool) -> Present:
        stance = self._stances.get((here, thing.index))
        offsets = _BIG if stance is Stance.BIG else _BIG[:1]
        tiles = tuple((thing.x + dx, thing.y + dy) for dx, dy in offsets)
        return Present(thing.index, tiles, stance, is_close, thing.level)

    def in_the_way(self, state: GameState, abilities: Ability) -> dict[int, int]:
        """Return the tiles where somebody stands, and what entering them costs, 0 for a wall.

        Who never walks is there at any distance, who walks only when near.
        """
        found: dict[int, int] = {}
        view = state.map
        for one in self.present(state):
            cost = 0
            if one.stance is not None and one.stance in STONE_ABILITIES:
                can_move = abilities & STONE_ABILITIES[one.stance]
                cost = STONE_COSTS[one.stance] if can_move else 0
            elif not one.is_close and one.stance not in (Stance.FIXED, Stance.BIG):
                continue
            for x, y in one.tiles:
                if view.contains(x, y):
                    for tile in view.bridges.tiles(view.tile(x, y), one.level):
                        found[tile] = cost
        return found

    def level(self, here: MapId, home: Tile) -> int:
        """Return the height at which the one stands whose place is `home`, 0 where not known."""
        return self._levels.get((here, home), 0)

    def stones(self, state: GameState, abilities: Ability) -> dict[Tile, Stance]:
        """Return the trees, rocks and boulders that the party can move."""
        return {
            one.tiles[0]: one.stance
            for one in self.present(state)
            if one.stance is not None
            and one.stance in STONE_ABILITIES
            and abilities & STONE_ABILITIES[one.stance]
        }

    def boulders(self, state: GameState) -> dict[int, Tile]:
        """Return the boulders on the map by their numbers."""
        return {
            one.index: one.tiles[0] for one in self.present(state) if one.stance is Stance.BOULDER
        }

    def on_ice(self, view: MapView, ice: int) -> frozenset[Tile]:
        """Return the tiles with bit `ice` on which somebody stands: a slide ends before them."""
        return frozenset(
            (thing.x, thing.y)
            for thing in (*view.objects, *view.beyond)
            if view.contains(thing.x, thing.y) and view.terrain[thing.y, thing.x] & ice
        )

    def tiles_now(self, state: GameState, home: Tile) -> tuple[Tile, ...]:
        """Return where the one stands now whose place on the present map is `home`.

        All tiles of somebody large; `home` itself where nobody belongs there, or is there.
        """
        one = self.who(state, home)
        return one.tiles if one is not None else (home,)

    def who(self, state: GameState, home: Tile) -> Present | None:
        """Return the one whose place on the present map is `home`, if there now."""
        indices = self._homes.get((state.place.map, home), ())
        return next((one for one in self.present(state) if one.index in indices), None)

    def is_big(self, here: MapId, home: Tile) -> bool:
        """Return whether the one whose place is `home` fills 2 x 2 tiles."""
        indices = self._homes.get((here, home), ())
        return any(self._stances[here, index] is Stance.BIG for index in indices)

    def are_home(self, state: GameState, boulders: Mapping[int, Tile]) -> bool:
        """Return whether boulders stand where they do when the map is entered."""
        here = state.place.map
        return all(index in self._homes.get((here, tile), ()) for index, tile in boulders.items())


@lru_cache(maxsize=2)
def people_of(world: Overworld | None) -> People:
    """Return what is known of a world's people, which all games of this process share."""
    return People(world)
