"""Build game states from a few words."""

from collections.abc import Sequence
from typing import Any

from engine.types import (
    Bag,
    Battle,
    BattleKind,
    Control,
    Creature,
    Facing,
    GameState,
    MapId,
    MapView,
    Move,
    Place,
    Warp,
)
from tests.engine.games.world_images import COLLISIONS
from tests.engine.states import FREE, make_creature, make_state, make_view

HERE = MapId(1, 1)
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
    """Return a map drawn with COLLISIONS; around it everything is open if it has connections."""
    return make_view(
        tuple(rows),
        tiles=COLLISIONS,
        objects=tuple(people),
        warps=tuple(Warp(x, y, MapId(1, 2), 1) for x, y in warps),
        connections=frozenset(connections),
        border=0x00 if connections else 0x07,
    )


def creature(name: str = "ANT", **changes: Any) -> Creature:
    return make_creature(**{"name": name, "moves": (), "types": (), **changes})


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
    return make_state(
        place=Place(map_id, "HERE", *at, facing, "indoor"),
        control=control,
        party=tuple(party),
        battle=fight,
        badges=(badges, 0),
        money=0,
        bag=bag or Bag(),
        event_flags=bytes(events),
        screen_text=tuple(text),
        map=shown or view(["."]),
    )
