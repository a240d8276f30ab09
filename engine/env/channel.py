"""Carry messages between the trainer and its worker processes."""

import socket
import struct

_HEADER = struct.Struct("<cI")
_CHUNK = 1 << 20

CALL, DONE, FAILED = b"C", b".", b"!"
"""A request: a pickled `engine.env.host.HostCall`; and the answers to it: a pickled result, nothing
for None; or kind, message and hint of an error in JSON."""


class Channel:
    """Messages of one letter and a payload over a socket; its end is the peer's end.

    Args:
        connection: A connected stream socket.
    """

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
            TimeoutError: It says nothing for `timeout_s`.
        """
        if timeout_s != self._timeout_s:
            self._timeout_s = timeout_s
            self._socket.settimeout(timeout_s)
        kind, size = _HEADER.unpack(self._exactly(_HEADER.size))
        return kind, self._exactly(size)

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
