"""Show a Textual program in browsers on this machine: one page, one websocket, one process each.

The terminal in the page and the protocol between are textual-serve's. Its own server has no token,
asks for fonts elsewhere and cannot be bound to a process that ends when it does.
"""

import asyncio
import contextlib
import html
import importlib.util
import json
import logging
import mimetypes
import secrets
import signal
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from string import Template

from aiohttp import WSCloseCode, WSMsgType, web
from aiohttp.http_exceptions import HttpProcessingError

from engine.errors import ConfigurationError
from pokeTUI.printing import complain
from pokeTUI.serve.connections import BACKLOG, Connections, Limits
from pokeTUI.serve.guard import COOKIE, Guard, is_own_host, is_own_origin, is_same, security_headers
from pokeTUI.serve.viewer import Viewer, bounded

HOST = "127.0.0.1"
_PAGE = Path(__file__).with_name("page")
_LARGEST_MESSAGE = 256 * 1024
_KEPT_ENDS = 64
_SHUTDOWN_S = 5.0
_ENDED = "The viewer has ended."


@dataclass(frozen=True, slots=True)
class Program:
    """What is shown.

    Attributes:
        command: A module and its arguments; this Python runs it.
        opening: What the page says until there is something to see.
    """

    command: tuple[str, ...]
    title: str
    opening: str


class BrowserServer:
    """Serve a program to the browsers of whoever has the token.

    Args:
        limits: How long and how often; None: what this process may.
    """

    def __init__(self, program: Program, limits: Limits | None = None) -> None:
        self.guard = Guard()
        self._program = program
        self._limits = limits or Limits.of_this_process()
        self._connections = Connections(self._limits)
        self._page = Template((_PAGE / "index.html").read_text(encoding="utf-8"))
        self._files = _read_files()
        self._sockets: dict[web.WebSocketResponse, asyncio.Transport | None] = {}
        self.open_clients = 0
        self._ends: dict[str, str] = {}

    async def run(self, port: int, announce: Callable[[str], None], stop: asyncio.Event) -> None:
        """Serve until `stop` is set; then no process is left.

        Port 0 is any that is free; `announce` is given the address, token included.

        Raises:
            ConfigurationError: The port is not to be had.
        """
        logger = logging.Logger("pokeTUI.serve")
        logger.addHandler(_Complaints())
        runner = web.AppRunner(
            self._application(),
            access_log=None,
            logger=logger,
            keepalive_timeout=self._limits.idle_s,
            shutdown_timeout=_SHUTDOWN_S,
            handle_signals=False,
        )
        await runner.setup()
        make = runner.server
        assert make is not None
        listener: asyncio.Server | None = None
        try:
            loop = asyncio.get_running_loop()
            try:
                listener = await loop.create_server(
                    lambda: self._connections.open(make()), HOST, port, backlog=BACKLOG
                )
            except (OSError, OverflowError) as error:
                reason = getattr(error, "strerror", None) or str(error)
                raise ConfigurationError(
                    f"Cannot listen on {HOST}:{port}: {reason}.",
                    "Choose another one: --port 8081.",
                ) from None
            address = listener.sockets[0].getsockname()
            announce(f"http://{HOST}:{address[1]}/?token={self.guard.token}")
            await stop.wait()
        finally:
            if listener is not None:
                listener.close()
            await runner.cleanup()

    def _application(self) -> web.Application:
        application = web.Application(middlewares=[self._check])
        application.on_response_prepare.append(_add_headers)
        application.on_shutdown.append(self._close_all)
        path = self.guard.path
        application.add_routes(
            [
                web.get("/", self._first_page),
                web.get(f"{path}/", self._show_page),
                web.get(f"{path}/ws/{{client}}", self._serve_client),
                web.get(f"{path}/end/{{client}}", self._say_end),
                web.get(f"{path}/{{name:(?:static|page)/.*}}", self._show_file),
            ]
        )
        return application

    # Who may ask

    @web.middleware
    async def _check(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        self._connections.hear(request.transport)
        host = request.headers.get("Host", "")
        if not is_own_host(host):
            raise web.HTTPMisdirectedRequest(text="This server only answers on 127.0.0.1.")
        origin = request.headers.get("Origin")
        if origin is not None and not is_own_origin(origin, host):
            raise web.HTTPForbidden(text="Cross-origin requests are not allowed.")
        if request.path == "/":
            is_allowed = is_same(request.query.get("token", ""), self.guard.token)
        else:
            is_allowed = is_same(request.cookies.get(COOKIE, ""), self.guard.key)
        if not is_allowed:
            raise web.HTTPForbidden(
                text="The address is incomplete. Open the one that `poketui serve` printed, "
                "including its token."
            )
        self._connections.trust(request.transport)
        return await handler(request)

    # The page

    async def _first_page(self, request: web.Request) -> web.StreamResponse:
        response = await self._show_page(request)
        response.set_cookie(
            COOKIE, self.guard.key, path=self.guard.path, httponly=True, samesite="Strict"
        )
        return response

    async def _show_page(self, request: web.Request) -> web.Response:
        values = {
            "title": self._program.title,
            "opening": self._program.opening,
            "path": self.guard.path,
            "host": request.headers["Host"],
            "client": secrets.token_hex(8),
        }
        escaped = {name: html.escape(value) for name, value in values.items()}
        return web.Response(text=self._page.substitute(escaped), content_type="text/html")

    async def _show_file(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if name.endswith("/"):
            raise web.HTTPForbidden(text="This is a folder.")
        if name not in self._files:
            raise web.HTTPNotFound
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return web.Response(body=self._files[name], content_type=kind)

    async def _say_end(self, request: web.Request) -> web.Response:
        return web.Response(text=self._ends.get(request.match_info["client"], _ENDED))

    # The terminal

    async def _serve_client(self, request: web.Request) -> web.StreamResponse:
        if "Origin" not in request.headers:  # every browser sends it with a websocket
            raise web.HTTPForbidden(text="A WebSocket request needs an Origin header.")
        client = request.match_info["client"]
        most = self._limits.viewers
        if self.open_clients >= most:
            many = f"{most} viewers are" if most > 1 else "1 viewer is"
            self._note_end(client, f"{many} already open. Close one first.")
            raise web.HTTPServiceUnavailable(text="too many viewers")
        self.open_clients += 1
        viewer = Viewer(self._program.command)
        try:
            socket = web.WebSocketResponse(
                heartbeat=self._limits.heartbeat_s,
                timeout=_SHUTDOWN_S,
                max_msg_size=_LARGEST_MESSAGE,
                compress=False,
            )
            await socket.prepare(request)
            transport = self._sockets[socket] = request.transport
            self._connections.limit(transport, None)  # a websocket has a heartbeat
            end = ""
            try:
                await viewer.start(
                    bounded(request.query.get("width"), 80),
                    bounded(request.query.get("height"), 24),
                )
                await _relay(socket, viewer)
            except OSError as error:
                end = f"Cannot start a viewer: {error.strerror or error}. Close another."
            finally:
                del self._sockets[socket]
                await _finish(viewer.end())
                end = end or viewer.last_words().removeprefix("poketui: ") or _ENDED
                self._note_end(client, end)
                # What a peer that does not read has not been sent would keep it here for ever.
                self._connections.limit(transport, _SHUTDOWN_S)
                await socket.close()
        finally:
            self.open_clients -= 1
        return socket

    def _note_end(self, client: str, text: str) -> None:
        self._ends[client] = text
        while len(self._ends) > _KEPT_ENDS:
            del self._ends[next(iter(self._ends))]

    async def _close_all(self, application: web.Application) -> None:
        for transport in self._sockets.values():
            self._connections.limit(transport, _SHUTDOWN_S)
        await asyncio.gather(
            *(socket.close(code=WSCloseCode.GOING_AWAY) for socket in set(self._sockets))
        )


async def serve(program: Program, port: int, announce: Callable[[str], None]) -> None:
    """Serve until SIGINT, SIGTERM or SIGHUP.

    Raises:
        ConfigurationError: The port is not to be had.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    await BrowserServer(program).run(port, announce, stop)


def _read_files() -> dict[str, bytes]:
    """Return the page's files, and textual.js and its fonts: nothing else of its package.

    They are kept in memory: no number of requests opens more files.
    """
    found = importlib.util.find_spec("textual_serve")
    assert found is not None
    assert found.origin is not None
    folders = {"page": _PAGE, "static": Path(found.origin).with_name("static")}
    return {
        f"{name}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for name, folder in folders.items()
        for path in folder.rglob("*")
        if path.is_file()
    }


class _Complaints(logging.Handler):
    """Says in a line what went wrong here; what a peer did wrong was answered, and is no news."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and not isinstance(error, HttpProcessingError):
            complain(f"poketui: A request failed: {type(error).__name__}: {error}")


async def _relay(socket: web.WebSocketResponse, viewer: Viewer) -> None:
    """Carry both ways until either side ends."""
    ways = (
        asyncio.create_task(_to_browser(socket, viewer)),
        asyncio.create_task(_to_viewer(socket, viewer)),
    )
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)


async def _to_browser(socket: web.WebSocketResponse, viewer: Viewer) -> None:
    with contextlib.suppress(ConnectionError):
        async for data in viewer.output():
            await socket.send_bytes(data)


async def _to_viewer(socket: web.WebSocketResponse, viewer: Viewer) -> None:
    """Act on the messages of textual.js; what is none is passed over."""
    async for packet in socket:
        if packet.type is not WSMsgType.TEXT:
            continue
        try:
            message: object = json.loads(packet.data)
        except (ValueError, RecursionError):
            continue
        match message:
            case ["stdin", str(data)]:
                await viewer.press(data)
            case ["resize", {"width": width, "height": height}]:
                size = {"width": bounded(width, 80), "height": bounded(height, 24)}
                await viewer.send_meta(type="resize", **size)
            case ["focus" | "blur" as kind, *_]:
                await viewer.send_meta(type=kind)
            case ["ping", str(data)]:
                await socket.send_json(["pong", data])


async def _finish(work: Coroutine[None, None, None]) -> None:
    """See `work` through even if the handler is cancelled meanwhile."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    host = request.headers.get("Host", "")
    response.headers.update(security_headers(host if is_own_host(host) else HOST))
    response.headers["Server"] = "poketui"
