"""Keep battles as the choices made in them, and turn them into arrays by replaying them.

A file of battles is compressed text, one JSON object a line: the format, the players, the winner
and the simulator's input log, which holds seed and teams. That is about 1.3 KB a battle; arrays of
its decisions would be a hundred times more.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.battles.sim.records import BattleLog
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import KIND, NOBODY, TEACHER, Lane, Outlook, Simulator
from engine.errors import DemoError
from engine.ground.files import make_folder, parse_json, read_file, write_file

SUFFIX = ".battles.gz"
_MAX_PACKED, _MAX_UNPACKED = 1 << 28, 1 << 30
_AT_ONCE = 16
_SEEDS = 100_003
"""More than the lanes of one seed, so that no two seeds share battles."""

Advance = Callable[[int, int], None]
"""Called with how many are done, and of how many."""


@dataclass(frozen=True, slots=True)
class Battle:
    """A battle that was played.

    Attributes:
        format: Of the simulator.
        players: Who played p1 and p2.
        winner: p1, p2, or "" for a tie.
        input_log: The simulator's, with seed and teams; empty for a replay.
        lines: What spectators saw of a replay.
    """

    format: str
    players: tuple[str, str]
    winner: str
    input_log: tuple[str, ...]
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Demonstrations:
    """The n decisions of some battles.

    Attributes:
        observations: (n, 1560) float16, which holds ids up to 2048 exactly.
        legal: (n, 90) bool.
        kinds: (n,) int8: 0 a turn, 1 a forced switch, 2 team preview.
        codes: (n,) int16, joint codes or selections.
        outcomes: (n,) int8: 1 that side won, -1 it lost, 0 a tie.
        battles: (n,) int32, numbers of battles.
        dropped: How many other decisions there were, whose choice has no code.
    """

    observations: NDArray[np.float16]
    legal: NDArray[np.bool_]
    kinds: NDArray[np.int8]
    codes: NDArray[np.int16]
    outcomes: NDArray[np.int8]
    battles: NDArray[np.int32]
    dropped: int = 0

    def __len__(self) -> int:
        return len(self.codes)

    def where(self, chosen: NDArray[np.bool_]) -> "Demonstrations":
        """Return those decisions for which (n,) `chosen` is true."""
        return replace(self, **{name: getattr(self, name)[chosen] for name in _COLUMNS})


_COLUMNS = ("observations", "legal", "kinds", "codes", "outcomes", "battles")


def write_battles(path: Path, battles: Iterable[Battle]) -> int:
    """Write battles to a file, whole or not at all; return its size in bytes.

    Raises:
        OSError: It could not be written.
    """
    lines = (json.dumps(asdict(battle), separators=(",", ":")) + "\n" for battle in battles)
    content = gzip.compress("".join(lines).encode(), 6, mtime=0)
    make_folder(path.parent)
    write_file(path, content)
    return len(content)


def read_battles(path: Path) -> list[Battle]:
    """Read the battles of a file, or of all such files in a folder.

    Raises:
        DemoError: There are none, or a file cannot be read.
    """
    inside = sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]
    battles = [battle for each in inside if each.exists() for battle in _read_file(each)]
    if not battles:
        raise DemoError(f"There are no battles in {path}.", "Generate some: --battles 1000.")
    return battles


def _read_file(path: Path) -> Iterator[Battle]:
    try:
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
        text = unpacker.decompress(read_file(path, _MAX_PACKED), _MAX_UNPACKED)
        if not unpacker.eof:
            raise ValueError("it is truncated, or too large")
        for number, line in enumerate(text.splitlines(), 1):
            try:
                yield parse_battle(parse_json(line))
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None
    except (OSError, ValueError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DemoError(
            f"The battles {path} cannot be read: {reason}.", "Leave this file out."
        ) from None


def parse_battle(value: Any) -> Battle:
    """Return a battle that JSON describes.

    Raises:
        ValueError: It is not a battle.
    """
    match value:
        case {
            "format": str(name),
            "players": [str(first), str(second)],
            "winner": "p1" | "p2" | "" as winner,
            "input_log": list(log),
            **others,
        }:
            lines = others.get("lines", [])
            if isinstance(lines, list) and all(isinstance(one, str) for one in [*log, *lines]):
                return Battle(name, (first, second), winner, tuple(log), tuple(lines))
    raise ValueError("it describes no battle")


def rounds(format: str, teams: Sequence[str], players: Sequence[str], seed: int) -> list[Lane]:
    """Return lanes in which each player meets every player, itself included, with equal teams."""
    pairs = [(team, pair) for team in teams for pair in product(players, players)]
    return [
        Lane(format, (team, team), pair, seed=_SEEDS * seed + index)
        for index, (team, pair) in enumerate(pairs)
    ]


def generate(
    lanes: Sequence[Lane],
    count: int,
    node: NodeCommand,
    *,
    processes: int = 1,
    advance: Advance = lambda done, total: None,
) -> list[Battle]:
    """Let the simulator's own players play `count` battles in these lanes.

    Raises:
        WorkerError: The simulator stopped.
    """
    battles: list[tuple[int, int, Battle]] = []
    processes = min(processes, len(lanes))
    with ExitStack() as stack:
        simulators = [
            stack.enter_context(Simulator(lanes[index::processes], node))
            for index in range(processes)
        ]
        pool = stack.enter_context(ThreadPoolExecutor(processes))
        while len(battles) < count:
            for index, logs in enumerate(pool.map(_play_on, simulators)):
                battles += [
                    (log.number, index + processes * log.lane, _battle(log)) for log in logs
                ]
            advance(min(len(battles), count), count)
    battles.sort(key=lambda found: found[:2])  # so the number of processes makes no difference
    return [battle for *_, battle in battles[:count]]


def _play_on(simulator: Simulator) -> list[BattleLog]:
    for _ in range(4):
        simulator.step(NOBODY, NOBODY)
    return simulator.logs()


def _battle(log: BattleLog) -> Battle:
    return Battle(log.format, log.players, log.winner, log.input_log)


def replay_decisions(
    battles: Sequence[Battle],
    node: NodeCommand,
    *,
    processes: int = 1,
    advance: Advance = lambda done, total: None,
) -> Demonstrations:
    """Replay battles, and return the decisions in them.

    Raises:
        WorkerError: The simulator stopped.
        BattleError: It cannot play one of them.
    """
    parts: list[Demonstrations] = []
    done = 0

    def replay(simulator: Simulator, start: int) -> None:
        nonlocal done
        for index in range(start, len(battles), processes):
            part = _decisions(decisions_of(battles[index], simulator), index)
            parts.append(part)
            done += 1
            if done % _AT_ONCE == 0:
                advance(done, len(battles))

    with ExitStack() as stack:
        simulators = [stack.enter_context(Simulator((), node)) for _ in range(processes)]
        pool = stack.enter_context(ThreadPoolExecutor(processes))
        list(pool.map(replay, simulators, range(processes)))
    return join(sorted(parts, key=lambda part: part.battles[0] if len(part) else 0))


def decisions_of(battle: Battle, simulator: Simulator) -> Outlook:
    """Return the decisions in a battle; a result below 0 says why the choice is not known.

    Raises:
        BattleError: The simulator cannot play or follow it.
    """
    if battle.input_log:
        return simulator.decisions(battle.input_log)
    return simulator.replayed(battle.lines, battle.format)


def _decisions(found: Outlook, battle: int) -> Demonstrations:
    kept = found.results >= 0
    return Demonstrations(
        found.observations[kept].astype(np.float16),
        found.legal[kept],
        found.info[kept, KIND].astype(np.int8),
        found.results[kept].astype(np.int16),
        found.info[kept, TEACHER].astype(np.int8),
        np.full(kept.sum(), battle, np.int32),
        int((~kept).sum()),
    )


def join(parts: Sequence[Demonstrations]) -> Demonstrations:
    """Return the decisions of all parts in one."""
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS}
    return Demonstrations(**columns, dropped=sum(part.dropped for part in parts))
