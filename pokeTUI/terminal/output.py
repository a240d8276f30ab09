"""Let text alone reach the terminal, in the colours that were chosen."""

import unicodedata
from typing import Any

from rich.cells import cell_len
from rich.console import COLOR_SYSTEMS
from rich.segment import Segment
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter, Monochrome, NoColor

from engine.errors import ConfigurationError
from engine.ground.folders import config_folder
from pokeTUI.draw.colors import ColorDepth
from pokeTUI.draw.theme import THEME_NAMES, THEMES, CockpitTheme, read_themes

_OBEYED = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Unicode's categories of control and invisible characters, halves of others, and line breaks."""


class TextFilter(LineFilter):
    """Blanks characters that are no text, in whatever Textual draws: the last net there is.

    Names and answers come from elsewhere, and Textual sends what a widget is given.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments, as wide as they were."""
        if all(segment.control or segment.text.isprintable() for segment in segments):
            return segments
        return [
            segment if segment.control else Segment(_text(segment.text), segment.style)
            for segment in segments
        ]


def set_up_output(app: App[Any], depth: ColorDepth) -> list[ConfigurationError]:
    """Make all of `app` draw text only, in `depth` colours, and know our themes, before it draws.

    Rich and Textual take their depth from the environment. Without colour, bold and reverse remain.

    Returns:
        What is wrong with themes of the user's own.
    """
    app.console._color_system = COLOR_SYSTEMS[depth.rich_name]
    app.no_color = depth is ColorDepth.NONE
    app._filters = [one for one in app._filters if not isinstance(one, Monochrome | NoColor)]
    if app.no_color:
        app._filters.append(NoColor())
    app._filters.append(TextFilter())
    own_themes, mistakes = read_themes(config_folder())
    for theme in (*THEMES, *own_themes):
        app.register_theme(theme)
    return mistakes


def theme_names(app: App[Any]) -> tuple[str, ...]:
    """Return the names of the themes to choose from, the user's own last."""
    themes = app.available_themes.items()
    return tuple(name for name, theme in themes if isinstance(theme, CockpitTheme))


def known_theme(app: App[Any], name: str) -> str:
    """Return `name` if there is such a theme, else the default's."""
    return name if name in theme_names(app) else THEME_NAMES[0]


def theme_after(app: App[Any]) -> str:
    """Return the name of the theme that comes after the current one."""
    names = theme_names(app)
    return names[(names.index(app.theme) + 1) % len(names)]


def _text(text: str) -> str:
    return "".join(
        " " * cell_len(char) if unicodedata.category(char) in _OBEYED else char for char in text
    )
