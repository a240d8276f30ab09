"""Define the look: themes, and the inks that panes write with, by meaning."""

from collections.abc import Mapping
from enum import Enum, auto
from functools import lru_cache

from rich.style import Style
from textual.theme import Theme


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
    badge = auto()
    badge_warn = auto()
    badge_bad = auto()
    badge_info = auto()


Palette = Mapping[Ink, Style]
"""How each ink looks."""

TEXT_INKS = tuple(ink for ink in Ink if ink is not Ink.faint and not ink.name.startswith("badge"))
"""Those that words are written with; faint is for frames and tracks."""

MOSSLIGHT = Theme(
    name="mosslight",
    primary="#9ebf72",
    secondary="#7fb0d6",
    accent="#b9a3d9",
    warning="#e3b463",
    error="#e08a67",
    success="#9ebf72",
    foreground="#d9dfd0",
    background="#10140f",
    surface="#151a13",
    panel="#1c231a",
    dark=True,
    variables={"frame": "#3b4737", "stone": "#93a08b", "lichen": "#c9d8a9"},
)
"""A calm dark theme with a mossy accent."""

DAYLIGHT = Theme(
    name="daylight",
    primary="#3f6212",
    secondary="#1d5a8a",
    accent="#6b4a9b",
    warning="#7a4e00",
    error="#a3341a",
    success="#3f6212",
    foreground="#1f2a1b",
    background="#f6f7f0",
    surface="#fcfdf8",
    panel="#e9ecdf",
    dark=False,
    variables={"frame": "#b9c2aa", "stone": "#57634f", "lichen": "#33461f"},
)
"""The same by day."""

HIGH_CONTRAST = Theme(
    name="high-contrast",
    primary="#7dff7d",
    secondary="#7cd0ff",
    accent="#e3b3ff",
    warning="#ffd84d",
    error="#ff9d8a",
    success="#7dff7d",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#161616",
    dark=True,
    variables={"frame": "#8a8a8a", "stone": "#c8c8c8", "lichen": "#ffffff"},
)
"""All words at least seven times as bright as their ground."""

COLOR_BLIND = Theme(
    name="colour-blind-safe",
    primary="#2fc79a",
    secondary="#56b4e9",
    accent="#d98cbb",
    warning="#f0e442",
    error="#f07b3f",
    success="#2fc79a",
    foreground="#e8eaee",
    background="#0f1218",
    surface="#141821",
    panel="#1b202b",
    dark=True,
    variables={"frame": "#3d4557", "stone": "#98a1b3", "lichen": "#f4f6fa"},
)
"""After the palette of Okabe and Ito, brightened for a dark ground."""

THEMES = (MOSSLIGHT, DAYLIGHT, HIGH_CONTRAST, COLOR_BLIND)
THEME_NAMES = tuple(theme.name for theme in THEMES)


@lru_cache(maxsize=16)
def palette(name: str, *, is_plain: bool = False) -> Palette:
    """Return the inks of the theme called `name`; an unknown one has the first theme's.

    A plain one is without colour: badges are reversed instead, so that states can be seen.
    """
    theme = next((one for one in THEMES if one.name == name), THEMES[0])
    names = theme.variables
    good, warn, bad, info = theme.success, theme.warning, theme.error, theme.secondary
    return {
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
"""Who decided, or what is told: a mark and its ink."""
