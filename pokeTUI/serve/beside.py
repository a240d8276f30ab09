"""Serve the statistics page of a run of this process, from a thread beside it."""

import asyncio
import importlib.util
import socket
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from types import TracebackType

from engine.commands import PauseRendering, Watch
from engine.errors import ConfigurationError
from engine.events import WarningRaised
from engine.session import EngineSession
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.serve.guard import Guard

_CLOSE_S = 10.0


def listen_for_page(port: int, option: str = "--web-port") -> socket.socket:
    """Return what listens for browsers, before anything is begun that takes time.

    `option` sets the port.

    Raises:
        ConfigurationError: The port is not to be had, or a package is missing.
    """
    if importlib.util.find_spec("aiohttp") is None:
        raise ConfigurationError(
            "The statistics page needs the package aiohttp, which is not installed.",
            "Install it: pip install 'poketui[web]'.",
        )
    from pokeTUI.serve.site import listen

    return listen(port, option)


class RunPage(AbstractContextManager["RunPage"]):
    """The page of one session, between entering and leaving it.

    Args:
        listener: From `listen_for_page`.
        session: The run.
        draws: Have the watched game drawn while somebody looks: nobody else wants its pictures.

    Attributes:
        source: Returns the state as it is now; another thread calls it. To be set.
        address: What the user is to open, token included.
    """

    def __init__(self, listener: socket.socket, session: EngineSession, *, draws: bool) -> None:
        from pokeTUI.serve.site import address_of
        from pokeTUI.serve.statistics import StatisticsSite

        self.source: Callable[[], DashboardState] = DashboardState
        self._session = session
        self._listener = listener
        guard = Guard()
        self._site = StatisticsSite(
            guard,
            lambda: self.source(),
            self._watch if draws else lambda is_watched: None,
            self._warn,
        )
        self.address = address_of(listener, guard)
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="page", daemon=True)

    def __enter__(self) -> "RunPage":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Send the browsers the end of the run, and serve no more."""
        with suppress(RuntimeError):  # it has ended by itself, which was told
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(_CLOSE_S)

    def _run(self) -> None:
        try:
            with self._listener, asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._site.run(self._listener, self._stop))
        except Exception as error:
            # The thread's outermost frame: without a page the run continues as well as with one.
            self._warn(f"{type(error).__name__}: {error}")

    def _watch(self, is_watched: bool) -> None:
        status = self.source().status
        watched = status.watched_env if status is not None else 0
        self._session.send(Watch(watched) if is_watched else PauseRendering())

    def _warn(self, text: str) -> None:
        self._session.mailbox.post(WarningRaised(f"The statistics page: {text}"))
