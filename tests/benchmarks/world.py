"""Measure the path-finder on a world as large as Crystal's: `python -m tests.benchmarks.world`.

388 maps with 147,500 tiles, drawn by chance: 60 outside, joined at their edges, the rest houses.
"""

import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from engine.games.crystal.game import CrystalGame
from engine.games.crystal.rom_tables import read_overworld
from engine.games.overworld import Ability, Overworld
from engine.planning.goals.queries import choices
from engine.types import MapId
from engine.wayfinding.graph import build_graph, load_graph, save_graph
from engine.wayfinding.routes import RouteFinder
from engine.wayfinding.search import FAR
from engine.wayfinding.world_map import WorldMap
from tests.engine.games.world_images import Drawn, Person, build
from tests.engine.planning.goals.helpers import state
from tests.engine.wayfinding.test_world_map import standing

_Result = TypeVar("_Result")
_MAPS, _OUTSIDE, _ROW = 388, 60, 10
_DISTANCES = (50, 100, 200, 400, 700)
_REPEATS, _REMEMBERED = 7, 32


def make_image(seed: int = 1) -> bytes:
    """Return an image with such a world."""
    dice = random.Random(seed)
    keys = [(i // 15 + 1, i % 15 + 1) for i in range(_MAPS)]
    inside = {i: [j for j in range(_OUTSIDE, _MAPS) if j % _OUTSIDE == i] for i in range(_OUTSIDE)}
    maps = {}
    for i, key in enumerate(keys):
        width, height = (52, 30) if i < _OUTSIDE else (14, 12)
        rows = [dice.choices('#".', (2, 1, 7), k=width) for _ in range(height)]
        warps, sides = [], {}
        if i < _OUTSIDE:
            column = i % _ROW
            near = {"east": (i + 1, column < _ROW - 1), "west": (i - 1, column > 0)}
            near |= {"north": (i - _ROW, i >= _ROW), "south": (i + _ROW, i < _OUTSIDE - _ROW)}
            sides = {
                side: (*keys[other], 0) for side, (other, is_there) in near.items() if is_there
            }
            for number, house in enumerate(inside[i]):
                x = 4 + 6 * number
                rows[9][x - 1 : x + 2], rows[10][x - 1 : x + 2] = "###", "#D#"
                rows[11][x] = "."
                warps.append((x, 10, *keys[house], 1))
        else:
            town = i % _OUTSIDE
            rows[height - 1][3], rows[height - 2][3] = "m", "."
            warps.append((3, height - 1, *keys[town], inside[town].index(i) + 1))
        drawn = ["".join(row) for row in rows]
        people = [Person(1, 1, flag=100 + i)]
        maps[key] = Drawn(drawn, warps, sides, people=people, tileset=1 + i % 24)
    return build(maps)


def measure() -> None:
    """Print how long each part takes, in CPU time."""
    image = make_image()
    world, problem = _timed("read the image", lambda: read_overworld(image))
    assert world is not None, problem
    graph = _timed("build the graph", lambda: build_graph(world))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "routes.npz"
        _timed("keep the graph", lambda: save_graph(path, graph))
        kept = _timed("map the graph", lambda: load_graph(path, world))
        assert kept is not None
        print(f"{len(world):,} maps, {len(world.terrain):,} tiles, {graph.size / 1e6:.2f} MB")
        finder = _timed("make it ready for searches", lambda: RouteFinder(world, kept))
        # Half of the people are away.
        game = state(flags=range(100, 100 + _MAPS, 2))
        now = finder.conditions(game, Ability(0), {}, frozenset())
        goal = world.tile(0, 20, 20)
        assert goal is not None
        field = np.array(
            _timed("all tiles' distances", lambda: finder.distances([goal], now).all())
        )
        for least in _DISTANCES:
            start = int(np.argmin(np.where(field >= least, field, FAR)))

            def ask(start: int = start) -> int:
                return finder.distances([goal], now)[start]

            def lead(start: int = start) -> list[int]:
                return finder.path(start, [goal], now)

            _timed(f"a new goal {field[start]} steps off", ask, lambda: _forget(finder))
            _timed("the same goal again", ask)
            _timed("a new goal, and the way there", lead, lambda: _forget(finder))
            _timed("the way there again", lead)
    _measure_options(image)


def _measure_options(image: bytes) -> None:
    """Print how long it takes to list the goals that are possible."""
    game = CrystalGame("0" * 40, "PM_CRYSTAL", "a world", image)
    assert game.overworld is not None
    names = {(m.group, m.number): f"MAP {m.group}.{m.number}" for m in _ids(game.overworld)}
    game.tables = replace(game.tables, MAPS=names)
    world, now = WorldMap.of(game), standing((20, 20), MapId(1, 1), game)
    _timed("the possible goals", lambda: choices(now, game, world))
    _timed("asked again", lambda: choices(now, game, world))


def _ids(world: Overworld) -> list[MapId]:
    return [world.map_id(row) for row in range(len(world))]


def _forget(finder: RouteFinder) -> None:
    """Fill what is remembered with searches that nobody asks about."""
    for tile in range(_REMEMBERED):
        finder.distances([tile], finder.all_open(Ability(63)))


def _timed(
    what: str, work: Callable[[], _Result], prepare: Callable[[], None] | None = None
) -> _Result:
    """Print the CPU time that something takes, the least of some where it can be prepared anew."""
    least = float("inf")
    for _ in range(_REPEATS if prepare else 1):
        if prepare:
            prepare()
        before = time.process_time()
        result = work()
        least = min(least, time.process_time() - before)
    print(f"{what:<30} {1000 * least:8.2f} ms")
    return result


if __name__ == "__main__":
    measure()
