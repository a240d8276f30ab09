"""Show a session that records demonstrations, and say the result."""

import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.commands import Command
from engine.events import ConnectionLost, Event, RecordingEnded, RunFailed, RunStopped
from pokeTUI.dashboard.event_lines import demonstration_end

if TYPE_CHECKING:
    from engine.config import RunConfig
    from engine.recording_session import RecordingPlan, RecordingSession

_TAKE_DOWN_S = 10.0
_INSTEAD = (
    "Let a player play without a screen: poketui record --headless --player rules --episodes 5"
)


@dataclass(frozen=True, slots=True)
class Recordings:
    """The result of a session.

    Attributes:
        ended: The outcome of each demonstration, in order.
        end: How the session ended; None: nobody waited for that.
        folder: Where they are.
    """

    ended: tuple[RecordingEnded, ...]
    end: RunStopped | RunFailed | ConnectionLost | None
    folder: str

    @property
    def saved(self) -> int:
        """Return how many were saved."""
        return sum(bool(one.path) for one in self.ended)

    @property
    def signal(self) -> int:
        """Return the number of the signal that ended it; 0: none did."""
        reason = self.end.reason if isinstance(self.end, RunStopped) else ""
        return signal.Signals[reason] if reason in signal.Signals.__members__ else 0

    def lines(self) -> list[str]:
        """Return what is to be said: the outcome of each, and what can be done next."""
        said = [f"{demonstration_end(one).capitalize()}." for one in self.ended]
        if isinstance(self.end, RunFailed):
            said.append(f"{self.end.message} {self.end.hint}".rstrip())
        elif isinstance(self.end, RunStopped) and not self.ended:
            said.append(f"Nothing was recorded: {self.end.reason}.")
        if self.saved:
            many = f"{self.saved:,} demonstration{'s' * (self.saved != 1)}"
            said.append(f"{many} saved in {self.folder}.")
        return said


def record(config: "RunConfig", plan: "RecordingPlan", *, color: str = "auto") -> Recordings:
    """Let a person record in the cockpit until the set is complete, or the person leaves.

    Raises:
        PokeTUIError: Nothing can be recorded, or not here.
    """
    from engine.recording_session import RecordingSession
    from pokeTUI.app import CockpitApp
    from pokeTUI.launch import check_preferences, check_terminal
    from pokeTUI.layout import Arrangement
    from pokeTUI.panes.kinds import pane_infos

    check_terminal(_INSTEAD)
    check_preferences()
    session = Overheard(RecordingSession(config, plan))
    cockpit = CockpitApp(
        session, config, color=color, arrangement=Arrangement.for_recording(pane_infos())
    )
    try:
        cockpit.run()
    finally:
        session.finish()
    return Recordings(tuple(session.ended), cockpit.end or session.end, session.folder)


class Overheard:
    """A session that records, and the outcome of its demonstrations.

    The application takes the events out of the mailbox; here they pass by.
    """

    def __init__(self, session: "RecordingSession") -> None:
        self._session = session
        self.ended: list[RecordingEnded] = []
        self.end: RunStopped | RunFailed | None = None

    @property
    def mailbox(self) -> "Overheard":
        """Return what is drained: the session itself."""
        return self

    @property
    def folder(self) -> str:
        """Return where the demonstrations are."""
        return self._session.run_dir

    @property
    def is_alive(self) -> bool:
        """Return whether the session's thread runs."""
        return self._session.is_alive

    def start(self) -> None:
        """Start the session."""
        self._session.start()

    def send(self, command: Command) -> None:
        """Ask it for something."""
        self._session.send(command)

    def drain(self) -> list[Event]:
        """Return the events since the last call."""
        events = self._session.mailbox.drain()
        for event in events:
            if isinstance(event, RecordingEnded):
                self.ended.append(event)
            elif isinstance(event, RunStopped | RunFailed):
                self.end = event
        return events

    def finish(self) -> None:
        """Wait until all is on disk, even where the user did not."""
        self._session.stop(_TAKE_DOWN_S)
        self.drain()
