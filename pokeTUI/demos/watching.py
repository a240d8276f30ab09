"""Show what was recorded, and let a person continue from within it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.errors import ReplayError
from engine.events import Event, RunFailed
from pokeTUI.dashboard.event_lines import demonstration_end

if TYPE_CHECKING:
    from engine.training.replay_sources import Recorded, RecordedDemo, RecordedEpisode

BRANCHED = "branched"
"""Tag of demonstrations that continue from within something recorded."""


def recorded_episode(save_dir: str | None, run: str, number: int | None) -> "RecordedEpisode":
    """Find a recorded episode of a run; None: its last.

    Raises:
        PokeTUIError: There is no such episode.
    """
    from engine.training.replay_sources import RecordedEpisode
    from pokeTUI.saved import saves

    return RecordedEpisode.find(saves(save_dir), run, number)


def recorded_demo(
    save_dir: str | None, file: str, rom: str | None = None, *, allow_unknown_rom: bool = False
) -> "RecordedDemo":
    """Find a demonstration.

    Raises:
        PokeTUIError: There is no such demonstration.
    """
    from engine.demos.demonstration import read_demo
    from engine.training.replay_sources import RecordedDemo
    from pokeTUI.demos.naming import named, settings

    (path,) = named(save_dir, [file])
    config = settings(save_dir, rom, "", allow_unknown_rom)
    return RecordedDemo.of(path, read_demo(path), config)


def watch(recorded: "Recorded", *, color: str = "auto") -> list[str]:
    """Show what was recorded until the user leaves it; return what to say of it, a line each.

    Where the user takes over, that is recorded, and the replay comes back to where it was left.

    Raises:
        PokeTUIError: It cannot be played, or not be shown here.
    """
    from engine.recording_session import DemoPoint, RecordingPlan
    from engine.replay_viewer import ReplaySession
    from pokeTUI.app import CockpitApp
    from pokeTUI.demos.record_screen import record
    from pokeTUI.launch import check_preferences, check_terminal

    settings = recorded.settings()  # what is wrong with it comes before what is with the terminal
    check_terminal("Without a terminal: `poketui replay`, `poketui demos validate`.")
    check_preferences()
    lines: list[str] = []
    recorded_now: Sequence[Event] = ()
    place: int | None = None
    while True:
        session = ReplaySession(recorded, place=place, earlier=recorded_now)
        cockpit = CockpitApp(session, settings, is_attached=True, color=color)
        try:
            cockpit.run()
        finally:
            session.stop()
        place = cockpit.branch_at
        if isinstance(cockpit.end, RunFailed):
            if not lines:
                raise ReplayError(cockpit.end.message, cockpit.end.hint)
            return [*lines, f"{cockpit.end.message} {cockpit.end.hint}".rstrip()]
        if place is None:
            return [*lines, f"{recorded.title} was replayed."]
        task = recorded.goal.text if recorded.goal is not None else ""
        start = DemoPoint(recorded.source, place)
        plan = RecordingPlan(
            start=start, task=task, tags=(BRANCHED,), has_reset=True, has_review=True
        )
        found = record(settings, plan, color=color)
        recorded_now = found.ended
        lines += [f"{demonstration_end(each).capitalize()}." for each in recorded_now]
        if found.exit_code:
            return lines
