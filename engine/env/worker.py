"""Run environments in a process of their own: `python -m engine.env.worker SOCKET MEMORY`.

Started by `engine.env.process`, which talks to it over an inherited socket and shares memory with
it. The process ends when the socket does, so it cannot outlive the trainer; on Linux the kernel
ends it even where it hangs. It never touches the terminal: its output goes where the trainer said,
and Ctrl-C is the trainer's business.
"""

import ctypes
import json
import os
import pickle
import signal
import socket
import sys
import traceback
from typing import Any

from engine.env.channel import DONE, FAILED, Channel
from engine.env.host import EnvHost, HostCall
from engine.errors import PokeTUIError, WorkerError

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def serve(channel: Channel, host: EnvHost) -> None:
    """Call methods of `host` until the trainer closes the channel."""
    while True:
        try:
            _, payload = channel.receive()
        except EOFError:
            return
        try:
            # Pickled by the parent that started this process and holds the other end of an unnamed
            # socket, and so are the answers: nothing pickled ever comes from disk or network. A
            # form of our own would have to know every class inside a GameState.
            call: HostCall[Any] = pickle.loads(payload)
            result = call(host)
            answer = DONE, b"" if result is None else pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # outermost frame of the process: the trainer raises it
            traceback.print_exc()
            answer = FAILED, _described(error)
        try:
            channel.send(*answer)
        except OSError:
            return


def _described(error: Exception) -> bytes:
    """Return kind, message and hint of an error of ours; others become a WorkerError."""
    if not isinstance(error, PokeTUIError):
        error = WorkerError(
            f"An environment failed: {type(error).__name__}: {error}.", "The log has the details."
        )
    return json.dumps([type(error).__name__, error.message, error.hint]).encode()


def _end_with_parent() -> None:
    """Have the kernel kill this process with the thread that started it, even while it hangs."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def main() -> None:
    """Serve on the inherited descriptors."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN)
    _end_with_parent()
    channel = Channel(socket.socket(fileno=int(sys.argv[1])))
    serve(channel, EnvHost(os.fdopen(int(sys.argv[2]), "r+b")))


if __name__ == "__main__":
    main()
