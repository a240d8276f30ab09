"""Read themes of the user's own: `themes/NAME.toml` in the folder of the configuration."""

import re
from pathlib import Path

from textual.color import Color, ColorParseError

from engine.errors import ConfigurationError
from engine.files import read_toml
from pokeTUI.theme import COLOR_NAMES, THEME_NAMES, CockpitTheme, make_theme

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
