"""Say where the user's own files lie; imports nothing slow."""

import os
from pathlib import Path


def config_folder() -> Path:
    """Return the folder of the user's configuration."""
    if given := os.environ.get("POKETUI_CONFIG_DIR"):
        return Path(given)
    if base := os.environ.get("XDG_CONFIG_HOME"):
        return Path(base) / "poketui"
    return Path("~/.config/poketui").expanduser()
