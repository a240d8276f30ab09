"""Describe what is around the player: a drawing, exits, people and signs, and how far they are.

Distances are steps: buttons to press on foot, while everyone stands still.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from engine.env.observation.facts import side_names
from engine.games.base import Game
from engine.types import MAP_BORDER, Facing, GameState, MapView, Terrain
from engine.wayfinding.exits import Exit, Link, Tile, distance, is_ready, link_exits, talk_exits

_RIGHT, _UP = 7, 6
"""The drawing reaches this many tiles from the player: 15 columns, 13 rows."""

_NUMBERS, _LETTERS = "123456789", "ABCDEFGHIJKL"

_PLAYER: Mapping[Facing, str] = MappingProxyType(
    {Facing.UP: "^", Facing.DOWN: "v", Facing.LEFT: "<", Facing.RIGHT: ">"}
)
_LEDGE_SYMBOLS: Mapping[frozenset[Facing], str] = MappingProxyType(
    {
        frozenset({Facing.DOWN}): "_",
        frozenset({Facing.UP}): "-",
        frozenset({Facing.LEFT}): "(",
        frozenset({Facing.RIGHT}): ")",
        frozenset({Facing.DOWN, Facing.LEFT}): "/",
        frozenset({Facing.DOWN, Facing.RIGHT}): "\\",
        frozenset({Facing.UP, Facing.LEFT}): "[",
        frozenset({Facing.UP, Facing.RIGHT}): "]",
    }
)
_SYMBOLS = ((Terrain.WATER, "~"), (Terrain.COUNTER, "="), (Terrain.ANSWERS, "%"))
_WAY = Terrain.WALKABLE | Terrain.DOOR
_EXITS, _PEOPLE = "1-9 exits", "A-L people and things"
_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "#": "wall",
        ".": "floor",
        ",": "tall grass",
        "~": "water",
        "=": "counter",
        "%": "shelf, tree, machine: may answer A",
        "?": "sign: answers A",
        "*": "other way out",
        **{
            symbol: "ledge, hop " + " or ".join(sorted(way.name.lower() for way in ways))
            for ways, symbol in _LEDGE_SYMBOLS.items()
        },
    }
)
LEGEND = "  ".join((*(f"{symbol} {word}" for symbol, word in _WORDS.items()), _EXITS, _PEOPLE))
"""What all the symbols of drawings mean."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Something to go to.

    Attributes:
        tiles: Where it is; () for a side of the map.
        side: "north", ...; "" unless it is a side of the map.
        name: The map that it leads to; "" for what leads nowhere.
        steps: How far it is: to leave by it, or to stand where A works; None if out of reach now.
        is_faced: A would answer at once.
        mark: Its symbol in the drawing; "" without one.
        way: The direction in which it lies, e.g. "up-left"; "" for a side of the map.
    """

    tiles: tuple[Tile, ...]
    side: str
    name: str
    steps: int | None
    is_faced: bool = False
    mark: str = ""
    way: str = ""

    @property
    def nearness(self) -> str:
        """Return how far it is, e.g. "5 steps"."""
        if self.is_faced:
            return "in front"
        if self.steps is None:
            return "out of reach now"
        if not self.steps:
            return "beside you"
        return f"{self.steps} step{'s' if self.steps > 1 else ''}"

    @property
    def distance(self) -> str:
        """Return how far it is, and which way, e.g. "5 steps, up-right"."""
        has_way = self.way and not self.is_faced
        return f"{self.nearness}, {self.way}" if has_way else self.nearness


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is around the player; nearest first, out of reach last.

    Attributes:
        drawing: Rows of the map around the player, with a header of columns; () if not known.
        legend: What the symbols mean that the drawing holds.
        exits: Warps and sides of the map.
        people: Persons and things that stand on the map.
        signs: Tiles that answer A.
    """

    drawing: tuple[str, ...] = ()
    legend: str = ""
    exits: tuple[Spot, ...] = ()
    people: tuple[Spot, ...] = ()
    signs: tuple[Spot, ...] = ()


def survey(state: GameState, game: Game) -> Surroundings:
    """Look around; nothing is known in battles and while a map is being entered."""
    view, place = state.map, state.place
    is_inside = place.x < view.width and place.y < view.height
    if view.bordered is None or state.battle is not None or not is_inside:
        return Surroundings()
    here = (place.x, place.y)
    steps = walking_steps(view, here)
    people = (_talk_spot(state, (thing.x, thing.y), steps) for thing in view.objects)
    surroundings = Surroundings(
        exits=_marked(_exit_spots(state, steps), _NUMBERS, here),
        people=_marked(people, _LETTERS, here),
        signs=_marked((_talk_spot(state, sign, steps) for sign in view.signs), "", here),
    )
    rows = _draw(state, surroundings)
    return replace(surroundings, drawing=rows, legend=_legend(rows, surroundings))


def walking_steps(view: MapView, start: Tile) -> dict[Tile, int]:
    """Return how many steps each tile in reach is away, hopping down ledges, around everyone."""
    standing = {(thing.x, thing.y) for thing in view.objects}
    terrain = view.terrain.tolist()
    steps = {start: 0}
    queue = deque([start])
    while queue:
        x, y = tile = queue.popleft()
        for facing in Facing:
            dx, dy = facing.delta
            target = (x + dx, y + dy)
            if not view.contains(*target):
                continue
            is_open = terrain[target[1]][target[0]] & Terrain.WALKABLE
            if not is_open and terrain[y][x] & Terrain.HOPS[facing]:
                target = (x + 2 * dx, y + 2 * dy)
                if not view.contains(*target):
                    continue
            # A door would be taken, not walked over.
            is_way = terrain[target[1]][target[0]] & _WAY == Terrain.WALKABLE
            if is_way and target not in standing and target not in steps:
                steps[target] = steps[tile] + 1
                queue.append(target)
    return steps


def _exit_spots(state: GameState, steps: Mapping[Tile, int]) -> list[Spot]:
    view, here = state.map, state.place.map
    spots = []
    for name, tiles in _warp_groups(view):
        exits = link_exits(view, [Link(here, tile) for tile in tiles])
        spots.append(Spot(tiles, "", name, _leaving(exits, steps)))
    for side, name in side_names(state).items():
        exits = link_exits(view, [Link(here, None, side)])
        spots.append(Spot((), side, name, _leaving(exits, steps)))
    return spots


def _leaving(exits: Iterable[Exit], steps: Mapping[Tile, int]) -> int | None:
    return min((steps[entry.tile] + 1 for entry in exits if entry.tile in steps), default=None)


def _warp_groups(view: MapView) -> list[tuple[str, tuple[Tile, ...]]]:
    """Return target name and tiles of the warps; side by side to the same map, they are one."""
    groups: list[tuple[str, list[Tile]]] = []
    for warp in view.warps:
        tile = (warp.x, warp.y)
        for name, tiles in groups:
            if name == warp.name and any(distance(tile, other) == 1 for other in tiles):
                tiles.append(tile)
                break
        else:
            groups.append((warp.name, [tile]))
    return [(name, tuple(tiles)) for name, tiles in groups]


def _talk_spot(state: GameState, tile: Tile, steps: Mapping[Tile, int]) -> Spot:
    exits = [entry for entry in talk_exits(state.map, tile) if entry.tile in steps]
    nearest = min((steps[entry.tile] for entry in exits), default=None)
    return Spot((tile,), "", "", nearest, is_ready(state, exits))


def _marked(spots: Iterable[Spot], marks: str, here: Tile) -> tuple[Spot, ...]:
    """Return the spots from near to far with their ways, the first of them with a mark each."""
    ordered = sorted(spots, key=lambda s: (s.steps is None, s.steps or 0, s.tiles, s.side))
    free = iter(marks)
    return tuple(
        replace(s, mark=next(free, ""), way=_way(here, s.tiles[0])) if s.tiles else s
        for s in ordered
    )


def _way(here: Tile, there: Tile) -> str:
    dx, dy = there[0] - here[0], there[1] - here[1]
    words = ("up" if dy < 0 else "down" if dy else "", "left" if dx < 0 else "right" if dx else "")
    return "-".join(word for word in words if word)


def _draw(state: GameState, surroundings: Surroundings) -> tuple[str, ...]:
    """Draw the tiles around the player, beyond the map only where it continues."""
    view, place = state.map, state.place
    left, right = _span(place.x, _RIGHT, view.width, view.connections, ("west", "east"))
    top, bottom = _span(place.y, _UP, view.height, view.connections, ("north", "south"))
    marks = dict.fromkeys(((warp.x, warp.y) for warp in view.warps), "*")
    marks |= dict.fromkeys(view.signs, "?")
    for spot in (*surroundings.exits, *surroundings.people):
        marks |= {tile: spot.mark for tile in spot.tiles if spot.mark}
    marks[place.x, place.y] = _PLAYER[place.facing]
    header = "    " + "".join(str(abs(x) % 10) for x in range(left, right))
    rows = [
        f"{y:3} " + "".join(marks.get((x, y)) or _symbol(view, x, y) for x in range(left, right))
        for y in range(top, bottom)
    ]
    return (header, *rows)


def _span(
    at: int, reach: int, size: int, connections: frozenset[str], sides: tuple[str, str]
) -> tuple[int, int]:
    """Return the first column or row to draw, and the one after the last."""
    before, after = (MAP_BORDER if side in connections else 0 for side in sides)
    return max(at - reach, -before), min(at + reach + 1, size + after)


def _symbol(view: MapView, x: int, y: int) -> str:
    assert view.bordered is not None
    tile = int(view.bordered[y + MAP_BORDER, x + MAP_BORDER])
    if tile & Terrain.LEDGE:
        return _LEDGE_SYMBOLS[frozenset(way for way in Facing if tile & Terrain.HOPS[way])]
    for bits, symbol in _SYMBOLS:
        if tile & bits:
            return symbol
    if not tile & Terrain.WALKABLE:
        return "#"
    if tile & Terrain.WARP and not view.contains(x, y):
        return "*"
    return "," if tile & Terrain.GRASS else "."


def _legend(rows: tuple[str, ...], surroundings: Surroundings) -> str:
    """Explain the symbols that occur; those of exits and people are listed with them."""
    drawn = "".join(row[4:] for row in rows[1:])
    words = [f"{symbol} {word}" for symbol, word in _WORDS.items() if symbol in drawn]
    if any(spot.mark and spot.mark in drawn for spot in surroundings.exits):
        words.append(_EXITS)
    if any(spot.mark and spot.mark in drawn for spot in surroundings.people):
        words.append(_PEOPLE)
    return "  ".join(words)
