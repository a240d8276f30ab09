"""Say what the feature vector of a game holds, and where.

A window round the player comes first, channels first, then named parts. There are three layouts, of
which a run's settings name one (`env.features`), so that what was learnt with another plays on.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from engine.config import FeatureKind
from engine.games.base import Approach, Game, MenuKind
from engine.types import Facing, Prompt

ROWS, COLUMNS = 9, 11
CHANNELS = ("walkable", "grass", "ledge", "talking", "warp", "object", "visited")
FIRST_BUCKETS, FIRST_MILESTONES = 32, 24
"""Of the layout "first": places for maps and for each coordinate, and for milestones."""

CODE = 32
"""Numbers, 1 or -1, that stand for a map or a milestone: see `code_of`."""

TILES, STRETCHES = 32, 8
"""One-hot places for a coordinate within a stretch of tiles, and for the stretch: coordinates up to
255, the most that a Game Boy's maps have, are distinguished."""

WORDS = 32
"""Places for the words on the screen; some share one."""

NEAR = 5
"""Tiles up to which each offset of a way has a place of its own."""

CURSOR_ROWS, CURSOR_COLUMNS = 8, 3
FACINGS = (Facing.DOWN, Facing.UP, Facing.LEFT, Facing.RIGHT)
MOVE_SLOTS, MOVE_FIGURES = 4, 5
PARTY_SLOTS = 3
_LEVEL_GAP = 8
"""Place of the levels' difference in the slice "battle"."""
UNCHANGED = 4
"""One-hot places for the number of steps without a visible change, modulo this: the rules alternate
by it."""

_SCREEN_SIZES: Mapping[str, int] = MappingProxyType(
    {"prompt": len(Prompt), "last_prompt": len(Prompt), "unchanged": 1 + UNCHANGED, "words": WORDS}
)
"""Of the parts about the screen that the layout "first" lacks."""

APPROACHES = (Approach.NONE, Approach.TALK, Approach.STEP)
"""What of a goal is told apart; a boulder's hole, or who is to be caught, is stepped on."""
GOAL_SIZES: Mapping[str, int] = MappingProxyType(
    {
        "goal": 3 + len(APPROACHES),
        "goal_milestone": CODE,
        "goal_map": CODE,
        "near": 2 * (2 * NEAR + 1),
        "offset": 2,
        "way": 2 + len(FACINGS),
    }
)
"""Of the parts about the goal."""

_LEVEL = 3.0
_MOVE = (1.0, 2.5, 2.0, 1.0, 1.0)
_HIGHEST: Mapping[str, Sequence[float]] = MappingProxyType(
    {
        "position": (2.0, 2.0),
        "party": (1.0, 1.0, _LEVEL, 1.0, *((1.0, 1.0, _LEVEL) * PARTY_SLOTS)),
        "battle": (1.0, 1.0, *((1.0, _LEVEL, 1.0) * 2), 1.0, 1.0),
        "moves": _MOVE * MOVE_SLOTS,
    }
)
"""Upper bounds of the figures that may exceed 1."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What the feature vector of a game holds.

    Attributes:
        kind: The setting `env.features`.
        slices: Where each part is, in order, without gaps.
        size: F, the length of the vector.
    """

    kind: FeatureKind
    slices: Mapping[str, slice]
    size: int

    def size_of(self, name: str) -> int:
        """Return the length of a part."""
        part: slice = self.slices[name]
        return int(part.stop - part.start)

    def bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the least and the greatest value of each feature, (F,) float32 both."""
        low, high = np.zeros(self.size, np.float32), np.ones(self.size, np.float32)
        for name, values in _HIGHEST.items():
            high[self.slices[name]] = values
        low[self.slices["battle"].start + _LEVEL_GAP] = -1.0
        for name in ("goal_milestone", "goal_map", "offset", *(("map",) * (self.kind != "first"))):
            if name in self.slices:
                low[self.slices[name]] = -1.0
        return low, high


def layout_of(game: Game, kind: FeatureKind = "goal") -> Layout:
    """Return what the features of a game are.

    Args:
        game: Its actions and milestones have a place each.
        kind: "goal"; "plain": the same without the goal; "first": as it was before there was a
            choice, with milestones from the 25th on left out and maps that share a place.
    """
    return _layout(kind, len(game.actions), len(game.tables.MILESTONES))


def kind_of(game: Game, size: int) -> FeatureKind | None:
    """Return whose layout of a game has so many features; None: no kind's."""
    kinds: tuple[FeatureKind, ...] = get_args(FeatureKind)
    return next((kind for kind in kinds if layout_of(game, kind).size == size), None)


@lru_cache
def _layout(kind: FeatureKind, num_actions: int, num_milestones: int) -> Layout:
    is_first = kind == "first"
    axis = FIRST_BUCKETS if is_first else TILES + STRETCHES
    sizes = {
        "window": len(CHANNELS) * ROWS * COLUMNS,
        "map": FIRST_BUCKETS if is_first else CODE,
        "x": axis,
        "y": axis,
        "position": 2,
        "facing": len(FACINGS),
        "ahead": 4,
        "control": 6,
        "menu_kind": len(MenuKind),
        "cursor_row": CURSOR_ROWS,
        "cursor_column": CURSOR_COLUMNS,
        **({} if is_first else _SCREEN_SIZES),
        "milestones": FIRST_MILESTONES if is_first else num_milestones,
        "party": 4 + 3 * PARTY_SLOTS,
        "battle": 10,
        "moves": MOVE_SLOTS * MOVE_FIGURES,
        "bag": 3,
        "time": 2,
        **(GOAL_SIZES if kind == "goal" else {}),
        "last_action": num_actions,
    }
    ends = np.cumsum([*sizes.values()]).tolist()
    parts = {name: slice(end - sizes[name], end) for name, end in zip(sizes, ends, strict=True)}
    return Layout(kind, MappingProxyType(parts), ends[-1])


@cache
def code_of(name: object) -> tuple[float, ...]:
    """Return the code of a map or a milestone: `CODE` numbers, 1 or -1, from a hash of its name."""
    digest = hashlib.blake2b(str(name).encode(), digest_size=CODE // 8).digest()
    return tuple(1.0 if byte >> bit & 1 else -1.0 for byte in digest for bit in range(8))
