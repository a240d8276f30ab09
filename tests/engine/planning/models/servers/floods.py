"""Servers that send without an end, and count how much of it was taken."""

import gzip
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Self

PIECE = 1 << 16
_CHUNK = b"1000\r\n" + b"x" * 4096 + b"\r\n"
_OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_END_BYTES = 1 << 28
"""Nobody takes more: so that a test of what is not bounded fails instead of filling the memory."""


def _forever(head: bytes, piece: bytes) -> Callable[[], Iterator[bytes]]:
    def sent() -> Iterator[bytes]:
        yield head
        while True:
            yield piece

    return sent


def _bomb(status: bytes) -> Callable[[], Iterator[bytes]]:
    packed = gzip.compress(bytes(1 << 24), 1) * 64  # members that follow one another: 1 GiB
    head = b"HTTP/1.1 " + status + b"\r\nContent-Encoding: gzip\r\n\r\n"
    return lambda: iter((head, packed))


FLOODS: Mapping[str, Callable[[], Iterator[bytes]]] = {
    "line": _forever(_OK + b"\r\n", b"x" * PIECE),
    "lines": _forever(_OK + b"\r\n", b'{"a": 1}\n' * (PIECE // 9)),
    "short lines": _forever(_OK + b"\r\n", b"a\n" * (PIECE // 2)),
    "chunks": _forever(_OK + b"Transfer-Encoding: chunked\r\n\r\n", _CHUNK),
    "length": _forever(_OK + b"Content-Length: 99999999999\r\n\r\n", b" " * PIECE),
    "gzip": _bomb(b"200 OK"),
    "gzip error": _bomb(b"500 Oh"),
    "error": _forever(b"HTTP/1.1 500 Oh\r\n\r\n", b"no " * (PIECE // 3)),
    "page": _forever(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>", b" " * PIECE),
    "headers": _forever(b"HTTP/1.1 200 OK\r\n", b"X-A: " + b"y" * 1000 + b"\r\n"),
    "header": _forever(b"HTTP/1.1 200 OK\r\nX-A: ", b"y" * PIECE),
}  # fmt: skip
"""What a server sends instead of an answer, by name."""


class FloodServer:
    """Sends a flood to whoever asks for anything, while its context is open.

    Attributes:
        sent: Most bytes that were taken, or are on their way, after one question.
    """

    def __init__(self, flood: Callable[[], Iterator[bytes]]) -> None:
        self.sent = 0
        self._flood = flood
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []

    def __enter__(self) -> Self:
        self._begin(self._serve)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        for connection in self._open:
            connection.close()
        for thread in self._threads:
            thread.join(60)
        self._listener.close()

    def _begin(self, work: Callable[..., None], *arguments: socket.socket) -> None:
        self._threads.append(threading.Thread(target=work, args=arguments, daemon=True))
        self._threads[-1].start()

    def _serve(self) -> None:
        try:
            while True:
                connection, _ = self._listener.accept()
                connection.settimeout(60)
                self._open.append(connection)
                self._begin(self._send, connection)
        except OSError:  # it is being closed
            return

    def _send(self, connection: socket.socket) -> None:
        sent = 0
        try:
            connection.recv(PIECE)
            for data in self._flood():
                connection.sendall(data)
                sent += len(data)
                self.sent = max(self.sent, sent)
                if sent > _END_BYTES:
                    break
            # A question that is not read to its end would reset the connection instead.
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(PIECE):
                pass
        except OSError:  # the other side has had enough
            pass
        finally:
            connection.close()
