"""Start processes: the only place that knows how ours are run, and what others' may know.

A worker is a process of ours that is of no use without the one that started it, and ends with it:
python -m engine.ground.processes PARENT_PID MODULE [ARGUMENT ...]

`WorkerProcess` starts one that answers over a socket; the other functions and classes are for both
ends of that.
"""

import contextlib
import ctypes
import json
import os
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from typing import IO, Any

from engine import errors
from engine.errors import PokeTUIError, WorkerError

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_POLL_INTERVAL_S = 1.0

_PASSED = frozenset(
    (
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ",
        "TMPDIR", "TMP", "TEMP", "TERM", "COLORTERM", "NO_COLOR",
        "LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH",
        "VIRTUAL_ENV", "CONDA_PREFIX", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
    )
)  # fmt: skip
_PASSED_FAMILIES = (
    "LC_", "XDG_", "PYTHON", "POKETUI_", "TEXTUAL", "SDL_", "MALLOC_", "OMP_", "KMP_",
    "OPENBLAS_", "MKL_", "CUDA_", "NVIDIA_", "ROCR_", "HIP_", "HSA_", "GGML_", "VK_",
)  # fmt: skip
"""Where programs, libraries and a user's folders are, and what they shall be like: nothing secret.
A list of what is secret would miss the next one."""
_SECRET_ENDS = ("KEY", "TOKEN", "SECRET", "PASSWORD")
"""Of names that a family brings along."""

_HEADER = struct.Struct("<cI")
_CHUNK = 1 << 20


def python_command(module: str, *arguments: str, options: tuple[str, ...] = ()) -> list[str]:
    """Return the command that runs a module in this Python; options are of Python itself."""
    return [*_python(options), "-m", module, *arguments]


def code_command(code: str, options: tuple[str, ...] = ()) -> list[str]:
    """Return the command that runs lines of code in this Python; options are of Python itself."""
    return [*_python(options), "-c", code]


def worker_command(module: str, *arguments: str, options: tuple[str, ...] = ()) -> list[str]:
    """Return the command that runs a module in a process that ends with this one, however it ends.

    On Linux it ends with the thread that starts it, even while it hangs.
    """
    return python_command(__name__, str(os.getpid()), module, *arguments, options=options)


def python_environment(**variables: str) -> dict[str, str]:
    """Return an environment in which a child finds our modules, with `variables` set besides."""
    return {**os.environ, "PYTHONPATH": _python_path(), **variables}


def worker_environment(**variables: str) -> dict[str, str]:
    """Return `python_environment` without keys: of a child that asks no language model."""
    return {**foreign_environment(), "PYTHONPATH": _python_path(), **variables}


def foreign_environment(*families: str, **variables: str) -> dict[str, str]:
    """Return what somebody else's program may know of our environment, and `variables`.

    Args:
        families: How names begin, in small or capital letters, that this program needs besides.
        variables: What is set besides.
    """
    passed = {name: value for name, value in os.environ.items() if _is_passed(name, families)}
    return passed | variables


class Channel:
    """Messages of one letter and a payload over a connected stream socket; `select` takes it."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._timeout_s = connection.gettimeout()

    def fileno(self) -> int:
        """Return the descriptor of the socket."""
        return self._socket.fileno()

    def send(self, kind: bytes, payload: bytes = b"") -> None:
        """Send a message.

        Raises:
            OSError: The peer is gone.
        """
        self._socket.sendall(_HEADER.pack(kind, len(payload)) + payload)

    def receive(self, timeout_s: float | None = None) -> tuple[bytes, bytes]:
        """Wait for a message: its letter and payload.

        Raises:
            EOFError: The peer is gone.
            TimeoutError: Nothing comes for `timeout_s`.
        """
        if timeout_s != self._timeout_s:
            self._timeout_s = timeout_s
            self._socket.settimeout(timeout_s)
        kind, size = _HEADER.unpack(self._exactly(_HEADER.size))
        return kind, self._exactly(size)

    def has_message(self, timeout_s: float | None = 0.0) -> bool:
        """Wait, None: for ever, and return whether a message or the end of the connection came."""
        return bool(select.select([self], [], [], timeout_s)[0])

    def close(self) -> None:
        """End the connection."""
        self._socket.close()

    def _exactly(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size:
            try:
                part = self._socket.recv(min(size, _CHUNK))
            except ConnectionError:
                part = b""
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


class WorkerProcess:
    """A worker that is talked to over a socket, whose output is kept in case that it fails.

    It runs `module`, whose arguments are inherited descriptors: of its end of the socket, then
    `descriptors`. It is to end when the socket is closed.

    Attributes:
        channel: Our end of the socket.
        pid: Its process id.
    """

    def __init__(self, module: str, *descriptors: int) -> None:
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (closed when the process has ended)
        ours, theirs = socket.socketpair()
        self.channel = Channel(ours)
        with theirs:
            inherited = (theirs.fileno(), *descriptors)
            self._process = subprocess.Popen(
                worker_command(module, *map(str, inherited)),
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._output,
                pass_fds=inherited,
                env=worker_environment(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"),
                start_new_session=True,
            )
        self.pid = self._process.pid

    def ending(self, within_s: float) -> str:
        """Return how it has ended, or does so within some time; "" while it runs."""
        return ending(self._process, within_s)

    def last_lines(self, count: int) -> list[str]:
        """Return the last lines that it wrote."""
        return lines_in(self._output)[-count:]

    def reap(self, timeout_s: float) -> None:
        """Wait for its end, and kill it if that does not come in time."""
        reap(self._process, timeout_s)
        self._output.close()


def reap(process: subprocess.Popen[Any], timeout_s: float) -> None:
    """Wait for a process's end, and kill it if that does not come in time."""
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def ending(process: subprocess.Popen[Any], within_s: float) -> str:
    """Return how a process has ended, or does so within some time; "" while it runs.

    It is "exit status 1" or "killed by SIGKILL".
    """
    try:
        status = process.wait(within_s)
    except subprocess.TimeoutExpired:
        return ""
    if status >= 0:
        return f"exit status {status}"
    with contextlib.suppress(ValueError):
        return f"killed by {signal.Signals(-status).name}"
    return f"killed by signal {-status}"


def lines_in(output: IO[bytes], start: int = 0, size: int = -1) -> list[str]:
    """Return the lines that a process wrote into a file, of `size` bytes from `start` on."""
    output.seek(start)
    return output.read(size).decode("utf-8", "replace").strip().splitlines()


def encode_error(error: Exception) -> bytes:
    """Return kind, message and hint of an error of ours; others become a WorkerError."""
    if not isinstance(error, PokeTUIError):
        error = WorkerError(
            f"An environment failed: {type(error).__name__}: {error}.", "The log has the details."
        )
    return json.dumps([type(error).__name__, error.message, error.hint]).encode()


def decode_error(payload: bytes) -> PokeTUIError:
    """Return the error of which `encode_error` returned this."""
    kind, message, hint = json.loads(payload)
    found = getattr(errors, kind, None)
    if isinstance(found, type) and issubclass(found, PokeTUIError):
        return found(message, hint)
    return WorkerError(message, hint)


def ignore_terminal() -> None:
    """Ignore the terminal's signals: they are for the parent to answer."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN)


def end_with(parent: int) -> None:
    """Have this process killed when `parent`, which started it, is gone.

    The kernel does it on Linux, and a thread everywhere: the kernel's signal can be forgotten, by a
    set-uid program for example. A parent that was gone before is noticed by its number.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    threading.Thread(target=_watch, args=(parent,), name="parent", daemon=True).start()


def main() -> None:
    """Bind this process to its parent, then become the module."""
    end_with(int(sys.argv[1]))
    module, *arguments = sys.argv[2:]
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _is_passed(name: str, families: tuple[str, ...]) -> bool:
    if name.lower().startswith(families):
        return True
    is_known = name in _PASSED or name.startswith(_PASSED_FAMILIES)
    return is_known and not name.upper().endswith(_SECRET_ENDS)


def _python_path() -> str:
    # Absolute, as they mean something else in another folder; and without those that PYTHONPATH
    # would take apart: their halves are folders that nobody named.
    places = [os.path.abspath(entry) for entry in sys.path if isinstance(entry, str)]  # noqa: PTH100
    return os.pathsep.join(place for place in places if os.pathsep not in place)


def _python(options: tuple[str, ...]) -> list[str]:
    # -P: a numpy.py in the folder that a person happens to be in is not ours to run.
    return [sys.executable, "-P", *options]


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_POLL_INTERVAL_S)
    os._exit(1)


if __name__ == "__main__":
    main()
