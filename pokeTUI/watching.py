"""Show what was recorded, and let a person go on from within it."""

from typing import TYPE_CHECKING

from engine.events import RunFailed

if TYPE_CHECKING:
    from engine.training.playback import Recorded


def watch_replay(save_dir: str | None, run: str, number: int | None, *, color: str = "auto") -> str:
    """Show a recorded episode in the cockpit until the user leaves it; return what to say of it.

    Raises:
        PokeTUIError: There is no such episode, or it cannot be shown here.
    """
    from engine.training.recorded import RecordedEpisode
    from pokeTUI.cli.reports import saves

    return watch(RecordedEpisode.find(saves(save_dir), run, number), color=color)


def watch_demo(
    save_dir: str | None,
    file: str,
    rom: str | None = None,
    *,
    allow_unknown_rom: bool = False,
    color: str = "auto",
) -> str:
    """Show a demonstration likewise.

    Raises:
        PokeTUIError: There is no such demonstration, or it cannot be shown here.
    """
    from engine.demos.demonstration import read_demo
    from engine.training.recorded import RecordedDemo
    from pokeTUI.cli.demo_reports import named, settings

    (path,) = named(save_dir, [file])
    config = settings(save_dir, rom, "", allow_unknown_rom)
    return watch(RecordedDemo(path, read_demo(path), config), color=color)


def watch(recorded: "Recorded", *, color: str = "auto") -> str:
    """Show what was recorded until the user leaves it; return what to say of it."""
    from engine.replaying import ReplaySession
    from pokeTUI.app import CockpitApp
    from pokeTUI.launch import check_preferences, check_terminal

    check_terminal()
    check_preferences()
    session = ReplaySession(recorded)
    cockpit = CockpitApp(session, recorded.settings(), is_attached=True, color=color)
    try:
        cockpit.run()
    finally:
        session.stop()
    if isinstance(cockpit.end, RunFailed):
        return f"{cockpit.end.message} {cockpit.end.hint}".rstrip()
    return f"{recorded.title} was replayed."
