"""Listen on this machine, decide whose requests are answered, and limit the connections.

aiohttp has no time limit for a request that never becomes whole, nor for an answer that is not
taken, and no limit of connections. Here each connection has a deadline until it is a websocket,
and when there are too many, the oldest one whose peer has not shown the token gives way.
"""

import asyncio
import hmac
import re
import resource
import secrets
import signal
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.errors import ConfigurationError

HOST = "127.0.0.1"
BACKLOG = 16


def listen(port: int, option: str) -> socket.socket:
    """Return a socket that listens on this machine alone; port 0 is any that is free.

    Args:
        port: Where.
        option: What sets it, for the remedy.

    Raises:
        ConfigurationError: The port is not to be had.
    """
    try:
        return socket.create_server((HOST, port), backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigurationError(
            f"Cannot listen on {HOST}:{port}: {reason}.",
            f"Choose another port: {option} {8081 if port != 8081 else 8082}.",
        ) from None


def stop_on_signals() -> asyncio.Event:
    """Return what is set by SIGINT, SIGTERM and SIGHUP."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    return stop


# Decide whose requests are answered: the token's bearer's, from our own page, at our own name.
#
# A page of another site can make a browser send requests here, and a name of its own can be made to
# mean 127.0.0.1. So every request must name this machine, a websocket must come from our own page,
# and everything but the first page needs the cookie that the token brings.

COOKIE = "poketui"
_OWN_HOST = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)


def _secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, slots=True)
class Guard:
    """The secrets of one server, which are written nowhere and end with it.

    Attributes:
        token: What the printed address carries.
        key: What the cookie carries.
        path: Where everything but the first page is, e.g. "/0f3a...". Browsers send a cookie to
            every port of a machine; bound to a path that nobody can guess it stays here.
    """

    token: str = field(default_factory=_secret)
    key: str = field(default_factory=_secret)
    path: str = field(default_factory=lambda: f"/{secrets.token_hex(16)}")


def address_of(listener: socket.socket, guard: Guard) -> str:
    """Return the address that a user is to open, token included."""
    return f"http://{HOST}:{listener.getsockname()[1]}/?token={guard.token}"


def is_own_host(host: str) -> bool:
    """Return whether a Host header names this machine. Any port: a tunnel may have another one."""
    return _OWN_HOST.fullmatch(host) is not None


def is_own_origin(origin: str, host: str) -> bool:
    """Return whether an Origin header is that of a page which came from `host`, the Host header."""
    return is_own_host(host) and origin.lower() == f"http://{host}".lower()


def security_headers(host: str, *, is_terminal: bool) -> Mapping[str, str]:
    """Return what every answer carries: nothing from elsewhere, in nobody's frame, stored nowhere.

    Args:
        host: The Host header, known to be one of ours.
        is_terminal: The page is xterm.js, which makes style elements and attributes; its terminal
            comes by a websocket, which not every browser takes 'self' to mean.
    """
    policy = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self' 'unsafe-inline'" if is_terminal else "'self'",
        "font-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": f"'self' ws://{host}" if is_terminal else "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
    }


def is_same(given: str, secret: str) -> bool:
    """Return whether `given` is the secret, in a time that says nothing about it."""
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), secret.encode())


_MOST_CONNECTIONS, _MOST_VIEWERS = 128, 8
_FILES_OF_A_VIEWER = 6
"""A websocket, three pipes, what watches the process, one to spare."""
_FILES_OF_OURS = 48
"""The server's own, the package's, and connections that are accepted before they are counted."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a peer may do nothing, in seconds, and how many there may be.

    Attributes:
        request_s: Until the first request is whole.
        answer_s: From a request until the next one is whole, the answer's way included.
        idle_s: Between two requests while nothing is sent.
        heartbeat_s: How often a websocket's peer must answer.
        connections: How many there may be besides websockets.
        viewers: How many websockets.
    """

    request_s: float = 10.0
    answer_s: float = 120.0
    idle_s: float = 30.0
    heartbeat_s: float = 20.0
    connections: int = _MOST_CONNECTIONS
    viewers: int = _MOST_VIEWERS

    @classmethod
    def of_this_process(cls) -> "Limits":
        """Return those that the number of files which this process may open allows."""
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if files == resource.RLIM_INFINITY:
            return cls()
        free = max(0, files - _FILES_OF_OURS)
        viewers = max(1, min(_MOST_VIEWERS, free // 2 // _FILES_OF_A_VIEWER))
        rest = free - viewers * _FILES_OF_A_VIEWER
        return cls(viewers=viewers, connections=max(4, min(_MOST_CONNECTIONS, rest // 2)))


class Connections:
    """Make the protocols of a server's connections, and end those that are in the way."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: dict[asyncio.BaseTransport, _Connection] = {}

    def __len__(self) -> int:
        return len(self._open)

    def open(self, inner: asyncio.Protocol) -> asyncio.Protocol:
        """Return the protocol of a connection that was just accepted; `inner` speaks HTTP."""
        return _Connection(inner, self)

    def hear(self, transport: asyncio.BaseTransport | None) -> None:
        """Note that a request came whole."""
        found = self._of(transport)
        if found is not None:
            found.has_asked = True
            found.expect(self._limits.answer_s)

    def trust(self, transport: asyncio.BaseTransport | None) -> None:
        """Note that a request showed the token, or the cookie that the token brings."""
        found = self._of(transport)
        if found is not None:
            found.is_trusted = True

    def limit(self, transport: asyncio.BaseTransport | None, seconds: float | None) -> None:
        """End a connection after `seconds`, whatever it has still to be sent; None: never."""
        found = self._of(transport)
        if found is not None:
            found.expect(seconds)

    def _of(self, transport: asyncio.BaseTransport | None) -> "_Connection | None":
        return self._open.get(transport) if transport is not None else None

    def add(self, connection: "_Connection", transport: asyncio.Transport) -> None:
        """Add a connection; if there are too many, end the oldest that has not shown the token."""
        self._open[transport] = connection
        connection.expect(self._limits.request_s)
        if len(self._open) > self._limits.connections + self._limits.viewers:
            oldest = next(one for one in self._open.values() if not one.is_trusted)
            oldest.refuse("503 Service Unavailable", "There are too many connections. Try again.")

    def remove(self, transport: asyncio.BaseTransport | None) -> None:
        """Forget a connection that was lost."""
        if transport is not None:
            self._open.pop(transport, None)


class _Connection(asyncio.Protocol):
    """One connection: passes everything on to the protocol that speaks HTTP.

    Attributes:
        is_trusted: Its peer has shown the token.
        has_asked: A request came whole.
    """

    def __init__(self, inner: asyncio.Protocol, connections: Connections) -> None:
        self.is_trusted = self.has_asked = False
        self._inner = inner
        self._connections = connections
        self._transport: asyncio.Transport | None = None
        self._deadline: asyncio.TimerHandle | None = None

    def expect(self, seconds: float | None) -> None:
        """Set the time after which the connection ends; None: it has none."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if seconds is not None and self._transport is not None:
            loop = asyncio.get_running_loop()
            self._deadline = loop.call_later(
                seconds, self.refuse, "408 Request Timeout", "The request took too long."
            )

    def refuse(self, status: str, text: str) -> None:
        """End the connection; say why where that cannot fall into the midst of an answer."""
        transport = self._transport
        if transport is None:
            return
        if not self.has_asked:
            body = f"{text}\n".encode()
            head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nConnection: close\r\n"
            transport.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            transport.close()  # so few bytes need no peer that reads
        if self.has_asked or transport.get_write_buffer_size():
            transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._inner.connection_made(transport)
        self._connections.add(self, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.expect(None)
        self._connections.remove(self._transport)
        self._transport = None
        self._inner.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received()

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()
