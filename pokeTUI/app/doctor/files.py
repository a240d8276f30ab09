"""Examine the ROM, the save folder and the runs in the background. Nothing is changed."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from engine.config import RunConfig
from engine.errors import ConfigurationError, PokeTUIError, RomError
from engine.games.bundled import ADVANCE
from engine.games.catalog import identify
from engine.ground.folders import user_path
from engine.ground.trust import names_in_environment, trusted_names
from engine.remote.folder import live_runs
from pokeTUI.app.doctor.machine import Finding, bad, good, warning
from pokeTUI.draw.theme import read_themes
from pokeTUI.preferences import PreferenceFile

_NEEDED_GB, _COMFORTABLE_GB = 0.1, 1.0
_GB = 1024**3
_OTHER_FOLDER = "Choose another one: --save-dir FOLDER"


def examine_rom(config: RunConfig) -> Finding:
    """Return whether the configured ROM, or practice game, can be played, its emulator included."""
    try:
        found = identify(config.rom_path).recognised
    except RomError as error:
        return bad("ROM", error.message, error.hint)
    if found.refusal is not None:
        if found.game is not None and config.allow_unknown_rom:
            return warning("ROM", found.refusal.message, "It is used anyway (--allow-unknown-rom).")
        return bad("ROM", found.refusal.message, found.refusal.hint)
    if found.game is not None:
        try:
            found.game.check_emulator()
        except PokeTUIError as error:
            return bad("ROM", error.message, error.hint)
    chosen = f", included; also --game {ADVANCE}; your own: --rom FILE"
    return good("ROM", f"{found.name}{'' if config.rom_path else chosen}")


def examine_preferences() -> Finding:
    """Return whether the cockpit can read its preferences, also those of an old version."""
    file = PreferenceFile()
    if not file.path.exists():
        return good("preferences", f"none yet (file: {file.path})")
    if not os.access(file.path, os.R_OK):
        return warning(
            "preferences", f"{file.path} cannot be read.", "Make it readable, or delete it."
        )
    try:
        file.load()
    except ConfigurationError as error:
        return bad("preferences", error.message, error.hint)
    _, mistakes = read_themes(file.path.parent)
    if mistakes:
        return warning("preferences", mistakes[0].message, mistakes[0].hint)
    return good("preferences", str(file.path))


def examine_trust() -> Finding:
    """Report what runs and configurations from elsewhere may use on this machine."""
    try:
        names = (*trusted_names(), *names_in_environment())
    except ConfigurationError as error:
        return bad("trusted", error.message, error.hint)
    return good("trusted", ", ".join(names) or "only model providers and this machine")


def examine_saves(config: RunConfig) -> Finding:
    """Return whether runs can be saved: the folder can be written, and there is space."""
    folder = user_path(config.save_dir).absolute()
    nearest = folder
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if not nearest.is_dir():
        return bad("saves", f"{nearest} is not a folder.", _OTHER_FOLDER)
    if not _is_writable(nearest, is_ours=nearest == folder):
        return bad("saves", f"{nearest} cannot be written.", _OTHER_FOLDER)
    try:
        free_gb = shutil.disk_usage(nearest).free / _GB
    except OSError as error:
        return bad("saves", f"{nearest} cannot be read: {error.strerror}.", _OTHER_FOLDER)
    text = f"{folder}, {free_gb:,.1f} GB free" + (
        "" if nearest == folder else ", created when needed"
    )
    if free_gb < _NEEDED_GB:
        return bad("saves", f"{text}.", f"Free some space. {_OTHER_FOLDER}")
    if free_gb < _COMFORTABLE_GB:
        return warning("saves", f"{text}.", f"A long run may fill it. {_OTHER_FOLDER}")
    return good("saves", text)


def examine_live_runs() -> Finding:
    """Report which runs are in the background."""
    try:
        live = live_runs()
    except PokeTUIError as error:
        return bad("live runs", error.message, error.hint)
    silent = [run.run_id for run in live if run.hello is None]
    if silent:
        return warning(
            "live runs",
            f"{', '.join(silent)} {'does' if len(silent) == 1 else 'do'} not respond.",
            f"It may be busy; otherwise stop it: poketui stop {silent[0]}",
        )
    if not live:
        return good("live runs", "none in the background")
    return good(
        "live runs",
        ", ".join(run.run_id for run in live),
        f"Watch it: poketui attach {live[0].run_id}",
    )


def _is_writable(folder: Path, *, is_ours: bool) -> bool:
    """Try it in a folder of our own; elsewhere only ask, so that nothing appears there."""
    if not is_ours:
        return os.access(folder, os.W_OK | os.X_OK)
    with contextlib.suppress(OSError), tempfile.TemporaryFile(dir=folder):
        return True
    return False
