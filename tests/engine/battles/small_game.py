"""A game in the simulator's place: who chooses the winning code last, wins."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.battles.learn.matchmaking import ActorSettings
from engine.battles.sim.observation import INFO, LEGAL
from engine.battles.sim.simulator import ENDED, POLICY, Decisions, Lane
from engine.errors import WorkerError
from tests.engine.battles.helpers import random_observations

WINNING = 3
"""Code of the first slot."""


def settings(**changes: Any) -> ActorSettings:
    values = {
        "format": "small",
        "teams": ("own",),
        "foe_teams": ("own", "foe"),
        "lanes": 4,
        "capacity": 64,
        "seed": (1,),
        "gamma": 0.99,
        "gae_lambda": 0.95,
        "damage_reward": 0.0,
        "faint_reward": 0.0,
    }
    return ActorSettings(**values | changes)


class SmallGame:
    """Battles of `length` decisions a side, of which the last decides.

    Attributes:
        asked: Seats and codes of every step.
        dies_at: Steps after which it dies; 0: never.
    """

    def __init__(self, lanes: Sequence[Lane], length: int = 3, dies_at: int = 0) -> None:
        self.lanes = dict(enumerate(lanes))
        self.asked: list[tuple[list[int], list[int]]] = []
        self.dies_at = dies_at
        self.is_closed = False
        self._length = length
        self._picture = random_observations(1, np.random.default_rng(5))
        self._turns = dict.fromkeys(self.lanes, 0)
        self._numbers = dict.fromkeys(self.lanes, 0)

    def step(self, seats: NDArray[np.int64], codes: NDArray[np.int64]) -> Decisions:
        self.asked.append((seats.tolist(), codes.tolist()))
        if self.dies_at and len(self.asked) > self.dies_at:
            raise WorkerError("it died")
        chosen = dict(zip(seats.tolist(), codes.tolist(), strict=True))
        waiting, ended = [], []
        for index, lane in self.lanes.items():
            sides = [side for side in (0, 1) if lane.players[side] == POLICY]
            if any(index * 2 + side in chosen for side in sides):
                self._turns[index] += 1
            if self._turns[index] < self._length:
                waiting += [index * 2 + side for side in sides]
                continue
            for side in sides:
                seat = index * 2 + side
                result = 1 if chosen[seat] // 45 == WINNING else -1
                ended.append((seat, result, self._length, 0, 0, 0, 0, 0))
            del self._turns[index]
        for index in [index for index in self.lanes if index not in self._turns]:
            del self.lanes[index]
        return self._decisions(waiting, ended)

    def set_lanes(self, lanes: Mapping[int, Lane]) -> None:
        self.lanes |= lanes
        self._turns |= dict.fromkeys(lanes, 0)

    def stats(self) -> Mapping[str, Any]:
        return {"rejected": 0}

    def close(self) -> None:
        self.is_closed = True

    def _decisions(self, waiting: list[int], ended: list[tuple[int, ...]]) -> Decisions:
        count = len(waiting)
        observations = np.repeat(self._picture, count, 0)
        legal = np.zeros((count, LEGAL), bool)
        legal[:, [2, WINNING, 4, 13]] = legal[:, [45 + 2, 45 + 3]] = True
        info = np.zeros((count, INFO), np.float32)
        info[:, 1] = [self._turns[seat >> 1] for seat in waiting]
        info[:, 2], info[:, 3] = 4, 4 - info[:, 1]
        observations[:, 0] = info[:, 1]
        return Decisions(
            np.array(waiting, np.int64), observations, legal, info, np.array(ended, ENDED)
        )
