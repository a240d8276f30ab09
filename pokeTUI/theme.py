"""Define the look: a calm dark theme with a mossy accent, and the inks that panes write with."""

from rich.style import Style
from textual.theme import Theme

_MOSS = "#9ebf72"
_LICHEN = "#c9d8a9"
_SKY = "#7fb0d6"
_AMBER = "#e3b463"
_CLAY = "#e08a67"
_LILAC = "#b9a3d9"
_STONE = "#7d8877"
_TEXT = "#d9dfd0"
_FRAME = "#3b4737"

THEME = Theme(
    name="mosslight",
    primary=_MOSS,
    secondary=_SKY,
    accent=_MOSS,
    warning=_AMBER,
    error=_CLAY,
    success=_MOSS,
    foreground=_TEXT,
    background="#10140f",
    surface="#151a13",
    panel="#1c231a",
    dark=True,
    variables={"frame": _FRAME, "stone": _STONE, "lichen": _LICHEN},
)


class Ink:
    """Styles by meaning. Colour never stands alone: a symbol or a sign says the same."""

    text = Style(color=_TEXT)
    dim = Style(color=_STONE)
    faint = Style(color=_FRAME)
    strong = Style(color=_LICHEN, bold=True)
    accent = Style(color=_MOSS)
    good = Style(color=_MOSS)
    warn = Style(color=_AMBER)
    bad = Style(color=_CLAY)
    info = Style(color=_SKY)
    odd = Style(color=_LILAC)
    key = Style(color=_MOSS, bold=True)
    badge = Style(color="#10140f", bgcolor=_MOSS, bold=True)
    badge_warn = Style(color="#10140f", bgcolor=_AMBER, bold=True)
    badge_bad = Style(color="#10140f", bgcolor=_CLAY, bold=True)
    badge_info = Style(color="#10140f", bgcolor=_SKY, bold=True)


SOURCE_MARKS: dict[str, tuple[str, Style]] = {
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
