"""Battles as the simulator hands them out: to be kept, replayed and shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class BattleLog:
    """A battle that ended, with all that an exact replay needs. The winner is p1, p2 or "" (tie).

    Attributes:
        hash: As in its `Replay`.
    """

    lane: int
    number: int
    format: str
    seed: str
    teams: tuple[str, str]
    players: tuple[str, str]
    input_log: tuple[str, ...]
    winner: str
    turns: int
    hash: str


@dataclass(frozen=True, slots=True)
class Replay:
    """A battle as spectators saw it; `hash` is the SHA-256 of its lines without the clock's."""

    lines: tuple[str, ...]
    hash: str
    winner: str
    turns: int


@dataclass(frozen=True, slots=True)
class LiveBattle:
    """A battle in progress, to be shown.

    Attributes:
        lines: What spectators have seen; none between two battles.
        types: By species that takes part, and by its other formes.
        requests: Each side's decision to make, None: none.
        number: The battle's, in its lane.
    """

    lines: tuple[str, ...]
    types: Mapping[str, tuple[str, ...]]
    requests: tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]
    number: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision that a side had to make.

    Attributes:
        place: How many lines spectators had seen.
        side: 0 or 1.
        request: The simulator's; None where it cannot be rebuilt from what spectators saw.
        inputs: How many lines of the input log led to it; the other side's choice that was made at
            the same time may be among them.
    """

    place: int
    side: int
    request: Mapping[str, Any] | None
    inputs: int = 0


@dataclass(frozen=True, slots=True)
class Transcript:
    """A battle that was played, to be shown.

    Attributes:
        lines: What spectators saw.
        types: By species that took part, and by its other formes.
        asked: In the order of `decisions`.
    """

    lines: tuple[str, ...]
    types: Mapping[str, tuple[str, ...]]
    asked: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class Tracked:
    """A battle on a server, as one of its sides sees it.

    Attributes:
        observation: (1560,) float32; None without a request.
        legal: (90,) bool; None without a request.
        info: (8,) float32; None without a request.
        choice: In the simulator's syntax, if a code was given.
    """

    observation: NDArray[np.float32] | None
    legal: NDArray[np.bool_] | None
    info: NDArray[np.float32] | None
    choice: str


def read_battle_log(battle: Mapping[str, Any]) -> BattleLog:
    """Return the log that the simulator wrote as JSON."""
    lists = {name: tuple(battle[name]) for name in ("teams", "players", "input_log")}
    return BattleLog(**{**battle, **lists})
