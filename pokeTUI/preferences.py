"""Keep the user's preferences in a file that can be edited: preferences.toml.

It is in $POKETUI_CONFIG_DIR, else in $XDG_CONFIG_HOME/poketui, else in ~/.config/poketui.
"""

import asyncio
import errno
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from engine.errors import ConfigurationError
from engine.ground.files import make_folder, read_toml, write_file
from engine.ground.folders import config_folder as config_folder
from pokeTUI.draw.layout import Arrangement
from pokeTUI.draw.theme import THEME_NAMES, own_theme_names
from pokeTUI.settings import to_toml
from pokeTUI.terminal.gamepad import CONTROLS, USUAL

_COMMENT = """What PokeTUI remembers of how you like it. Edit it while no cockpit is open.
[keys]: action = "key,key"; [gamepad]: control = "action"; the help (?) and docs/keys.md name the
actions."""
WRITE_DELAY_S = 0.5
"""A border that is dragged changes sixty times a second."""


def _check_pane(key: str) -> str:
    if key not in _pane_keys():
        raise ValueError(f"allowed values: {', '.join(_pane_keys())}")
    return key


def _pane_keys() -> tuple[str, ...]:
    # Imported here: it loads much that is not needed for a theme.
    from pokeTUI.panes.kinds import pane_keys

    return pane_keys()


PaneKey = Annotated[
    str,
    AfterValidator(_check_pane),
    Field(json_schema_extra=lambda schema: schema.update(enum=list(_pane_keys()))),
]


def _check_control(name: str) -> str:
    if name not in CONTROLS:
        raise ValueError(f"there are {', '.join(CONTROLS)}")
    return name


class LayoutPreferences(BaseModel):
    """How the panes are arranged."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    hidden: tuple[PaneKey, ...] = ()
    """Panes that are not shown."""
    fronts: tuple[PaneKey, ...] = ()
    """Panes in front where several share a place, newest first."""
    presentation: bool = False
    """Show the game as large as can be."""
    sizes: dict[str, dict[str, float]] = {}
    """By place and part: its share, 0 to 1."""


class Preferences(BaseModel):
    """What the cockpit remembers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    theme: str = THEME_NAMES[0]
    """Colours: dark, light, of high contrast, safe for the colour-blind, or a theme of your own."""
    view: str = ""
    """How the game is drawn; empty: as suits the terminal."""
    input_display: Literal["auto", "on", "off"] = "auto"
    """Buttons beside the game; auto: where they take no room from the picture."""
    has_seen_first_run: bool = False
    """The page that explains the cockpit was shown."""
    has_seen_recording: bool = False
    """So was the page that explains how to record demonstrations."""
    layout: LayoutPreferences = LayoutPreferences()
    keys: dict[str, str] = Field(default_factory=dict)
    """Keys by action, with commas between, e.g. pause = "f5,space"."""
    gamepad: dict[Annotated[str, AfterValidator(_check_control)], str] = Field(default_factory=dict)
    """Actions by a gamepad's control, e.g. west = "button_b"; "" for none."""

    def pad_actions(self) -> dict[str, str]:
        """Return the action of each control of a gamepad."""
        return {**USUAL, **self.gamepad}

    def arrangement(self) -> Arrangement:
        """Return how the panes are arranged."""
        layout = self.layout
        return Arrangement(
            hidden=frozenset(layout.hidden),
            fronts=layout.fronts,
            is_presentation=layout.presentation,
            sizes=layout.sizes,
        )


def layout_of(arrangement: Arrangement) -> LayoutPreferences:
    """Return what is saved of an arrangement: all but the zoom."""
    return LayoutPreferences.model_validate(
        {
            "hidden": sorted(arrangement.hidden),
            "fronts": arrangement.fronts,
            "presentation": arrangement.is_presentation,
            "sizes": {
                place: {part: round(share, 4) for part, share in shares.items()}
                for place, shares in arrangement.sizes.items()
            },
        }
    )


class PreferenceFile:
    """The preferences file in `folder`, by default the user's configuration folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or config_folder()) / "preferences.toml"

    def load(self) -> Preferences:
        """Return the saved preferences, the defaults if there are none.

        Raises:
            ConfigurationError: The file is broken; it is left as it is.
        """
        try:
            values = read_toml(self.path)
        except OSError as error:
            if error.errno in (errno.EFBIG, errno.EINVAL):
                raise self._broken(str(error.strerror)) from None
            return Preferences()  # none yet, or one that may not be read: nothing is remembered
        except ValueError as error:
            raise self._broken(str(error)) from None
        try:
            preferences = Preferences.model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(str(part) for part in first["loc"])
            if first["type"] == "extra_forbidden":
                raise self._broken(f"unknown key '{key}'") from None
            raise self._broken(f"{key} = {first['input']!r}: {first['msg']}") from None
        themes = (*THEME_NAMES, *own_theme_names(self.path.parent))
        if preferences.theme not in themes:
            raise self._broken(f"theme = {preferences.theme!r}: there are {', '.join(themes)}")
        return preferences

    def save(self, changes: Mapping[str, Any]) -> None:
        """Change these preferences in the file, which may have changed, and replace it atomically.

        Raises:
            ConfigurationError: The file was broken meanwhile; it is left as it is.
            OSError: It cannot be written.
        """
        preferences = self.load().model_copy(update=dict(changes))
        values = preferences.model_dump(exclude_defaults=True)
        make_folder(self.path.parent)
        write_file(self.path, to_toml(values, _COMMENT).encode())

    def _broken(self, what: str) -> ConfigurationError:
        return ConfigurationError(
            f"{self.path}: {what}.", "Correct it, or delete the file to restore the defaults."
        )


class Memory:
    """The preferences in force; changes are written in the background, half a second later.

    Args:
        complain: Called once if they cannot be written.

    Raises:
        ConfigurationError: The file is broken.
    """

    def __init__(self, file: PreferenceFile, complain: Callable[[str], None]) -> None:
        self._file = file
        self._complain = complain
        self._has_complained = False
        self._changes: dict[str, Any] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None
        self.preferences = file.load()

    def remember(self, **changes: Any) -> None:
        """Change preferences by name."""
        changes = {
            key: value for key, value in changes.items() if value != getattr(self.preferences, key)
        }
        if not changes:
            return
        self.preferences = self.preferences.model_copy(update=changes)
        self._changes |= changes
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(WRITE_DELAY_S, self._begin)

    async def flush(self) -> None:
        """Write pending changes, waiting for at most a second."""
        if self._timer is not None:
            self._timer.cancel()
            self._begin()
        if self._writing is not None:
            await asyncio.wait({self._writing}, timeout=1.0)

    def _begin(self) -> None:
        self._timer = None
        self._writing = asyncio.ensure_future(self._write(self._writing))

    async def _write(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:  # two at once would each undo what the other writes
            await asyncio.wait({before})
        changes, self._changes = self._changes, {}
        try:
            await asyncio.to_thread(self._file.save, changes)
        except (OSError, ConfigurationError) as error:
            if not self._has_complained:
                self._has_complained = True
                reason = error.message if isinstance(error, ConfigurationError) else error.strerror
                self._complain(f"Your preferences cannot be saved: {reason}")
