"""Fork worker processes from one that has imported what they need: half a second less each.

It stands in for `subprocess.Popen` where worker processes are started, on Linux. A forked
process is a child of the tests' process, as one that was started would be. Tests of the start
itself ask for the fixture `started_workers`, and programs that tests run start theirs, too.
"""

import ctypes
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
import traceback
import types
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NoReturn

from engine.ground.processes import end_with, python_command, python_environment

_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_MAX_REQUEST = 1 << 20


class Nursery:
    """The process that others are forked from; it is started when the first is asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def bear(self, request: dict[str, object], descriptors: Sequence[int]) -> int:
        """Return the process id of a new child of this process."""
        with self._lock:
            asked = self._socket or self._start()
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
            try:
                socket.send_fds(asked, [json.dumps(request).encode()], descriptors)
                return int(asked.recv(32))
            finally:
                ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 0)

    def close(self) -> None:
        """Let the process end."""
        if self._socket is not None and self._process is not None:
            self._socket.close()
            self._process.wait(60)

    def _start(self) -> socket.socket:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                python_command(__name__, str(theirs.fileno())),
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=python_environment(),
                start_new_session=True,
            )
        return self._socket


def forking(nursery: Nursery) -> types.SimpleNamespace:
    """Return the module subprocess, but for a Popen that forks."""

    class Forked(subprocess.Popen[bytes]):
        def __init__(
            self,
            command: list[str],
            *,
            stdin: int,
            stdout: IO[bytes],
            stderr: IO[bytes],
            pass_fds: Sequence[int],
            env: dict[str, str],
            start_new_session: bool,
        ) -> None:
            assert stdin == subprocess.DEVNULL
            assert stderr is stdout
            assert start_new_session
            at = command.index("engine.ground.processes") + 1
            parent, module, *arguments = command[at:]
            self.args = command
            self.stdin = self.stdout = self.stderr = None
            self.returncode = None
            self._child_created = False
            self._waitpid_lock = threading.Lock()
            request = {
                "module": module,
                "arguments": arguments,
                "descriptors": [str(number) for number in pass_fds],
                "environment": env,
                "folder": str(Path.cwd()),
                "parent": int(parent),
            }
            self.pid = nursery.bear(request, [stdout.fileno(), *pass_fds])
            self._child_created = True

    return types.SimpleNamespace(**{**vars(subprocess), "Popen": Forked})


def _serve(asked: socket.socket) -> None:
    while True:
        data, descriptors, _, _ = socket.recv_fds(asked, _MAX_REQUEST, 8)
        if not data:
            return
        reading, writing = os.pipe()
        between = os.fork()
        if between == 0:  # its child becomes the child of the next reaper above once it is gone
            child = os.fork()
            if child == 0:
                asked.close()
                os.close(reading)
                os.close(writing)
                _be(json.loads(data), descriptors)
            os.write(writing, str(child).encode())
            os._exit(0)
        os.waitpid(between, 0)
        asked.send(os.read(reading, 32))
        for number in (reading, writing, *descriptors):
            os.close(number)


def _be(request: dict[str, object], descriptors: list[int]) -> NoReturn:
    """Become what was asked for, and end with it."""
    import numpy as np

    code = 1
    try:
        while os.getppid() != request["parent"]:  # the kernel would end it with another parent
            time.sleep(0.0005)
        end_with(os.getppid())
        os.setsid()
        output, *passed = descriptors
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        given = dict(zip(request["descriptors"], map(str, passed), strict=True))
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["folder"])
        sys.path[:] = os.environ["PYTHONPATH"].split(os.pathsep)
        random.seed()
        np.random.seed()
        module = sys.modules[request["module"]]
        sys.argv = [module.__file__, *(given.get(one, one) for one in request["arguments"])]
        module.main()
        code = 0
    except BaseException:  # nothing of the process that this one was forked from may run here
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    import gc

    import engine.battles.learn.actor
    import engine.env.vector.worker
    import engine.planning.goals.planned  # noqa: F401

    gc.freeze()
    _serve(socket.socket(fileno=int(sys.argv[1])))
