"""Serve the statistics page of a run in the background: a process of its own, while that runs.

python -m pokeTUI.serve.background RUN DESCRIPTOR, with the page's secrets in JSON as its input.
"""

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from engine.child import python_command, worker_environment
from engine.errors import AttachError
from engine.files import open_file
from engine.remote.client import RemoteSession
from engine.remote.folder import LiveRun, find_live_run, probe
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.printing import complain
from pokeTUI.serve.guard import Guard
from pokeTUI.serve.site import address_of, stop_on_signals
from pokeTUI.serve.statistics import StatisticsSite

_LOOK_S = 1.0


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
    """The run as a viewer sees it that is attached while somebody looks at the page."""

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
