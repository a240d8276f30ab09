"""All settings, made from their schema: changed at once where that is possible, or written."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from engine.commands import Command
from engine.config import RunConfig
from engine.errors import ConfigurationError
from engine.ground.folders import user_path
from pokeTUI.draw.menu import MarkedList
from pokeTUI.panes.dialogs import ChoiceScreen, PromptScreen
from pokeTUI.preferences import Preferences
from pokeTUI.settings import (
    Setting,
    changed,
    command_for,
    settings_of,
    shown,
    value_of,
    write_config,
)

COCKPIT = "cockpit"
_KEYS = "enter change   w write for the next run   / search   esc back"


class SettingsScreen(ModalScreen[None]):
    """Show the run's settings and the cockpit's, section by section.

    Args:
        config: The run's.
        preferences: The cockpit's.
        send: Sends what can change while the run continues.
        prefer: Takes a preference's name and its new value.
        path: Where a configuration is written if no other path is given.
        themes: Names of those to choose from.
    """

    DEFAULT_CSS = """
    SettingsScreen { align: center middle; background: $background 70%; }
    #settings_box {
        width: 112; max-width: 100%; height: 96%; padding: 0 1; background: $panel;
        border: round $primary; border-title-color: $lichen; border-subtitle-color: $stone;
    }
    #settings_search { border: none; height: 1; padding: 0; background: $surface; }
    #settings_lists { height: 1fr; }
    #settings_sections { width: 16; height: 100%; border: none; background: $panel; padding: 0; }
    #settings_fields { width: 1fr; height: 100%; border: none; background: $surface; padding: 0; }
    #settings_sections, #settings_fields {
        text-wrap: nowrap; text-overflow: ellipsis;
        scrollbar-size-vertical: 1; scrollbar-color: $primary; scrollbar-background: $panel;
        scrollbar-background-hover: $panel; scrollbar-background-active: $panel;
    }
    #settings_sections > .option-list--option-highlighted,
    #settings_fields > .option-list--option-highlighted { background: $panel; color: $foreground; }
    #settings_sections:focus > .option-list--option-highlighted,
    #settings_fields:focus > .option-list--option-highlighted {
        background: $frame; color: $foreground; text-style: bold;
    }
    #settings_about { height: auto; min-height: 5; padding-top: 1; color: $foreground; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,comma", "leave", show=False),
        Binding("w", "write", show=False),
        Binding("slash", "search", show=False),
        Binding("left,h", "sections", show=False),
        Binding("right,l", "fields", show=False),
        Binding("j", "move(1)", show=False),
        Binding("k", "move(-1)", show=False),
    ]

    def __init__(
        self,
        config: RunConfig,
        preferences: Preferences,
        send: Callable[[Command], None],
        prefer: Callable[[str, str], None],
        path: Path,
        themes: tuple[str, ...],
    ) -> None:
        super().__init__()
        self._config = self._before = config
        self._preferences = preferences
        self._send = send
        self._prefer = prefer
        self._path = path
        self._settings = settings_of(RunConfig)
        self._own = [
            replace(one, kind=f"one of {', '.join(themes)}", choices=themes)
            for one in settings_of(Preferences, section=COCKPIT)
            if one.key == "theme"
        ]
        self._sections = [*dict.fromkeys(one.section for one in self._settings), COCKPIT]
        self._listed: list[Setting] = []
        hint = "part of a name or description"
        self._search = Input(placeholder=hint, id="settings_search")
        self._search.display = False
        self._section_list = MarkedList(*self._sections, id="settings_sections")
        self._fields = MarkedList(id="settings_fields")
        self._about = Static(id="settings_about")

    def compose(self) -> ComposeResult:
        """Yield the lists, and below them what the marked setting is for."""
        with Vertical(id="settings_box") as box:
            box.border_title = "Settings"
            box.border_subtitle = _KEYS
            yield self._search
            with Horizontal(id="settings_lists"):
                yield self._section_list
                yield self._fields
            yield self._about

    def on_mount(self) -> None:
        """Begin with the run's first settings."""
        self._section_list.highlighted = 0
        self._fields.focus()
        self._list()

    def _list(self, marked: int = 0) -> None:
        """List the settings of the marked section, or those that are searched for."""
        word = self._search.value.casefold().strip() if self._search.display else ""
        section = self._sections[self._section_list.highlighted or 0]
        self._listed = [
            one
            for one in (*self._settings, *self._own)
            if (not word and one.section == section)
            or (word and word in f"{one.key} {one.description}".casefold())
        ]
        self._fields.clear_options()
        self._fields.add_options(Option(self._line(one, bool(word))) for one in self._listed)
        if self._listed:
            self._fields.highlighted = min(marked, len(self._listed) - 1)
        self._explain()

    def _line(self, setting: Setting, is_whole: bool) -> Content:
        name = setting.key if is_whole else setting.key.rpartition(".")[2]
        value = self._value(setting)
        before = self._before.model_dump()
        is_changed = setting.section != COCKPIT and value != value_of(before, setting.key)
        mark = "*" if is_changed else "●" if setting.is_live else " "
        return Content.assemble(
            (f"{mark} ", "$warning" if is_changed else "$success"),
            (f"{name:<28} ", "$foreground"),
            *_styled(setting, value),
            ("  rules: no model" * (name in self._config.led_by_rules), "$stone"),
        )

    def _value(self, setting: Setting) -> object:
        settings = self._preferences if setting.section == COCKPIT else self._config
        return value_of(settings.model_dump(), setting.key)

    @property
    def _marked(self) -> Setting | None:
        index = self._fields.highlighted
        return self._listed[index] if index is not None and index < len(self._listed) else None

    def _explain(self, wrong: str = "") -> None:
        """Say what the marked setting is for, or what is wrong with what was typed."""
        one = self._marked
        if one is None:
            about = Content("No match.")
        else:
            when = "for the next run: w writes it to a file"
            if one.is_live or one.section == COCKPIT:
                when = "applies immediately"
            kind = f"{one.kind}, {one.allowed}" if one.allowed else one.kind
            default = "".join(text for text, _ in _styled(one, one.default))
            title = Content.assemble((one.key, "bold $primary"), f"   {kind}\n")
            about = title + f"{one.description or ' '}\ndefault: {default}   {when}"
        if wrong:
            about = Content.styled(f"✗ {wrong}\n", "$error") + about
        self._about.update(about)

    # Events of the lists and the search

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Follow the mark."""
        if event.option_list is self._section_list:
            self._list()
        else:
            self._explain()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Change the marked setting; from a section go to its settings."""
        if event.option_list is self._section_list:
            self._fields.focus()
        elif self._marked is not None:
            self._ask(self._marked)

    def on_input_changed(self, event: Input.Changed) -> None:
        """List what has the word."""
        self._list()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to what was found."""
        self._fields.focus()

    # Keys

    def action_leave(self) -> None:
        """Leave the search, then the settings."""
        if self._search.display:
            self._search.value = ""
            self._search.display = False
            self._fields.focus()
            self._list()
        else:
            self.dismiss()

    def action_search(self) -> None:
        """Search in all sections."""
        self._search.display = True
        self._search.focus()

    def action_sections(self) -> None:
        """Go to the sections."""
        self._section_list.focus()

    def action_fields(self) -> None:
        """Go to the settings."""
        self._fields.focus()

    def action_move(self, step: int) -> None:
        """Move the mark, as the arrows do."""
        if isinstance(self.focused, OptionList):
            if step > 0:
                self.focused.action_cursor_down()
            else:
                self.focused.action_cursor_up()

    def action_write(self) -> None:
        """Write the settings for a next run."""
        hint = "A path that ends in .toml or .json, for: poketui run --config"
        self.app.push_screen(
            PromptScreen("Write to", str(self._path), hint=hint, check=_wrong_path), self._write
        )

    # Changing

    def _ask(self, setting: Setting) -> None:
        value = shown(self._value(setting))
        if setting.choices:
            choices = [(choice, choice or "(none)") for choice in setting.choices]
            self.app.push_screen(
                ChoiceScreen(setting.key, choices, value), lambda text: self._take(setting, text)
            )
            return
        screen = PromptScreen(
            setting.key,
            value,
            hint=" · ".join(part for part in (setting.kind, setting.allowed) if part),
            check=lambda text: changed(self._config, setting.key, text)[1],
        )
        self.app.push_screen(screen, lambda text: self._take(setting, text))

    def _take(self, setting: Setting, text: str | None) -> None:
        if text is None:
            return
        if setting.section == COCKPIT:
            self._preferences = self._preferences.model_copy(update={setting.key: text})
            self._prefer(setting.key, text)
        else:
            config, wrong = changed(self._config, setting.key, text)
            if config is None:
                self._explain(wrong)
                return
            self._config = config
            command = command_for(setting.key, text.strip()) if setting.is_live else None
            if command is not None:
                self._send(command)
        self._list(self._fields.highlighted or 0)

    def _write(self, text: str | None) -> None:
        if text is None:
            return
        path = user_path(text.strip())
        if path.exists():
            choices = [("", "No, leave it"), ("yes", "Yes, overwrite it")]
            self.app.push_screen(
                ChoiceScreen(f"{path} exists. Overwrite it?", choices),
                lambda answer: self._write_to(path) if answer else None,
            )
        else:
            self._write_to(path)

    def _write_to(self, path: Path) -> None:
        try:
            write_config(self._config, path)
        except OSError as error:
            self._explain(f"{path}: {error.strerror}")
        else:
            self.notify(f"Written. Start with: poketui run --config {path}", markup=False)


def _styled(setting: Setting, value: object) -> list[tuple[str, str]]:
    """Return a value, and what it stands for where it is 0 or empty: (text, style)."""
    meaning = setting.meaning(value)
    text = shown(value)
    if not text:
        return [(f"({meaning})" if meaning else '""', "$stone")]
    return [(text, "bold $lichen"), (f" ({meaning})" if meaning else "", "$stone")]


def _wrong_path(text: str) -> str:
    try:
        path = user_path(text.strip())
    except ConfigurationError as error:
        return error.message
    if path.suffix not in (".toml", ".json"):
        return "The name must end in .toml or .json."
    return "That is a folder." if path.is_dir() else ""
