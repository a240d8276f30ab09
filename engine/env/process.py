"""Start, ask and end one worker process."""

import contextlib
import json
import logging
import pickle
import signal
import socket
import subprocess
import tempfile
from typing import Any, BinaryIO

from engine import errors
from engine.child import worker_command, worker_environment
from engine.env import worker
from engine.env.host import HostCall
from engine.env.worker import CALL, FAILED, Channel
from engine.errors import PokeTUIError, WorkerError

_log = logging.getLogger(__name__)

_QUIT_TIMEOUT_S = 2.0
_DEATH_TIMEOUT_S = 20.0
"""A process that hung up is about to end; on a busy machine that takes a while."""
_SHOWN_LINES = 3
_LOGGED_LINES = 40
_OUT_OF_MEMORY = "If the system ran out of memory, close other programs or use fewer games."


class WorkerProcess:
    """A worker process and the environments it runs.

    Args:
        number: Names it to people.
        indices: Its environments.
        memory: What it shares with the trainer.

    Attributes:
        pid: Its process id.
        failure: How it died, hung or broke; nothing is asked of it from then on.
    """

    def __init__(self, number: int, indices: list[int], memory: BinaryIO) -> None:
        self.number = number
        self.indices = indices
        self.failure: PokeTUIError | None = None
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (read when the worker fails)
        ours, theirs = socket.socketpair()
        with theirs:
            self._channel = Channel(ours)
            descriptors = (theirs.fileno(), memory.fileno())
            self._process = subprocess.Popen(
                worker_command(worker.__name__, *map(str, descriptors)),
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._output,
                pass_fds=descriptors,
                env=worker_environment(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"),
                start_new_session=True,
            )
        self.pid = self._process.pid

    def call(self, call: HostCall[Any]) -> None:
        """Request a call; `answer` returns what it returns, or raises what went wrong."""
        if self.failure is not None:
            return
        try:
            self._channel.send(CALL, pickle.dumps(call, pickle.HIGHEST_PROTOCOL))
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
                kind, payload = self._channel.receive(timeout_s)
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
                    "\n".join(self._last_lines(_LOGGED_LINES)),
                )
                raise _error(payload)
        raise self.failure

    def quit(self) -> None:
        """Let the process end by itself; `reap` makes sure."""
        self._channel.close()

    def reap(self, timeout_s: float = _QUIT_TIMEOUT_S) -> None:
        """Wait for the process's end, and kill it if that does not come in time."""
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()

    def _death(self) -> WorkerError:
        """Describe how the process ended, with its last words."""
        try:
            how = _ending(self._process.wait(_DEATH_TIMEOUT_S))
        except subprocess.TimeoutExpired:
            how = "it stopped responding"
        words = " / ".join(self._last_lines(_SHOWN_LINES))
        return WorkerError(
            f"Environment process {self.number} died ({how})" + (f": {words}" if words else "."),
            _OUT_OF_MEMORY,
        )

    def _last_lines(self, count: int) -> list[str]:
        """Return the last lines that the process wrote."""
        self._output.seek(0)
        return self._output.read().decode("utf-8", "replace").strip().splitlines()[-count:]


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    with contextlib.suppress(ValueError):
        return f"killed by {signal.Signals(-code).name}"
    return f"killed by signal {-code}"


def _error(payload: bytes) -> PokeTUIError:
    """Return the error that a worker described."""
    kind, message, hint = json.loads(payload)
    found = getattr(errors, kind, None)
    if isinstance(found, type) and issubclass(found, PokeTUIError):
        return found(message, hint)
    return WorkerError(message, hint)
