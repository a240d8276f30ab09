"""The start screen's forms: for a new run, and for recording demonstrations."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from engine.config import RunConfig, load_config
from engine.errors import ConfigurationError, PokeTUIError
from engine.sessions.train import check_settings
from pokeTUI.app.start.choices import NewRecording, NewRun
from pokeTUI.draw.menu import Column, Row
from pokeTUI.draw.units import seconds
from pokeTUI.panes.dialogs import PromptScreen
from pokeTUI.screens.listing import ListScreen
from pokeTUI.settings import changed, settings_of, shown, value_of

if TYPE_CHECKING:
    from engine.sessions.record import RecordingPlan


# Forms with a line per value; that of a new run takes its choices from the settings' schema.

START = "start"
_BACKGROUND = "background"


@dataclass(frozen=True, slots=True)
class Field:
    """A line of a form.

    Attributes:
        empty: What is shown where nothing is given.
        choices: All that can be chosen; () for a text.
    """

    label: str
    empty: str = ""
    hint: str = ""
    choices: tuple[str, ...] = ()


class FormScreen(ListScreen):
    """Ask for a few values, one per line; choosing the last line, "start", dismisses with START.

    Attributes:
        FIELDS: The lines, by the keys of their values.
        START_HINT: What is shown of the last line.
    """

    DEFAULT_CSS = """
    FormScreen #listing_box { width: 84; height: auto; }
    FormScreen #listing_hint { height: 4; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "turn(1)", show=False),
        Binding("left,h", "turn(-1)", show=False),
    ]
    FIELDS: ClassVar[Mapping[str, Field]]
    START_HINT: ClassVar[str]

    def __init__(self, title: str) -> None:
        super().__init__(
            title,
            (Column("", 16), Column("", 0)),
            keys="↑↓ move   ←→ or enter change   esc back",
            hint=self.START_HINT,
        )

    # Subclasses implement these. Values are as typed, "" where none is given.

    def _value(self, key: str) -> str:
        raise NotImplementedError

    def _put(self, key: str, text: str) -> str:
        """Take a line's new value; return what is wrong with it, "" if nothing is."""
        raise NotImplementedError

    def _refusal(self, key: str, text: str) -> str:
        """Return what is wrong with a line's value that is still being typed, "" if nothing is."""
        raise NotImplementedError

    def _begin(self) -> None:
        """Dismiss with START, or report what is wrong."""
        raise NotImplementedError

    def _choices(self, key: str) -> tuple[str, ...]:
        return self.FIELDS[key].choices

    def _cell(self, key: str) -> str:
        text = self._value(key) or self.FIELDS[key].empty
        return f"‹ {text} ›" if self._choices(key) else text

    def _about(self, key: str) -> str:
        return self.FIELDS[key].hint

    def on_mount(self) -> None:
        """Begin at the last line: most people just start."""
        self._list(START)

    def _list(self, marked: str) -> None:
        rows = [Row(key, (field.label, self._cell(key))) for key, field in self.FIELDS.items()]
        self.fill([*rows, Row(START, ("start", ""))])
        self.menu.mark(marked)

    def about(self, row: Row) -> str:
        """Return what the marked line is for."""
        return self.START_HINT if row.key == START else self._about(row.key)

    def pick(self, key: str) -> None:
        """Change the line, or start."""
        if key == START:
            self._begin()
        elif self._choices(key):
            self.action_turn(1)
        else:
            screen = PromptScreen(
                self.FIELDS[key].label,
                self._value(key),
                hint=self._about(key),
                check=lambda text: self._refusal(key, text.strip()),
            )
            self.app.push_screen(screen, lambda text: self._take(key, text))

    def action_turn(self, step: int) -> None:
        """Take the next value of the marked line, where there are only some."""
        key = self.menu.marked.key if self.menu.marked is not None else START
        if key != START and (choices := self._choices(key)):
            self._take(key, choices[(choices.index(self._value(key)) + step) % len(choices)])

    def _take(self, key: str, text: str | None) -> None:
        if text is None:
            return
        wrong = self._put(key, text.strip())
        if wrong:
            self.report(wrong)
        else:
            self._list(key)


class NewRunScreen(FormScreen):
    """Ask for the settings of a new run.

    Attributes:
        wanted: The run to begin, once "start" was chosen.
    """

    DEFAULT_CSS = "NewRunScreen #listing_menu { height: 10; }"
    START_HINT = "enter starts the run with these settings; all others: , in the cockpit."
    FIELDS: ClassVar[Mapping[str, Field]] = {
        "rom_path": Field(
            "ROM",
            "MOSSLIGHT, the practice game",
            "The path of your own ROM, or mosslight-advance; empty: MOSSLIGHT.",
        ),
        "agent": Field("agent", "", "ppo or dqn (learning), rules, or random."),
        "mode": Field("mode"),
        "strategy": Field("strategy"),
        "llm_model": Field(
            "language model",
            "none: rules set the goals",
            "Sets goals: smollm2:1.7b, gpt-..., claude-..., FILE.gguf; empty: the rules set them.",
        ),
        "num_envs": Field(
            "games",
            "as many as suit the game",
            "Games side by side; empty: 32, on a cartridge 16.",
        ),
        "seed": Field("seed", "", "Random seed."),
        "total_steps": Field("step limit", "none: until you stop it"),
        _BACKGROUND: Field(
            "in background",
            hint="Run in the background, without this screen; Attach shows it.",
        ),
    }

    def __init__(self, before: NewRun) -> None:
        super().__init__("New run")
        self._given = dict(before.overrides)
        self._is_detached = before.is_detached
        self._config = load_config(None, dict(before.overrides))
        self._settings = {one.key: one for one in settings_of(RunConfig) if one.key in self.FIELDS}
        self.wanted: NewRun | None = None

    def _choices(self, key: str) -> tuple[str, ...]:
        return ("no", "yes") if key == _BACKGROUND else self._settings[key].choices

    def _value(self, key: str) -> str:
        if key == _BACKGROUND:
            return "yes" if self._is_detached else "no"
        text = shown(value_of(self._config.model_dump(), key))
        return "" if text == "0" and self.FIELDS[key].empty else text

    def _cell(self, key: str) -> str:
        if key == _BACKGROUND:
            return "yes: it continues when you leave" if self._is_detached else "no: here"
        return super()._cell(key)

    def _about(self, key: str) -> str:
        hint = super()._about(key)
        if key == _BACKGROUND:
            return hint
        setting = self._settings[key]
        return "  ".join(part for part in (hint or setting.description, setting.allowed) if part)

    def _put(self, key: str, text: str) -> str:
        if key == _BACKGROUND:
            self._is_detached = text == "yes"
            return ""
        config, wrong = changed(self._config, key, _meant(key, text))
        if config is None:
            return wrong
        self._config = config
        self._given[key] = _meant(key, text)
        return ""

    def _refusal(self, key: str, text: str) -> str:
        config, wrong = changed(self._config, key, _meant(key, text))
        return wrong if config is None or key != "rom_path" else _what_is_wrong(lambda: config)

    def _begin(self) -> None:
        wrong = _what_is_wrong(lambda: load_config(None, dict(self._given)))
        if wrong:
            self.report(wrong)
            return
        self.wanted = NewRun(self._given, self._is_detached)
        self.dismiss(START)


def _meant(key: str, text: str) -> str:
    """Return what an answer stands for: nothing is 0 where a number is asked for."""
    return "0" if not text and key in ("total_steps", "seed", "num_envs") else text


def _what_is_wrong(make: Callable[[], RunConfig]) -> str:
    """Return why no run can begin with the settings that are made, "" if one can."""
    try:
        check_settings(make())
    except PokeTUIError as error:
        return str(error)
    return ""


# The form for recording demonstrations; with nothing filled in one records until leaving.


class RecordScreen(FormScreen):
    """Ask what to record.

    Args:
        save_dir: Where demonstrations are saved; None: where the settings say.

    Attributes:
        wanted: What to record, once "start" was chosen.
    """

    DEFAULT_CSS = "RecordScreen #listing_menu { height: 7; }"
    START_HINT = "enter starts; the footer shows the keys. Everything is saved as you play."
    FIELDS: ClassVar[Mapping[str, Field]] = {
        "task": Field("task", "–", "Task description, stored with each demonstration."),
        "set": Field("set", "none", "Dataset to record into; existing episodes count."),
        "episodes": Field("demonstrations", "until you leave", "Total episodes in the dataset."),
        "limit": Field("time limit", "none", "Maximum episode length: 90s, 5m, 1m30s."),
        "player": Field(
            "player",
            "you",
            "You, the rules or random; t takes over. Others: poketui record --player",
            ("", "rules", "random"),
        ),
        "rom": Field(
            "ROM",
            "MOSSLIGHT, the practice game",
            "The path of your own ROM, or mosslight-advance; empty: MOSSLIGHT.",
        ),
    }

    def __init__(self, save_dir: str | None, given: Mapping[str, str]) -> None:
        super().__init__("Record demonstrations")
        self._save_dir = save_dir
        self._given = dict(given)
        self.wanted: NewRecording | None = None

    def _value(self, key: str) -> str:
        return self._given.get(key, "")

    def _put(self, key: str, text: str) -> str:
        self._given[key] = text
        return ""

    def _refusal(self, key: str, text: str) -> str:
        given = {**self._given, key: text}
        return _what_is_wrong(lambda: plan_of(given, self._save_dir)[0])

    def _begin(self) -> None:
        wrong = _what_is_wrong(lambda: plan_of(self._given, self._save_dir)[0])
        if wrong:
            self.report(wrong)
            return
        self.wanted = NewRecording(self._given)
        self.dismiss(START)


def plan_of(given: Mapping[str, str], save_dir: str | None) -> "tuple[RunConfig, RecordingPlan]":
    """Return settings and plan from the values of the form.

    Raises:
        ConfigurationError: Some of it cannot be.
    """
    # Imported here: the form is there before what records is loaded.
    from engine.sessions.record import RecordingPlan

    count = given.get("episodes", "")
    if count and not (count.isascii() and count.isdigit() and len(count) < 7):
        raise ConfigurationError(
            f"{count} is not a number of demonstrations.", "Use a whole number."
        )
    settings = {"rom_path": given.get("rom", ""), "save_dir": save_dir or ""}
    config = load_config(None, {key: value for key, value in settings.items() if value})
    plan = RecordingPlan(
        set_name=given.get("set", ""),
        episodes=int(count or 0),
        limit_s=seconds(given.get("limit", ""), "The time limit"),
        task=given.get("task", ""),
        player=given.get("player", ""),
        has_reset=True,
        has_review=True,
    )
    return config, plan
