"""Search how to push boulders: one onto its hole, or all of them out of the player's way.

A push moves the boulder and not the player, who must stand behind it; nothing pulls. So pushing
straight on can shut the way for good.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from engine.types import DIRECTIONS, Action

Tile = tuple[int, int]
Boulders = tuple[Tile, ...]

_MOST_STATES = 4_000
"""Positions looked at for each choice of boulders that may move."""

_WAYS = tuple((action, facing.delta) for action, facing in DIRECTIONS.items())


@dataclass(frozen=True, slots=True)
class Push:
    """Where to stand, and where to push from there."""

    tile: Tile
    action: Action


def find_push(
    floor: frozenset[Tile],
    start: Tile,
    boulders: Boulders,
    *,
    hole: tuple[int, Tile] | None = None,
    exits: frozenset[Tile] = frozenset(),
) -> Push | None:
    """Return the first of the pushes that are needed; None: there is no way.

    Few boulders are tried before many: one, then each pair, then all.

    Args:
        floor: What the player can walk on and boulders be pushed on, were there no boulders.
        start: Where the player is.
        boulders: Where they are.
        hole: Which of them is to be pushed, and onto which tile, in or out of the floor.
        exits: Where the player wants to go, if there is no hole.
    """
    for chosen in _choices(len(boulders), None if hole is None else hole[0]):
        fixed = {tile for i, tile in enumerate(boulders) if i not in chosen}
        moving = tuple(boulders[i] for i in chosen)
        sunk = None if hole is None else (chosen.index(hole[0]), hole[1])
        found = _search(floor - fixed, start, moving, sunk, exits)
        if found is not None:
            return found
    return None


def steps_from(floor: frozenset[Tile], start: Tile) -> Mapping[Tile, tuple[Tile, Action] | None]:
    """Return what can be walked to: for each tile the one before it, and the button there."""
    found: dict[Tile, tuple[Tile, Action] | None] = {start: None}
    queue = deque([start])
    while queue:
        tile = queue.popleft()
        for action, (dx, dy) in _WAYS:
            there = tile[0] + dx, tile[1] + dy
            if there in floor and there not in found:
                found[there] = tile, action
                queue.append(there)
    return found


def first_step(reach: Mapping[Tile, tuple[Tile, Action] | None], target: Tile) -> Action | None:
    """Return the button that begins the way to a tile; None at that tile."""
    action = None
    while (before := reach[target]) is not None:
        target, action = before
    return action


def _choices(count: int, needed: int | None) -> Iterator[tuple[int, ...]]:
    for size in sorted({1, 2, count}):
        for chosen in combinations(range(count), size):
            if needed is None or needed in chosen:
                yield chosen


def _search(
    floor: frozenset[Tile],
    start: Tile,
    boulders: Boulders,
    hole: tuple[int, Tile] | None,
    exits: frozenset[Tile],
) -> Push | None:
    """Search breadth first; return the first push of the way that is found."""
    queue: deque[tuple[Tile, Boulders, Push | None]] = deque([(start, boulders, None)])
    seen: set[tuple[Tile, Boulders]] = set()
    while queue and len(seen) < _MOST_STATES:
        player, placed, first = queue.popleft()
        reach = steps_from(floor.difference(placed), player)
        key = min(reach), tuple(sorted(placed)) if hole is None else placed
        if key in seen:
            continue
        seen.add(key)
        if first is not None and not exits.isdisjoint(reach):
            return first
        for push, after in _pushes(floor, placed, reach.__contains__, hole):
            if hole is not None and after[hole[0]] == hole[1]:
                return first or push
            queue.append((push.tile, after, first or push))
    return None


def _pushes(
    floor: frozenset[Tile],
    boulders: Sequence[Tile],
    can_stand: Callable[[Tile], bool],
    hole: tuple[int, Tile] | None,
) -> Iterator[tuple[Push, Boulders]]:
    """Yield each push that is possible, and where the boulders are after it."""
    for i, (x, y) in enumerate(boulders):
        for action, (dx, dy) in _WAYS:
            behind, ahead = (x - dx, y - dy), (x + dx, y + dy)
            is_free = ahead in floor or (hole is not None and hole == (i, ahead))
            if is_free and ahead not in boulders and can_stand(behind):
                yield Push(behind, action), (*boulders[:i], ahead, *boulders[i + 1 :])
