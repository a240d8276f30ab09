"""Serve HTTP on loopback from a thread, byte by byte if need be, and notice who hangs up."""

import json
import select
import socket
import socketserver
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any, Self

_SLICE_S = 0.02
"""How often a waiting call looks whether it is still wanted."""


class HungUp(Exception):  # noqa: N818  # nobody's error
    """The other side is gone, or the server is being closed."""


class Call:
    """A request, and the ways to answer it; every one raises HungUp if nobody is there any more.

    Attributes:
        path: Without the query.
        headers: Names in lower case.
        body: The object that was sent, {} without one.
        is_reset: The connection was broken off on purpose.
    """

    def __init__(self, handler: "_Handler") -> None:
        self._handler = handler
        self.path = handler.path.partition("?")[0]
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        sent = handler.rfile.read(int(self.headers.get("content-length", 0)))
        self.body: dict[str, Any] = json.loads(sent) if sent else {}
        self.is_reset = False
        self._is_streaming = False

    def wait(self, seconds: float) -> None:
        """Do nothing for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            readable, _, _ = select.select([self._handler.connection], [], [], min(_SLICE_S, left))
            if self._handler.loopback.is_closing or (
                readable and not self._handler.connection.recv(1, socket.MSG_PEEK)
            ):
                raise HungUp
            if readable:  # the next request came early: it does not hang up
                time.sleep(min(_SLICE_S, left))

    def send(self, status: int, content: Mapping[str, Any] | str) -> None:
        """Answer with an object, or with plain text."""
        kind = "text/plain" if isinstance(content, str) else "application/json"
        data = (content if isinstance(content, str) else json.dumps(content)).encode()
        self._handler.send_response(status)
        self._handler.send_header("Content-Type", f"{kind}; charset=utf-8")
        self._handler.send_header("Content-Length", str(len(data)))
        self._handler.end_headers()
        self._handler.wfile.write(data)

    def redirect(self, status: int, location: str) -> None:
        """Send the caller to another address."""
        self._handler.send_response(status)
        self._handler.send_header("Location", location)
        self._handler.send_header("Content-Length", "0")
        self._handler.end_headers()

    def stream(self, data: bytes, content_type: str = "application/x-ndjson") -> None:
        """Send a piece of an answer of unknown length."""
        if not self._is_streaming:
            self._is_streaming = True
            self._handler.send_response(200)
            self._handler.send_header("Content-Type", content_type)
            self._handler.send_header("Transfer-Encoding", "chunked")
            self._handler.end_headers()
        self._handler.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

    def finish(self) -> None:
        """End a streamed answer."""
        if self._is_streaming:
            self._handler.wfile.write(b"0\r\n\r\n")

    def reset(self) -> None:
        """Break the connection off, in the middle of an answer or before."""
        self.is_reset = True
        raise HungUp


class LoopbackServer:
    """A server on a free port of 127.0.0.1 while its context is open; `answer` says what it does.

    Attributes:
        calls: Requests so far, as (path, body).
        hung_up: Answers that nobody waited for to the end.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.hung_up = 0
        self.is_closing = False
        self._listener = _Listener(self)
        self._thread = threading.Thread(
            target=self._listener.serve_forever, args=(_SLICE_S,), name="loopback", daemon=True
        )

    @property
    def url(self) -> str:
        """Return its address, without a slash at the end."""
        return f"http://127.0.0.1:{self._listener.server_address[1]}"

    def answer(self, call: Call) -> None:
        """Answer one request, in a thread of its own."""
        call.send(404, {"error": f"there is no {call.path}"})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.is_closing = True
        self._listener.shutdown()
        self._thread.join()
        self._listener.hang_up()
        self._listener.server_close()


class _Listener(socketserver.ThreadingTCPServer):
    """Answers each connection in a thread, and ends them all when it is closed."""

    allow_reuse_address = True
    request_queue_size = 64
    daemon_threads = False  # so that server_close waits for them

    def __init__(self, loopback: LoopbackServer) -> None:
        self.loopback = loopback
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End the connections that are open, so that their threads end."""
        with self._lock:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:  # the other side was first
                    continue


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def loopback(self) -> LoopbackServer:
        listener = self.server
        assert isinstance(listener, _Listener)
        return listener.loopback

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:  # while it waited for a request
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def _answer(self) -> None:
        try:
            call = Call(self)
        except ValueError:
            self.send_error(400)
            return
        self.loopback.calls.append((call.path, call.body))
        try:
            self.loopback.answer(call)
        except (HungUp, ConnectionError):
            self.loopback.hung_up += not call.is_reset
            self.close_connection = True
