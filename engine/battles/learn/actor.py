"""Play battles by the learner's policy in many lanes, and collect experience: a worker process.

`python -m engine.battles.learn.actor SOCKET WEIGHTS BUFFERS` is started by
`engine.battles.learn.workers`, which talks to it over an inherited socket. It never imports torch,
and ends when the socket is closed.
"""

import contextlib
import json
import os
import socket
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.battles.learn.experience import Experience, SharedWeights, map_buffers
from engine.battles.policy import NUM_WEIGHTS, FloatArray, Policy
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import (
    FOE_FAINTED,
    FOE_HP,
    OWN_FAINTED,
    OWN_HP,
    POLICY,
    Decisions,
    Lane,
    Simulator,
)
from engine.errors import CheckpointError, WorkerError
from engine.ground.processes import Channel, encode_error, ignore_terminal


def potentials(
    info: NDArray[np.float32], damage_reward: float, faint_reward: float
) -> NDArray[np.float32]:
    """Return (n,) potentials of positions, by health and by who has fainted.

    The reward of a battle, 1, 0 or -1 at its end, is shaped by the potentials' discounted
    differences (Ng, Harada and Russell 1999), so the best policy stays the best: what is gained on
    the way is paid back at the end, whose potential is 0.

    Args:
        info: (n, 8) figures beside decisions.
        damage_reward: For the difference of all health, four members on each side.
        faint_reward: For the difference of four members that have fainted.
    """
    damage = damage_reward / 4 * (info[:, OWN_HP] - info[:, FOE_HP])
    faints = faint_reward / 4 * (info[:, FOE_FAINTED] - info[:, OWN_FAINTED])
    return np.asarray(damage + faints, np.float32)


START, READY, FREE, PLAN, PAUSE, RESUME, FAILED = b"S", b"R", b"F", b"O", b"P", b"C", b"!"
"""Messages. To the worker: settings; a buffer is free again; opponents; pause; resume. From it: a
buffer is full, with what was counted; it failed."""
SELF, PAST = "self", "past"
_LOADED = 2
"""Past policies that a worker plays against at once."""
_MAX_FAILURES = 5
"""How often the simulator may die before a buffer is full; then the worker gives up."""


class Battles(Protocol):
    """The battles that a worker plays: the `Simulator`, or a small game in tests."""

    def step(self, seats: NDArray[np.int64], codes: NDArray[np.int64]) -> Decisions:
        """Answer decisions, and play on to the next."""

    def set_lanes(self, lanes: Mapping[int, Lane]) -> None:
        """Give lanes other plans from their next battle on."""

    def stats(self) -> Mapping[str, Any]:
        """Return counts."""

    def close(self) -> None:
        """End."""


@dataclass(frozen=True, slots=True)
class ActorSettings:
    """What a worker plays, and how its decisions are rewarded.

    Attributes:
        teams: Of the own side, packed.
        foe_teams: Of the other.
        capacity: Decisions of a buffer.
    """

    format: str
    teams: tuple[str, ...]
    foe_teams: tuple[str, ...]
    lanes: int
    capacity: int
    seed: tuple[int, ...]
    gamma: float
    gae_lambda: float
    damage_reward: float
    faint_reward: float


@dataclass(slots=True)
class OpponentPlan:
    """The opponents of battles.

    Attributes:
        weights: Share of each kind.
        past: (path, share) of the past policies.
    """

    weights: Mapping[str, float]
    past: Sequence[tuple[str, float]] = ()


@dataclass(frozen=True, slots=True, eq=False)
class NamedPolicy:
    """A policy that plays; `path` is a past one's, "" the learner's own."""

    path: str
    policy: Policy


@dataclass(frozen=True, slots=True)
class Matchup:
    """Who plays in a lane: the opponent's kind, and both sides' policies, if they have one."""

    opponent: str
    players: tuple[NamedPolicy | None, NamedPolicy | None]


class Matchmaker:
    """Draw teams, sides and opponents of battles."""

    def __init__(self, settings: ActorSettings, own: Policy, rng: np.random.Generator) -> None:
        self.plan = OpponentPlan({SELF: 1.0})
        self.own = NamedPolicy("", own)
        self._past: list[NamedPolicy] = []
        self._settings = settings
        self._rng = rng

    def load_past(self) -> None:
        """Draw other past policies to play against for a while."""
        paths = [path for path, share in self.plan.past if share > 0]
        shares = _normalised([share for _, share in self.plan.past if share > 0])
        count = min(_LOADED, len(paths))
        drawn = self._rng.choice(len(paths), count, replace=False, p=shares) if count else ()
        wanted = [paths[index] for index in drawn]
        loaded = {player.path: player for player in self._past if player.path in wanted}
        for path in wanted:
            if path not in loaded:
                with contextlib.suppress(CheckpointError):  # the learner has just deleted it
                    loaded[path] = NamedPolicy(path, Policy.load(Path(path)))
        self._past = list(loaded.values())

    def draw(self) -> tuple[Lane, Matchup]:
        """Return the plan of one battle and who plays in it."""
        rng, settings = self._rng, self._settings
        kinds = list(self.plan.weights)
        opponent = kinds[rng.choice(len(kinds), p=_normalised(list(self.plan.weights.values())))]
        if opponent == PAST and not self._past:
            opponent = SELF
        own = settings.teams[rng.integers(len(settings.teams))]
        foe = settings.foe_teams[rng.integers(len(settings.foe_teams))]
        other: NamedPolicy | None = None
        if opponent == SELF:
            other = self.own
        elif opponent == PAST:
            other = self._past[rng.integers(len(self._past))]
        name = opponent if other is None else POLICY
        seed = int(rng.integers(1 << 31))
        if rng.random() < 0.5:
            lane = Lane(settings.format, (own, foe), (POLICY, name), seed, limit=1)
            return lane, Matchup(opponent, (self.own, other))
        lane = Lane(settings.format, (foe, own), (name, POLICY), seed, limit=1)
        return lane, Matchup(opponent, (other, self.own))


@dataclass(slots=True)
class Counts:
    """What was counted since the last buffer.

    Attributes:
        results: By opponent: won, tied, lost.
        past: The same by past policy.
    """

    results: dict[str, list[int]] = field(default_factory=dict)
    past: dict[str, list[int]] = field(default_factory=dict)
    battles: int = 0
    turns: int = 0

    def add(self, opponent: str, foe: NamedPolicy | None, result: int) -> None:
        """Add how a battle ended for a side of the learner's policy."""
        self.results.setdefault(opponent, [0, 0, 0])[1 - result] += 1
        if foe is not None and foe.path:
            self.past.setdefault(foe.path, [0, 0, 0])[1 - result] += 1


@dataclass(slots=True)
class Trajectory:
    """One side's decisions in one battle: their rows in the buffer, and their potentials."""

    rows: list[int] = field(default_factory=list)
    potentials: list[float] = field(default_factory=list)


class Collector:
    """Play in all lanes, and write the experience of the learner's sides into a buffer.

    When a buffer is full, each unfinished trajectory is truncated before its last decision, whose
    value stands for the rest; that decision begins the next buffer.

    Attributes:
        counts: Since the last buffer; the reader replaces them.
        restarts: How often the simulator died.
    """

    def __init__(
        self,
        settings: ActorSettings,
        start: Callable[[Sequence[Lane]], Battles],
        matchmaker: Matchmaker,
        buffer: Experience,
    ) -> None:
        self.counts = Counts()
        self.restarts = 0
        self._settings = settings
        self._start = start
        self._matchmaker = matchmaker
        self._buffer = buffer
        self._count = 0
        self._rng = np.random.default_rng([*settings.seed, 1])
        self._trajectories: dict[int, Trajectory] = {}
        self.simulator = self._begin()

    def step(self) -> bool:
        """Answer all waiting decisions; return False, and do nothing, if the buffer has no room."""
        waiting, own = self._waiting, self._matchmaker.own
        players = [self._matchups[seat >> 1].players[seat & 1] for seat in waiting.seats.tolist()]
        if self._count + players.count(own) > self._settings.capacity:
            return False
        codes = np.zeros(len(players), np.int64)
        for player in set(players):
            assert player is not None
            rows = np.array([index for index, each in enumerate(players) if each is player])
            decided = player.policy.act(
                waiting.observations[rows], waiting.legal[rows], waiting.is_preview[rows], self._rng
            )
            codes[rows] = decided[0]
            if player is own:
                self._record(rows, *decided)
        self._receive(self.simulator.step(waiting.seats, codes))
        return True

    def finish(self) -> int:
        """Complete the buffer and return its number of decisions; `continue_in` must follow."""
        buffer, count = self._buffer, self._count
        rows: list[int] = []
        for trajectory in self._trajectories.values():
            last, potential = trajectory.rows.pop(), trajectory.potentials.pop()
            self._complete(buffer, trajectory, 0.0, float(buffer.values[last]), potential)
            buffer.is_complete[last] = False
            trajectory.rows, trajectory.potentials = [len(rows)], [potential]
            rows.append(last)
        self._count = len(rows)
        self._carried = buffer.rows(rows)
        return count

    def continue_in(self, buffer: Experience) -> None:
        """Continue in another buffer."""
        arrays: list[NDArray[Any]] = list(buffer)
        for array, carried in zip(arrays, self._carried, strict=True):
            array[: self._count] = carried
        self._buffer = buffer

    def restart(self) -> None:
        """Begin anew in every lane after the simulator died."""
        self.simulator.close()
        for trajectory in self._trajectories.values():
            self._buffer.is_complete[trajectory.rows] = False
        self.restarts += 1
        self.simulator = self._begin()

    def _begin(self) -> Battles:
        drawn = [self._matchmaker.draw() for _ in range(self._settings.lanes)]
        self._matchups = [matchup for _, matchup in drawn]
        self._trajectories.clear()
        simulator = self._start([lane for lane, _ in drawn])
        nobody = np.empty(0, np.int64)
        self._waiting = simulator.step(nobody, nobody)
        return simulator

    def _record(
        self,
        rows: NDArray[np.int64],
        codes: NDArray[np.int64],
        log_probs: FloatArray,
        values: FloatArray,
    ) -> None:
        """Write decisions of the learner's policy into the buffer."""
        waiting, buffer = self._waiting, self._buffer
        at = slice(self._count, self._count + len(rows))
        buffer.observations[at] = waiting.observations[rows]
        buffer.legal[at] = waiting.legal[rows]
        buffer.is_preview[at] = waiting.is_preview[rows]
        buffer.is_complete[at] = False
        buffer.codes[at], buffer.log_probs[at], buffer.values[at] = codes, log_probs, values
        settings = self._settings
        reached = potentials(waiting.info[rows], settings.damage_reward, settings.faint_reward)
        for offset, seat in enumerate(waiting.seats[rows].tolist()):
            trajectory = self._trajectories.setdefault(seat, Trajectory())
            trajectory.rows.append(self._count + offset)
            trajectory.potentials.append(float(reached[offset]))
        self._count += len(rows)

    def _receive(self, decisions: Decisions) -> None:
        """Take in waiting decisions and results, and give ended lanes new battles."""
        ended: set[int] = set()
        for row in decisions.ended:
            seat, result = int(row["seat"]), int(row["result"])
            lane = seat >> 1
            players = self._matchups[lane].players
            if lane not in ended:
                ended.add(lane)
                self.counts.battles += 1
                self.counts.turns += int(row["turns"])
            if players[seat & 1] is not self._matchmaker.own:
                continue
            self.counts.add(self._matchups[lane].opponent, players[1 - (seat & 1)], result)
            if trajectory := self._trajectories.pop(seat, None):
                self._complete(self._buffer, trajectory, float(result), 0.0, 0.0)
        self._waiting = decisions
        if ended:
            drawn = {lane: self._matchmaker.draw() for lane in ended}
            self.simulator.set_lanes({lane: plan for lane, (plan, _) in drawn.items()})
            for lane, (_, matchup) in drawn.items():
                self._matchups[lane] = matchup

    def _complete(
        self,
        buffer: Experience,
        trajectory: Trajectory,
        reward: float,
        following_value: float,
        following_potential: float,
    ) -> None:
        """Compute the advantages of a trajectory that ended, or was truncated at a value."""
        rows, gamma = trajectory.rows, self._settings.gamma
        potentials = [*trajectory.potentials, following_potential]
        rewards = [gamma * after - before for before, after in pairwise(potentials)]
        if rewards:
            rewards[-1] += reward
        values = [*buffer.values[rows].tolist(), following_value]
        buffer.advantages[rows] = gae(rewards, values, gamma, self._settings.gae_lambda)
        buffer.is_complete[rows] = True


def gae(rewards: list[float], values: list[float], gamma: float, gae_lambda: float) -> list[float]:
    """Estimate advantages of one trajectory by generalised advantage estimation.

    `values` has one more: the value of what follows, 0 at the end of a battle.
    """
    running, found = 0.0, []
    for index in reversed(range(len(rewards))):
        delta = rewards[index] + gamma * values[index + 1] - values[index]
        running = delta + gamma * gae_lambda * running
        found.append(running)
    return found[::-1]


def _normalised(shares: list[float]) -> NDArray[np.float64]:
    normalised: NDArray[np.float64] = np.array(shares) / sum(shares)
    return normalised


@dataclass(frozen=True, slots=True)
class Report:
    """A buffer that is full, and what was counted since the last one.

    Attributes:
        buffer: Its number.
        count: Decisions in it, also those that are not complete.
        version: Number of the weights that made its last decisions.
        seconds: Time that it took, without waiting for a free one.
        rejected: Choices that the simulator refused since it began.
        restarts: How often the simulator died.
        results, past, battles, turns: See `Counts`.
    """

    buffer: int
    count: int
    version: int
    seconds: float
    rejected: int
    restarts: int
    results: Mapping[str, Sequence[int]]
    past: Mapping[str, Sequence[int]]
    battles: int
    turns: int


class Actor:
    """The loop of a worker process.

    Args:
        channel: To the learner.
        weights: Of the learner's policy.
        buffers: This worker's.
    """

    def __init__(
        self, channel: Channel, weights: SharedWeights, buffers: tuple[Experience, ...]
    ) -> None:
        self._channel = channel
        self._weights = weights
        self._buffers = buffers
        self._free = [True] * len(buffers)
        self._is_paused = False
        self._own = Policy(np.zeros(NUM_WEIGHTS, np.float32))
        self._version = weights.read(self._own.weights)

    def run(
        self,
        settings: ActorSettings,
        start: Callable[[Sequence[Lane]], Battles],
        plan: OpponentPlan,
    ) -> None:
        """Fill one buffer after the other until the learner closes the channel.

        Raises:
            EOFError: The channel was closed.
            PokeTUIError: Battles cannot be played.
        """
        matchmaker = Matchmaker(settings, self._own, np.random.default_rng([*settings.seed, 0]))
        self._matchmaker = matchmaker
        matchmaker.plan = plan
        matchmaker.load_past()
        collector = Collector(settings, start, matchmaker, self._buffers[0])
        at, failures, began_s = 0, 0, time.monotonic()
        while True:
            self._listen(wait=self._is_paused)
            if self._is_paused:
                continue
            if self._weights.version != self._version:
                self._version = self._weights.read(self._own.weights)
                matchmaker.load_past()
            try:
                if collector.step():
                    continue
                rejected = int(collector.simulator.stats()["rejected"])
            except WorkerError:
                failures += 1
                if failures == _MAX_FAILURES:
                    raise
                collector.restart()
                continue
            count, now_s = collector.finish(), time.monotonic()
            report = Report(
                at,
                count,
                self._version,
                now_s - began_s,
                rejected,
                collector.restarts,
                **asdict(collector.counts),
            )
            self._channel.send(READY, json.dumps(asdict(report)).encode())
            self._free[at], at = False, (at + 1) % len(self._buffers)
            while not self._free[at]:
                self._listen(wait=True)
            collector.continue_in(self._buffers[at])
            collector.counts, failures, began_s = Counts(), 0, time.monotonic()

    def _listen(self, *, wait: bool) -> None:
        """Obey the learner's messages; with `wait`, wait for one."""
        while self._channel.has_message(None if wait else 0.0):
            kind, payload = self._channel.receive()
            if kind == FREE:
                self._free[int(payload)] = True
            elif kind == PLAN:
                self._matchmaker.plan = OpponentPlan(**json.loads(payload))
            else:
                self._is_paused = kind == PAUSE
            wait = False


def main() -> None:
    """Play with the settings of the first message, on the inherited descriptors."""
    ignore_terminal()
    connection, weights, buffers = (int(argument) for argument in sys.argv[1:])
    channel = Channel(socket.socket(fileno=connection))
    try:
        given = json.loads(channel.receive()[1])
        lists = {name: tuple(given["settings"][name]) for name in ("teams", "foe_teams", "seed")}
        settings = ActorSettings(**given["settings"] | lists)
        cache = Path(given["cache"]) if given["cache"] else None
        node = NodeCommand(given["node"], Path(given["modules"]), cache)
        Actor(
            channel,
            SharedWeights(os.fdopen(weights, "r+b")),
            map_buffers(os.fdopen(buffers, "r+b"), settings.capacity),
        ).run(settings, lambda lanes: Simulator(lanes, node), OpponentPlan(**given["plan"]))
    except EOFError:
        return
    except Exception as error:  # outermost frame of the process: the learner raises it
        traceback.print_exc()
        with contextlib.suppress(OSError):
            channel.send(FAILED, encode_error(error))


if __name__ == "__main__":
    main()
