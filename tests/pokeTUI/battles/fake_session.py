"""A session of battles without an engine: it keeps what it is sent."""

from engine.commands import Command
from engine.events import Event
from engine.sessions.threaded import Mailbox


class FakeBattles:
    def __init__(self, *events: Event) -> None:
        self.mailbox = Mailbox()
        self.sent: list[Command] = []
        self.is_alive = True
        self._events = events

    def start(self) -> None:
        self.post(*self._events)

    def post(self, *events: Event) -> None:
        for event in events:
            self.mailbox.post(event)

    def send(self, command: Command) -> None:
        self.sent.append(command)
