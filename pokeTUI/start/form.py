"""Small forms; what is allowed in that of a new run comes from the settings' own schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType

from engine.config import RunConfig, load_config
from engine.errors import PokeTUIError
from engine.session import check_settings
from pokeTUI.dialogs.prompt import PromptScreen
from pokeTUI.screens.listing import ListScreen
from pokeTUI.settings import changed, settings_of, shown, value_of
from pokeTUI.start.choice import NewRun
from pokeTUI.widgets.menu import Column, Row

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
    """Ask for a few values, a line each, and "start" as the last line: it comes back.

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

    # What a form is for, in its subclass: values are as they are typed, "" where none is given.

    def _value(self, key: str) -> str:
        raise NotImplementedError

    def _put(self, key: str, text: str) -> str:
        """Take a line's new value; return what is wrong with it, "" if nothing is."""
        raise NotImplementedError

    def _refusal(self, key: str, text: str) -> str:
        """Return what is wrong with a line's value that is still being typed, "" if nothing is."""
        raise NotImplementedError

    def _begin(self) -> None:
        """Give START back if nothing is wrong, else say what is."""
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
    """Ask how a new run is to be.

    Attributes:
        wanted: What was asked for, once "start" came back.
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
        if config is None or key != "rom_path":
            return wrong
        try:
            check_settings(config)
        except PokeTUIError as error:
            return str(error)
        return ""

    def _begin(self) -> None:
        try:
            check_settings(load_config(None, dict(self._given)))
        except PokeTUIError as error:
            self.report(str(error))
            return
        self.wanted = NewRun(self._given, self._is_detached)
        self.dismiss(START)


def _meant(key: str, text: str) -> str:
    """Return what an answer stands for: nothing is 0 where a number is asked for."""
    return "0" if not text and key in ("total_steps", "seed", "num_envs") else text
