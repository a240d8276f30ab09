"""A small form for recording demonstrations; whoever just starts records until leaving."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from engine.config import RunConfig, load_config
from engine.errors import PokeTUIError
from engine.session import check_settings
from pokeTUI.dialogs.prompt import PromptScreen
from pokeTUI.durations import seconds
from pokeTUI.screens.listing import ListScreen
from pokeTUI.start.choice import NewRecording
from pokeTUI.widgets.menu import Column, Row

if TYPE_CHECKING:
    from engine.recording_session import RecordingPlan

_START = "start"
_KEYS = "↑↓ move   ←→ or enter change   esc goes back"


@dataclass(frozen=True, slots=True)
class _Field:
    """A line of the form.

    Attributes:
        label: In words.
        empty: What is shown where nothing is given.
        hint: What it is for.
        choices: All that can be chosen; () for a text.
    """

    label: str
    empty: str
    hint: str
    choices: tuple[str, ...] = ()


_FIELDS: Mapping[str, _Field] = {
    "task": _Field("what is shown", "–", "In words; it is kept with each demonstration."),
    "set": _Field("set", "none", "A name for those that belong together; a set goes on."),
    "episodes": _Field("demonstrations", "until you leave", "How many the set is to have."),
    "limit": _Field("time limit", "none", "Each is saved after so long: 90s, 5m, 1m30s."),
    "player": _Field(
        "who plays",
        "you",
        "You, or the rules, or chance; then you may take over: t. Others: poketui record --player",
        ("", "rules", "random"),
    ),
    "rom": _Field("ROM", "MOSSLIGHT, the practice game", "The path of your own ROM."),
}


class RecordScreen(ListScreen):
    """Ask what is to be recorded.

    Args:
        save_dir: Where demonstrations are saved; None: where the settings say.
        given: What was given before.

    Attributes:
        wanted: What was asked for, once "start" came back.
    """

    DEFAULT_CSS = """
    RecordScreen #listing_box { width: 84; height: auto; }
    RecordScreen #listing_menu { height: 7; }
    RecordScreen #listing_hint { height: 4; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "turn(1)", show=False),
        Binding("left,h", "turn(-1)", show=False),
    ]

    def __init__(self, save_dir: str | None, given: Mapping[str, str]) -> None:
        super().__init__(
            "Record demonstrations",
            (Column("", 16), Column("", 0)),
            keys=_KEYS,
            hint=_about(_START),
        )
        self._save_dir = save_dir
        self._given = dict(given)
        self.wanted: NewRecording | None = None

    def on_mount(self) -> None:
        """Begin at the last line: most people just start."""
        self._list(_START)

    def _list(self, marked: str) -> None:
        rows = [Row(key, (field.label, self._shown(key))) for key, field in _FIELDS.items()]
        self.fill([*rows, Row(_START, ("start", ""))])
        self.menu.mark(marked)

    def _shown(self, key: str) -> str:
        text = self._given.get(key, "") or _FIELDS[key].empty
        return f"‹ {text} ›" if _FIELDS[key].choices else text

    def about(self, row: Row) -> str:
        """Say what the marked line is for."""
        return _about(row.key)

    def pick(self, key: str) -> None:
        """Change the line, or start."""
        if key == _START:
            self._start()
        elif _FIELDS[key].choices:
            self.action_turn(1)
        else:
            screen = PromptScreen(
                _FIELDS[key].label,
                self._given.get(key, ""),
                hint=_about(key),
                check=lambda text: self._wrong({**self._given, key: text.strip()}),
            )
            self.app.push_screen(screen, lambda text: self._take(key, text))

    def action_turn(self, step: int) -> None:
        """Take the next value of the marked line, where there are only some."""
        key = self.menu.marked.key if self.menu.marked is not None else _START
        if key in _FIELDS and _FIELDS[key].choices:
            choices = _FIELDS[key].choices
            at = choices.index(self._given.get(key, ""))
            self._take(key, choices[(at + step) % len(choices)])

    def _take(self, key: str, text: str | None) -> None:
        if text is not None:
            self._given[key] = text.strip()
            self._list(key)

    def _wrong(self, given: Mapping[str, str]) -> str:
        """Return what is wrong with what was given, "" if nothing is."""
        try:
            config, _ = plan_of(given, self._save_dir)
            check_settings(config)
        except PokeTUIError as error:
            return str(error)
        return ""

    def _start(self) -> None:
        wrong = self._wrong(self._given)
        if wrong:
            self.tell(wrong)
            return
        self.wanted = NewRecording(self._given)
        self.dismiss(_START)


def plan_of(given: Mapping[str, str], save_dir: str | None) -> "tuple[RunConfig, RecordingPlan]":
    """Return settings and plan of what was given in the form.

    Raises:
        ConfigurationError: Some of it cannot be.
    """
    # Here, not above: the form is there before what records is loaded.
    from engine.errors import ConfigurationError
    from engine.recording_session import RecordingPlan

    count = given.get("episodes", "")
    if count and not (count.isascii() and count.isdigit() and len(count) < 7):
        raise ConfigurationError(
            f"{count} is no number of demonstrations.", "Write a whole number."
        )
    settings = {"rom_path": given.get("rom", ""), "save_dir": save_dir or ""}
    config = load_config(None, {key: value for key, value in settings.items() if value})
    plan = RecordingPlan(
        set_name=given.get("set", ""),
        episodes=int(count or 0),
        limit_s=seconds(given.get("limit", ""), "The time limit"),
        task=given.get("task", ""),
        player=given.get("player", ""),
    )
    return config, plan


def _about(key: str) -> str:
    if key == _START:
        return "enter begins; the keys stand at the bottom of the screen. It is saved as you play."
    return _FIELDS[key].hint
