"""Run Node: how it starts and ends, why it failed, and frames of bytes that it answers."""

import contextlib
import os
import select
import struct
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import ClosedError, WorkerError
from engine.ground.processes import lines_in, reap

_HEAD = struct.Struct("<IB")
_COMPLAINTS = 1 << 16


class NodeProcess:
    """A Node process that ends when its input does; what it complains of is kept.

    Args:
        command: That runs it.
        environment: All of it.
        folder: That it runs in; None: the current one.
        has_output: It is read from here; otherwise it is kept as complaints are.

    Raises:
        WorkerError: It cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        folder: Path | None = None,
        *,
        has_output: bool = False,
    ) -> None:
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        try:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if has_output else self._complaints,
                stderr=self._complaints,
                bufsize=0,
            )
        except OSError as error:
            self._complaints.close()
            raise WorkerError(f"Node cannot be started: {error.strerror}.") from None
        self.pid = self._process.pid

    @property
    def is_running(self) -> bool:
        """Return whether it has not ended."""
        return self._process.poll() is None

    @property
    def is_closed(self) -> bool:
        """Return whether it was closed here."""
        return self._complaints.closed

    def wait(self) -> None:
        """Wait until it ends by itself."""
        self._process.wait()

    def kill(self) -> None:
        """End it without asking."""
        self._process.kill()

    def ending(self, within_s: float = 2.0) -> str:
        """Return how it has ended, or does so within some time, with the reason that it gave."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(within_s)
        return f"stopped (exit code {self._process.poll()}){self.complaint}"

    @property
    def complaint(self) -> str:
        """Return the line that says what went wrong, after a colon; "" if there is none."""
        lines = lines_in(self._complaints, size=_COMPLAINTS)
        said = next((line for line in lines if "Error" in line), "")
        return f": {said.strip()}" if said else ""

    def close(self, grace_s: float = 2.0) -> None:
        """End it, killing it if it does not end in time; 0: at once."""
        if self.is_closed:
            return
        if not grace_s:
            self.kill()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        reap(self._process, grace_s)
        self._complaints.close()


class FrameProcess(NodeProcess):
    """A script of ours that answers frames: a letter and bytes, with their length before them.

    Args:
        name: For errors.
        command: That runs it.
        environment: All of it.
        timeout_s: Longest wait until it takes or gives something.
    """

    def __init__(
        self, name: str, command: Sequence[str], environment: Mapping[str, str], timeout_s: float
    ) -> None:
        super().__init__(command, environment, has_output=True)
        self._name = name
        self._timeout_ms = round(1000 * timeout_s)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._input, False)
        self._writable, self._readable = select.poll(), select.poll()
        self._writable.register(self._input, select.POLLOUT)
        self._readable.register(self._output, select.POLLIN)

    def ask(self, letter: int, payload: bytes) -> tuple[int, NDArray[np.uint8]]:
        """Send a frame and return the letter and the bytes of the answer.

        Raises:
            ClosedError: It was closed.
            WorkerError: It died or does not answer in time; it is closed then.
        """
        if self.is_closed:
            raise ClosedError(f"The {self._name} is closed.")
        self._write(_HEAD.pack(len(payload) + 1, letter) + payload)
        length, answer = _HEAD.unpack(self._read(_HEAD.size).tobytes())
        return answer, self._read(length - 1)

    def _write(self, content: bytes) -> None:
        rest = memoryview(content)
        while rest:
            if not self._writable.poll(self._timeout_ms):
                raise self._lost(is_hanging=True)
            try:
                rest = rest[os.write(self._input, rest) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._lost() from None

    def _read(self, size: int) -> NDArray[np.uint8]:
        content = np.empty(size, np.uint8)
        rest = memoryview(content.data)
        while rest:
            if not self._readable.poll(self._timeout_ms):
                raise self._lost(is_hanging=True)
            count = os.readv(self._output, [rest])
            if count == 0:
                raise self._lost()
            rest = rest[count:]
        return content

    def _lost(self, *, is_hanging: bool = False) -> WorkerError:
        """End it and return the error that says why."""
        hanging = f"did not answer in {self._timeout_ms / 1000:.0f} s{self.complaint}"
        reason = hanging if is_hanging else self.ending()
        self.close(0.0 if is_hanging else 2.0)
        return WorkerError(f"The {self._name} {reason}.", "Start the command again.")
