"""Reach a server: past the right proxy, with no more of an answer than fits, and say why not.

Both generations of the HTTP library that clients of language models use, httpx and httpx2, take
their connections from here.
"""

import importlib.util
import os
import re
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from engine.errors import ConfigurationError, LLMConnectionError
from engine.ground.trust import is_loopback
from engine.planning.models.backends.base import redacted

LINES, EVENTS = (b"\n",), (b"\n\n", b"\r\r", b"\n\r\n")
"""What ends a piece of an answer that is streamed: one of Ollama's, one of the others'."""
MOST_BYTES = 4 << 20
_LONGEST_LINE = 1 << 20
_LONGEST_EVENT = 64 << 10
"""Less: Anthropic's client copies all it has of an event with each line of it."""
_LONGEST_ERROR = 64 << 10
_LONGEST_END = 3
_PROXY_SCHEMES = {"http": "", "https": "", "socks5": "socksio", "socks5h": "socksio"}
"""Scheme -> package that it needs."""
_PROXY_REMEDY = "Correct or unset it, or name the server's host in NO_PROXY."
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_NAMED = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Route:
    """The way to a server.

    Attributes:
        is_secure: A certificate is checked on it.
        proxy: The address of the proxy between, "" without one.
        origin: What names the proxy, to show: "HTTPS_PROXY=http://host:3128".
    """

    is_secure: bool
    proxy: str = ""
    origin: str = ""


def route_to(address: str) -> Route:
    """Return the way to a server, by what the environment says; to this machine it is direct.

    Raises:
        ConfigurationError: A variable names no proxy or certificates that can be used.
    """
    proxy, origin = proxy_for(address)
    if proxy:
        _check_proxy(proxy, origin)
    is_secure = "https" in (urlsplit(address).scheme, urlsplit(proxy).scheme)
    if is_secure:
        _certificates()
    return Route(is_secure, proxy, origin)


def proxy_for(address: str) -> tuple[str, str]:
    """Return the proxy that the environment names for an address, and how; "" twice for none."""
    parts = urlsplit(address)
    host, proxies = parts.hostname or "", getproxies()
    kind = next((kind for kind in (parts.scheme, "all") if proxies.get(kind)), "")
    if not kind or _is_here(host) or proxy_bypass(host):
        return "", ""
    value = proxies[kind]
    names = [name for name in sorted(os.environ, reverse=True) if name.lower() == f"{kind}_proxy"]
    name = next((name for name in names if os.environ[name] == value), "the system's proxy")
    return value if "://" in value else f"http://{value}", f"{name}={_shown(value)}"


class BoundedTransport:
    """A transport of httpx or httpx2, given as `library`, that bounds all it receives.

    An answer is bounded as a whole, and in the pieces that `ends` end while it is streamed; so
    are headers, by the library. It is asked for uncompressed. Of an error's page the beginning
    will do. What fails is raised as LLMConnectionError, `server` being what it is called there.

    Args:
        remedy: What to do where nobody or something else answers.
        most_bytes: Of an answer.
        secret: Is in no message.

    Raises:
        LLMConnectionError: The certificates or the proxy of `route` cannot be used.
    """

    def __init__(
        self,
        library: Any,
        route: Route,
        server: str,
        remedy: str,
        *,
        ends: tuple[bytes, ...],
        most_bytes: float = MOST_BYTES,
        secret: str = "",
    ) -> None:
        self._library = library
        self._route = route
        self._server = server
        self._remedy = remedy
        self._ends = ends
        self._most_bytes = most_bytes
        self._secret = secret
        self._body: Any = type("Body", (_Body, library.AsyncByteStream), {})
        # Servers close connections that are idle, some as the next question is on its way. What a
        # new one costs is nothing beside an answer.
        limits = library.Limits(max_keepalive_connections=0)
        verify = _context(library, route)
        try:
            self._inner = library.AsyncHTTPTransport(
                verify=verify, limits=limits, proxy=route.proxy or None
            )
        except (ImportError, ValueError, library.InvalidURL) as error:
            raise LLMConnectionError(
                f"{route.origin} cannot be used: {redacted(error).rstrip('.')}.",
                "Correct or unset it.",
            ) from None

    async def handle_async_request(self, request: Any) -> Any:
        """Send a request, and return a response whose body is bounded; called by the client."""
        request.headers["Accept-Encoding"] = "identity"
        timeout_s = request.extensions.get("timeout", {}).get("connect")
        with self._failures(timeout_s):
            response = await self._inner.handle_async_request(request)
        bounds = self._bounds(request, response)
        response.stream = self._body(response.stream, bounds, self._failures)
        if refused := self._refused(response):
            await response.stream.aclose()
            raise refused
        return response

    async def aclose(self) -> None:
        """Close all connections; called by the client."""
        await self._inner.aclose()

    def _bounds(self, request: Any, response: Any) -> "_Bounds":
        if response.status_code >= 400:
            if _is_compressed(response):
                del response.headers["Content-Encoding"]
                return _Bounds(0, is_error=True)
            return _Bounds(_LONGEST_ERROR, is_error=True)
        if request.method == "GET":  # a list of models is one line
            return _Bounds(self._most_bytes)
        longest = _LONGEST_LINE if self._ends == LINES else _LONGEST_EVENT
        return _Bounds(self._most_bytes, longest, self._ends)

    def _refused(self, response: Any) -> LLMConnectionError | None:
        """Return what is wrong with an answer that has only begun."""
        if response.status_code == 407 and self._route.proxy:
            return LLMConnectionError(
                f"{self._route.origin} wants a user name and a password.", _PROXY_REMEDY
            )
        if response.status_code >= 300:
            return None
        if response.headers.get("Content-Type", "").lower().startswith("text/html"):
            return self._wrong("sent a web page: something else answers at this address")
        if _is_compressed(response):
            return self._wrong("sent a compressed answer, which it was asked not to")
        return None

    @contextmanager
    def _failures(self, timeout_s: float | None = None) -> Iterator[None]:
        """Turn a connection's exceptions into LLMConnectionError, with a remedy."""
        http = self._library
        try:
            yield
        except _TooLong as error:
            raise self._wrong(f"sent {error}") from None
        except http.ProxyError as error:
            raise LLMConnectionError(
                f"{self._route.origin} refuses to connect: {redacted(error, self._secret)}.",
                _PROXY_REMEDY,
            ) from None
        except http.TimeoutException:
            within = f"within {timeout_s:g} s" if timeout_s else "in time"
            raise self._unreachable(
                f"did not accept a connection {within} (it may be busy)"
            ) from None
        except http.ConnectError as error:
            raise self._unconnected(error) from None
        except http.RemoteProtocolError as error:
            said = redacted(error, self._secret).rstrip(".")
            if "without sending" in said:
                raise self._lost("closed the connection without an HTTP answer") from None
            if "closed" in said:
                raise self._lost(f"closed the connection: {said}") from None
            raise self._wrong(f"does not speak HTTP: {said}") from None
        except (http.TransportError, http.InvalidURL, OSError) as error:
            raise self._lost(f"closed the connection ({type(error).__name__})") from None

    def _unconnected(self, error: BaseException) -> LLMConnectionError:
        causes = list(_causes(error))
        for cause in causes:
            if isinstance(cause, ssl.SSLCertVerificationError):
                return LLMConnectionError(
                    f"{self._server} has a certificate that is not accepted: "
                    f"{redacted(cause.verify_message)}.",
                    f"Certificates are taken from {_certificates() or 'those installed here'}.",
                )
            if isinstance(cause, ssl.SSLError):
                return LLMConnectionError(
                    f"{self._server} does not speak TLS ({redacted(cause.reason)}).",
                    "If it has no https, use an address that begins with http://.",
                )
        for cause in causes:
            if isinstance(cause, socket.gaierror):
                return self._unreachable("cannot be reached: no such host (DNS)")
            if isinstance(cause, ConnectionRefusedError):
                return self._unreachable("cannot be reached: connection refused")
        reasons = (cause.strerror for cause in causes if isinstance(cause, OSError))
        reason = next(filter(None, reasons), "") or redacted(error, self._secret)
        return self._unreachable(f"cannot be reached: {reason[:1].lower()}{reason[1:]}")

    def _unreachable(self, what: str) -> LLMConnectionError:
        """Return the error for a connection that was not made: to the proxy, if there is one."""
        if self._route.proxy:
            return LLMConnectionError(f"{self._route.origin} {what}.", _PROXY_REMEDY)
        return self._lost(what)

    def _lost(self, what: str) -> LLMConnectionError:
        return LLMConnectionError(f"{self._server} {what}.", self._remedy)

    def _wrong(self, what: str) -> LLMConnectionError:
        return LLMConnectionError(f"{self._server} {what}.", "Check the address and the server.")


class _TooLong(Exception):  # noqa: N818 (it is told in the server's name)
    """More was sent than is taken."""


@dataclass(slots=True)
class _Bounds:
    """Counts what is received.

    Attributes:
        most: Bytes of all.
        longest: Bytes until the next of `ends`.
        is_error: The beginning will do: the rest is left, and nothing raised.
    """

    most: float
    longest: float = float("inf")
    ends: tuple[bytes, ...] = ()
    is_error: bool = False
    _received: int = field(default=0, init=False)
    _unended: int = field(default=0, init=False)
    _last: bytes = field(default=b"", init=False)

    def take(self, data: bytes) -> bytes:
        """Return what of some more bytes is passed on.

        Raises:
            _TooLong: It is too much.
        """
        self._received += len(data)
        if self.is_error:
            return data[: max(0, int(self.most) - self._received + len(data))]
        joined = self._last + data
        end = max((joined.rfind(one) for one in self.ends), default=-1)
        self._unended = self._unended + len(data) if end < 0 else len(joined) - end
        self._last = joined[-_LONGEST_END:]
        if self._received > self.most:
            raise _TooLong(f"more than {_shown_size(self.most)}")
        if self._unended > self.longest:
            kind = "line" if self.ends == LINES else "event"
            raise _TooLong(f"more than {_shown_size(self.longest)} in one {kind}")
        return data

    @property
    def is_full(self) -> bool:
        return self.is_error and self._received >= self.most


class _Body:
    """A response's body, counted; a library's `AsyncByteStream` is added to its bases."""

    def __init__(self, stream: Any, bounds: _Bounds, failures: Any) -> None:
        self._stream = stream
        self._bounds = bounds
        self._failures = failures

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._bounds.is_full:
            return
        with self._failures():
            async for data in self._stream:
                yield self._bounds.take(data)
                if self._bounds.is_full:
                    return

    async def aclose(self) -> None:
        await self._stream.aclose()


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and all that it was raised from."""
    seen: list[BaseException] = [error]
    for one in seen:
        yield one
        more = [one.__cause__, one.__context__]
        more += one.exceptions if isinstance(one, BaseExceptionGroup) else ()
        seen += [other for other in more if other is not None and other not in seen]


def _is_here(host: str) -> bool:
    """Return whether a host can only be this machine, by whatever name."""
    name = host.lower().rstrip(".")
    return is_loopback(name) or name.endswith(".localhost") or name in ("", "0.0.0.0", "::")


def _check_proxy(address: str, origin: str) -> None:
    try:
        parts = urlsplit(address)
        is_good = bool(parts.hostname) and parts.port != 0 and parts.scheme in _PROXY_SCHEMES
        is_good = is_good and parts.path in ("", "/")
    except ValueError:  # the port, or a bracket
        is_good = False
    if not is_good or not address.isprintable() or any(c.isspace() for c in address):
        raise ConfigurationError(
            f"{origin} is not a proxy's address.",
            "Use http://HOST:PORT or socks5://HOST:PORT, or unset it.",
        )
    package = _PROXY_SCHEMES[parts.scheme]
    if package and importlib.util.find_spec(package) is None:
        raise ConfigurationError(
            f"{origin} needs the package {package}, which is not installed.",
            f"Install it: pip install {package}, or unset {origin.partition('=')[0]}.",
        )


def _shown(value: str) -> str:
    """Return a variable's value without a user name, a password or a query."""
    scheme = _NAMED.match(value)
    named = scheme[0] if scheme else ""
    return redacted(named + value[len(named) :].rpartition("@")[2].partition("?")[0])


def _certificates() -> str:
    """Return the variable that names certificates, and its value; "" without one.

    Raises:
        ConfigurationError: There are none.
    """
    variable = next((name for name in _CERTIFICATES if os.environ.get(name)), "")
    if not variable:
        return ""
    path = Path(os.environ[variable])
    shown = f"{variable}={path}"
    is_file = variable == _CERTIFICATES[0]
    if not (path.is_file() if is_file else path.is_dir()):
        kind = "file" if is_file else "folder"
        what = f"is not a {kind}" if path.exists() else "does not exist"
        raise ConfigurationError(f"{shown} {what}.", f"Correct or unset {variable}.")
    return shown


def _context(library: Any, route: Route) -> ssl.SSLContext:
    """Return what certificates are checked by; reading them takes long, and may not be needed."""
    if not route.is_secure:
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    named = _certificates()
    try:
        context: ssl.SSLContext = library.create_ssl_context()
        return context
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or redacted(error)
        raise LLMConnectionError(
            f"{named or 'The system'} has no certificates that can be read: {reason}.",
            "Correct or unset it." if named else "Set SSL_CERT_FILE to a file of certificates.",
        ) from None


def _is_compressed(response: Any) -> bool:
    return response.headers.get("Content-Encoding", "").strip().lower() not in ("", "identity")


def _shown_size(size: float) -> str:
    return f"{size / (1 << 20):g} MiB" if size >= 1 << 20 else f"{size / (1 << 10):g} KiB"
