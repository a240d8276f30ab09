"""Build game states from a few words."""

from collections.abc import Sequence

import numpy as np

from engine.games.crystal.maps import TERRAIN
from engine.types import (
    MAP_BORDER,
    Bag,
    Battle,
    BattleKind,
    Control,
    Creature,
    Facing,
    GameState,
    MapId,
    MapObject,
    MapView,
    Move,
    Place,
    Warp,
)
from tests.engine.games.world_images import COLLISIONS

SIGNS = COLLISIONS
HERE = MapId(1, 1)

FREE = Control(True, True, False, False, False, False, (0, 0), (0, 0))
READING = Control(True, False, True, False, True, False, (0, 0), (0, 0))


def menu(cursor: tuple[int, int], size: tuple[int, int]) -> Control:
    return Control(True, False, False, True, True, False, cursor, size)


def view(
    rows: Sequence[str],
    *,
    people: Sequence[tuple[int, int]] = (),
    warps: Sequence[tuple[int, int]] = (),
    connections: Sequence[str] = (),
) -> MapView:
    """Return a map drawn with SIGNS; around it everything is open if it has connections."""
    collision = np.array([[SIGNS[sign] for sign in row] for row in rows], np.uint8)
    around = 0x00 if connections else 0x07
    bordered = TERRAIN[np.pad(collision, MAP_BORDER, constant_values=around)]
    height, width = collision.shape
    return MapView(
        width,
        height,
        TERRAIN[collision],
        tuple(Warp(x, y, MapId(1, 2), 1) for x, y in warps),
        tuple(MapObject(i, 1, x, y) for i, (x, y) in enumerate(people, 1)),
        frozenset(connections),
        (),
        bordered,
    )


def creature(
    name: str = "ANT",
    *,
    hp: int = 20,
    max_hp: int = 20,
    level: int = 5,
    species: int = 1,
    status: str = "",
    **more,
) -> Creature:
    return Creature(species, name, level, hp, max_hp, status, **more)


def moves(*ids: int, points: int = 10) -> tuple[Move, ...]:
    return tuple(Move(number, f"MOVE {number}", points) for number in ids)


def battle(own: Creature, enemy: Creature, kind: BattleKind = BattleKind.WILD) -> Battle:
    return Battle(kind, 0 if kind is BattleKind.WILD else 1, own, enemy)


def state(
    shown: MapView | None = None,
    at: tuple[int, int] = (0, 0),
    facing: Facing = Facing.DOWN,
    *,
    map_id: MapId = HERE,
    control: Control = FREE,
    party: Sequence[Creature] = (),
    fight: Battle | None = None,
    text: Sequence[str] = (),
    bag: Bag | None = None,
    badges: int = 0,
    flags: Sequence[int] = (),
) -> GameState:
    events = bytearray(256)
    for flag in flags:
        events[flag >> 3] |= 1 << (flag & 7)
    return GameState(
        place=Place(map_id, "HERE", *at, facing, "indoor"),
        control=control,
        party=tuple(party),
        battle=fight,
        badges=(badges, 0),
        money=0,
        play_time_s=0.0,
        caught=0,
        seen=0,
        bag=bag or Bag(),
        event_flags=bytes(events),
        screen_text=tuple(text),
        map=shown or view(["."]),
    )
