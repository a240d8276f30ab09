"""The start screen, shown when no run is named. It must appear at once.

So it is an application of its own, which loads no settings and no sessions before its first paint.
"""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.screen import Screen

from engine.errors import PokeTUIError
from engine.ground.files import read_toml
from engine.ground.folders import config_folder
from pokeTUI.app.start.choices import (
    BATTLES,
    AttachRun,
    BattleChoice,
    Choice,
    NewRecording,
    NewRun,
    ResumeRun,
)
from pokeTUI.app.start.screens import StartScreen
from pokeTUI.draw.menu import Menu, Row
from pokeTUI.terminal.driver import with_job_control
from pokeTUI.terminal.output import known_theme, set_up_output, theme_after, theme_names
from pokeTUI.terminal.probe import terminal_of
from pokeTUI.terminal.signals import suspend

if TYPE_CHECKING:
    from engine.runs.table import RunRow, RunTable

_ENTRIES = (
    ("new", "n", "New run", "train an agent, in MOSSLIGHT or in your own ROM"),
    ("resume", "r", "Resume", "resume a saved run"),
    ("attach", "a", "Attach", "attach to a run in the background"),
    ("record", "o", "Record", "play yourself, and an agent learns from it"),
    ("runs", "u", "Runs", "a table of saved runs: compare, rename, tag, delete"),
    ("replay", "p", "Replay", "replay an episode of a run"),
    ("recordings", "e", "Recordings", "demonstrations and episodes, newest first"),
    ("battles", "b", "Battles", "VGC doubles: play, watch, or train a policy"),
    ("doctor", "d", "Doctor", "check this machine, with remedies"),
    ("settings", "s", "Settings", "all settings; write them to a file for a run"),
    ("quit", "q", "Quit", "back to the shell"),
)
_LABELS = {key: label for key, _, label, _ in _ENTRIES}
_HINTS = {key: hint for key, _, _, hint in _ENTRIES}
_LOOKING = "loading saved runs…"


class StartApp(App[None]):
    """Let the user choose what to do.

    Args:
        save_dir: Where runs are saved; None: where the settings say.

    Attributes:
        choice: What was chosen; None: nothing, the user leaves.
        menu: The entries.
    """

    TITLE = "PokeTUI"
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    CSS = """
    Screen { color: $foreground; }
    Toast { background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape", "leave", show=False),
        Binding("ctrl+c,ctrl+q", "leave", show=False, priority=True),
        Binding("ctrl+z", "suspend", show=False, priority=True),
        Binding("T", "next_theme", show=False),
    ]

    def __init__(
        self,
        save_dir: str | None = None,
        *,
        notice: str = "",
        marked: str = "new",
        form: NewRun | None = None,
        record_form: NewRecording | None = None,
    ) -> None:
        super().__init__()
        self._terminal = terminal_of(os.environ)
        mistakes = set_up_output(self, self._terminal.depth)
        self.theme = known_theme(self, preferred_theme())
        self.choice: Choice | None = None
        self.marked = marked
        self._save_dir = save_dir
        self._notice = notice or "".join(str(mistake) for mistake in mistakes[:1])
        self._form = form
        self._record_form = record_form
        self._saved: RunTable | None = None
        self._trouble = ""
        self._has_runs = False
        self._resumable = 0
        self._live: tuple[str, ...] = ()
        self._has_episodes = self._has_recordings = False
        self._start = StartScreen()
        self.menu = self._start.menu

    def get_default_screen(self) -> Screen[None]:
        """Return the start screen."""
        return self._start

    def get_driver_class(self) -> type[Driver]:
        """Return what reads the keyboard."""
        return with_job_control(super().get_driver_class())

    def on_mount(self) -> None:
        """Show the entries, and look what is saved."""
        self.app_resume_signal.subscribe(self, lambda _: self.screen.refresh())
        self._list()
        self.menu.mark(self.marked)
        self.menu.focus()
        self._start.report(self._notice)
        self.run_worker(self._look())

    # What is there

    async def _look(self) -> None:
        try:
            self._saved, self._live = await asyncio.to_thread(self._look_around)
            self._start.report(self._notice)  # no longer that it is loading
        except PokeTUIError as error:
            self._trouble = str(error)
            self._start.report(self._trouble)
        self._list()

    def _look_around(self) -> "tuple[RunTable, tuple[str, ...]]":
        from engine.remote.folder import live_runs
        from engine.runs.folder import list_runs
        from engine.runs.lock import is_running
        from engine.runs.table import RunTable
        from pokeTUI.app.start.recordings import has_demonstrations
        from pokeTUI.saved import saves

        saved = self._saved or RunTable(saves(self._save_dir))
        infos = list_runs(saved.save_dir)
        self._has_runs = bool(infos)
        self._resumable = sum(
            bool(info.num_checkpoints) and not (info.refusal or is_running(info.path))
            for info in infos
        )
        try:
            live = tuple(one.run_id for one in live_runs() if one.hello is not None)
        except PokeTUIError:
            live = ()
        self._has_episodes = any(_has_journal(info.path) for info in infos)
        self._has_recordings = self._has_episodes or has_demonstrations(saved.save_dir)
        return saved, live

    def _list(self) -> None:
        """List the entries; what cannot be done says why."""
        why_not = self._why_not()
        self.menu.fill(
            [
                Row(key, (label, why_not.get(key) or self._hint(key)), letter, why_not.get(key, ""))
                for key, letter, label, _ in _ENTRIES
            ]
        )

    def _hint(self, key: str) -> str:
        if self._saved is not None and key == "resume":
            return f"resume a saved run: {self._resumable} to choose from"
        if self._saved is not None and key == "attach":
            return f"{len(self._live)} in the background: {', '.join(self._live)}"
        return _HINTS[key]

    def _why_not(self) -> dict[str, str]:
        """Return why what cannot be done cannot."""
        if self._saved is None:
            why = self._trouble or _LOOKING
            return dict.fromkeys(("resume", "attach", "runs", "replay", "recordings"), why)
        found = {}
        if not self._resumable:
            found["resume"] = "no saved run yet: start a new one"
        if not self._live:
            found["attach"] = "no run in the background: poketui run --detach"
        if not self._has_runs:
            found["runs"] = "no saved run yet: start a new one"
        if not self._has_episodes:
            found["replay"] = "no episode recorded yet: start a new run"
        if not self._has_recordings:
            found["recordings"] = "nothing recorded yet: record, or start a new run"
        return found

    # What is chosen

    def on_menu_marked(self, message: Menu.Marked) -> None:
        """Keep in mind where the mark is."""
        if message.menu is self.menu:
            self.marked = message.key

    def on_menu_refused(self, message: Menu.Refused) -> None:
        """Say why."""
        if message.menu is self.menu:
            row = self.menu.marked
            end = "" if message.reason.endswith("…") else "."
            text = f"{_LABELS[row.key]}: {message.reason}{end}" if row else message.reason
            self._start.report(text)

    def on_menu_chosen(self, message: Menu.Chosen) -> None:
        """Do it."""
        if message.menu is not self.menu:
            return
        self._start.report("")
        actions: dict[str, Callable[[], None]] = {
            "new": self._new,
            "resume": self._resume,
            "attach": self._attach_to,
            "record": self._record,
            "runs": self._runs,
            "replay": self._replay,
            "recordings": self._recordings,
            "battles": self._battles,
            "doctor": self._doctor,
            "settings": self._settings,
            "quit": self.action_leave,
        }
        actions[message.key]()

    def _new(self) -> None:
        from pokeTUI.app.start.forms import NewRunScreen

        before = self._form or NewRun({"save_dir": self._save_dir} if self._save_dir else {})
        try:
            form = NewRunScreen(before)
        except PokeTUIError as error:
            self._start.report(str(error))
            return
        self.push_screen(form, lambda answer: self._take(form.wanted if answer else None))

    def _record(self) -> None:
        from pokeTUI.app.start.forms import RecordScreen

        form = RecordScreen(self._save_dir, self._record_form.given if self._record_form else {})
        self.push_screen(form, lambda answer: self._take(form.wanted if answer else None))

    def _pick_run(
        self,
        title: str,
        why_not: "Callable[[RunRow], str] | None" = None,
        use: Callable[[str], None] = lambda run: None,
        *,
        verb: str = "compare",
        hint: str = "",
    ) -> None:
        """Show the saved runs, and use the one that is chosen; then look what is left of them."""
        from pokeTUI.screens.runs import RunsScreen

        def take(run: str | None) -> None:
            self.run_worker(self._look())
            if run:
                use(run)

        assert self._saved is not None
        self.push_screen(
            RunsScreen(title, self._saved, verb=verb, why_not=why_not, hint=hint), take
        )

    def _resume(self) -> None:
        from pokeTUI.screens.runs import why_not_resume

        self._pick_run(
            "Resume",
            lambda row: why_not_resume(row, self._live),
            lambda run: self._take(ResumeRun(run)),
            verb="resume",
        )

    def _attach_to(self) -> None:
        from pokeTUI.panes.dialogs import ChoiceScreen

        if len(self._live) == 1:
            self._take(AttachRun(self._live[0]))
            return
        self.push_screen(
            ChoiceScreen("Attach", [(run, run) for run in self._live]),
            lambda run: self._take(AttachRun(run) if run else None),
        )

    def _runs(self) -> None:
        self._pick_run("Runs", hint="Select runs with space; enter compares them.")

    def _replay(self) -> None:
        self._pick_run(
            "Replay: an episode of",
            lambda row: "" if _has_journal(row.path) else "It has no recorded episode yet.",
            self._recordings,
            verb="list its episodes",
        )

    def _recordings(self, run: str | None = None) -> None:
        from pokeTUI.app.start.recordings import RecordingsScreen, picked

        assert self._saved is not None
        self.push_screen(
            RecordingsScreen(self._saved.save_dir, run),
            lambda key: self._take(picked(key) if key else None),
        )

    def _battles(self) -> None:
        from engine.battles.sim.setup import is_installed
        from pokeTUI.panes.dialogs import ChoiceScreen

        if not is_installed():
            self._start.report("Battles: run `poketui vgc setup` once; it installs the simulator.")
            return
        self.push_screen(
            ChoiceScreen("Battles", BATTLES),
            lambda what: self._take(BattleChoice(what) if what else None),
        )

    def _doctor(self) -> None:
        from pokeTUI.app.start.screens import DoctorScreen

        self.push_screen(DoctorScreen(self._terminal))

    def _settings(self) -> None:
        from engine.config import load_config
        from pokeTUI.preferences import PreferenceFile
        from pokeTUI.screens.settings import SettingsScreen

        try:
            config, preferences = load_config(), PreferenceFile().load()
        except PokeTUIError as error:
            self._start.report(str(error))
            return
        path = Path("poketui.toml")
        self.push_screen(
            SettingsScreen(
                config, preferences, lambda command: None, self._prefer, path, theme_names(self)
            )
        )

    def _take(self, choice: Choice | None) -> None:
        if choice is not None:
            self.choice = choice
            self.exit()

    # The rest

    def _prefer(self, name: str, value: str) -> None:
        """Remember a preference."""
        from pokeTUI.preferences import PreferenceFile

        if name == "theme":
            self.theme = value
        try:
            PreferenceFile().save({name: value})
        except (OSError, PokeTUIError) as error:
            self._start.report(f"Your preferences cannot be saved: {error}")

    def action_next_theme(self) -> None:
        """Use the next theme."""
        self._prefer("theme", theme_after(self))

    def action_suspend(self) -> None:
        """Leave the terminal to the shell until it continues the program."""
        suspend(self, "Suspended: `fg` resumes it.")

    def action_leave(self) -> None:
        """Leave what is in front, or the program."""
        if len(self.screen_stack) > 1:
            self.pop_screen()
        else:
            self.exit()


def preferred_theme() -> str:
    """Return the theme of the preferences, "" if none; the cockpit reports a broken file."""
    try:
        name = read_toml(config_folder() / "preferences.toml").get("theme", "")
    except (OSError, ValueError):
        return ""
    return str(name)


def _has_journal(path: Path) -> bool:
    journal = path / "journal.jsonl"
    return journal.is_file() and journal.stat().st_size > 0
