"""Serve a run to its viewers, in a thread beside the engine's that never waits for any of them."""

import contextlib
import logging
import math
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from engine import events
from engine.commands import (
    MAX_SHOWN,
    Command,
    PauseRendering,
    ReleaseControl,
    RequestControl,
    ShowGames,
    Watch,
)
from engine.errors import AttachError
from engine.events import (
    CommandRefused,
    ControlWanted,
    Event,
    GamesShown,
    LossyEvent,
    StatusChanged,
    ViewersChanged,
)
from engine.remote.folder import is_own_peer, listen
from engine.remote.protocol import Hello, command_codec, event_codec
from engine.remote.viewer import CAPACITY, NO_GAMES, ControlDesk, Viewer
from engine.sessions.threaded import ThreadedSession

MAX_VIEWERS = 16
FAREWELL_S = 3.0
"""Time for a viewer to read why it is disconnected, or how the run ended."""
_HELLO_S, _SHORT_HELLO_S = 10.0, 1.0
"""Time for a viewer to send its hello; the short one where its place is needed."""
_ALONE_S, _SHOWN_S, _PLAYED_S = 0.2, 1 / 30, 1 / 100
"""Interval at which events are passed on: without viewers, with viewers, while a viewer plays."""

_DIGEST_SIZES: Mapping[type, int] = MappingProxyType(
    {
        events.EpisodeEnded: 2000,
        events.EvaluationEnded: 200,
        events.PolicyUpdated: 500,
        events.ReasoningLogged: 200,
        events.PayoutMade: 50,
        events.StrategySwitched: 50,
        events.WarningRaised: 5,  # few: a viewer shows each as a notice
        events.ProgressReported: 8,
        events.GoalEvaluated: 200,
        events.PlanRequested: 20,
        events.PlanAnswered: 20,
        events.PlanStreamed: 400,
    }
)
"""How many events of a kind are kept for late viewers; of all others the latest."""

_NOT_IN_DIGEST = (
    events.ControlChanged,
    events.CommandObeyed,
    events.CommandRefused,
    events.ControlWanted,
    events.ViewersChanged,
    events.GamesShown,
)
"""Sent only to current viewers; who has control is part of StatusChanged too."""

_log = logging.getLogger(__name__)


class RunDigest:
    """Keep the events that a late viewer needs, in bounded memory."""

    def __init__(self) -> None:
        self._kept: dict[type, deque[tuple[int, float, Event]]] = {}
        self._count = 0
        self._uptime_s = 0.0

    def take(self, event: Event) -> None:
        """Keep an event, and let older ones of its kind go."""
        kind = type(event)
        if kind in _NOT_IN_DIGEST:
            return
        if isinstance(event, events.PlanAnswered):
            self._kept.pop(events.PlanStreamed, None)  # its words are in the answer
        if isinstance(event, events.EpisodeEnded) and event.summary.goals:
            event = replace(event, summary=replace(event.summary, goals=()))
        if kind not in self._kept:
            self._kept[kind] = deque(maxlen=_DIGEST_SIZES.get(kind, 1))
        if isinstance(event, StatusChanged):
            self._uptime_s = float(int(event.uptime_s))
        self._count += 1
        self._kept[kind].append((self._count, self._uptime_s, event))

    def replay(self) -> list[Event]:
        """Return the kept events in order, with a `PastReplayed` wherever the uptime changes."""
        entries = [entry for kept in self._kept.values() for entry in kept]
        replayed: list[Event] = []
        at_s = -1.0
        for _, uptime_s, event in sorted(entries):
            if uptime_s != at_s and not isinstance(event, LossyEvent):
                replayed.append(events.PastReplayed(uptime_s))
                at_s = uptime_s
            replayed.append(event)
        return [*replayed, events.PastReplayed(math.nan)] if replayed else []


def _together(wanted: Sequence[ShowGames]) -> ShowGames:
    """Merge what viewers want to see into one command, of at most `MAX_SHOWN` games."""
    asked = [one for one in wanted if one.env_indices]
    if not asked:
        return NO_GAMES
    indices = sorted(frozenset().union(*(one.env_indices for one in asked)))
    return ShowGames(frozenset(indices[:MAX_SHOWN]), min(one.shrink for one in asked))


class RunServer:
    """Listen for viewers from the constructor on; serve them between `start` and `close`.

    Args:
        session: The run.
        path: The path of its socket.
        hello: The hello of the run's process.
        capacity: Events that may wait for one viewer.

    Raises:
        AttachError: The socket cannot be made.
    """

    def __init__(
        self,
        session: ThreadedSession,
        path: Path,
        hello: Hello,
        *,
        capacity: int = CAPACITY,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._session = session
        self._path = path
        self._hello = hello
        self._capacity = capacity
        self._clock = clock
        self._events, self._commands = event_codec(), command_codec()
        self._digest = RunDigest()
        self._desk = ControlDesk(session.send, clock)
        self._viewers: list[Viewer] = []
        self._encoded: dict[int, tuple[Event, bytes]] = {}
        self._is_looked_at = True
        self._watched_env = 0
        self._games = NO_GAMES
        self._is_closing = threading.Event()
        self._selector = selectors.DefaultSelector()
        self._socket = listen(path)
        self._socket.setblocking(False)
        self._selector.register(self._socket, selectors.EVENT_READ)
        self._waker, self._woken = socket.socketpair()
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, name="remote", daemon=True)

    def start(self) -> None:
        """Begin to serve, and return at once."""
        self._thread.start()

    def close(self) -> None:
        """Send the viewers the remaining events, wait for them, and remove the socket."""
        self._is_closing.set()
        with contextlib.suppress(OSError):
            self._waker.send(b"\0")
        if self._thread.ident is not None:
            self._thread.join(2 * FAREWELL_S)
        self._path.unlink(missing_ok=True)

    def _run(self) -> None:
        try:
            while not self._is_closing.is_set():
                self._turn(self._interval_s())
            self._say_farewell()
        except Exception:
            # The thread's outermost frame: without viewers the run continues as well as with them.
            _log.exception("the run can no longer be attached to")
        finally:
            for viewer in list(self._viewers):
                self._lose(viewer)
            self._selector.close()
            for end in (self._socket, self._waker, self._woken):
                end.close()

    def _interval_s(self) -> float:
        if not self._viewers:
            return _ALONE_S
        return _PLAYED_S if self._desk.is_human else _SHOWN_S

    def _turn(self, wait_s: float) -> None:
        """Wait for viewers, at most for `wait_s`, and send them what has happened meanwhile."""
        for key, mask in self._selector.select(wait_s):
            if key.fileobj is self._socket:
                self._accept()
            elif key.fileobj is self._woken:
                self._woken.recv(1)
            elif mask & selectors.EVENT_READ and not key.data.is_gone:
                self._hear(key.data)
        for event in self._session.mailbox.drain():
            if isinstance(event, StatusChanged):
                self._watched_env = event.watched_env
            self._digest.take(event)
            self._publish(event)
        self._publish_viewers()
        now = self._clock()
        for viewer in list(self._viewers):
            self._serve(viewer, now)
        self._encoded.clear()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # gone again, or no descriptor is free
            connection, _ = self._socket.accept()
            connection.setblocking(False)
            viewer = Viewer(connection, self._hello, self._encode, self._clock(), self._capacity)
            if not is_own_peer(connection) or len(self._viewers) >= 2 * MAX_VIEWERS:
                viewer.close()
                return
            if len(self._viewers) >= MAX_VIEWERS:
                self._drop_silent()
            self._viewers.append(viewer)
            self._selector.register(connection, selectors.EVENT_READ, viewer)
            if len(self._viewers) > MAX_VIEWERS:
                self._dismiss(viewer, f"{MAX_VIEWERS} viewers are already attached to this run.")

    def _drop_silent(self) -> None:
        """Make room: close the connection that has been open longest without a hello."""
        for viewer in self._viewers:
            if viewer.hello is None and self._clock() - viewer.came_at > _SHORT_HELLO_S:
                self._lose(viewer)
                return

    def _hear(self, viewer: Viewer) -> None:
        """Read what a viewer sends."""
        was_shown = viewer.is_shown
        try:
            payloads = viewer.read()
            if viewer.is_shown and not was_shown:
                self._welcome(viewer)
            for payload in payloads:
                self._obey(viewer, self._commands.decode(payload))
        except AttachError as error:
            self._dismiss(viewer, error.message)
        except BlockingIOError:
            pass
        except OSError:
            self._lose(viewer)

    def _welcome(self, viewer: Viewer) -> None:
        if not self._is_looked_at:  # before its commands: a player cannot watch another game
            self._is_looked_at = True
            self._session.send(Watch(self._watched_env))
        if self._desk.holder is None and not self._is_read_only(viewer):
            self._desk.request(viewer)
        for event in self._digest.replay():
            viewer.post(event)

    def _obey(self, viewer: Viewer, command: Command) -> None:
        if isinstance(command, ShowGames):  # allowed for all: it changes nothing for the others
            viewer.games = command
            return
        if self._is_read_only(viewer):
            refusal = (
                "this viewer is read-only. To take control: `poketui attach` without --read-only, "
                "or in a browser `poketui serve --control`."
            )
        elif isinstance(command, RequestControl):
            refusal = self._desk.request(viewer)
            if refusal and self._desk.holder is not None:
                self._desk.holder.post(ControlWanted())
        elif isinstance(command, ReleaseControl):
            refusal = ""
            self._desk.release(viewer)
        else:
            refusal = self._desk.command(viewer, command)
        if refusal:
            viewer.post(CommandRefused(type(command).__name__, refusal))

    def _publish(self, event: Event) -> None:
        """Send an event to all viewers; a refusal only to the one in control."""
        for viewer in list(self._viewers):
            is_concerned = not isinstance(event, CommandRefused) or viewer is self._desk.holder
            if isinstance(event, GamesShown):
                is_concerned = bool(viewer.games.env_indices)
            if viewer.is_shown and is_concerned:
                try:
                    viewer.post(event)
                except AttachError as error:
                    self._dismiss(viewer, error.message)

    def _publish_viewers(self) -> None:
        """Tell each viewer of the others, and the engine what to render."""
        shown = [viewer for viewer in self._viewers if viewer.is_shown]
        for viewer in shown:
            holder = self._desk.holder
            news = ViewersChanged(
                len(shown), viewer is holder, holder is not None, self._is_read_only(viewer)
            )
            if viewer.known != news:
                viewer.known = news
                viewer.post(news)
        if not shown and self._is_looked_at:
            self._is_looked_at = False
            self._session.send(PauseRendering())
        games = _together([viewer.games for viewer in shown])
        if games != self._games:
            self._games = games
            self._session.send(games)

    def _serve(self, viewer: Viewer, now: float) -> None:
        """Write what the connection takes, and close it when its time is over."""
        try:
            viewer.write()
        except OSError:
            self._lose(viewer)
            return
        is_over = viewer.leaves_at is not None and now >= viewer.leaves_at
        is_mute = viewer.hello is None and now - viewer.came_at > _HELLO_S
        if is_over or is_mute:
            self._lose(viewer)
            return
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if viewer.has_unsent else 0)
        if self._selector.get_key(viewer.connection).events != wanted:
            self._selector.modify(viewer.connection, wanted, viewer)

    def _dismiss(self, viewer: Viewer, reason: str) -> None:
        _log.info("a viewer was disconnected: %s", reason)
        viewer.dismiss(reason, self._clock() + FAREWELL_S)
        self._desk.release(viewer)

    def _lose(self, viewer: Viewer) -> None:
        if not viewer.is_gone:
            self._selector.unregister(viewer.connection)
            self._viewers.remove(viewer)
            viewer.close()
            self._desk.release(viewer)

    def _say_farewell(self) -> None:
        """Send the viewers the remaining events, and give them some time to read."""
        self._turn(0.0)
        self._selector.unregister(self._socket)
        for viewer in self._viewers:
            viewer.dismiss("The run has ended.", self._clock() + FAREWELL_S, sends_rest=True)
        while self._viewers:
            self._turn(_SHOWN_S)

    def _encode(self, event: Event) -> bytes:
        """Return an event as bytes, encoded once a turn for all viewers."""
        key = id(event)
        if key not in self._encoded:
            try:
                data = self._events.encode(event)
            except (TypeError, ValueError, AttributeError, KeyError) as error:
                # A mistake in the event's source must not disconnect the viewers.
                _log.warning("cannot send an event: %s: %s", type(event).__name__, error)
                data = b""
            self._encoded[key] = (event, data)
        return self._encoded[key][1]

    @staticmethod
    def _is_read_only(viewer: Viewer) -> bool:
        return viewer.hello is not None and viewer.hello.is_read_only
