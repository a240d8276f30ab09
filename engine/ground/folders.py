"""Say where the user's own files lie, and how much lies in a folder; imports nothing slow."""

import contextlib
import os
from pathlib import Path

from engine.errors import ConfigurationError

CORE_VARIABLE = "POKETUI_GBA_CORE"
"""Environment variable that names the file of the core for Game Boy Advance games; "" or unset: the
installed one. Processes that are started inherit it."""


def config_folder() -> Path:
    """Return the folder of the user's configuration.

    Raises:
        ConfigurationError: It would lie in a home folder that is not known.
    """
    return _folder("POKETUI_CONFIG_DIR", "XDG_CONFIG_HOME", "~/.config/poketui")


def cache_folder() -> Path:
    """Return the folder of what can be made again at any time.

    Raises:
        ConfigurationError: It would lie in a home folder that is not known.
    """
    return _folder("POKETUI_CACHE_DIR", "XDG_CACHE_HOME", "~/.cache/poketui")


def _folder(own: str, base: str, usual: str) -> Path:
    """Return the folder that a variable of ours names, else one in the desktop's, else `usual`."""
    if given := os.environ.get(own):
        return Path(given)
    if shared := os.environ.get(base):
        return Path(shared) / "poketui"
    try:
        return user_path(usual)
    except ConfigurationError as error:
        raise ConfigurationError(error.message, f"Set HOME, or {own}.") from None


def user_path(path: str | Path) -> Path:
    """Return a path as a user writes it, with the home folder that a leading ~ stands for.

    Raises:
        ConfigurationError: There is no such user, or nobody's home folder is known.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise ConfigurationError(
            f"{path} starts in an unknown home folder.", "Use the full path."
        ) from None


def folder_bytes(folder: Path) -> int:
    """Return the bytes of all files in a folder; what is behind links is not counted."""
    total, folders = 0, [os.fspath(folder)]
    while folders:
        with contextlib.suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
    return total
