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
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from engine.battles.learn.collector import Battles, Collector, Counts
from engine.battles.learn.experience import Experience, SharedWeights, map_buffers
from engine.battles.learn.matchmaking import ActorSettings, Matchmaker, OpponentPlan
from engine.battles.policy import NUM_WEIGHTS, Policy
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import Lane, Simulator
from engine.errors import WorkerError
from engine.ground.processes import Channel, encode_error, ignore_terminal

START, READY, FREE, PLAN, PAUSE, RESUME, FAILED = b"S", b"R", b"F", b"O", b"P", b"C", b"!"
"""Messages. To the worker: settings; a buffer is free again; opponents; pause; resume. From it: a
buffer is full, with what was counted; it failed."""
_MAX_FAILURES = 5
"""How often the simulator may die before a buffer is full; then the worker gives up."""


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
        results, past, own_teams, foe_teams, battles, turns: See `Counts`.
    """

    buffer: int
    count: int
    version: int
    seconds: float
    rejected: int
    restarts: int
    results: Mapping[str, Sequence[int]]
    past: Mapping[str, Sequence[int]]
    own_teams: Mapping[str, Sequence[int]]
    foe_teams: Mapping[str, Sequence[int]]
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
