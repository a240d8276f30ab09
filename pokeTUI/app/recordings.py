"""Find demonstrations by name, record them, and replay them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.config import RunConfig, load_config
from engine.demos.dataset import DemoSet, demos_folder
from engine.demos.demonstration import SUFFIX
from engine.errors import DemoError, ReplayError
from engine.events import ConnectionLost, Event, RecordingEnded, RunFailed, RunStopped
from engine.ground.text import counted
from engine.sessions.threaded import Mailbox
from pokeTUI.dashboard.event_lines import demonstration_end
from pokeTUI.terminal.signals import signal_exit_code

if TYPE_CHECKING:
    from engine.sessions.record import RecordingPlan
    from engine.sessions.replay_sources import Recorded, RecordedDemo, RecordedEpisode


def settings(save_dir: str | None) -> RunConfig:
    """Return the settings of the environment, with this save folder if it is named."""
    return load_config(None, {} if save_dir is None else {"save_dir": save_dir})


def named(save_dir: str | None, files: Sequence[str], suffix: str = SUFFIX) -> list[Path]:
    """Return demonstrations' files, by path or by name in the demonstrations folder or a dataset.

    Raises:
        DemoError: There is no such file, or several sets have one of that name.
    """
    folder = demos_folder(settings(save_dir))
    sets = [one.folder for one in DemoSet(folder).sets()]
    found = []
    for name in files:
        names = (name, f"{name}{suffix}")
        places = (Path(name), *(folder / each for each in names))
        path = next((place for place in places if place.is_file()), None)
        if path is None:
            path = _in_a_set(name, [one / each for one in sets for each in names])
        found.append(path)
    return found


def _in_a_set(name: str, places: Sequence[Path]) -> Path:
    found = [place for place in places if place.is_file()]
    if not found:
        raise DemoError(f"There is no demonstration {name}.", "List them: poketui demos")
    if len(found) > 1:
        sets = [place.parent.name for place in found]
        raise DemoError(
            f"{name} is in several datasets: {', '.join(sets)}.",
            f"Add the dataset: {sets[0]}/{name}",
        )
    return found[0]


def members(save_dir: str | None, names: Sequence[str], suffix: str = SUFFIX) -> list[Path]:
    """Return the files of these names as `named` does; the name of a set stands for all in it.

    Raises:
        DemoError: There is no such file and no such set.
    """
    folder = demos_folder(settings(save_dir))
    found = []
    for name in names:
        # A set's name means that set, whatever the current folder holds.
        place = next((place for place in (folder / name, Path(name)) if place.is_dir()), None)
        found += (
            named(save_dir, [name], suffix) if place is None else sorted(place.glob(f"*{suffix}"))
        )
    return list(dict.fromkeys(found))


def chosen(save_dir: str | None, files: Sequence[str]) -> DemoSet:
    """Return the demonstrations of these files and sets; none named: all, those of sets too."""
    folder = demos_folder(settings(save_dir))
    return DemoSet(folder, members(save_dir, files)) if files else DemoSet(folder).with_sets()


def short_name(path: Path, folder: Path) -> str:
    """Return by what a file is named in the folder of demonstrations, with its set's name."""
    here, place = path.resolve(), folder.resolve()
    return str(here.relative_to(place)) if here.is_relative_to(place) else path.name


# Record demonstrations in the cockpit.

_TAKE_DOWN_S = 10.0
_INSTEAD = "Without a terminal: poketui record --headless --player rules --episodes 5"


@dataclass(frozen=True, slots=True)
class Recordings:
    """The result of a recording session.

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
        """Return the lines to print: the outcome of each demonstration, and of the session."""
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


def record(config: RunConfig, plan: "RecordingPlan", *, color: str = "auto") -> Recordings:
    """Let a person record in the cockpit until the set is complete, or the person leaves.

    Raises:
        PokeTUIError: Nothing can be recorded, or not here.
    """
    from engine.sessions.record import RecordingSession
    from pokeTUI.app.cockpit import CockpitApp
    from pokeTUI.app.launch import check_preferences, check_terminal
    from pokeTUI.draw.layout import Arrangement
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


# Replay what was recorded, and let the user play on from within it.

BRANCHED = "branched"
"""Tag of demonstrations that begin within another recording."""


def recorded_episode(save_dir: str | None, run: str, number: int | None) -> "RecordedEpisode":
    """Find a recorded episode of a run; None: its last.

    Raises:
        PokeTUIError: There is no such episode.
    """
    from engine.sessions.replay_sources import RecordedEpisode
    from pokeTUI.saved import saves

    return RecordedEpisode.find(saves(save_dir), run, number)


def recorded_demo(config: RunConfig, file: str) -> "RecordedDemo":
    """Find a demonstration.

    Raises:
        PokeTUIError: There is no such demonstration.
    """
    from engine.demos.demonstration import read_demo
    from engine.sessions.replay_sources import RecordedDemo

    (path,) = named(config.save_dir, [file])
    return RecordedDemo.of(path, read_demo(path), config)


def watch(recorded: "Recorded", *, color: str = "auto") -> list[str]:
    """Replay a recording until the user leaves; return the lines to print then.

    If the user takes over, that is recorded, and the replay returns to where it was left.

    Raises:
        PokeTUIError: It cannot be played, or not be shown here.
    """
    from engine.sessions.record import DemoPoint, RecordingPlan
    from engine.sessions.replay import ReplaySession
    from pokeTUI.app.cockpit import CockpitApp
    from pokeTUI.app.launch import check_preferences, check_terminal

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
