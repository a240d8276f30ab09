"""Find, make and lock the folders of saved runs; imports nothing slow.

A run lives in <save_dir>/runs/<id>/: config.json, journal.jsonl, engine.log, checkpoints/.
"""

import contextlib
import fcntl
import os
import secrets
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from engine.config import CurriculumConfig, RunConfig, parse_config
from engine.errors import CheckpointError, ConfigurationError, TrainingError
from engine.files import (
    FOLDER_MODE,
    MAX_SETTINGS,
    UnsafeFileError,
    check_folder,
    is_named,
    make_folder,
    make_private,
    missing_folders,
    open_file,
    read_file,
    read_object,
    remove_empty,
    remove_folder,
    write_file,
)
from engine.folders import user_path
from engine.training.checkpoint import checkpoint_paths, is_whole, steps_of
from engine.trust import check_permissions, named_in, permissions_for_code, remember

LATEST = "latest"

SESSION_KEYS = frozenset(
    {
        "headless",
        "save_dir",
        "log_level",
        "workers",
        "total_steps",
        "total_episodes",
        "checkpoint_interval_s",
        "keep_checkpoints",
        "decision_db_path",
        "allow_unknown_rom",
    }
)
"""Settings of how a run is carried on, which a resumed run takes from the new command."""

_CHANGEABLE_KEYS = frozenset(
    {
        "save_interval",
        "eval_interval",
        "eval_episodes",
        "tensorboard",
        "wandb",
        "llm_model",
        "llm_backend",
        "llm_base_url",
        "llm_interval",
        "keep_states",
        "keep_states_interval",
        "record_interventions",
    }
)
"""Settings that a resumed run takes from the new command if it names them."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What a list of saved runs shows.

    Attributes:
        total_steps: Of the newest checkpoint; 0 without one.
        changed_at: Seconds since the epoch.
        refusal: Why it cannot be read, "" if it can; agent, mode and seed are then unknown.
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


class RunFolder:
    """The folder of one run, locked while this process works on it.

    Attributes:
        path: <save_dir>/runs/<id>.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: int | None = None
        self._token = secrets.token_bytes(16)
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
        runs = _runs_folder(config.save_dir)
        missing = missing_folders(runs)
        stamp = time.strftime("%Y%m%d-%H%M%S")
        try:
            make_folder(runs)
            for number in range(1, 1000):
                path = runs / (stamp if number == 1 else f"{stamp}-{number}")
                try:
                    path.mkdir(FOLDER_MODE)
                except FileExistsError:
                    continue
                folder = cls(path)
                folder._made = [path, *missing]
                folder._settings = config.model_dump_json(indent=1).encode()
                try:
                    folder.lock()
                    write_file(folder.config_path, folder._settings)
                    remember(config.permissions())
                except BaseException:  # Ctrl-C too; it is raised again
                    folder.remove_unstarted()
                    raise
                return folder
        except OSError as error:
            raise _not_writable(runs, error, "Give a writable one with --save-dir.") from None
        raise ConfigurationError(f"Too many runs began at {stamp}.", "Try again in a second.")

    @classmethod
    def open(
        cls, config: RunConfig, run: str, warn: Callable[[str], None] = lambda text: None
    ) -> Self:
        """Open the folder of a saved run and lock it.

        Args:
            config: Names the save folder.
            run: Its id, its path, or "latest": the latest that can be resumed.
            warn: Called with a line for each later run that cannot be.

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
    def run_id(self) -> str:
        """Return the run's name."""
        return self.path.name

    @property
    def config_path(self) -> Path:
        """Return where the configuration is kept."""
        return self.path / "config.json"

    @property
    def journal_path(self) -> Path:
        """Return where the journal is kept."""
        return self.path / "journal.jsonl"

    @property
    def exchanges_path(self) -> Path:
        """Return the file of what a language model was asked and answered."""
        return self.path / "exchanges.jsonl"

    @property
    def log_path(self) -> Path:
        """Return where the log is kept."""
        return self.path / "engine.log"

    @property
    def checkpoints_path(self) -> Path:
        """Return the folder of the checkpoints."""
        return self.path / "checkpoints"

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
        """Let it stay whatever happens: from now on a run comes to something in it."""
        self._made = []

    def remove_unstarted(self) -> None:
        """Delete it, unless it existed before or a run has come to anything in it."""
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
            self._lock = self._take_lock()
        except OSError as error:
            raise _not_writable(self.path, error) from None
        if self._lock is None:
            raise ConfigurationError(
                f"The run {self.run_id} is in use by another process.",
                "Stop that one first, or start a new run.",
            )
        if not self._settings:
            with contextlib.suppress(OSError):
                self._settings = read_file(self.config_path, MAX_SETTINGS)
        self.note_files()

    def unlock(self) -> None:
        """Let others work on the run."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def is_held(self) -> bool:
        """Return whether the lock still keeps others off: nobody deleted or replaced its file."""
        return self._lock is not None and is_named(self._lock_path, self._lock)

    def restore(self) -> list[str]:
        """Write lock and settings again if they were deleted; return which were.

        Raises:
            TrainingError: Another process has taken the run since.
            CheckpointError: It cannot be written.
        """
        if self._lock is None:
            return []
        restored = []
        try:
            make_folder(self.path)
            if not self.is_held():
                self._take_lock_again()
                restored.append(self._lock_path.name)
            if self._settings and not os.path.lexists(self.config_path):
                write_file(self.config_path, self._settings)
                restored.append(self.config_path.name)
        except OSError as error:
            raise CheckpointError(
                f"Cannot write in the run's folder {self.path}: {error.strerror or error}.",
                "It was deleted or replaced while the run was active.",
            ) from None
        return restored

    def note_files(self) -> None:
        """Remember what lies in the folder, for `lost`."""
        self._known = self._files()

    def lost(self) -> list[str]:
        """Return what lay in the folder when it was noted, and is gone."""
        return sorted(self._known - self._files())

    def _files(self) -> set[str]:
        found: set[str] = set()
        # TensorBoardFile itself restores the file that it writes in this process.
        passing = (".tmp", "-wal", "-shm", f".{os.getpid()}")
        with contextlib.suppress(OSError):
            found |= {path.name for path in self.path.iterdir()}
            found |= {f"tensorboard/{path.name}" for path in self.path.glob("tensorboard/*")}
        return {name for name in found - {"tensorboard"} if not name.endswith(passing)}

    @property
    def _lock_path(self) -> Path:
        return self.path / "lock"

    def _take_lock(self) -> int | None:
        """Return the descriptor of the lock's file, None if another process has it."""
        while True:
            descriptor = open_file(self._lock_path, os.O_RDWR | os.O_CREAT)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                return None
            except OSError:
                os.close(descriptor)
                raise
            if is_named(self._lock_path, descriptor):
                break
            os.close(descriptor)  # it was deleted just now, and the next one may have another
        # It says who took it last. A full disk does not keep anybody from resuming.
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.write(descriptor, self._token)
        return descriptor

    def _take_lock_again(self) -> None:
        is_free = True
        with contextlib.suppress(FileNotFoundError):
            # One with our token in it is ours, copied back; every other was made by a process that
            # has resumed the run, even if it has ended since.
            is_free = read_file(self._lock_path, MAX_SETTINGS) == self._token
        lock = self._take_lock() if is_free else None
        if lock is None:
            raise TrainingError(
                f"The lock of run {self.run_id} was deleted, and another process has taken the run "
                "since. This one writes nothing more.",
                "Look for it with: poketui attach",
            )
        self.unlock()
        self._lock = lock


def resume_command(run_dir: str) -> str:
    """Return the command that resumes a run; "" if there is nothing of it to resume.

    It names the run by its id where that is found from here, else by its folder, in the shorter
    way: the command is to stand on one line.

    Args:
        run_dir: The run's folder; "" where it is not known: the latest run is resumed.
    """
    if not run_dir:
        return "poketui run --resume"
    folder = RunFolder(Path(run_dir))
    if not folder.has_checkpoint:
        return ""
    name = folder.run_id
    if _runs_folder(RunConfig().save_dir).resolve() / name != folder.path.resolve():
        name = min(str(folder.path.absolute()), os.path.relpath(folder.path), key=len)
    return f"poketui run --resume {shlex.quote(name)}"


def find_run(save_dir: str, run: str, warn: Callable[[str], None] = lambda text: None) -> Path:
    """Return the folder of a saved run.

    Args:
        save_dir: Where runs are saved.
        run: Its id, its path, or "latest": the latest that can be resumed.
        warn: Called with a line for each later run that cannot be.

    Raises:
        CheckpointError: There is no such run.
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
                skipped.append(f"The run {info.run_id} cannot be resumed: {refusal}.")
        raise CheckpointError(
            " ".join([f"No saved run to resume in {_runs_folder(save_dir)}.", *skipped]),
            "Start a new run, or give --save-dir.",
        )
    for path in (_runs_folder(save_dir) / run, Path(run)):
        if _is_run(path):
            return path
    known = ", ".join(info.run_id for info in list_runs(save_dir)[:5]) or "none"
    raise CheckpointError(f"There is no saved run '{run}'.", f"Newest runs: {known}.")


def list_runs(save_dir: str) -> list[RunInfo]:
    """Return the saved runs, the one that was worked on last first; unreadable ones say why.

    Raises:
        CheckpointError: The folder of runs cannot be read.
    """
    runs = _runs_folder(save_dir)
    try:
        paths = list(runs.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise CheckpointError(
            f"Cannot read the folder {runs}: {error.strerror or error}.",
            "Give another one with --save-dir.",
        ) from None
    infos = [_inspect(path) for path in paths if _is_run(path)]
    return sorted(infos, key=lambda info: (info.changed_at, info.run_id), reverse=True)


def load_settings(folder: RunFolder) -> RunConfig:
    """Return a saved run's settings, to play its game with.

    Raises:
        CheckpointError: They are unreadable.
        ConfigurationError: They name code that the user does not trust.
    """
    config = read_settings(folder)
    check_permissions(permissions_for_code(config.rewards.extra), folder.config_path)
    return config


def read_settings(folder: RunFolder) -> RunConfig:
    """Return a saved run's settings, to show them: they may be from elsewhere.

    Raises:
        CheckpointError: They are unreadable.
    """
    try:
        return _settings(folder.path)
    except (ValueError, ConfigurationError) as error:
        raise CheckpointError(
            f"The settings of run {folder.run_id} are unreadable: {str(error).rstrip('.')}.",
            "Start a new run.",
        ) from None


def resumed_config(folder: RunFolder, new: RunConfig) -> tuple[RunConfig, list[str]]:
    """Return the saved run's settings with the new command's word on how to carry on.

    What is learnt, from what and how belongs to the run and stays. The second value names the
    settings that were given otherwise and had no effect.

    Raises:
        CheckpointError: The saved settings are unreadable.
        ConfigurationError: They name hosts or code that the user does not trust.
    """
    saved = read_settings(folder)
    given = _CHANGEABLE_KEYS & new.model_fields_set
    changes = {key: getattr(new, key) for key in SESSION_KEYS | given}
    if new.rom_path:
        changes["rom_path"] = new.rom_path
    if changes["workers"] > saved.num_envs:
        changes["workers"] = saved.num_envs
    ignored = [
        key
        for key in type(new).model_fields
        if key not in changes
        and getattr(new, key) != getattr(RunConfig(), key)
        and getattr(new, key) != getattr(saved, key)
    ]
    config = saved.model_copy(update=changes)
    check_permissions(config.permissions(), folder.config_path, named_in(new.model_dump()))
    return config, ignored


def saved_session(saved: RunConfig) -> RunConfig:
    """Return settings to resume a run with as it was carried on before, which permit nothing."""
    kept = SESSION_KEYS - {"decision_db_path"}
    return RunConfig(**{key: getattr(saved, key) for key in kept})


def _with_former_curriculum(values: Any) -> Any:
    """Return saved settings so that a run from before `hold_episodes` continues as it began.

    `advancement_patience` then meant what `hold_episodes` does, fewer than ten episodes counted
    nowhere, the last of several stages was autonomous whatever it preferred, and the one after it
    took four successes of five.
    """
    curriculum = values.get("curriculum") if isinstance(values, dict) else None
    if not isinstance(curriculum, dict) or "hold_episodes" in curriculum:
        return values
    former = CurriculumConfig.model_validate(curriculum)
    stages = [
        stage.model_dump() | {"min_episodes": max(stage.min_episodes, 10)}
        for stage in former.stages
    ]
    if len(stages) > 1:
        stages[-1]["strategy_preference"] = "autonomous"
    patience = former.advancement_patience if "advancement_patience" in curriculum else 20
    now = {
        "stages": stages,
        "reward_scale": former.reward_scale if "reward_scale" in curriculum else 0.0,
        "needed_success": 0.8,
        "advancement_patience": 1,
        "hold_episodes": max(patience, 10),
    }
    return values | {"curriculum": former.model_dump() | now}


def _is_run(path: Path) -> bool:
    """Return whether a folder is a run's, however damaged."""
    return os.path.lexists(path / "config.json") or os.path.isdir(path / "checkpoints")  # noqa: PTH112


def _settings(path: Path) -> RunConfig:
    """Return the settings in a run's folder.

    Raises:
        ValueError, ConfigurationError: They are unreadable.
    """
    values = read_object(path / "config.json")
    return parse_config(_with_former_curriculum(values), "config.json")


def _inspect(path: Path) -> RunInfo:
    config, refusal = None, ""
    checkpoints: list[Path] = []
    changed_at = 0.0
    try:
        config = _settings(path)
    except ValueError as error:
        refusal = f"config.json: {error}"
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
    )


def _why_not_resume(info: RunInfo) -> str:
    """Return why a run cannot be resumed, "" if it can."""
    if info.refusal:
        return info.refusal
    if not info.num_checkpoints:
        return "nothing of it is saved"
    whole = any(is_whole(path) for path in checkpoint_paths(info.path / "checkpoints"))
    return "" if whole else "its checkpoints are damaged"


def _runs_folder(save_dir: str) -> Path:
    return user_path(save_dir) / "runs"


def _not_writable(
    path: Path, error: OSError, hint: str = "Make it writable, or free some disk space."
) -> ConfigurationError:
    if isinstance(error, UnsafeFileError):
        return ConfigurationError(f"Cannot use {error.filename}: {error.strerror}.", error.remedy)
    return ConfigurationError(
        f"Cannot write in the folder {path}: {error.strerror or error}.", hint
    )
