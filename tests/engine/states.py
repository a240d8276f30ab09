"""Build game states for tests: a player at rest in a walled room, with what the test changes."""

from dataclasses import replace
from typing import Any

import numpy as np

from engine.games.crystal.maps import TERRAIN
from engine.planning_types import GoalOutcome, Outcome
from engine.types import (
    MAP_BORDER,
    Bag,
    Battle,
    BattleKind,
    Control,
    Creature,
    Facing,
    GameState,
    GoalKind,
    MapId,
    MapObject,
    MapView,
    Move,
    Place,
    Prompt,
    Warp,
)

FREE = Control(True, True, False, False, False, False, (0, 0), (0, 0))
WALL, FLOOR = 7, 0


def make_view(
    rows: tuple[str, ...] = ("......",) * 4,
    *,
    tiles: dict[str, int] | None = None,
    objects: tuple[tuple[int, int], ...] = (),
    signs: tuple[tuple[int, int], ...] = (),
    warps: tuple[Warp, ...] = (),
    connections: frozenset[str] = frozenset(),
    border: int = WALL,
) -> MapView:
    """Build a map from text: "." floor, "#" wall, others by `tiles`."""
    ids = {".": FLOOR, "#": WALL, **(tiles or {})}
    collision = np.array([[ids[letter] for letter in row] for row in rows], np.uint8)
    height, width = collision.shape
    bordered = TERRAIN[np.pad(collision, MAP_BORDER, constant_values=border)]
    terrain = bordered[MAP_BORDER:-MAP_BORDER, MAP_BORDER:-MAP_BORDER]
    things = tuple(MapObject(number, 1, x, y) for number, (x, y) in enumerate(objects, 1))
    return MapView(width, height, terrain, warps, things, connections, signs, bordered)


def make_creature(**changes: Any) -> Creature:
    """Build a healthy creature."""
    base = Creature(1, "CINDLE", 5, 20, 20, "", (Move(1, "BUMP", 35),), types=(20,))
    return replace(base, **changes)


def make_battle(**changes: Any) -> Battle:
    """Build a wild battle between two healthy creatures."""
    enemy = make_creature(species=6, name="WHISKIT", level=3, types=(0,))
    return replace(Battle(BattleKind.WILD, 0, make_creature(), enemy), **changes)


def make_state(
    x: int = 2, y: int = 2, facing: Facing = Facing.DOWN, *, map_number: int = 1, **changes: Any
) -> GameState:
    """Build a state; `changes` replace GameState's fields."""
    base = GameState(
        place=Place(MapId(40, map_number), "HOME", x, y, facing, "indoor"),
        control=FREE,
        party=(),
        battle=None,
        badges=(0, 0),
        money=3000,
        play_time_s=0.0,
        caught=0,
        seen=0,
        bag=Bag(),
        event_flags=bytes(256),
        screen_text=(),
        map=make_view(),
    )
    return replace(base, **changes)


def make_control(**changes: Any) -> Control:
    """Build a control state of a player who is not free, with `changes`.

    `in_text` means a text that waits, unless a prompt is given.
    """
    prompt = Prompt.TEXT if changes.get("in_text") else Prompt.NONE
    return replace(FREE, is_free=False, **{"prompt": prompt, **changes})


def make_goal_outcome(outcome: Outcome = Outcome.REACHED, **changes: Any) -> GoalOutcome:
    """Build how a goal that a small model set in a town ended; without progress."""
    base = GoalOutcome(0, "town", "smollm2:1.7b", GoalKind.REACH, "exit 1", outcome, False, 12)
    return replace(base, **changes)
