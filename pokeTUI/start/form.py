"""A small form for a new run; what is allowed comes from the settings' own schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType

from engine.config import RunConfig, load_config
from engine.errors import PokeTUIError
from engine.session import check_settings
from pokeTUI.dialogs.prompt import PromptScreen
from pokeTUI.screens.listing import ListScreen
from pokeTUI.settings import Setting, changed, settings_of, shown, value_of
from pokeTUI.start.choice import NewRun
from pokeTUI.widgets.menu import Column, Row

_START, _BACKGROUND = "start", "background"
_KEYS = "↑↓ move   ←→ or enter change   esc goes back"


@dataclass(frozen=True, slots=True)
class _Field:
    """A line of the form.

    Attributes:
        label: In words.
        empty: What is shown for "" and 0.
        hint: What it is for.
    """

    label: str
    empty: str = ""
    hint: str = ""


FIELDS: Mapping[str, _Field] = {
    "rom_path": _Field(
        "ROM", "MOSSLIGHT, the practice game", "The path of your own ROM; empty: MOSSLIGHT."
    ),
    "agent": _Field("agent", "", "Who plays: two that learn (ppo, dqn), the rules, or chance."),
    "mode": _Field("mode"),
    "strategy": _Field("strategy"),
    "llm_model": _Field(
        "language model",
        "none: rules set the goals",
        "Sets goals: smollm2:1.7b, gpt-..., claude-..., FILE.gguf; empty: the rules set them.",
    ),
    "num_envs": _Field("games", "", "Games played at once."),
    "seed": _Field("seed", "", "Of everything random."),
    "total_steps": _Field("limit of steps", "none: until you stop it"),
}


class NewRunScreen(ListScreen):
    """Ask how a new run is to be.

    Args:
        given: Settings by key that were chosen before.
        is_detached: What was chosen before.

    Attributes:
        wanted: What was asked for, once "start" came back.
    """

    DEFAULT_CSS = """
    NewRunScreen #listing_box { width: 84; height: auto; }
    NewRunScreen #listing_menu { height: 10; }
    NewRunScreen #listing_hint { height: 4; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "turn(1)", show=False),
        Binding("left,h", "turn(-1)", show=False),
    ]

    def __init__(self, given: Mapping[str, str], *, is_detached: bool = False) -> None:
        super().__init__(
            "New run", (Column("", 16), Column("", 0)), keys=_KEYS, hint=self._about(_START)
        )
        self._given = dict(given)
        self._is_detached = is_detached
        self._config = load_config(None, dict(given))
        self._settings: dict[str, Setting] = {
            one.key: one for one in settings_of(RunConfig) if one.key in FIELDS
        }
        self.wanted: NewRun | None = None

    def on_mount(self) -> None:
        """Begin at the last line: most people just start."""
        self._list(_START)

    def _list(self, marked: str) -> None:
        rows = [Row(key, (field.label, self._shown(key))) for key, field in FIELDS.items()]
        background = "yes: it goes on when you leave" if self._is_detached else "no: here"
        rows.append(Row(_BACKGROUND, ("in background", background)))
        rows.append(Row(_START, ("start", "")))
        self.fill(rows)
        self.menu.mark(marked)

    def _shown(self, key: str) -> str:
        value = value_of(self._config.model_dump(), key)
        text = shown(value) if value not in ("", 0) else FIELDS[key].empty or shown(value)
        return f"‹ {text} ›" if self._settings[key].choices else text

    def about(self, row: Row) -> str:
        """Say what the marked line is for."""
        return self._about(row.key)

    def _about(self, key: str) -> str:
        if key == _START:
            return "enter starts the run with these settings; , in the cockpit has all others."
        if key == _BACKGROUND:
            return "In the background: the run goes on without this screen; Attach shows it."
        setting = self._settings[key]
        parts = [FIELDS[key].hint or setting.description, setting.allowed]
        return "  ".join(part for part in parts if part)

    def pick(self, key: str) -> None:
        """Change the line, or start."""
        if key == _START:
            self._start()
        elif key == _BACKGROUND or self._settings[key].choices:
            self.action_turn(1)
        else:
            value = shown(value_of(self._config.model_dump(), key))
            self.app.push_screen(
                PromptScreen(
                    FIELDS[key].label,
                    "" if value == "0" and FIELDS[key].empty else value,
                    hint=self._about(key),
                    check=lambda text: self._wrong(key, text),
                ),
                lambda text: self._take(key, text),
            )

    def action_turn(self, step: int) -> None:
        """Take the next value of the marked line, where there are only some."""
        key = self.menu.marked.key if self.menu.marked is not None else _START
        if key == _BACKGROUND:
            self._is_detached = not self._is_detached
            self._list(key)
        elif key in self._settings and self._settings[key].choices:
            choices = self._settings[key].choices
            at = choices.index(str(value_of(self._config.model_dump(), key)))
            self._take(key, choices[(at + step) % len(choices)])

    def _wrong(self, key: str, text: str) -> str:
        """Return what is wrong with a value, "" if nothing is."""
        config, wrong = changed(self._config, key, _meant(key, text))
        if config is None or wrong:
            return wrong
        if key != "rom_path":
            return ""
        try:
            check_settings(config)
        except PokeTUIError as error:
            return str(error)
        return ""

    def _take(self, key: str, text: str | None) -> None:
        if text is None:
            return
        config, wrong = changed(self._config, key, _meant(key, text))
        if config is None:
            self.tell(wrong)
            return
        self._config = config
        self._given[key] = _meant(key, text)
        self._list(key)

    def _start(self) -> None:
        try:
            config = load_config(None, dict(self._given))
            check_settings(config)
        except PokeTUIError as error:
            self.tell(str(error))
            return
        self.wanted = NewRun(self._given, self._is_detached)
        self.dismiss(_START)


def _meant(key: str, text: str) -> str:
    """Return what an answer stands for: nothing is 0 where a number is asked for."""
    text = text.strip()
    return "0" if not text and key in ("total_steps", "seed") else text
