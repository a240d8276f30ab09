"""Define the look: themes, and the inks that panes write with, by meaning."""

import re
from collections.abc import Mapping
from enum import Enum, auto
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rich.style import Style
from textual.color import Color, ColorParseError
from textual.theme import Theme

from engine.errors import ConfigurationError
from engine.ground.files import read_toml


class Ink(Enum):
    """What a piece of text means; a theme's palette says how that looks.

    Colour never stands alone: a symbol or a sign says the same.
    """

    text = auto()
    dim = auto()
    faint = auto()
    strong = auto()
    accent = auto()
    good = auto()
    warn = auto()
    bad = auto()
    info = auto()
    odd = auto()
    key = auto()
    accent_band = auto()
    info_band = auto()
    warn_band = auto()
    odd_band = auto()
    bad_band = auto()
    strong_band = auto()
    badge = auto()
    badge_warn = auto()
    badge_bad = auto()
    badge_info = auto()


Palette = Mapping[Ink, Style]
"""How each ink looks."""

SERIES: Mapping[Ink, Ink] = MappingProxyType(
    {
        Ink.accent: Ink.accent_band,
        Ink.info: Ink.info_band,
        Ink.warn: Ink.warn_band,
        Ink.odd: Ink.odd_band,
        Ink.bad: Ink.bad_band,
        Ink.strong: Ink.strong_band,
    }
)
"""Inks of lines that are drawn over each other, with those of what lies behind them."""
TEXT_INKS = tuple(
    ink
    for ink in Ink
    if ink is not Ink.faint and ink not in SERIES.values() and not ink.name.startswith("badge")
)
"""Those that words are written with; faint is for frames and tracks."""

_COLORS: Mapping[str, tuple[Any, ...]] = {
    "primary": ("#9ebf72", "#3f6212", "#7dff7d", "#2fc79a"),
    "secondary": ("#7fb0d6", "#1d5a8a", "#7cd0ff", "#56b4e9"),
    "accent": ("#b9a3d9", "#6b4a9b", "#e3b3ff", "#d98cbb"),
    "warning": ("#e3b463", "#7a4e00", "#ffd84d", "#f0e442"),
    "error": ("#e08a67", "#a3341a", "#ff9d8a", "#f07b3f"),
    "success": ("#9ebf72", "#3f6212", "#7dff7d", "#2fc79a"),
    "foreground": ("#d9dfd0", "#1f2a1b", "#ffffff", "#e8eaee"),
    "background": ("#10140f", "#f6f7f0", "#000000", "#0f1218"),
    "surface": ("#151a13", "#fcfdf8", "#000000", "#141821"),
    "panel": ("#1c231a", "#e9ecdf", "#161616", "#1b202b"),
}
"""By Textual's name, for each of THEME_NAMES."""
_VARIABLES = {
    "frame": ("#3b4737", "#b9c2aa", "#8a8a8a", "#3d4557"),
    "stone": ("#93a08b", "#57634f", "#c8c8c8", "#98a1b3"),
    "lichen": ("#c9d8a9", "#33461f", "#ffffff", "#f4f6fa"),
}
"""Our own colours likewise."""
THEME_NAMES = ("mosslight", "daylight", "high-contrast", "colour-blind-safe")
"""A calm dark theme with a mossy accent; the same by day; one whose words are all at least seven
times as bright as their ground; and one after the palette of Okabe and Ito, brightened for a dark
ground."""
COLOR_NAMES = (*_COLORS, *_VARIABLES)
"""What a theme gives a colour to."""


class CockpitTheme(Theme):
    """A theme with our own colours among its variables."""

    def __hash__(self) -> int:
        return hash(self.name)


def make_theme(name: str, base: str, colors: Mapping[str, str] | None = None) -> CockpitTheme:
    """Return the theme of THEME_NAMES called `base` with another name and some other colours."""
    index = THEME_NAMES.index(base)
    all_colors = {key: each[index] for key, each in (*_COLORS.items(), *_VARIABLES.items())}
    all_colors |= colors or {}
    return CockpitTheme(
        name=name,
        dark=base != "daylight",
        variables={variable: all_colors.pop(variable) for variable in _VARIABLES},
        **all_colors,
    )


THEMES = tuple(make_theme(name, name) for name in THEME_NAMES)


def palette(theme: Theme, *, is_plain: bool = False) -> Palette:
    """Return the inks of a theme; one that is not ours has the first theme's.

    A plain one is without colour: badges are reversed instead, so that states can be seen.
    """
    return _palette(theme if isinstance(theme, CockpitTheme) else THEMES[0], is_plain)


@lru_cache(maxsize=16)
def _palette(theme: CockpitTheme, is_plain: bool) -> Palette:
    names = theme.variables
    good, warn, bad, info = theme.success, theme.warning, theme.error, theme.secondary
    inks = {
        Ink.text: Style(color=theme.foreground),
        Ink.dim: Style(color=names["stone"]),
        Ink.faint: Style(color=names["frame"]),
        Ink.strong: Style(color=names["lichen"], bold=True),
        Ink.accent: Style(color=theme.primary),
        Ink.good: Style(color=good),
        Ink.warn: Style(color=warn),
        Ink.bad: Style(color=bad),
        Ink.info: Style(color=info),
        Ink.odd: Style(color=theme.accent),
        Ink.key: Style(color=theme.primary, bold=True),
        Ink.badge: _badge(theme, theme.primary, is_plain),
        Ink.badge_warn: _badge(theme, warn, is_plain),
        Ink.badge_bad: _badge(theme, bad, is_plain),
        Ink.badge_info: _badge(theme, info, is_plain),
    }
    return inks | {band: inks[ink] + Style(dim=True, bold=False) for ink, band in SERIES.items()}


def _badge(theme: Theme, color: str | None, is_plain: bool) -> Style:
    if is_plain:
        return Style(bold=True, reverse=True)
    return Style(color=theme.background, bgcolor=color, bold=True)


SOURCE_MARKS: dict[str, tuple[str, Ink]] = {
    "policy": ("●", Ink.good),
    "planner": ("◆", Ink.info),
    "model": ("◇", Ink.info),
    "rules": ("■", Ink.odd),
    "random": ("○", Ink.dim),
    "human": ("▲", Ink.warn),
    "recorded": ("▷", Ink.info),
    "run": ("✓", Ink.strong),
    "curriculum": ("≡", Ink.accent),
}
"""Who decided, or what is reported: a mark and its ink."""


# Read themes of the user's own: `themes/NAME.toml` in the folder of the configuration.

_NAME = re.compile(r"[\w-]+")


def own_theme_names(config: Path) -> tuple[str, ...]:
    """Return the names of the themes below a folder of configuration, sound or not."""
    return tuple(path.stem for path in sorted((config / "themes").glob("*.toml")))


def read_themes(config: Path) -> tuple[list[CockpitTheme], list[ConfigurationError]]:
    """Return the themes below a folder of configuration, and what is wrong with others there."""
    themes, mistakes = [], []
    for name in own_theme_names(config):
        try:
            themes.append(_read(config / "themes" / f"{name}.toml"))
        except ConfigurationError as error:
            mistakes.append(error)
    return themes, mistakes


def _read(path: Path) -> CockpitTheme:
    name = path.stem
    if name in THEME_NAMES or not _NAME.fullmatch(name):
        reason = (
            "there is a theme of that name" if name in THEME_NAMES else "not a valid theme name"
        )
        raise _broken(path, reason, "Rename it; use letters, digits, - and _.")
    try:
        values = read_toml(path)
    except OSError as error:
        raise _broken(path, str(error.strerror), "Make it readable, or remove it.") from None
    except ValueError as error:
        raise _broken(path, str(error), 'Write lines such as primary = "#9ebf72".') from None
    base = values.pop("base", THEME_NAMES[0])
    if base not in THEME_NAMES:
        raise _broken(path, f"base = {base!r}", f"Choose {', '.join(THEME_NAMES)}.")
    for key in values:
        if key not in COLOR_NAMES:
            names = ", ".join(("base", *COLOR_NAMES))
            raise _broken(path, f"unknown key '{key}'", f"There are {names}.")
    return make_theme(name, base, {key: _color(path, key, text) for key, text in values.items()})


def _color(path: Path, key: str, text: object) -> str:
    try:
        color = Color.parse(text) if isinstance(text, str) else None
    except ColorParseError:
        color = None
    if color is None or color.ansi is not None or color.a < 1:
        raise _broken(path, f"{key} = {text!r} is not a colour", "Write it as #rrggbb.")
    return color.hex6


def _broken(path: Path, what: str, hint: str) -> ConfigurationError:
    return ConfigurationError(f"{path}: {what}.", hint)
