"""Delete runs so that they can be restored: they are moved to <save_dir>/trash/<id>."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from engine.config import load_config
from engine.errors import CheckpointError, ConfigurationError
from engine.ground.files import UnsafeFileError, check_folder, make_folder, remedy
from engine.ground.folders import user_path
from engine.runs.folder import RunFolder, find_run, runs_folder

_FOLDER = "trash"


def trashed_runs(save_dir: str) -> list[str]:
    """Return the ids of the deleted runs, sorted."""
    try:
        return sorted(path.name for path in _trash(save_dir).iterdir() if path.is_dir())
    except OSError:
        return []


def delete_run(save_dir: str, run: str) -> Path:
    """Move a run to the trash, and return where it is now; see `find_run`.

    Raises:
        CheckpointError: There is no such run in the save folder.
        ConfigurationError: It is in use, is a link or holds one, or cannot be moved.
    """
    path = find_run(save_dir, run, purpose="delete")
    if path.parent.resolve() != runs_folder(save_dir).resolve():
        raise CheckpointError(
            f"The run {path} is not in {runs_folder(save_dir)}.", "Choose its own with --save-dir."
        )
    _refuse_link(path)
    folder = RunFolder(path)
    folder.lock()
    try:
        return _move(path, _trash(save_dir) / path.name)
    finally:
        folder.unlock()


def restore_run(save_dir: str, run_id: str) -> Path:
    """Move a deleted run back, and return where it is now.

    Raises:
        CheckpointError: There is no such run in the trash.
        ConfigurationError: It cannot be moved, or another one has its place.
    """
    trashed = trashed_runs(save_dir)
    if run_id not in trashed:
        raise CheckpointError(
            f"There is no run '{run_id}' in {_trash(save_dir)}.",
            f"It holds: {', '.join(trashed)}." if trashed else "It is empty.",
        )
    path = _trash(save_dir) / run_id
    _refuse_link(path)
    return _move(path, runs_folder(save_dir) / run_id)


def restore_command(save_dir: str, ids: Sequence[str]) -> str:
    """Return the command that restores deleted runs."""
    words = ["poketui", "runs", *ids, "--restore"]
    if user_path(save_dir).resolve() != user_path(load_config().save_dir).resolve():
        words += ["--save-dir", save_dir]
    return shlex.join(words)


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise ConfigurationError(f"Cannot move {path}: it is a symbolic link.", "Remove the link.")


def _move(source: Path, target: Path) -> Path:
    try:
        check_folder(source)
        make_folder(target.parent)
        if os.path.lexists(target):  # a rename would replace an empty folder
            raise ConfigurationError(f"{target} already exists.", "Move it away.")
        source.rename(target)
    except OSError as error:
        which = error.filename if isinstance(error, UnsafeFileError) else source
        raise ConfigurationError(
            f"Cannot move {which} to {target}: {error.strerror or error}.",
            remedy(error, "Make both folders writable."),
        ) from None
    return target


def _trash(save_dir: str) -> Path:
    return user_path(save_dir) / _FOLDER
