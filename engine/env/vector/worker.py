"""Run environments in a process of their own: `python -m engine.env.vector.worker SOCKET MEMORY`.

Started by `engine.env.vector.pool`, which talks to it over an inherited socket and shares memory
with it. The process ends when the socket does, so it cannot outlive the trainer; on Linux the
kernel ends it even where it hangs. It never touches the terminal: the trainer redirects its output
and handles Ctrl-C.
"""

import json
import os
import pickle
import select
import signal
import socket
import struct
import sys
import traceback
from typing import Any

from engine.env.vector.host import EnvHost, HostCall
from engine.errors import PokeTUIError, WorkerError

_HEADER = struct.Struct("<cI")
_CHUNK = 1 << 20

CALL, DONE, FAILED = b"C", b".", b"!"
"""A request: a pickled `engine.env.vector.host.HostCall`; and the answers to it: a pickled result,
nothing for None; or kind, message and hint of an error in JSON."""


class Channel:
    """Messages of one letter and a payload over a connected stream socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._timeout_s = connection.gettimeout()

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
        return bool(select.select([self._socket], [], [], timeout_s)[0])

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
            answer = FAILED, described(error)
        try:
            channel.send(*answer)
        except OSError:
            return


def described(error: Exception) -> bytes:
    """Return kind, message and hint of an error of ours; others become a WorkerError."""
    if not isinstance(error, PokeTUIError):
        error = WorkerError(
            f"An environment failed: {type(error).__name__}: {error}.", "The log has the details."
        )
    return json.dumps([type(error).__name__, error.message, error.hint]).encode()


def ignore_terminal() -> None:
    """Ignore the terminal's signals: they are for the parent to answer."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN)


def main() -> None:
    """Serve on the inherited descriptors."""
    ignore_terminal()
    channel = Channel(socket.socket(fileno=int(sys.argv[1])))
    serve(channel, EnvHost(os.fdopen(int(sys.argv[2]), "r+b")))


if __name__ == "__main__":
    main()
