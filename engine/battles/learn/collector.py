"""Play in many lanes at once, and turn decisions into experience to learn from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.battles.learn.experience import Experience
from engine.battles.learn.matchmaking import EVALUATION, ActorSettings, Matchmaker, Matchup
from engine.battles.policy import FloatArray
from engine.battles.sim.simulator import (
    FOE_FAINTED,
    FOE_HP,
    NOBODY,
    OWN_FAINTED,
    OWN_HP,
    Decisions,
    Lane,
)


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


@dataclass(slots=True)
class Counts:
    """What was counted since the last buffer.

    Attributes:
        results: By opponent: won, tied, lost.
        past: The same by past policy.
        own_teams, foe_teams: The same by team, as a place in `ActorSettings.foe_teams`.
    """

    results: dict[str, list[int]] = field(default_factory=dict)
    past: dict[str, list[int]] = field(default_factory=dict)
    own_teams: dict[int, list[int]] = field(default_factory=dict)
    foe_teams: dict[int, list[int]] = field(default_factory=dict)
    battles: int = 0
    turns: int = 0

    def add(self, matchup: Matchup, side: int, result: int) -> None:
        """Add how a battle ended for a side of the learner's policy."""
        foe = matchup.players[1 - side]
        self.results.setdefault(matchup.opponent, [0, 0, 0])[1 - result] += 1
        if foe is not None and foe.path:
            self.past.setdefault(foe.path, [0, 0, 0])[1 - result] += 1
        if matchup.opponent != EVALUATION:
            own, other = matchup.teams[side], matchup.teams[1 - side]
            self.own_teams.setdefault(own, [0, 0, 0])[1 - result] += 1
            self.foe_teams.setdefault(other, [0, 0, 0])[1 - result] += 1


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
                waiting.observations[rows],
                waiting.legal[rows],
                waiting.is_preview[rows],
                self._rng,
                player.is_greedy,
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
        self._waiting = simulator.step(NOBODY, NOBODY)
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
            matchup, side = self._matchups[lane], seat & 1
            if lane not in ended:
                ended.add(lane)
                self.counts.battles += 1
                self.counts.turns += int(row["turns"])
            if matchup.players[side] not in (self._matchmaker.own, self._matchmaker.evaluated):
                continue
            self.counts.add(matchup, side, result)
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
