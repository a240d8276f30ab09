"""Find, make, lock, delete and restore the folders of saved runs; imports nothing slow.

A run lives in <save_dir>/runs/<id>/: config.json, journal.jsonl, engine.log, checkpoints/. Deleted
ones are moved to <save_dir>/trash/<id>, from where they can be restored.
"""

import contextlib
import os
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from engine.config import RunConfig, load_config
from engine.errors import CheckpointError, ConfigurationError, TrainingError
from engine.ground.files import (
    FOLDER_MODE,
    MAX_SETTINGS,
    UnsafeFileError,
    check_folder,
    make_folder,
    make_private,
    missing_folders,
    os_errors_as,
    read_file,
    remedy,
    remove_empty,
    remove_folder,
    write_file,
)
from engine.ground.folders import user_path
from engine.ground.trust import remember
from engine.runs.checkpoint import BEST, CheckpointStore, checkpoint_paths, is_whole, steps_of
from engine.runs.checkpoint import LATEST as LATEST
from engine.runs.labels import read_labels
from engine.runs.lock import STATUS_NAME, RunLock, RunStatus, write_status
from engine.runs.settings import CONFIG_NAME, parse_settings

_TRASH = "trash"


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What a list of saved runs shows.

    Attributes:
        total_steps: Of the newest checkpoint; 0 without one.
        changed_at: Seconds since the epoch.
        refusal: Why it cannot be read, "" if it can; agent, mode and seed are then unknown.
        settings: None if they cannot be read.
        checkpoint: The newest one.
    """

    run_id: str
    path: Path
    total_steps: int
    num_checkpoints: int
    agent: str
    mode: str
    seed: int
    changed_at: float
    refusal: str = ""
    settings: RunConfig | None = None
    checkpoint: Path | None = None


class SavedFolder:
    """The folder of a run or of a cloned policy."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_path = path / CONFIG_NAME
        self.journal_path = path / "journal.jsonl"
        self.tensorboard_path = path / "tensorboard"
        self.checkpoints_path = path / "checkpoints"
        self.best_path = self.checkpoints_path / BEST

    def store(self, keep: int = 1) -> CheckpointStore:
        """Return its checkpoints."""
        return CheckpointStore(self.checkpoints_path, keep)


class RunFolder(SavedFolder):
    """The folder of one run, <save_dir>/runs/<id>, locked while this process works on it.

    Attributes:
        exchanges_path: The file of what a language model was asked and answered.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.run_id = path.name
        self.exchanges_path = path / "exchanges.jsonl"
        self.log_path = path / "engine.log"
        self._lock = RunLock(path / "lock")
        self._settings = b""
        self._known: set[str] = set()
        self._made: list[Path] = []
        """The folder itself and those above it that were made for it, the deepest first."""

    @classmethod
    def create(cls, config: RunConfig) -> Self:
        """Make the folder of a new run and lock it.

        Raises:
            ConfigurationError: The save folder cannot be written.
        """
        runs = runs_folder(config.save_dir)
        missing = missing_folders(runs)
        try:
            folder = cls(make_stamped_folder(runs))
            folder._made = [folder.path, *missing]
            folder._settings = config.model_dump_json(indent=1).encode()
            try:
                folder.lock()
                write_file(folder.config_path, folder._settings)
                remember(config.permissions())
            except BaseException:  # Ctrl-C too; it is raised again
                folder.remove_unstarted()
                raise
        except OSError as error:
            raise _not_writable(runs, error, "Choose a writable one with --save-dir.") from None
        return folder

    @classmethod
    def open(
        cls, config: RunConfig, run: str, warn: Callable[[str], None] = lambda text: None
    ) -> Self:
        """Open the folder of a saved run and lock it; see `find_run`.

        Raises:
            ConfigurationError: It cannot be written, or another process works on it.
            CheckpointError: There is no such run, or nothing to resume in it.
        """
        folder = cls(find_run(config.save_dir, run, warn))
        try:
            has_checkpoint = folder.has_checkpoint
        except OSError as error:
            raise _not_writable(folder.path, error) from None
        if not has_checkpoint:
            raise CheckpointError(
                f"The run {folder.run_id} has no checkpoint.", "Start a new run instead."
            )
        if not os.access(folder.path, os.W_OK):
            raise ConfigurationError(
                f"The folder {folder.path} is not writable.", "Change its permissions."
            )
        folder.lock()
        return folder

    @property
    def has_checkpoint(self) -> bool:
        """Return whether there is something to resume."""
        return bool(checkpoint_paths(self.checkpoints_path))

    @property
    def is_unstarted(self) -> bool:
        """Return whether it was made here and holds nothing of a run yet."""
        if not self._made:
            return False
        try:
            is_empty = not self.journal_path.is_file() or not self.journal_path.stat().st_size
            return is_empty and not self.has_checkpoint
        except OSError:
            return False

    def keep(self) -> None:
        """Never delete it from now on: a run begins in it."""
        self._made = []

    def remove_unstarted(self) -> None:
        """Delete it, unless it existed before or holds something of a run."""
        if self.is_unstarted:
            with contextlib.suppress(OSError):
                remove_folder(self.path)
            remove_empty(self._made)
        self.unlock()

    def lock(self) -> None:
        """Keep other processes off until `unlock` or the end of this process, however it ends.

        Raises:
            ConfigurationError: Another process has it, it cannot be written, or it holds a link.
        """
        try:
            make_private(self.path)
            check_folder(self.path)
            is_free = self._lock.take()
        except OSError as error:
            raise _not_writable(self.path, error) from None
        if not is_free:
            raise ConfigurationError(
                f"The run {self.run_id} is in use by another process.",
                "Stop it first, or start a new run.",
            )
        if not self._settings:
            with contextlib.suppress(OSError):
                self._settings = read_file(self.config_path, MAX_SETTINGS)
        self.note_files()

    def unlock(self) -> None:
        """Let others work on the run."""
        self._lock.release()

    def is_held(self) -> bool:
        """Return whether the lock still keeps others off: its file was not deleted or replaced."""
        return self._lock.is_held

    def restore(self) -> list[str]:
        """Write lock and settings again if they were deleted; return which were.

        Raises:
            TrainingError: Another process has taken the run since.
            CheckpointError: It cannot be written.
        """
        if not self._lock.is_taken:
            return []
        restored = []
        hint = "It was deleted or replaced while the run was active."
        with os_errors_as(CheckpointError, f"Cannot write to the run's folder {self.path}", hint):
            make_folder(self.path)
            if not self._lock.is_held:
                if not self._lock.take_again():
                    raise TrainingError(
                        f"The lock of run {self.run_id} was deleted, and another process has taken "
                        "over the run. This process no longer writes to it.",
                        "Find it: poketui attach",
                    )
                restored.append(self._lock.path.name)
            if self._settings and not os.path.lexists(self.config_path):
                write_file(self.config_path, self._settings)
                restored.append(self.config_path.name)
        return restored

    def note_status(self, status: RunStatus, reason: str = "") -> None:
        """Write the run's status, unless another process has taken it."""
        if self.is_held():
            write_status(self.path, status, reason)

    def note_files(self) -> None:
        """Remember what lies in the folder, for `lost`."""
        self._known = self._files()

    def lost(self) -> list[str]:
        """Return the files that lay in the folder at `note_files` and are gone."""
        return sorted(self._known - self._files())

    def _files(self) -> set[str]:
        """Return the names of what lies in the folder and is meant to stay."""
        found: set[str] = set()
        # TensorBoardFile itself restores the file that it writes in this process.
        passing = (".tmp", "-wal", "-shm", f".{os.getpid()}")
        with contextlib.suppress(OSError):
            found |= {path.name for path in self.path.iterdir()}
            found |= {f"tensorboard/{path.name}" for path in self.path.glob("tensorboard/*")}
        own = {"tensorboard", STATUS_NAME}  # the status is written again at the end
        return {name for name in found - own if not name.endswith(passing)}


def make_stamped_folder(parent: Path, name: str = "") -> Path:
    """Make a folder named after the time, with a number where that name is taken.

    `name` stands before the time; `parent` is made if it is missing.

    Raises:
        OSError: It cannot be made.
        ConfigurationError: A thousand began in this second.
    """
    stamp = time.strftime("%Y%m%d-%H%M%S")
    stamp = f"{name}_{stamp}" if name else stamp
    make_folder(parent)
    for number in range(1, 1000):
        path = parent / (stamp if number == 1 else f"{stamp}-{number}")
        with contextlib.suppress(FileExistsError):
            path.mkdir(FOLDER_MODE)
            return path
    raise ConfigurationError(
        f"Too many {parent.name} started at {stamp}.", "Try again in a second."
    )


def resume_command(run_dir: str, command: str = "poketui run", save_dir: str = "") -> str:
    """Return the command that resumes a run; "" if there is nothing of it to resume.

    It names the run by its id where `command` finds that in `save_dir` (the default folder if
    empty), else by the shorter of the absolute and the relative path. Without a folder it resumes
    the latest run.
    """
    if not run_dir:
        return f"{command} --resume"
    folder = RunFolder(Path(run_dir))
    if not folder.has_checkpoint:
        return ""
    name = folder.run_id
    runs = runs_folder(save_dir or RunConfig().save_dir)
    if runs.resolve() / name != folder.path.resolve():
        name = min(str(folder.path.absolute()), os.path.relpath(folder.path), key=len)
    return f"{command} --resume {shlex.quote(name)}"


def find_run(
    save_dir: str,
    run: str,
    warn: Callable[[str], None] = lambda text: None,
    *,
    purpose: str = "resume",
) -> Path:
    """Return the folder of a saved run.

    `run` is its id, its path, a name that only it was given, or "latest": the latest that can be
    resumed; `warn` gets a line for each later run that cannot be. `purpose` is a verb for the
    error: what the run was wanted for.

    Raises:
        CheckpointError: There is no such run, or several have that name.
    """
    if run == LATEST:
        skipped: list[str] = []
        for info in list_runs(save_dir):
            refusal = _why_not_resume(info)
            if not refusal:
                for text in skipped:
                    warn(f"{text} Taking {info.run_id}.")
                return info.path
            if info.num_checkpoints:
                skipped.append(f"The run {info.run_id} cannot be used: {refusal}.")
        raise CheckpointError(
            " ".join([f"No saved run to {purpose} in {runs_folder(save_dir)}.", *skipped]),
            "Start a new run, or choose a folder with --save-dir.",
        )
    for path in (runs_folder(save_dir) / run, Path(run)):
        if _is_run(path):
            return path
    infos = list_runs(save_dir)
    named = [info for info in infos if run and read_labels(info.path).name == run]
    if len(named) == 1:
        return named[0].path
    if named:
        raise CheckpointError(
            f"{len(named)} runs are named '{run}'.",
            f"Give the id of one: {', '.join(info.run_id for info in named)}.",
        )
    known = ", ".join(info.run_id for info in infos[:5]) or "none"
    raise CheckpointError(f"There is no saved run '{run}'.", f"Newest runs: {known}.")


def list_runs(save_dir: str) -> list[RunInfo]:
    """Return the saved runs, the last changed first; unreadable ones say why.

    Raises:
        CheckpointError: The folder of runs cannot be read.
    """
    runs = runs_folder(save_dir)
    try:
        paths = list(runs.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise CheckpointError(
            f"Cannot read the folder {runs}: {error.strerror or error}.",
            "Choose another one with --save-dir.",
        ) from None
    infos = [_inspect(path) for path in paths if _is_run(path)]
    return sorted(infos, key=lambda info: (info.changed_at, info.run_id), reverse=True)


def _is_run(path: Path) -> bool:
    """Return whether a folder is a run's, however damaged."""
    return os.path.lexists(path / CONFIG_NAME) or os.path.isdir(path / "checkpoints")  # noqa: PTH112


def _inspect(path: Path) -> RunInfo:
    config, refusal = None, ""
    checkpoints: list[Path] = []
    changed_at = 0.0
    try:
        config = parse_settings(path)
    except ValueError as error:
        refusal = f"{CONFIG_NAME}: {error}"
    except ConfigurationError as error:
        refusal = error.message
    try:
        changed_at = path.stat().st_mtime
        checkpoints = checkpoint_paths(path / "checkpoints")
        if checkpoints:
            changed_at = checkpoints[0].stat().st_mtime
    except OSError as error:
        refusal = refusal or f"{error.filename}: {error.strerror or error}"
    return RunInfo(
        run_id=path.name,
        path=path,
        total_steps=steps_of(checkpoints[0]) if checkpoints else 0,
        num_checkpoints=len(checkpoints),
        agent=config.agent if config else "?",
        mode=config.mode if config else "?",
        seed=config.seed if config else 0,
        changed_at=changed_at,
        refusal=refusal.rstrip("."),
        settings=config,
        checkpoint=checkpoints[0] if checkpoints else None,
    )


def _why_not_resume(info: RunInfo) -> str:
    """Return why a run cannot be resumed, "" if it can."""
    if info.refusal or not info.num_checkpoints:
        return info.refusal or "it has no checkpoint"
    whole = any(is_whole(path) for path in checkpoint_paths(info.path / "checkpoints"))
    return "" if whole else "its checkpoints are damaged"


def runs_folder(save_dir: str) -> Path:
    """Return the folder of all runs."""
    return user_path(save_dir) / "runs"


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
    return user_path(save_dir) / _TRASH


def _not_writable(
    path: Path, error: OSError, hint: str = "Make it writable, or free some disk space."
) -> ConfigurationError:
    if isinstance(error, UnsafeFileError):
        return ConfigurationError(f"Cannot use {error.filename}: {error.strerror}.", error.remedy)
    return ConfigurationError(
        f"Cannot write to the folder {path}: {error.strerror or error}.", hint
    )
