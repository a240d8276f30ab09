"""Keep the worker processes of a run alive: build them, ask them, replace those that fail."""

import json
import logging
import pickle
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.config import RunConfig
from engine.env import worker
from engine.env.channel import SharedArrays, shared_file
from engine.env.process import WorkerProcess
from engine.errors import PokeTUIError, WorkerError
from engine.plans import Orders, PlanBook

_log = logging.getLogger(__name__)

_BUILD_TIMEOUT_S = 180.0
_MAX_REPLACEMENTS = 5
_WINDOW_STEPS = 200
"""More replacements than the above within these many steps are no accident any more."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A process was replaced.

    Attributes:
        indices: Its environments, which began new episodes.
        text: What happened, in a line.
    """

    indices: tuple[int, ...]
    text: str


class WorkerPool:
    """The processes of a run, which share its environments out.

    Args:
        factory: "module:callable" that makes an `ArrayEnv` from (config, env_index).
        config: The run's settings.
        num_envs: Environments.
        num_workers: Processes; never more than environments.

    Attributes:
        processes: By number.
        arrays: What they share with the trainer.
        feature_size: F, the length of a feature vector.
        component_names: Reward components in order.
        milestone_keys: The game's milestones in order.
        reward_weights: (component, weight) as the environments were made.
        can_record: What is played can be kept as demonstrations.

    Raises:
        PokeTUIError: The environments cannot be built, or a process failed meanwhile.
    """

    def __init__(self, factory: str, config: RunConfig, num_envs: int, num_workers: int) -> None:
        self._memory = shared_file()
        self.processes: list[WorkerProcess] = []
        self._factory = factory
        self._config = config
        self._num_envs = num_envs
        self._num_replacements = 0
        self._failed_at: deque[int] = deque(maxlen=_MAX_REPLACEMENTS)
        try:
            shares = np.array_split(np.arange(num_envs), min(num_workers, num_envs))
            for number, share in enumerate(shares):
                self.processes.append(WorkerProcess(number, share.tolist(), self._memory))
            facts = json.loads(self._build(self.processes)[0])
            self.feature_size: int = facts[0]
            self.component_names: tuple[str, ...] = tuple(facts[1])
            self.milestone_keys: tuple[str, ...] = tuple(facts[2])
            self.reward_weights = tuple((str(name), float(weight)) for name, weight in facts[3])
            self.can_record = bool(facts[4])
            self.arrays = SharedArrays.over(
                self._memory, num_envs, self.feature_size, has_pixels=config.needs_pixels
            )
            self._map(self.processes)
        except BaseException:  # Ctrl-C too must leave no process behind; it is raised again
            self.close()
            raise

    def owner(self, index: int) -> WorkerProcess:
        """Return the process that runs an environment."""
        for process in self.processes:
            if index in process.indices:
                return process
        raise IndexError(f"there is no environment {index}")

    def reset(self, seeds: Sequence[int]) -> None:
        """Start an episode everywhere; environment i draws its random numbers from seeds[i]."""
        self._reset(self.processes, dict(enumerate(seeds)))

    def replace_failed(
        self, at_step: int, watched: list[int | bool | None], book: PlanBook, orders: Orders
    ) -> list[Replacement]:
        """Put new processes in place of those that failed, at the start of new episodes.

        Args:
            at_step: Steps so far, by which too frequent failures are told.
            watched: Environment that is watched, and whether it is rendered.
            book: What the environments were told of plans.
            orders: What a person wants of them.

        Raises:
            WorkerError: Replacing did not help again and again.
            PokeTUIError: The environments cannot be built any more.
        """
        done: list[Replacement] = []
        while failed := [process for process in self.processes if process.failure is not None]:
            if (
                len(self._failed_at) == _MAX_REPLACEMENTS
                and at_step - self._failed_at[0] <= _WINDOW_STEPS
            ):
                raise _endless(failed[0])
            self._failed_at.append(at_step)
            done += [self._replace(process, watched, book, orders) for process in failed]
        return done

    def close(self) -> None:
        """End the processes. May be called again."""
        for process in self.processes:
            process.quit()
        for process in self.processes:
            process.reap()
        self.processes = []
        self._memory.close()

    def _replace(
        self,
        old: WorkerProcess,
        watched: list[int | bool | None],
        book: PlanBook,
        orders: Orders,
    ) -> Replacement:
        old.kill()
        new = WorkerProcess(old.number, old.indices, self._memory)
        # Listed before it is built, so that `close` ends it whatever happens below.
        self.processes[new.number] = new
        self._num_replacements += 1
        seeds = {index: self._seed(index) for index in new.indices}
        try:
            self._build([new])
            self._map([new])
            known = pickle.dumps(book.whole(), pickle.HIGHEST_PROTOCOL)
            _ask([new], worker.DIRECT, lambda _: known)
            wanted = pickle.dumps(orders, pickle.HIGHEST_PROTOCOL)
            _ask([new], worker.ORDER, lambda _: wanted)
            self._reset([new], seeds)
            _ask([new], worker.WATCH, lambda _: json.dumps(watched).encode())
        except PokeTUIError:
            if new.failure is None:  # it lives, and says why it cannot build the environments
                raise
        count = len(new.indices)
        episodes = "its episode" if count == 1 else f"its {count} episodes"
        assert old.failure is not None
        text = (
            f"{old.failure.message} Process {new.number} was replaced, and {episodes} began anew."
        )
        _log.warning(text)
        return Replacement(tuple(new.indices), text)

    def _seed(self, index: int) -> int:
        """Return a seed that no other episode of the run has, the same whenever it is repeated."""
        key = (index, self._num_replacements)
        sequence = np.random.SeedSequence(self._config.seed, spawn_key=key)
        return int(sequence.generate_state(1)[0])

    def _build(self, processes: Sequence[WorkerProcess]) -> list[bytes]:
        request = {"factory": self._factory, "config": self._config.model_dump(mode="json")}
        return _ask(
            processes,
            worker.BUILD,
            lambda process: json.dumps(request | {"indices": process.indices}).encode(),
        )

    def _map(self, processes: Sequence[WorkerProcess]) -> None:
        size = json.dumps([self._num_envs, self.feature_size, self._config.needs_pixels]).encode()
        _ask(processes, worker.MAP, lambda _: size)

    def _reset(self, processes: Sequence[WorkerProcess], seeds: dict[int, int]) -> None:
        def request(process: WorkerProcess) -> bytes:
            return json.dumps([[index, int(seeds[index])] for index in process.indices]).encode()

        _ask(processes, worker.RESET, request)


def _ask(
    processes: Sequence[WorkerProcess], kind: bytes, request: Callable[[WorkerProcess], bytes]
) -> list[bytes]:
    """Send a request to processes at once, collect their answers, raise the first failure.

    All are collected: an answer left unread would be taken for that to the next request.
    """
    for process in processes:
        process.send(kind, request(process))
    answers: list[bytes] = []
    failures: list[PokeTUIError] = []
    for process in processes:
        try:
            answers.append(process.answer(_BUILD_TIMEOUT_S))
        except PokeTUIError as error:
            failures.append(error)
    if failures:
        raise failures[0]
    return answers


def _endless(process: WorkerProcess) -> WorkerError:
    assert process.failure is not None
    return WorkerError(
        f"{process.failure.message} Environment processes were replaced {_MAX_REPLACEMENTS} times "
        f"within {_WINDOW_STEPS} steps, and that did not help.",
        process.failure.hint,
    )
