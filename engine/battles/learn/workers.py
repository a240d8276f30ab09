"""Start, hear and replace the processes that play battles."""

import contextlib
import json
import select
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from engine.battles.learn import actor
from engine.battles.learn.actor import (
    FAILED,
    FREE,
    PAUSE,
    PLAN,
    RESUME,
    START,
    Report,
)
from engine.battles.learn.experience import (
    Experience,
    SharedWeights,
    joined,
    map_buffers,
)
from engine.battles.learn.matchmaking import ActorSettings, OpponentPlan
from engine.battles.policy import FloatArray
from engine.battles.sim.setup import NodeCommand
from engine.errors import WorkerError
from engine.ground.processes import WorkerProcess
from engine.ground.shared_arrays import shared_file

_QUIT_TIMEOUT_S = 3.0
_MAX_DEATHS = 5
"""Deaths of a worker in a row, without a full buffer in between, that end the run."""


class Worker:
    """One process that plays.

    Attributes:
        number: From 0.
        buffers: The buffers that it fills.
        full: (number, decisions) of those that wait for the learner.
        report: The last one; None before the first.
        decisions, battles: Since the process began.
        restarts: How often it was replaced.
    """

    def __init__(
        self, number: int, settings: ActorSettings, weights_file: int, folder: Path | None
    ) -> None:
        self.number = number
        self.restarts = self.deaths = 0
        self._settings = settings
        self._weights_file = weights_file
        self._memory = shared_file(folder)
        self.buffers = map_buffers(self._memory, settings.capacity)
        self._process: WorkerProcess | None = None

    def start(self, node: NodeCommand, plan: OpponentPlan) -> None:
        """Start the process; it begins to play at once."""
        self.full: list[tuple[int, int]] = []
        self.report: Report | None = None
        self.decisions = self.battles = 0
        seed = (*self._settings.seed, self.number, self.restarts)
        self._process = WorkerProcess(actor.__name__, self._weights_file, self._memory.fileno())
        self.channel = self._process.channel
        settings = asdict(self._settings) | {"seed": seed}
        paths = {
            "node": node.node,
            "modules": str(node.modules),
            "cache": str(node.cache) if node.cache else None,
        }
        given = {"settings": settings, "plan": asdict(plan), **paths}
        with contextlib.suppress(OSError):
            self.channel.send(START, json.dumps(given).encode())

    @property
    def pid(self) -> int:
        """Return its process id."""
        return self._process.pid if self._process else 0

    def receive(self) -> Report:
        """Receive the waiting message.

        Raises:
            WorkerError: The process died, or failed.
        """
        try:
            kind, payload = self.channel.receive()
        except (EOFError, OSError):
            raise WorkerError(self._death()) from None
        if kind == FAILED:
            _, message, hint = json.loads(payload)
            raise WorkerError(f"Worker {self.number + 1}: {message}", hint)
        report = Report(**json.loads(payload))
        self.report, self.deaths = report, 0
        self.full.append((report.buffer, report.count))
        self.decisions += report.count
        self.battles += report.battles
        return report

    def take(self) -> Experience:
        """Return a copy of the oldest full buffer, which is free again."""
        number, count = self.full.pop(0)
        experience = self.buffers[number].complete(count)
        self._send(FREE, str(number).encode())
        return experience

    def pause(self, *, is_paused: bool) -> None:
        """Pause or resume playing."""
        self._send(PAUSE if is_paused else RESUME)

    def set_plan(self, plan: OpponentPlan) -> None:
        """Play against other opponents from the next battles on."""
        self._send(PLAN, json.dumps(asdict(plan)).encode())

    def end(self) -> None:
        """End the process, if it runs."""
        if self._process is None:
            return
        self.channel.close()
        self._process.reap(_QUIT_TIMEOUT_S)
        self._process = None

    def close(self) -> None:
        """End for good."""
        self.end()
        self._memory.close()

    def _send(self, kind: bytes, payload: bytes = b"") -> None:
        # A dead process is noticed by `receive`.
        with contextlib.suppress(OSError):
            self.channel.send(kind, payload)

    def _death(self) -> str:
        assert self._process is not None
        how = self._process.ending(_QUIT_TIMEOUT_S)
        if not how:
            return f"Worker {self.number + 1} stopped responding."
        lines = self._process.last_lines(1)
        return f"Worker {self.number + 1} died ({how})" + (f": {lines[0]}" if lines else ".")


class Workers:
    """All processes that play, each replaced when it dies.

    Args:
        count: How many.
        folder: Where shared files lie; None: in memory.
        warn: Takes a line for the user.
    """

    def __init__(
        self,
        count: int,
        settings: ActorSettings,
        node: NodeCommand,
        folder: Path | None,
        warn: Callable[[str], None],
    ) -> None:
        self._node = node
        self._warn = warn
        self._file = shared_file(folder)
        self._plan = OpponentPlan({})
        self.weights = SharedWeights(self._file)
        self.every = [Worker(i, settings, self._file.fileno(), folder) for i in range(count)]

    def start(self, weights: FloatArray, plan: OpponentPlan) -> None:
        """Start all workers with these weights."""
        self.weights.publish(weights)
        self._plan = plan
        for worker in self.every:
            worker.start(self._node, plan)

    def poll(self, timeout_s: float) -> list[Report]:
        """Return the workers' reports, after waiting for the first.

        Raises:
            WorkerError: A worker died `_MAX_DEATHS` times.
        """
        channels = {worker.channel: worker for worker in self.every}
        ready, _, _ = select.select(list(channels), [], [], timeout_s)
        reports = []
        for each in ready:
            worker = channels[each]
            try:
                reports.append(worker.receive())
            except WorkerError as error:
                self._replace(worker, error)
        return reports

    def full(self) -> int:
        """Return how many buffers wait for the learner."""
        return sum(len(worker.full) for worker in self.every)

    def take(self, count: int) -> Experience:
        """Take `count` full buffers, in turn from all workers, and free them."""
        parts: list[Experience] = []
        while len(parts) < count:
            for worker in sorted(self.every, key=lambda each: -len(each.full)):
                if worker.full and len(parts) < count:
                    parts.append(worker.take())
        return joined(parts)

    def set_plan(self, plan: OpponentPlan) -> None:
        """Let all play against other opponents from now on."""
        self._plan = plan
        for worker in self.every:
            worker.set_plan(plan)

    def pause(self, *, is_paused: bool) -> None:
        """Pause or resume all workers."""
        for worker in self.every:
            worker.pause(is_paused=is_paused)

    def close(self) -> None:
        """End all."""
        for worker in self.every:
            worker.close()
        self._file.close()

    def _replace(self, worker: Worker, error: WorkerError) -> None:
        worker.deaths += 1
        worker.restarts += 1
        if worker.deaths == _MAX_DEATHS:
            raise error
        self._warn(f"{error.message} It is started again; its battles begin anew.")
        worker.end()
        worker.start(self._node, self._plan)
