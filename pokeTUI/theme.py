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
    variables={"frame": "#3b4737", "stone": "#7d8877", "lichen": "#c9d8a9"},
)
"""A calm dark theme with a mossy accent."""

THEMES = (MOSSLIGHT,)


@lru_cache(maxsize=16)
def palette(name: str) -> Palette:
    """Return the inks of the theme called `name`; an unknown one has the first theme's."""
    theme = next((one for one in THEMES if one.name == name), THEMES[0])
    names = theme.variables
    good, warn, bad, info = theme.success, theme.warning, theme.error, theme.secondary
    ground = theme.background
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
        Ink.badge: Style(color=ground, bgcolor=theme.primary, bold=True),
        Ink.badge_warn: Style(color=ground, bgcolor=warn, bold=True),
        Ink.badge_bad: Style(color=ground, bgcolor=bad, bold=True),
        Ink.badge_info: Style(color=ground, bgcolor=info, bold=True),
    }


SOURCE_MARKS: dict[str, tuple[str, Ink]] = {
    "policy": ("●", Ink.good),
    "planner": ("◆", Ink.info),
    "model": ("◇", Ink.info),
    "rules": ("■", Ink.odd),
    "random": ("○", Ink.dim),
    "human": ("▲", Ink.warn),
    "run": ("✓", Ink.strong),
    "curriculum": ("≡", Ink.accent),
}
"""Who decided, or what is told: a mark and its ink."""
