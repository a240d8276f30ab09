"""Show a Textual program in browsers on this machine: one page, one websocket, one process each.

The terminal in the page and the protocol between are textual-serve's. Its own server has no token,
asks for fonts elsewhere and cannot be bound to a process that ends when it does.
"""

import asyncio
import contextlib
import html
import importlib.util
import json
import os
import secrets
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from aiohttp import WSCloseCode, WSMsgType, web

from engine.ground.numerals import parse_whole
from engine.ground.processes import worker_command, worker_environment
from pokeTUI.serve.connections import Guard, Limits, address_of, listen, stop_on_signals
from pokeTUI.serve.site import PAGE, SHUTDOWN_S, Site, file_response, read_files
from pokeTUI.terminal.printing import complain

# Run one browser's viewer: a process that draws for Textual's web driver, by packets over pipes.
#
# A packet is a letter (D for terminal data, M for JSON, P for what is not used here), its length in
# four bytes, big-endian, and the payload. textual-serve's own class for this runs a shell between,
# and waits for ever for a process that hangs.

_PRELUDE = b"__GANGLION__\n"
_PRELUDE_LINES = 20
_LARGEST_PACKET = 32 * 1024 * 1024
_LAST_WORDS_BYTES = 4096
_QUIT_GRACE_S = 3.0
_SMALLEST, _LARGEST = 4, 1000


class Viewer:
    """The process of one client.

    Args:
        command: A module and its arguments, run by this Python.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: asyncio.subprocess.Process | None = None
        self._errors = bytearray()
        self._error_task: asyncio.Task[None] | None = None

    async def start(self, columns: int, rows: int) -> None:
        """Start the process for a terminal of that size."""
        self._process = await asyncio.create_subprocess_exec(
            *worker_command(*self._command),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=_environment(columns, rows),
            start_new_session=True,  # Ctrl-C is for the server alone
        )
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None
        assert stdout is not None
        assert stderr is not None
        self._stdin, self._stdout = stdin, stdout
        self._error_task = asyncio.create_task(self._read_errors(stderr))

    async def output(self) -> AsyncIterator[bytes]:
        """Yield what the process writes to its terminal, until it ends."""
        stdout = self._stdout
        try:
            for _ in range(_PRELUDE_LINES):
                if await stdout.readline() == _PRELUDE:
                    break
            else:
                return
            while True:
                kind = await stdout.readexactly(1)
                size = int.from_bytes(await stdout.readexactly(4), "big")
                if size > _LARGEST_PACKET:
                    return
                payload = await stdout.readexactly(size)
                if kind == b"D":
                    yield payload
                elif kind == b"M" and _kind(payload) == "exit":
                    return
        except (asyncio.IncompleteReadError, ConnectionResetError, ValueError):
            return

    async def press(self, data: str) -> None:
        """Hand over keys, mouse reports and what else a terminal sends."""
        await self._write(b"D", data.encode("utf-8", "replace"))

    async def send_meta(self, **meta: str | int) -> None:
        """Hand over a message that is not terminal data."""
        await self._write(b"M", json.dumps(meta).encode())

    async def end(self) -> None:
        """End the process: ask, then kill, as nothing can be lost; back when it is gone."""
        process = self._process
        if process is None:
            return
        drain = asyncio.create_task(self._drain())  # or it could not write its farewell
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_QUIT_GRACE_S):
                await self.send_meta(type="quit")
                await process.wait()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # its group: it began a session
        await process.wait()
        drain.cancel()
        if self._error_task is not None:
            await self._error_task

    def last_words(self) -> str:
        """Return the last line that it wrote to standard error, or ""."""
        text = self._errors.decode("utf-8", "replace").strip()
        return "".join(c for c in text.splitlines()[-1] if c.isprintable()).strip() if text else ""

    async def _write(self, kind: bytes, payload: bytes) -> None:
        with contextlib.suppress(ConnectionError, RuntimeError):
            self._stdin.write(kind + len(payload).to_bytes(4, "big") + payload)
            await self._stdin.drain()

    async def _drain(self) -> None:
        while await self._stdout.read(65536):
            pass

    async def _read_errors(self, stderr: asyncio.StreamReader) -> None:
        while data := await stderr.read(4096):
            self._errors += data
            del self._errors[:-_LAST_WORDS_BYTES]


def bounded(value: object, default: int) -> int:
    """Return a number of columns or rows that a browser names, made sane."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = parse_whole(value, 0, 99_999)
    if type(value) is not int:
        return default
    return max(_SMALLEST, min(_LARGEST, value))


def _environment(columns: int, rows: int) -> dict[str, str]:
    return worker_environment(
        TEXTUAL_DRIVER="textual.drivers.web_driver:WebDriver",
        TEXTUAL_COLOR_SYSTEM="truecolor",
        TERM="xterm-256color",
        COLORTERM="truecolor",
        TERM_PROGRAM="textual",
        COLUMNS=str(columns),
        ROWS=str(rows),
    )


def _kind(payload: bytes) -> str:
    meta = json.loads(payload)
    return str(meta.get("type", "")) if isinstance(meta, dict) else ""


_LARGEST_MESSAGE = 256 * 1024
_KEPT_ENDS = 64
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


class BrowserServer(Site):
    """Serve a program to the browsers of whoever has the token.

    Args:
        limits: How long and how often; None: what this process may.
    """

    is_terminal = True
    remedy = "Open the one that `poketui serve` printed, including its token."

    def __init__(self, program: Program, limits: Limits | None = None) -> None:
        super().__init__(Guard(), limits, lambda text: complain(f"poketui: {text}"))
        self._program = program
        self._page = Template((PAGE / "index.html").read_text(encoding="utf-8"))
        self._files = _read_files()
        self._sockets: dict[web.WebSocketResponse, asyncio.Transport | None] = {}
        self.open_clients = 0
        self._ends: dict[str, str] = {}

    def routes(self) -> list[web.RouteDef]:
        """Return the page, its files, and the terminals."""
        path = self.guard.path
        return [
            web.get("/", self.first_page),
            web.get(f"{path}/", self.show_page),
            web.get(f"{path}/ws/{{client}}", self._serve_client),
            web.get(f"{path}/end/{{client}}", self._say_end),
            web.get(f"{path}/{{name:(?:static|page)/.*}}", self._show_file),
        ]

    # The page

    async def show_page(self, request: web.Request) -> web.Response:
        """Return the page."""
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
        return file_response(self._files, name)

    async def _say_end(self, request: web.Request) -> web.Response:
        return web.Response(text=self._ends.get(request.match_info["client"], _ENDED))

    # The terminal

    async def _serve_client(self, request: web.Request) -> web.StreamResponse:
        if "Origin" not in request.headers:  # every browser sends it with a websocket
            raise web.HTTPForbidden(text="A WebSocket request needs an Origin header.")
        client = request.match_info["client"]
        most = self.limits.viewers
        if self.open_clients >= most:
            many = f"{most} viewers are" if most > 1 else "1 viewer is"
            self._note_end(client, f"{many} already open. Close one first.")
            raise web.HTTPServiceUnavailable(text="too many viewers")
        self.open_clients += 1
        viewer = Viewer(self._program.command)
        try:
            socket = web.WebSocketResponse(
                heartbeat=self.limits.heartbeat_s,
                timeout=SHUTDOWN_S,
                max_msg_size=_LARGEST_MESSAGE,
                compress=False,
            )
            await socket.prepare(request)
            transport = self._sockets[socket] = request.transport
            self.connections.limit(transport, None)  # a websocket has a heartbeat
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
                self.connections.limit(transport, SHUTDOWN_S)
                await socket.close()
        finally:
            self.open_clients -= 1
        return socket

    def _note_end(self, client: str, text: str) -> None:
        self._ends[client] = text
        while len(self._ends) > _KEPT_ENDS:
            del self._ends[next(iter(self._ends))]

    async def close_all(self, application: web.Application) -> None:
        """End the terminals."""
        for transport in self._sockets.values():
            self.connections.limit(transport, SHUTDOWN_S)
        await asyncio.gather(
            *(socket.close(code=WSCloseCode.GOING_AWAY) for socket in set(self._sockets))
        )


async def serve(program: Program, port: int, announce: Callable[[str], None]) -> None:
    """Serve until SIGINT, SIGTERM or SIGHUP; `announce` is given the address, token included.

    Raises:
        ConfigurationError: The port is not to be had.
    """
    server = BrowserServer(program)
    with listen(port, "--port") as listener:
        announce(address_of(listener, server.guard))
        await server.run(listener, stop_on_signals())


def _read_files() -> dict[str, bytes]:
    """Return the page's files, and textual.js and its fonts: nothing else of its package."""
    found = importlib.util.find_spec("textual_serve")
    assert found is not None
    assert found.origin is not None
    static = Path(found.origin).with_name("static")
    return read_files(PAGE, "page") | read_files(static, "static")


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
