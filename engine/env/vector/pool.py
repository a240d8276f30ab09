"""Keep the worker processes of a run alive: start them, ask them, replace those that fail."""

import logging
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, BinaryIO, TypeVar

import numpy as np

from engine.config import RunConfig
from engine.env.vector import worker
from engine.env.vector.arrays import EnvFacts, SharedArrays
from engine.env.vector.worker import CALL, FAILED, EnvHost, HostCall, on_host
from engine.errors import PokeTUIError, WorkerError
from engine.ground.processes import WorkerProcess, decode_error
from engine.ground.shared_arrays import shared_file

_log = logging.getLogger(__name__)
_R = TypeVar("_R")

_QUIT_TIMEOUT_S = 2.0
_DEATH_TIMEOUT_S = 20.0
"""A process that hung up is about to end; on a busy machine that takes a while."""
_SHOWN_LINES = 3
_LOGGED_LINES = 40
_OUT_OF_MEMORY = "If the system ran out of memory, close other programs or use fewer games."


class EnvProcess(WorkerProcess):
    """A worker process and the environments it runs.

    Args:
        number: Names it to people.
        indices: Its environments.
        memory: What it shares with the trainer.

    Attributes:
        failure: How it died, hung or broke; nothing is asked of it from then on.
    """

    def __init__(self, number: int, indices: list[int], memory: BinaryIO) -> None:
        super().__init__(worker.__name__, memory.fileno())
        self.number = number
        self.indices = indices
        self.failure: PokeTUIError | None = None

    def call(self, call: HostCall[Any]) -> None:
        """Request a call; `answer` returns what it returns, or raises what went wrong."""
        if self.failure is not None:
            return
        try:
            self.channel.send(CALL, pickle.dumps(call, pickle.HIGHEST_PROTOCOL))
        except TimeoutError:
            self.failure = WorkerError(f"Environment process {self.number} is not responding.")
        except OSError:
            self.failure = self._death()

    def answer(self, timeout_s: float) -> Any:
        """Wait for the answer to the last request, and return its result.

        Raises:
            WorkerError: The process died or hangs (then it is `failure`, too).
            PokeTUIError: It could not do what was asked.
        """
        if self.failure is None:
            try:
                kind, payload = self.channel.receive(timeout_s)
            except TimeoutError:
                self.failure = WorkerError(
                    f"Environment process {self.number} did not respond for {timeout_s:.0f} s."
                )
            except EOFError:
                self.failure = self._death()
            else:
                if kind != FAILED:
                    return pickle.loads(payload) if payload else None  # from our own child
                _log.error(
                    "environment process %d: %s",
                    self.number,
                    "\n".join(self.last_lines(_LOGGED_LINES)),
                )
                raise decode_error(payload)
        raise self.failure

    def _death(self) -> WorkerError:
        """Describe how the process ended, with its last words."""
        how = self.ending(_DEATH_TIMEOUT_S) or "it stopped responding"
        words = " / ".join(self.last_lines(_SHOWN_LINES))
        return WorkerError(
            f"Environment process {self.number} died ({how})" + (f": {words}" if words else "."),
            _OUT_OF_MEMORY,
        )


_BUILD_TIMEOUT_S = 180.0
_MAX_REPLACEMENTS = 5
_WINDOW_STEPS = 200
"""More replacements than the above within these many steps are no accident any more."""


StandingCalls = tuple[Sequence[HostCall[Any]], Sequence[HostCall[Any]]]
"""Calls that a new process is asked to do before its environments are reset, and after that."""


class WorkerPool:
    """The processes of a run, among which its environments are divided.

    Its arguments are those of `engine.env.vector.world.VectorEnv`.

    Attributes:
        processes: By number.
        arrays: What they share with the trainer.
        facts: What is the same in all environments.

    Raises:
        PokeTUIError: The environments cannot be built, or a process failed meanwhile.
    """

    def __init__(
        self,
        factory: str,
        config: RunConfig,
        num_envs: int,
        num_workers: int,
        answer_timeout_s: float,
    ) -> None:
        self.answer_timeout_s = answer_timeout_s
        self.processes: list[EnvProcess] = []
        self._memory = shared_file()
        self._factory = factory
        self._config = config
        self._num_replacements = 0
        self._failed_at: deque[int] = deque(maxlen=_MAX_REPLACEMENTS)
        try:
            shares = np.array_split(np.arange(num_envs), min(num_workers, num_envs))
            for number, share in enumerate(shares):
                self.processes.append(EnvProcess(number, share.tolist(), self._memory))
            self.facts: EnvFacts = self._build(self.processes)[0]
            self.arrays = SharedArrays(num_envs, self.facts, self._memory)
            self._share_call = on_host(EnvHost.share, num_envs, self.facts)
            _ask(self.processes, self._share_call)
        except BaseException:  # Ctrl-C too must leave no process behind; it is raised again
            self.close()
            raise

    def reset(self, seeds: Mapping[int, int]) -> None:
        """Start an episode everywhere; environment i draws its random numbers from seeds[i]."""
        _ask(self.processes, on_host(EnvHost.reset, seeds))

    def ask(self, index: int | None, call: HostCall[_R]) -> list[_R]:
        """Do a call where an environment runs, None: everywhere; return what came back.

        Raises:
            PokeTUIError: It could not be done, or the process failed and is to be replaced.
        """
        return _ask(self._owners(index), call, self.answer_timeout_s)

    def try_ask(self, index: int | None, call: HostCall[_R | None]) -> list[_R]:
        """Do a call as `ask` does; a process where it goes wrong is to be replaced."""
        processes = self._owners(index)
        for process in processes:
            process.call(call)
        results: list[_R] = []
        for process in processes:
            try:
                result = process.answer(self.answer_timeout_s)
            except PokeTUIError as error:
                process.failure = error
            else:
                results += [] if result is None else [result]
        return results

    def replace_failed(
        self, at_step: int, standing: Callable[[], StandingCalls]
    ) -> list[tuple[list[int], str]]:
        """Put new processes in place of those that failed, at the start of new episodes.

        Args:
            at_step: Steps so far, by which too frequent failures are recognised.
            standing: Returns the calls that were made to all and that new processes need, too.

        Returns:
            For each of them its environments, and what happened, in a line.

        Raises:
            WorkerError: Replacing did not help again and again.
            PokeTUIError: The environments cannot be built any more.
        """
        done = []
        while failed := [process for process in self.processes if process.failure is not None]:
            if (
                len(self._failed_at) == _MAX_REPLACEMENTS
                and at_step - self._failed_at[0] <= _WINDOW_STEPS
            ):
                failure = failed[0].failure
                assert failure is not None
                raise WorkerError(
                    f"{failure.message} Environment processes were replaced {_MAX_REPLACEMENTS} "
                    f"times within {_WINDOW_STEPS} steps, without success.",
                    failure.hint,
                )
            self._failed_at.append(at_step)
            done += [self._replace(process, standing()) for process in failed]
        return done

    def close(self) -> None:
        """End the processes. May be called again."""
        for process in self.processes:
            process.channel.close()
        for process in self.processes:
            process.reap(_QUIT_TIMEOUT_S)
        self.processes = []
        self._memory.close()

    def _replace(self, old: EnvProcess, standing: StandingCalls) -> tuple[list[int], str]:
        old.channel.close()
        old.reap(0)
        new = EnvProcess(old.number, old.indices, self._memory)
        # Listed before it is built, so that `close` ends it whatever happens below.
        self.processes[new.number] = new
        self._num_replacements += 1
        seeds = {index: self._seed(index) for index in new.indices}
        before, after = standing
        try:
            self._build([new])
            for call in (self._share_call, *before, on_host(EnvHost.reset, seeds), *after):
                _ask([new], call)
        except PokeTUIError:
            if new.failure is None:  # it lives, and says why it cannot build the environments
                raise
        count = len(new.indices)
        episodes = "its episode" if count == 1 else f"its {count} episodes"
        assert old.failure is not None
        text = f"{old.failure.message} Process {new.number} was replaced, and {episodes} restarted."
        _log.warning(text)
        return new.indices, text

    def _seed(self, index: int) -> int:
        """Return a seed that no other episode of the run has, the same whenever it is repeated."""
        key = (index, self._num_replacements)
        sequence = np.random.SeedSequence(self._config.seed, spawn_key=key)
        return int(sequence.generate_state(1)[0])

    def _owners(self, index: int | None) -> list[EnvProcess]:
        """Return the process that runs an environment, None: all of them."""
        owners = [one for one in self.processes if index is None or index in one.indices]
        if index is not None and not owners:
            raise IndexError(f"there is no environment {index}")
        return owners

    def _build(self, processes: Sequence[EnvProcess]) -> list[EnvFacts]:
        for process in processes:
            process.call(on_host(EnvHost.build, self._factory, self._config, process.indices))
        return _answers(processes, _BUILD_TIMEOUT_S)


def _ask(
    processes: Sequence[EnvProcess], call: HostCall[_R], timeout_s: float = _BUILD_TIMEOUT_S
) -> list[_R]:
    for process in processes:
        process.call(call)
    return _answers(processes, timeout_s)


def _answers(processes: Iterable[EnvProcess], timeout_s: float) -> list[Any]:
    """Collect the results of processes, then raise the first failure.

    All are collected: an answer left unread would be taken for that to the next request.
    """
    answers: list[Any] = []
    failures: list[PokeTUIError] = []
    for process in processes:
        try:
            answers.append(process.answer(timeout_s))
        except PokeTUIError as error:
            failures.append(error)
    if failures:
        raise failures[0]
    return answers
