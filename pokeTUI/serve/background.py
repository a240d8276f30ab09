"""Serve the statistics page of a run, from a thread beside it or from a process of its own.

That process serves a run in the background, while it runs:
python -m pokeTUI.serve.background RUN DESCRIPTOR, with the page's secrets in JSON as its input.
"""

import asyncio
import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path

from engine.commands import PauseRendering, Watch
from engine.errors import AttachError, ConfigurationError
from engine.events import WarningRaised
from engine.ground.files import open_file
from engine.ground.processes import python_command, worker_environment
from engine.remote.client import RemoteSession
from engine.remote.folder import LiveRun, find_live_run, probe
from engine.sessions.train import EngineSession
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.serve.connections import Guard, address_of, listen, stop_on_signals
from pokeTUI.terminal.printing import complain

_CLOSE_S = 10.0
_LOOK_S = 1.0

# A run of this process: a thread beside it serves its page.


def listen_for_page(port: int, option: str = "--web-port") -> socket.socket:
    """Return the socket that browsers connect to, before anything slow is begun.

    `option` names what sets the port.

    Raises:
        ConfigurationError: The port is not to be had, or a package is missing.
    """
    if importlib.util.find_spec("aiohttp") is None:
        raise ConfigurationError(
            "The statistics page needs the package aiohttp, which is not installed.",
            "Install it: pip install 'poketui[web]'.",
        )
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

    def __exit__(self, *exc_info: object) -> None:
        """Send the browsers the end of the run, and serve no more."""
        with contextlib.suppress(RuntimeError):  # it has ended by itself, and a warning said so
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


# A run in the background: a process of its own serves its page.


def start_page(live: LiveRun, listener: socket.socket) -> str:
    """Start the process, and return the address that the user is to open.

    Raises:
        AttachError: The run does not answer.
    """
    run_dir = run_dir_of(live)
    guard = Guard()
    log = open_file(Path(run_dir) / "engine.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        process = subprocess.Popen(
            python_command(__name__, live.run_id, str(listener.fileno())),
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env=worker_environment(),
            pass_fds=(listener.fileno(),),
            start_new_session=True,
        )
    finally:
        os.close(log)
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError), process.stdin:  # it has ended: its log says why
        process.stdin.write(json.dumps(asdict(guard)).encode())
    process.returncode = 0  # it is to outlive this process, which Python would warn of
    return address_of(listener, guard)


class AttachedRun:
    """The run as seen by a viewer that is attached while somebody looks at the page."""

    def __init__(self, live: LiveRun) -> None:
        self._live = live
        self._session: RemoteSession | None = None
        self._state = DashboardState()

    def watch(self, is_watched: bool) -> None:
        """Attach, or leave: a run without viewers draws nothing."""
        if self._session is not None:
            self._session.close()
            self._session = None
        if is_watched:
            with contextlib.suppress(AttachError):  # it ends just now: `has_ended` sees it
                self._session = RemoteSession(self._live, is_read_only=True)
                self._session.start()
                self._state = DashboardState()

    def state(self) -> DashboardState:
        """Return the state as it is now, or was when somebody looked last."""
        if self._session is not None:
            for event in self._session.mailbox.drain():
                self._state = fold(self._state, event)
        return self._state

    def has_ended(self) -> bool:
        """Return whether the run's process is gone."""
        with contextlib.suppress(AttachError):
            return probe(self._live.path) is None
        return False


async def serve_page(
    live: LiveRun, listener: socket.socket, guard: Guard, stop: asyncio.Event
) -> None:
    """Serve until `stop` is set, or the run has ended."""
    from pokeTUI.serve.statistics import StatisticsSite

    run = AttachedRun(live)
    site = StatisticsSite(guard, run.state, run.watch, lambda text: complain(f"poketui: {text}"))
    serving = asyncio.create_task(site.run(listener, stop))
    while not serving.done() and not await asyncio.to_thread(run.has_ended):
        await asyncio.wait([serving], timeout=_LOOK_S)
    stop.set()
    await serving


async def serve_live(
    live: LiveRun, listener: socket.socket, announce: Callable[[str], None]
) -> None:
    """Serve until a signal comes, or the run has ended; `announce` is given the address."""
    guard = Guard()
    announce(address_of(listener, guard))
    await serve_page(live, listener, guard, stop_on_signals())


def run_dir_of(live: LiveRun) -> str:
    """Return the folder of a run.

    Raises:
        AttachError: It does not answer.
    """
    if live.hello is None:
        raise AttachError(
            f"The run {live.run_id} does not respond.",
            f"Try again, or stop it: poketui stop --now {live.run_id}",
        )
    return live.hello.run_dir


def main() -> None:
    """Serve until the run has ended."""
    name, descriptor = sys.argv[1:]
    guard = Guard(**json.loads(sys.stdin.read()))
    with socket.socket(fileno=int(descriptor)) as listener:
        asyncio.run(serve_page(find_live_run(name), listener, guard, asyncio.Event()))


if __name__ == "__main__":
    main()
