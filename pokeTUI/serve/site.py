"""Serve HTTP on this machine to whoever has the token: what the terminal and the figures share."""

import asyncio
import logging
import mimetypes
import socket
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from pathlib import Path

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from pokeTUI.serve.connections import (
    BACKLOG,
    COOKIE,
    HOST,
    Connections,
    Guard,
    Limits,
    is_own_host,
    is_own_origin,
    is_same,
    security_headers,
)

SHUTDOWN_S = 5.0
PAGE = Path(__file__).with_name("page")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Site(ABC):
    """Answer requests that show the token, or the cookie that the first page brings.

    Args:
        guard: The secrets.
        limits: How long and how often; None: what this process may.
        complain: Told in a line what went wrong here.
    """

    is_terminal = False
    """Its page is xterm.js, which needs a weaker policy."""
    remedy = ""
    """What to do where the token is missing."""

    def __init__(
        self, guard: Guard, limits: Limits | None, complain: Callable[[str], None]
    ) -> None:
        self.guard = guard
        self.limits = limits or Limits.of_this_process()
        self.connections = Connections(self.limits)
        self._complain = complain

    @abstractmethod
    def routes(self) -> list[web.RouteDef]:
        """Return what is served."""

    @abstractmethod
    async def close_all(self, application: web.Application) -> None:
        """End the answers that do not end by themselves: the server shuts down."""

    def is_allowed(self, request: web.Request) -> bool:
        """Return whether a request may be answered: the first page by the token, all by the key."""
        if request.path == "/":
            return is_same(request.query.get("token", ""), self.guard.token)
        return is_same(request.cookies.get(COOKIE, ""), self.guard.key)

    async def run(self, listener: socket.socket, stop: asyncio.Event) -> None:
        """Serve until `stop` is set; then no connection is left."""
        logger = logging.Logger("pokeTUI.serve")
        logger.addHandler(_Complaints(self._complain))
        runner = web.AppRunner(
            self._application(),
            access_log=None,
            logger=logger,
            keepalive_timeout=self.limits.idle_s,
            shutdown_timeout=SHUTDOWN_S,
            handle_signals=False,
        )
        await runner.setup()
        make = runner.server
        assert make is not None
        server: asyncio.Server | None = None
        try:
            server = await asyncio.get_running_loop().create_server(
                lambda: self.connections.open(make()), sock=listener, backlog=BACKLOG
            )
            await stop.wait()
        finally:
            if server is not None:
                server.close()
            await runner.cleanup()

    def _application(self) -> web.Application:
        application = web.Application(middlewares=[self._check])
        application.on_response_prepare.append(self._add_headers)
        application.on_shutdown.append(self.close_all)
        application.add_routes(self.routes())
        return application

    @web.middleware
    async def _check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        self.connections.hear(request.transport)
        host = request.headers.get("Host", "")
        if not is_own_host(host):
            raise web.HTTPMisdirectedRequest(text="This server only answers on 127.0.0.1.")
        origin = request.headers.get("Origin")
        if origin is not None and not is_own_origin(origin, host):
            raise web.HTTPForbidden(text="Cross-origin requests are not allowed.")
        if not self.is_allowed(request):
            raise web.HTTPForbidden(text=f"The address is incomplete. {self.remedy}")
        self.connections.trust(request.transport)
        return await handler(request)

    async def _add_headers(self, request: web.Request, response: web.StreamResponse) -> None:
        host = request.headers.get("Host", "")
        own = host if is_own_host(host) else HOST
        response.headers.update(security_headers(own, is_terminal=self.is_terminal))
        response.headers["Server"] = "poketui"

    @abstractmethod
    async def show_page(self, request: web.Request) -> web.Response:
        """Return the page."""

    async def first_page(self, request: web.Request) -> web.Response:
        """Return the page with the cookie by which all else is asked for."""
        response = await self.show_page(request)
        response.set_cookie(
            COOKIE, self.guard.key, path=self.guard.path, httponly=True, samesite="Strict"
        )
        return response


def read_files(folder: Path, name: str) -> dict[str, bytes]:
    """Return the files of a folder by path, under `name`.

    They are kept in memory: no number of requests opens more files.
    """
    return {
        f"{name}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def file_response(files: dict[str, bytes], name: str) -> web.Response:
    """Return a file as an answer."""
    if name not in files:
        raise web.HTTPNotFound
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return web.Response(body=files[name], content_type=kind)


class _Complaints(logging.Handler):
    """Says in a line what went wrong here; what a peer did wrong was answered, and is no news."""

    def __init__(self, complain: Callable[[str], None]) -> None:
        super().__init__()
        self._complain = complain

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and not isinstance(error, HttpProcessingError):
            self._complain(f"A request failed: {type(error).__name__}: {error}")
