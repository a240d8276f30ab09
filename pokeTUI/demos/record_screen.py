"""Show a session that records demonstrations, and say the result."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.events import ConnectionLost, Event, RecordingEnded, RunFailed, RunStopped
from engine.plurals import counted
from engine.threaded_session import Mailbox
from pokeTUI.dashboard.event_lines import demonstration_end
from pokeTUI.signals import signal_exit_code

if TYPE_CHECKING:
    from engine.config import RunConfig
    from engine.recording_session import RecordingPlan

_TAKE_DOWN_S = 10.0
_INSTEAD = "Without a terminal: poketui record --headless --player rules --episodes 5"


@dataclass(frozen=True, slots=True)
class Recordings:
    """The result of a session.

    Attributes:
        end: How the session ended; None: nobody waited for that.
    """

    ended: tuple[RecordingEnded, ...]
    end: RunStopped | RunFailed | ConnectionLost | None
    folder: str

    @property
    def saved(self) -> int:
        """Return how many were saved."""
        return sum(bool(one.path) for one in self.ended)

    @property
    def exit_code(self) -> int:
        """Return 128 and the number of the signal that ended it; 0: none did."""
        return signal_exit_code(self.end.reason) if isinstance(self.end, RunStopped) else 0

    def lines(self) -> list[str]:
        """Return what is to be printed: the outcome of each, and what can be done next."""
        lines = [f"{demonstration_end(one).capitalize()}." for one in self.ended]
        if isinstance(self.end, RunFailed):
            lines.append(f"{self.end.message} {self.end.hint}".rstrip())
        elif isinstance(self.end, RunStopped) and not self.ended:
            lines.append(f"Nothing was recorded: {self.end.reason}.")
        if self.saved:
            many = counted(self.saved, "demonstration")
            lines.append(f"{many} saved in {self.folder}.")
        return lines


class _Outcomes(Mailbox):
    """A mailbox that keeps how each demonstration ended, and how the session did."""

    def __init__(self) -> None:
        super().__init__()
        self.ended: list[RecordingEnded] = []
        self.end: RunStopped | RunFailed | None = None

    def post(self, event: Event) -> None:
        if isinstance(event, RecordingEnded):
            self.ended.append(event)
        elif isinstance(event, RunStopped | RunFailed):
            self.end = event
        super().post(event)


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

    session = RecordingSession(config, plan)  # says what is wrong with what was asked for
    check_terminal(_INSTEAD)
    check_preferences()
    outcomes = session.mailbox = _Outcomes()
    cockpit = CockpitApp(
        session, config, color=color, arrangement=Arrangement.for_recording(pane_infos())
    )
    try:
        cockpit.run()
    finally:
        session.stop(_TAKE_DOWN_S)  # until all is on disk, even where the user did not wait
    return Recordings(tuple(outcomes.ended), cockpit.end or outcomes.end, session.run_dir)
