"""Step many environments at once in worker processes, through shared memory."""

import contextlib
import json
import logging
import os
import pickle
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.config import RunConfig
from engine.env import worker
from engine.env.channel import Channel, SharedArrays, shared_file
from engine.env.stepping import ArrayEnv, SteppedEnv, Watched, make_crystal_env
from engine.errors import PokeTUIError, WorkerError
from engine.types import EpisodeSummary

_log = logging.getLogger(__name__)

__all__ = ["PLAIN_FACTORY", "Batch", "VectorEnv", "Watched", "plain_env"]

PLAIN_FACTORY = "engine.env.vector:plain_env"

_BUILD_TIMEOUT_S = 180.0
ANSWER_TIMEOUT_S = 60.0
QUIT_TIMEOUT_S = 2.0
_ERROR_LINES = 3


def plain_env(config: RunConfig, env_index: int) -> ArrayEnv:
    """Make an environment without an advisor."""
    return SteppedEnv(make_crystal_env(config, env_index))


@dataclass(frozen=True, slots=True)
class Batch:
    """All environments after a step: N of them, F features. The arrays are copies.

    Where an episode ended, the observation is already that of the next one.

    Attributes:
        features: (N, F) float32.
        mask: (N, 9) bool, False for actions of no use.
        prior: (N, 9) float32, the advisor's suggestion; all zero without one.
        advice_confidence: (N,) float32, 0 to 1.
        rewards: (N,) float32.
        terminated: (N,) bool.
        truncated: (N,) bool.
        final_features: (N, F) float32, the last features of episodes that ended, else 0.
        summaries: Of the episodes that ended, by environment.
    """

    features: NDArray[np.float32]
    mask: NDArray[np.bool_]
    prior: NDArray[np.float32]
    advice_confidence: NDArray[np.float32]
    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final_features: NDArray[np.float32]
    summaries: dict[int, EpisodeSummary] = field(default_factory=dict)


class _Process:
    """A worker process and the environments it runs."""

    def __init__(self, number: int, indices: list[int], memory: BinaryIO) -> None:
        self.indices = indices
        self._number = number
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (read when the worker fails)
        ours, theirs = socket.socketpair()
        with theirs:
            self.channel = Channel(ours)
            descriptors = (theirs.fileno(), memory.fileno())
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", worker.__name__, *map(str, descriptors)],
                stdin=subprocess.DEVNULL,
                stdout=self._errors,
                stderr=self._errors,
                pass_fds=descriptors,
                env=_environment(),
                start_new_session=True,
            )

    def send(self, kind: bytes, payload: bytes = b"") -> None:
        try:
            self.channel.send(kind, payload)
        except OSError:
            raise self._death() from None

    def answer(self, timeout_s: float | None = None) -> bytes:
        timeout_s = ANSWER_TIMEOUT_S if timeout_s is None else timeout_s
        try:
            kind, payload = self.channel.receive(timeout_s)
        except TimeoutError:
            raise WorkerError(
                f"Environment process {self._number} did not answer for {timeout_s:.0f} s.",
                "Resume the run from its last checkpoint.",
            ) from None
        except EOFError:
            raise self._death() from None
        if kind == worker.FAILED:
            _log.error("environment process %d: %s", self._number, self._last_words())
            # From our own child over an inherited socket pair: never from disk or network.
            raise pickle.loads(payload)
        return payload

    def quit(self) -> None:
        """Ask the process to end; `reap` makes sure."""
        with contextlib.suppress(OSError):  # already gone
            self.channel.send(worker.QUIT)
        self.channel.close()

    def reap(self) -> None:
        try:
            self._process.wait(QUIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def _death(self) -> WorkerError:
        """Describe how the process ended, with its last words."""
        try:
            code: int | str = self._process.wait(QUIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            code = "unknown"
        words = self._last_words()
        return WorkerError(
            f"Environment process {self._number} died (exit status {code})"
            + (f": {words}" if words else "."),
            "Resume the run from its last checkpoint.",
        )

    def _last_words(self) -> str:
        """Return the last lines that the process wrote."""
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return " / ".join(lines[-_ERROR_LINES:])


class VectorEnv:
    """Environments in processes; one call steps them all in parallel.

    Args:
        factory: "module:callable" that makes an `ArrayEnv` from (config, env_index); it is
            called in the workers.
        config: The run's settings.
        num_envs: Environments.
        num_workers: Processes; never more than environments.

    Attributes:
        feature_size: F, the length of a feature vector.
        component_names: Reward components in order.
        milestone_keys: The game's milestones in order.

    Raises:
        RomError: The ROM is unusable.
        WorkerError: A process died or does not answer.
    """

    def __init__(
        self, factory: str, config: RunConfig, num_envs: int, num_workers: int = 1
    ) -> None:
        self.num_envs = num_envs
        self._processes: list[_Process] = []
        self._memory = shared_file()
        self._watched: int | None = None
        try:
            shares = np.array_split(np.arange(num_envs), min(num_workers, num_envs))
            for number, share in enumerate(shares):
                self._processes.append(_Process(number, share.tolist(), self._memory))
            facts = self._build(factory, config)
            self.feature_size: int = facts[0]
            self.component_names: tuple[str, ...] = tuple(facts[1])
            self.milestone_keys: tuple[str, ...] = tuple(facts[2])
            self._arrays = SharedArrays.over(self._memory, num_envs, self.feature_size)
            size = json.dumps([num_envs, self.feature_size]).encode()
            self._ask_all(worker.MAP, lambda process: size)
        except BaseException:  # Ctrl-C too must leave no process behind; it is raised again
            self.close()
            raise

    def __enter__(self) -> "VectorEnv":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    @property
    def pids(self) -> tuple[int, ...]:
        """Return the ids of the worker processes."""
        return tuple(process.pid for process in self._processes)

    def reset(self, seeds: Sequence[int]) -> Batch:
        """Start an episode everywhere; environment i draws its random numbers from seeds[i]."""
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds for {self.num_envs} environments")

        def request(process: _Process) -> bytes:
            return json.dumps([[index, int(seeds[index])] for index in process.indices]).encode()

        self._ask_all(worker.RESET, request, _BUILD_TIMEOUT_S)
        return self._quiet_batch()

    def step(self, actions: NDArray[np.int64], *, only: int | None = None) -> Batch:
        """Take (N,) actions, each in its environment, or only the one of environment `only`."""
        self._clear()
        self._arrays.actions[:] = actions
        processes = self._processes
        payload = b""
        if only is not None:
            processes = [self._owner(only)]
            payload = only.to_bytes(4, "little")
        for process in processes:
            process.send(worker.STEP, payload)
        summaries: dict[int, EpisodeSummary] = {}
        for answer in _collect(processes):
            if answer:
                summaries |= {s.env_index: s for s in _summaries(answer)}
        return self._batch(summaries)

    def step_one(self, index: int, action: int) -> Batch:
        """Take an action in one environment; the others stand still, with reward 0."""
        actions = np.zeros(self.num_envs, np.int64)
        actions[index] = action
        return self.step(actions, only=index)

    def watch(self, index: int | None) -> None:
        """Render environment `index` from its next step on and let `observed` show it."""
        request = json.dumps(index).encode()
        self._watched = index
        self._ask_all(worker.WATCH, lambda process: request)

    def observed(self) -> Watched | None:
        """Return what the watched environment shows, None if nothing changed since last time."""
        if self._watched is None:
            return None
        process = self._owner(self._watched)
        process.send(worker.LOOK)
        answer = process.answer()
        if not answer:
            return None
        watched: Watched = pickle.loads(answer)  # from our own child, as in `_Process.answer`
        return watched

    def save(self) -> list[bytes]:
        """Return every environment wholly, for a checkpoint."""
        states = []
        for index in range(self.num_envs):
            process = self._owner(index)
            process.send(worker.SAVE, json.dumps(index).encode())
            states.append(process.answer())
        return states

    def load(self, states: Sequence[bytes]) -> Batch:
        """Put every environment back as saved; return their observations, with no rewards.

        Raises:
            CheckpointError: A state is damaged or of another version.
        """
        if len(states) != self.num_envs:
            raise ValueError(f"{len(states)} states for {self.num_envs} environments")
        for index, state in enumerate(states):
            process = self._owner(index)
            process.send(worker.LOAD, index.to_bytes(4, "little") + state)
            process.answer()
        return self._quiet_batch()

    def close(self) -> None:
        """End the processes. May be called again."""
        for process in self._processes:
            process.quit()
        for process in self._processes:
            process.reap()
        self._processes = []
        self._memory.close()

    def _build(self, factory: str, config: RunConfig) -> list[Any]:
        settings = config.model_dump(mode="json")

        def request(process: _Process) -> bytes:
            return json.dumps(
                {"factory": factory, "config": settings, "indices": process.indices}
            ).encode()

        answers = self._ask_all(worker.BUILD, request, _BUILD_TIMEOUT_S)
        facts: list[Any] = json.loads(answers[0])
        return facts

    def _ask_all(
        self, kind: bytes, request: Callable[[_Process], bytes], timeout_s: float | None = None
    ) -> list[bytes]:
        """Send a request to every process at once, then collect their answers."""
        for process in self._processes:
            process.send(kind, request(process))
        return _collect(self._processes, timeout_s)

    def _owner(self, index: int) -> _Process:
        for process in self._processes:
            if index in process.indices:
                return process
        raise IndexError(f"there is no environment {index}")

    def _clear(self) -> None:
        arrays = self._arrays
        arrays.rewards[:] = 0.0
        arrays.terminated[:] = False
        arrays.truncated[:] = False
        arrays.final_features[:] = 0.0

    def _quiet_batch(self) -> Batch:
        self._clear()
        return self._batch({})

    def _batch(self, summaries: dict[int, EpisodeSummary]) -> Batch:
        arrays = self._arrays
        return Batch(
            arrays.features.copy(),
            arrays.mask.copy(),
            arrays.prior.copy(),
            arrays.confidence.copy(),
            arrays.rewards.copy(),
            arrays.terminated.copy(),
            arrays.truncated.copy(),
            arrays.final_features.copy(),
            summaries,
        )


def _collect(processes: Sequence[_Process], timeout_s: float | None = None) -> list[bytes]:
    """Wait for every process's answer, then raise the first failure, if there was one.

    An answer left unread would be taken for that to the next request.
    """
    answers: list[bytes] = []
    failures: list[PokeTUIError] = []
    for process in processes:
        try:
            answers.append(process.answer(timeout_s))
        except PokeTUIError as error:
            failures.append(error)
    if failures:
        raise failures[0]
    return answers


def _summaries(answer: bytes) -> Iterable[EpisodeSummary]:
    for facts in json.loads(answer):
        facts["components"] = tuple((name, value) for name, value in facts["components"])
        yield EpisodeSummary(**facts)


def _environment() -> dict[str, str]:
    """Let a worker find the same modules, and use one thread."""
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)  # noqa: PTH109
    return {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
