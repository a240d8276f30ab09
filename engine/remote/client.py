"""View and steer a run in another process, with the interface of a session."""

import contextlib
import selectors
import socket
import threading
from collections import deque

from engine.commands import Command
from engine.errors import AttachError, ProtocolError
from engine.events import ConnectionLost, RunFailed, RunStopped
from engine.remote.codec import Messages
from engine.remote.folder import LiveRun, connect, probe, read_hello
from engine.remote.protocol import (
    MAX_EVENT_BYTES,
    Farewell,
    check_versions,
    command_codec,
    event_codec,
    make_hello,
)
from engine.runs.folder import resume_command
from engine.sessions.threaded import Mailbox

_READ_BYTES = 2**18
_MAX_UNSENT = 1000
"""Commands that may wait for a run that does not read."""


class RemoteSession:
    """A run in another process; a read-only session never steers it.

    Attributes:
        mailbox: The run's events. The last one is RunStopped, RunFailed or ConnectionLost.

    Raises:
        AttachError: It does not answer, or is another version.
    """

    def __init__(self, run: LiveRun, *, is_read_only: bool = False) -> None:
        self.mailbox = Mailbox()
        self._run = run
        self._events, self._commands = event_codec(), command_codec()
        self._messages = Messages(MAX_EVENT_BYTES)
        self._unsent: deque[bytes] = deque()
        self._reason = ""
        self._has_ended = self._is_closing = False
        ours = make_hello(is_read_only=is_read_only)
        try:
            with contextlib.ExitStack() as undo:
                self._connection = undo.enter_context(connect(run.path))
                self.hello, self._heard = read_hello(self._connection)
                check_versions(ours, self.hello)
                self._connection.sendall(ours.encode())
                undo.pop_all()
        except OSError as error:
            raise AttachError(
                f"The run {run.run_id} does not respond: {error.strerror or error}.",
                f"Try again, or stop it: poketui stop --now {run.run_id}",
            ) from None
        self._connection.setblocking(False)
        self._waker, self._woken = socket.socketpair()
        self._waker.setblocking(False)
        self._thread = threading.Thread(target=self._listen, name="viewer", daemon=True)

    @property
    def is_alive(self) -> bool:
        """Return whether the connection stands."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Begin to listen, and return at once."""
        self._thread.start()

    def send(self, command: Command) -> None:
        """Ask for something; events report the outcome. Never blocks."""
        if len(self._unsent) < _MAX_UNSENT:
            self._unsent.append(self._commands.encode(command))
            self._wake()

    def close(self) -> None:
        """Leave; the run continues."""
        self._is_closing = True
        if self._thread.ident is None:
            self._close_sockets()
            return
        self._wake()
        self._thread.join(5.0)

    def _listen(self) -> None:
        try:
            self._take(self._heard)
            self._converse()
        except ProtocolError as error:
            self._reason = f"Invalid data from the run: {error.message}"
        except OSError as error:
            self._reason = self._reason or f"The connection was lost: {error.strerror or error}."
        finally:
            self._close_sockets()
            if not self._has_ended and not self._is_closing:
                self.mailbox.post(self._describe_loss())

    def _converse(self) -> None:
        """Read and write until the other side ends it."""
        unsent = memoryview(b"")
        with selectors.DefaultSelector() as selector:
            selector.register(self._connection, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while not self._is_closing:
                for key, mask in selector.select():
                    if key.fileobj is self._woken:
                        self._woken.recv(4096)
                    elif mask & selectors.EVENT_READ:
                        data = self._connection.recv(_READ_BYTES)
                        if not data:
                            return
                        self._take(data)
                if not unsent and self._unsent:
                    unsent = memoryview(self._unsent.popleft())
                if unsent:
                    with contextlib.suppress(BlockingIOError):
                        unsent = unsent[self._connection.send(unsent) :]
                is_waiting = bool(unsent) or bool(self._unsent)
                wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if is_waiting else 0)
                selector.modify(self._connection, wanted)

    def _take(self, data: bytes) -> None:
        for payload in self._messages.feed(data):
            message = self._events.decode(payload)
            if isinstance(message, Farewell):
                self._reason = message.reason
                continue
            if isinstance(message, RunStopped | RunFailed):
                self._has_ended = True
            self.mailbox.post(message)

    def _describe_loss(self) -> ConnectionLost:
        with contextlib.suppress(AttachError):
            if probe(self._run.path) is not None:
                return ConnectionLost(
                    self._reason or "The run's process closed the connection.",
                    f"The run continues. Attach again: poketui attach {self._run.run_id}",
                    True,
                )
        resume = resume_command(self.hello.run_dir)
        return ConnectionLost(
            "The run's process ended unexpectedly.",
            f"Resume from its last checkpoint: {resume}" if resume else "It has no checkpoint.",
            False,
        )

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # it is awake, or gone
            self._waker.send(b"\0")

    def _close_sockets(self) -> None:
        for end in (self._connection, self._waker, self._woken):
            end.close()
