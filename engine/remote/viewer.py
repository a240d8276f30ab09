"""Hold a run's viewers, with what each sends and receives, and which one is in control."""

import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.commands import Command, GiveBack, Hold, ShowGames, TakeOver
from engine.errors import AttachError
from engine.events import Event, LossyEvent, ViewersChanged
from engine.remote.codec import Messages
from engine.remote.protocol import MAX_COMMAND_BYTES, Farewell, Hello, check_versions, split_hello
from engine.sessions.threaded import Mailbox

CAPACITY = 20_000
"""Events that may wait for a viewer that does not read, without lossy ones."""
IDLE_S = 60.0
"""A viewer without a command for so long loses control to another that wants it."""
NO_GAMES = ShowGames(frozenset())
_READ_BYTES = 65_536


@dataclass(slots=True, eq=False)
class Viewer:
    """A connected viewer; nothing here ever waits for it.

    Events wait in a mailbox, where newer frames replace older ones, until all that was written
    before is sent: so a slow link gets the newest frames rather than all.
    """

    connection: socket.socket
    ours: Hello
    encode: Callable[[Event], bytes]
    came_at: float
    """In seconds."""
    capacity: int = CAPACITY
    hello: Hello | None = None
    """None: it has not come yet."""
    leaves_at: float | None = None
    """When its connection is closed, even if it has not read the rest."""
    is_gone: bool = False
    known: ViewersChanged | None = None
    """The last one that it was sent."""
    games: ShowGames = NO_GAMES
    """The games that it wants to see together."""
    _mailbox: Mailbox = field(init=False)
    _num_waiting: int = 0
    _is_finished: bool = False
    _heard: bytes = b""
    _messages: Messages = field(default_factory=lambda: Messages(MAX_COMMAND_BYTES))
    _unsent: memoryview = field(init=False)

    def __post_init__(self) -> None:
        self._mailbox = Mailbox(self.capacity + 1)
        self._unsent = memoryview(self.ours.encode())

    @property
    def is_shown(self) -> bool:
        """Return whether it receives events."""
        return self.hello is not None and self.leaves_at is None and not self.is_gone

    @property
    def has_unsent(self) -> bool:
        """Return whether something waits for its connection."""
        return bool(self._unsent)

    def post(self, event: Event) -> None:
        """Queue an event.

        Raises:
            AttachError: Too many are waiting.
        """
        self._mailbox.post(event)
        if not isinstance(event, LossyEvent):
            self._num_waiting += 1
            if self._num_waiting > self.capacity:
                raise AttachError("This viewer fell too far behind.")

    def read(self) -> list[bytes]:
        """Return the payloads of what it sent.

        Raises:
            OSError: The connection is lost, or was closed.
            ProtocolError: It does not follow the protocol.
            AttachError: It is another version.
        """
        data = self.connection.recv(_READ_BYTES)
        if not data:
            raise ConnectionResetError("closed")
        if self.leaves_at is not None:
            return []
        if self.hello is None:
            found = split_hello(self._heard + data)
            if found is None:
                self._heard += data
                return []
            hello, data = found
            check_versions(self.ours, hello)
            self.hello, self._heard = hello, b""
        return list(self._messages.feed(data))

    def write(self) -> None:
        """Send as much as the connection takes.

        Raises:
            OSError: The connection is lost.
        """
        while True:
            if not self._unsent and self.is_shown:
                self._num_waiting = 0
                self._unsent = memoryview(b"".join(map(self.encode, self._mailbox.drain())))
            if not self._unsent:
                if self.leaves_at is not None and not self._is_finished:
                    # Not closed: that would drop what the viewer has not read yet.
                    self._is_finished = True
                    self.connection.shutdown(socket.SHUT_WR)
                return
            try:
                sent = self.connection.send(self._unsent)
            except BlockingIOError:
                return
            self._unsent = self._unsent[sent:]

    def dismiss(self, reason: str, leaves_at: float, *, sends_rest: bool = False) -> None:
        """Send it the reason, and close its connection at `leaves_at`."""
        if self.leaves_at is None:
            self.leaves_at = leaves_at
            last = [*(self._mailbox.drain() if sends_rest else ()), Farewell(reason)]
            self._unsent = memoryview(bytes(self._unsent) + b"".join(map(self.encode, last)))

    def close(self) -> None:
        """Close its connection."""
        self.is_gone = True
        self.connection.close()


@dataclass(slots=True, eq=False)
class ControlDesk:
    """Decide which viewer is in control, and clean up when that changes."""

    send: Callable[[Command], None]
    """Passes commands to the engine."""
    clock: Callable[[], float] = time.monotonic
    holder: Viewer | None = None
    """The viewer in control."""
    asker: Viewer | None = None
    """The last one that was refused control: it is next."""
    is_human: bool = False
    """A viewer plays the game, by the commands so far."""
    _used_s: float = 0.0
    _is_holding: bool = False

    def request(self, viewer: Viewer) -> str:
        """Give control to a viewer, or return why not."""
        if self.holder is not None and self.holder is not viewer:
            idle_s = self.clock() - self._used_s
            if idle_s < IDLE_S:
                self.asker = viewer
                return (
                    "Another viewer is in control and sees your request. It can hand over with C; "
                    "you can take control once it has been idle for "
                    f"{IDLE_S - idle_s:.0f} more seconds."
                )
            self._let_go()
        self.holder = viewer
        if self.asker is viewer:
            self.asker = None
        self._used_s = self.clock()
        return ""

    def release(self, viewer: Viewer) -> None:
        """Take control from a viewer, and give it to one that asked for it.

        A game that was played goes back to the agent.
        """
        if self.asker is viewer:
            self.asker = None
        if self.holder is viewer:
            self._let_go()
            if self.is_human:
                self.is_human = False
                self.send(GiveBack())
            self.holder = None
            if self.asker is not None:
                self.request(self.asker)

    def command(self, viewer: Viewer, command: Command) -> str:
        """Pass a command on, or return why not; it takes control if no viewer has it."""
        if self.holder is None:
            self.request(viewer)
        elif self.holder is not viewer:
            return "Another viewer is in control: press C to ask for it."
        self._used_s = self.clock()
        match command:
            case TakeOver():
                self.is_human = True
            case GiveBack():
                self.is_human = False
            case Hold(buttons=buttons):
                self._is_holding = bool(buttons)
            case _:
                pass
        self.send(command)
        return ""

    def _let_go(self) -> None:
        """Release the buttons that the former holder held."""
        if self._is_holding:
            self._is_holding = False
            self.send(Hold(frozenset()))
