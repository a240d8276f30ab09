"""Say where the user's own files lie; imports nothing slow."""

import os
from pathlib import Path

from engine.errors import ConfigurationError


def config_folder() -> Path:
    """Return the folder of the user's configuration.

    Raises:
        ConfigurationError: It would lie in a home folder that is not known.
    """
    if given := os.environ.get("POKETUI_CONFIG_DIR"):
        return Path(given)
    if base := os.environ.get("XDG_CONFIG_HOME"):
        return Path(base) / "poketui"
    try:
        return user_path("~/.config/poketui")
    except ConfigurationError as error:
        raise ConfigurationError(error.message, "Set HOME, or POKETUI_CONFIG_DIR.") from None


def user_path(path: str | Path) -> Path:
    """Return a path as a user writes it, with the home folder that a leading ~ stands for.

    Raises:
        ConfigurationError: There is no such user, or nobody's home folder is known.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise ConfigurationError(
            f"{path} begins in a home folder that is not known.", "Write the whole path."
        ) from None
