"""Search within one map for the fewest pushes: of boulders, or of the arms of turning gates.

It goes breadth first over how the things stand and which tiles the player reaches. Sets of tiles
are the bits of one integer, so that a search takes milliseconds.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.types import Facing, MapView, Terrain
from engine.wayfinding.exits import Tile
from engine.wayfinding.graph import FACINGS

_T = TypeVar("_T", bound=Hashable)

KEPT_PLANS = 32
"""How many plans are remembered."""


@dataclass(frozen=True, slots=True)
class Push:
    """Stand on a tile, look that way, and push the boulder or the gate of that number."""

    stand: Tile
    facing: Facing
    number: int


Plan: TypeAlias = tuple[Push, ...] | None
"""The pushes that are left; None: none help."""

_Trail: TypeAlias = "tuple[Push, _Trail] | None"
"""The last push, and those before it."""


class Yard:
    """The ground of one map on which things are pushed.

    Args:
        view: The map, as memory shows it.
        closed: Tiles that neither the player nor a boulder enters: people, other things.

    Attributes:
        floor: Tiles that are entered, no warps among them.
        walked: Tiles that the player enters and stays on the map: those, and mats.
        leaves: By `FACINGS`: the tiles that are left in this direction, over no wall along a side.
    """

    def __init__(self, view: MapView, closed: Iterable[Tile] = ()) -> None:
        self._width = view.width + 1  # an empty column, so that no row leads to the next
        terrain = view.terrain
        is_floor = (terrain & Terrain.WALKABLE != 0) & (terrain & Terrain.ICE == 0)
        floor = _bits(is_floor)
        for tile in closed:
            floor &= ~self.bit(tile)
        warps = sum({self.bit((warp.x, warp.y)) for warp in view.warps})
        self.floor = floor & ~warps
        self.walked = floor & ~(warps & _bits(terrain & Terrain.DOOR != 0))
        down, up, left, right = (
            _bits(terrain & (Terrain.WALLS[way] | Terrain.HOPS[way]) != 0) for way in FACINGS
        )
        width = self._width
        self.leaves = [
            ~(down | up >> width), ~(up | down << width), ~(left | right << 1), ~(right | left >> 1)
        ]  # fmt: skip

    def bit(self, tile: Tile) -> int:
        """Return the bit of a tile."""
        return 1 << (tile[1] * self._width + tile[0])

    def step(self, tiles: int, facing: Facing) -> int:
        """Return where one press leads from some tiles, over no wall along a tile's side."""
        tiles &= self.leaves[FACINGS.index(facing)]
        dx, dy = facing.delta
        by = dy * self._width + dx
        return tiles << by if by > 0 else tiles >> -by

    def reach(self, start: int, free: int, leaves: Sequence[int] = ()) -> int:
        """Return the tiles that are reached from one over free ones.

        `leaves`: instead of the yard's own.
        """
        down, up, left, right = leaves or self.leaves
        width, reached, coming = self._width, start, start
        while coming:
            found = (coming & down) << width | (coming & up) >> width
            found |= (coming & left) >> 1 | (coming & right) << 1
            coming = found & free & ~reached
            reached |= coming
        return reached


def _bits(tiles: NDArray[np.bool_]) -> int:
    """Return the bits of tiles, (height, width), with an empty column after the last."""
    padded = np.pad(tiles, ((0, 0), (0, 1)))
    return int.from_bytes(np.packbits(padded, bitorder="little").tobytes(), "little")


def fewest_pushes(
    start: int,
    things: _T,
    reach: Callable[[int, _T], int],
    moves: Callable[[int, _T], Iterable[tuple[Push, int, _T]]],
    is_end: Callable[[int, _T], bool],
    most: int,
) -> tuple[Push, ...] | None:
    """Return the fewest pushes that lead to an end, None where none do.

    Args:
        start: The bit of the player's tile.
        things: How the things stand that are pushed.
        reach: Returns the tiles reached from one, with the things as they stand.
        moves: Yields from the tiles reached each push, where the player is after it, and how the
            things stand then.
        is_end: Whether the tiles reached, 0 before they are known, or how the things stand are what
            was wanted.
        most: States after which there is taken to be no way.
    """
    waiting: deque[tuple[int, _T, _Trail]] = deque([(start, things, None)])
    seen: dict[_T, list[int]] = {}
    while waiting and most:
        player, now, trail = waiting.popleft()
        known = seen.setdefault(now, [])
        if any(reached & player for reached in known):
            continue
        reached = reach(player, now)
        if is_end(reached, now):
            return _pushes(trail)
        known.append(reached)
        most -= 1
        for push, at, then in moves(reached, now):
            if is_end(0, then):
                return _pushes((push, trail))
            if not any(reached & at for reached in seen.get(then, ())):
                waiting.append((at, then, (push, trail)))
    return None


def _pushes(trail: _Trail) -> tuple[Push, ...]:
    pushes: list[Push] = []
    while trail is not None:
        push, trail = trail
        pushes.insert(0, push)
    return tuple(pushes)
