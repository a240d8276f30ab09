"""Describe for people the world that an image carries, and the way between two of its places."""

import re
import string
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import groupby

import numpy as np

from engine.errors import ConfigurationError, RomError
from engine.games.base import Game
from engine.games.overworld import BACK, Ability, Overworld, PersonKind, SignKind, Stance
from engine.ground.text import counted
from engine.types import MapId, Terrain
from engine.wayfinding.routes import RouteFinder, route_finder
from engine.wayfinding.search import FAR

_TILE = re.compile(r"\(?(\d{1,3})\s*,\s*(\d{1,3})\)?\Z")
_NUMBERS = re.compile(r"(\d{1,3})\.(\d{1,3})")
_STAGES: tuple[tuple[str, Ability], ...] = (
    ("on foot", Ability(0)),
    ("with Cut", Ability.CUT),
    ("with Cut and Surf", Ability.CUT | Ability.SURF),
    ("with everything", Ability(63)),
)
_SHOWN = 12
_FORM = "Use a map's name or its group.number, optionally with a tile: 'ROUTE 29 10,8' or 24.3."


def describe_world(game: Game) -> list[str]:
    """Return what is known of a game's world, a line each.

    Raises:
        RomError: The image does not carry it.
    """
    world = _world(game)
    finder = route_finder(world, game.sha1, game.tables.FERRIES)
    warps, people, signs = world.warps, world.people, world.signs
    kinds = people["kind"]
    back = int((warps["arrival"] == BACK).sum())
    lost = int((warps["target"] < 0).sum()) - back
    num_triggered = len(np.unique(world.triggers["map"]))
    trainers, balls = ((kinds == kind).sum() for kind in (PersonKind.TRAINER, PersonKind.ITEM))
    return [
        "World, read from the ROM:",
        *(f"  {what:<12} {where}" for what, where in world.addresses.items()),
        f"  maps         {len(world):,} with {len(world.terrain):,} tiles",
        f"  warps        {len(warps):,}, {back} of them back to the previous map, "
        f"{lost} without a target",
        f"  connections  {len(world.connections):,}",
        f"  triggers     {len(world.triggers):,} on {counted(num_triggered, 'map')}",
        f"  gates        {len(world.gates):,} (tiles that scripts open or close)",
        f"  signs        {len(signs):,}, {(signs['kind'] == SignKind.ITEM).sum()} hidden items",
        f"  people       {len(people):,}, {trainers} trainers and {balls} items among them",
        f"  paths        {len(finder.graph.sources):,}, {finder.graph.size / 1e3:,.0f} kB",
        *_reach(game, finder),
    ]


def describe_path(game: Game, start: str, goal: str) -> list[str]:
    """Return the way between two places, a line for each map and for each gate or person on it.

    Raises:
        RomError: The image does not carry its world.
        ConfigurationError: There is no such place, or no way.
    """
    world = _world(game)
    finder = route_finder(world, game.sha1, game.tables.FERRIES)
    starts, goals = (find_place(game, world, place) for place in (start, goal))
    for how, abilities in _STAGES:
        conditions = finder.all_open(abilities)
        field = finder.distances(goals, conditions).all()
        begin = min(starts, key=field.__getitem__)
        if field[begin] < FAR:
            path = finder.path(begin, goals, conditions)
            return [
                f"{_spot(game, world, path[0])} to {_spot(game, world, path[-1])}: "
                f"{_presses(len(path) - 1)}, {how}",
                *_legs(game, world, path),
            ]
    raise ConfigurationError(
        f"There is no path from {start} to {goal}.",
        "Scripts, boulders or flights may still lead there.",
    )


def find_place(game: Game, world: Overworld, text: str) -> list[int]:
    """Return the tile that a text names, or all tiles of a map on which one can be.

    Raises:
        ConfigurationError: There is no such map or tile.
    """
    text = text.strip()
    found = _TILE.search(text)
    name = text[: found.start()].rstrip(":@" + string.whitespace) if found else text
    row = _find_map(game, world, name)
    if found is None:
        is_open = world.grid(row).reshape(-1) & (Terrain.WALKABLE | Terrain.WATER) != 0
        return (int(world.maps["first_tile"][row]) + np.flatnonzero(is_open)).tolist()
    tile = world.tile(row, int(found[1]), int(found[2]))
    if tile is None:
        width, height = world.size(row)
        raise ConfigurationError(
            f"{_name(game, world, row)} has no tile ({found[1]},{found[2]}).",
            f"Its tiles range from (0,0) to ({width - 1},{height - 1}).",
        )
    return [tile]


def _find_map(game: Game, world: Overworld, name: str) -> int:
    if numbers := _NUMBERS.fullmatch(name):
        row = world.row(MapId(int(numbers[1]), int(numbers[2])))
        if row is None:
            raise ConfigurationError(f"There is no map {name}.", _FORM)
        return row
    wanted = " ".join(name.replace("_", " ").upper().split())
    names = {_name(game, world, row): row for row in reversed(range(len(world)))}
    if wanted in names:
        return names[wanted]
    near = [each for each in names if wanted and wanted in each][:3]
    near = near or get_close_matches(wanted, names, 3, 0.5)
    hint = f"Did you mean {', '.join(near)}?" if near else _FORM
    raise ConfigurationError(f"There is no map {name!r}.", hint)


def _reach(game: Game, finder: RouteFinder) -> Iterator[str]:
    """Yield how many maps are in reach from the first place that one wakes up at."""
    world = finder.world
    spawns = [game.tables.SPAWNS[number] for number in sorted(game.tables.SPAWNS)]
    rows = [row for key in spawns if (row := world.row(MapId(*key))) is not None]
    row = rows[0] if rows else 0
    starts = np.flatnonzero(world.grid(row) & Terrain.WALKABLE) + world.maps["first_tile"][row]
    missing: list[str] = []
    yield f"  reachable from {_name(game, world, row)} with every gate open and nobody in the way:"
    for how, abilities in _STAGES:
        is_reached = finder.reachable(starts.tolist(), finder.all_open(abilities))
        seen = np.add.reduceat(is_reached.astype(np.int32), world.maps["first_tile"]) > 0
        missing = [_name(game, world, int(one)) for one in np.flatnonzero(~seen)]
        yield f"    {how:<18} {counted(int(seen.sum()), 'map')}"
    if missing:
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        yield f"  unreachable: {', '.join(missing[:_SHOWN])}{more}"


def _legs(game: Game, world: Overworld, path: Sequence[int]) -> Iterator[str]:
    closed = _closed(game, world)
    for row, tiles in groupby(map(world.locate, path), key=lambda tile: tile[0]):
        leg = [(x, y) for _, x, y in tiles]
        way = f"({leg[0][0]},{leg[0][1]})"
        if len(leg) > 1:
            way += f" to ({leg[-1][0]},{leg[-1][1]}), {_presses(len(leg) - 1)}"
        yield f"  {_name(game, world, row):<32} {way}"
        for tile in leg:
            if condition := closed.get((row, *tile)):
                yield f"    ({tile[0]},{tile[1]}) {condition}"


def _closed(game: Game, world: Overworld) -> dict[tuple[int, int, int], str]:
    """Return row of the map, x and y of what events open, and which."""
    names = {flag: name for name, flag in game.tables.EVENT_FLAGS.items()}

    def event(flag: int) -> str:
        return names.get(flag, f"event {flag}")

    found = {}
    people = world.people[(world.people["flag"] >= 0) & (world.people["stance"] == Stance.FIXED)]
    for one in people:
        place = int(one["map"]), int(one["x"]), int(one["y"])
        what = "an item is" if one["kind"] == PersonKind.ITEM else "someone is"
        found[place] = f"{what} here until {event(int(one['flag']))}"
    for tile, flag, opens in world.gates.tolist():
        found[world.locate(tile)] = f"{'opens' if opens else 'closes'} with {event(flag)}"
    return found


def _presses(count: int) -> str:
    return f"{count} press{'' if count == 1 else 'es'}"


def _world(game: Game) -> Overworld:
    world = game.overworld
    if world is None:
        raise RomError(game.overworld_problem, "The planner uses only the game's memory.")
    return world


def _spot(game: Game, world: Overworld, tile: int) -> str:
    row, x, y = world.locate(tile)
    return f"{_name(game, world, row)} ({x},{y})"


def _name(game: Game, world: Overworld, row: int) -> str:
    key = world.map_id(row)
    return game.tables.MAPS.get((key.group, key.number), f"{key.group}.{key.number}")
