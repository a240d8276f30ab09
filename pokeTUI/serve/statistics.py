"""Serve a run's figures: a page, its picture, and JSON, which also comes live."""

import asyncio
import contextlib
import socket
from collections.abc import Callable

from aiohttp import web

from engine.ground.numerals import parse_whole
from engine.types import Frame
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.graphics import png
from pokeTUI.serve.connections import Guard, Limits, is_same
from pokeTUI.serve.figures import (
    MOST_POINTS,
    as_json,
    history_figures,
    state_figures,
    stats_figures,
)
from pokeTUI.serve.site import PAGE, Site, file_response, read_files

INTERVAL_S = 0.5
"""Between two updates, while somebody follows the run."""
_HEARTBEAT_S = 15.0
_WATCHED_S = 10.0
"""How long after the last request the game is still drawn."""
_FRAME_WAIT_S = 3.0
_POINTS = 300


class StatisticsSite(Site):
    """Serve what the cockpit shows to the browsers and scripts of whoever has the token.

    Args:
        guard: The secrets.
        source: Returns the state as it is now; called in the thread that serves.
        watch: Called with whether somebody looks, when that changes: the game is drawn, or not.
        complain: Told in a line what went wrong here.
        limits: How long and how often; None: what this process may.
    """

    remedy = (
        "Open the one that `poketui run --web` printed, including its token; "
        "scripts send it as `Authorization: Bearer TOKEN`."
    )

    def __init__(
        self,
        guard: Guard,
        source: Callable[[], DashboardState],
        watch: Callable[[bool], None],
        complain: Callable[[str], None],
        limits: Limits | None = None,
    ) -> None:
        super().__init__(guard, limits, complain)
        self._source = source
        self._watch = watch
        self._files = read_files(PAGE, "page")
        self._streams = 0
        self._is_watched = False
        self._asked_s = -_WATCHED_S
        self._is_closing = False
        self._frame: Frame | None = None
        self._number = 0
        self._picture: tuple[int, bytes] = (0, b"")
        self._shown: tuple[DashboardState | None, str] = (None, "")
        self._news = asyncio.Condition()

    def routes(self) -> list[web.RouteDef]:
        """Return the page and what it asks for; scripts ask for the same without the path."""
        path = self.guard.path
        found = [
            web.get("/", self.first_page),
            web.get(f"{path}/", self.show_page),
            web.get(f"{path}/page/{{name:statistics[.][a-z.]+}}", self._show_file),
        ]
        for name, handler in (
            ("screenshot.png", self._show_screenshot),
            ("api/state", self._show_state),
            ("api/stats", self._show_stats),
            ("api/history", self._show_history),
            ("api/events", self._follow),
        ):
            found += [web.get(f"{place}/{name}", handler, allow_head=False) for place in ("", path)]
        return found

    def is_allowed(self, request: web.Request) -> bool:
        """Return whether a request may be answered: by the token too, as scripts show it."""
        kind, _, bearer = request.headers.get("Authorization", "").partition(" ")
        given = bearer.strip() if kind.lower() == "bearer" else request.query.get("token", "")
        is_page = request.path.startswith(f"{self.guard.path}/")
        return is_same(given, self.guard.token) or (is_page and super().is_allowed(request))

    async def run(self, listener: socket.socket, stop: asyncio.Event) -> None:
        """Serve until `stop` is set, and tell those who follow what is new."""
        publishing = asyncio.create_task(self._publish())
        publishing.add_done_callback(lambda _: stop.set())
        try:
            await super().run(listener, stop)
        finally:
            publishing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await publishing

    async def close_all(self, application: web.Application) -> None:
        """Send those who follow the last state, and end."""
        self._is_closing = True
        await self._spread()

    # Pages

    async def show_page(self, request: web.Request) -> web.Response:
        """Return the page."""
        text = self._files["page/statistics.html"].decode().replace("$path", self.guard.path)
        return web.Response(text=text, content_type="text/html")

    async def _show_file(self, request: web.Request) -> web.Response:
        return file_response(self._files, f"page/{request.match_info['name']}")

    # Figures

    async def _show_screenshot(self, request: web.Request) -> web.Response:
        old = None if self._is_watched else self._source().frame
        self._ask()
        with contextlib.suppress(TimeoutError):  # a run that is paused shows its last one
            async with asyncio.timeout(_FRAME_WAIT_S):
                while self._source().frame is old:
                    await asyncio.sleep(INTERVAL_S / 5)
        number = self._number_of(self._source().frame)
        frame = self._frame
        if frame is None:
            raise web.HTTPNotFound(text="There is no picture yet.")
        if self._picture[0] != number:
            self._picture = number, png(frame)
        return web.Response(body=self._picture[1], content_type="image/png")

    async def _show_state(self, request: web.Request) -> web.Response:
        self._ask()
        state = self._source()
        return _json(state_figures(state, self._number_of(state.frame)))

    async def _show_stats(self, request: web.Request) -> web.Response:
        return _json(stats_figures(self._source()))

    async def _show_history(self, request: web.Request) -> web.Response:
        asked = request.query.get("points", str(_POINTS))
        try:
            most = parse_whole(asked, 2, MOST_POINTS)
        except ValueError:
            raise web.HTTPBadRequest(text=f"points: a number from 2 to {MOST_POINTS}.") from None
        return _json(history_figures(self._source(), most))

    async def _follow(self, request: web.Request) -> web.StreamResponse:
        """Send the state now and whenever it is another; a slow peer gets fewer of them."""
        if self._streams >= self.limits.viewers:
            raise web.HTTPServiceUnavailable(
                text=f"{self.limits.viewers} pages are already open. Close one first."
            )
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        self._streams += 1
        try:
            self._ask()
            await response.prepare(request)
            text = self._update()
            with contextlib.suppress(ConnectionError):
                while text:
                    # Each answer must be taken in time; the next one sets the time anew.
                    self.connections.limit(request.transport, self.limits.answer_s)
                    await response.write(f"event: update\ndata: {text}\n\n".encode())
                    text = await self._next(text)
        finally:
            self._streams -= 1
            self._ask()
        return response

    async def _next(self, sent: str) -> str:
        """Return what to send after `sent`, the same where nothing is new for long; "": the end."""
        async with self._news:
            if self._shown[1] is sent and not self._is_closing:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_HEARTBEAT_S):
                        await self._news.wait()
            return "" if self._is_closing and self._shown[1] is sent else self._shown[1]

    async def _publish(self) -> None:
        while True:
            self._look()
            if self._streams:
                await self._spread()
            await asyncio.sleep(INTERVAL_S)

    async def _spread(self) -> None:
        before = self._shown[0]
        self._update()
        if self._shown[0] is not before or self._is_closing:
            async with self._news:
                self._news.notify_all()

    def _update(self) -> str:
        """Return the state as it is now for those who follow, made once for all of them."""
        state = self._source()
        if state is not self._shown[0]:
            figures = state_figures(state, self._number_of(state.frame))
            self._shown = state, as_json({"state": figures, "stats": stats_figures(state)})
        return self._shown[1]

    # Who looks

    def _ask(self) -> None:
        self._asked_s = asyncio.get_running_loop().time()
        self._look()

    def _look(self) -> None:
        """Have the game drawn while somebody looks: it costs the training time."""
        since_s = asyncio.get_running_loop().time() - self._asked_s
        is_watched = bool(self._streams) or since_s < _WATCHED_S
        if is_watched != self._is_watched:
            self._is_watched = is_watched
            self._watch(is_watched)

    def _number_of(self, frame: Frame | None) -> int:
        """Return the number of a frame, counted from 1; 0 for none."""
        if frame is not None and frame is not self._frame:
            self._number += 1
        self._frame = frame if frame is not None else self._frame
        return self._number if self._frame is not None else 0


def _json(values: dict[str, object]) -> web.Response:
    return web.Response(text=as_json(values), content_type="application/json")
