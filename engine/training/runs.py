"""Find, make and lock the folders of saved runs; imports nothing slow.

A run lives in <save_dir>/runs/<id>/: config.json, journal.jsonl, engine.log, checkpoints/.
"""

import fcntl
import json
import os
import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from engine.config import CurriculumConfig, RunConfig, parse_config
from engine.errors import CheckpointError, ConfigurationError
from engine.files import (
    FOLDER_MODE,
    UnsafeFileError,
    check_folder,
    make_folder,
    make_private,
    open_file,
    write_file,
)
from engine.training.checkpoint import checkpoint_paths, steps_of
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
    """

    run_id: str
    path: Path
    total_steps: int
    num_checkpoints: int
    agent: str
    mode: str
    seed: int
    changed_at: float


class RunFolder:
    """The folder of one run, locked while this process works on it.

    Attributes:
        path: <save_dir>/runs/<id>.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: int | None = None

    @classmethod
    def create(cls, config: RunConfig) -> Self:
        """Make the folder of a new run and lock it.

        Raises:
            ConfigurationError: The save folder cannot be written.
        """
        runs = _runs_folder(config.save_dir)
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
                folder.lock()
                write_file(folder.config_path, config.model_dump_json(indent=1).encode())
                remember(config.permissions())
                return folder
        except OSError as error:
            raise _not_writable(runs, error) from None
        raise ConfigurationError(f"Too many runs began at {stamp}.", "Try again in a second.")

    @classmethod
    def open(cls, config: RunConfig, run: str) -> Self:
        """Open the folder of a saved run and lock it.

        Raises:
            ConfigurationError: It cannot be written, or another process works on it.
            CheckpointError: There is no such run, or nothing to resume in it.
        """
        folder = cls(find_run(config.save_dir, run))
        if not checkpoint_paths(folder.checkpoints_path):
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
        """Tell whether there is something to resume."""
        return bool(checkpoint_paths(self.checkpoints_path))

    def lock(self) -> None:
        """Keep other processes off until `unlock` or the end of this process, however it ends.

        Raises:
            ConfigurationError: Another process has it, it cannot be written, or it holds a link.
        """
        try:
            make_private(self.path)
            check_folder(self.path)
            descriptor = open_file(self.path / "lock", os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise ConfigurationError(
                f"Cannot write in the folder {self.path}: {error.strerror or error}.",
                "Make it writable, or free some disk space.",
            ) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise ConfigurationError(
                f"The run {self.run_id} is in use by another process.",
                "Stop that one first, or start a new run.",
            ) from None
        self._lock = descriptor

    def unlock(self) -> None:
        """Let others work on the run."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def resume_command(run_dir: str) -> str:
    """Return the command that resumes a run; "" if there is nothing of it to resume.

    It names the run by its id where that is found from here, else by its folder, in the shorter
    way: the command is to stand on one line.
    """
    folder = RunFolder(Path(run_dir))
    if not folder.has_checkpoint:
        return ""
    name = folder.run_id
    if _runs_folder(RunConfig().save_dir).resolve() / name != folder.path.resolve():
        name = min(str(folder.path.absolute()), os.path.relpath(folder.path), key=len)
    return f"poketui run --resume {shlex.quote(name)}"


def find_run(save_dir: str, run: str) -> Path:
    """Return the folder of a saved run.

    Args:
        save_dir: Where runs are saved.
        run: Its id, its path, or "latest".

    Raises:
        CheckpointError: There is no such run.
    """
    if run == LATEST:
        resumable = [info for info in list_runs(save_dir) if info.num_checkpoints]
        if resumable:
            return resumable[0].path
        raise CheckpointError(
            f"No saved run to resume in {_runs_folder(save_dir)}.",
            "Start a new run, or give --save-dir.",
        )
    for path in (_runs_folder(save_dir) / run, Path(run)):
        if (path / "config.json").is_file():
            return path
    known = ", ".join(info.run_id for info in list_runs(save_dir)[:5]) or "none"
    raise CheckpointError(f"There is no saved run '{run}'.", f"Newest runs: {known}.")


def list_runs(save_dir: str) -> list[RunInfo]:
    """Return the saved runs, the one that was worked on last first."""
    runs = _runs_folder(save_dir)
    if not runs.is_dir():
        return []
    infos = [_inspect(path) for path in runs.iterdir() if (path / "config.json").is_file()]
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
        values = json.loads(folder.config_path.read_text(encoding="utf-8"))
        return parse_config(_with_former_curriculum(values), str(folder.config_path))
    except (OSError, ValueError, ConfigurationError) as error:
        raise CheckpointError(
            f"The settings of run {folder.run_id} are unreadable: {error}", "Start a new run."
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
    """Return saved settings so that a run from before `hold_episodes` goes on as it began.

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


def _inspect(path: Path) -> RunInfo:
    checkpoints = checkpoint_paths(path / "checkpoints")
    try:
        config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        config = {}
    newest = checkpoints[0] if checkpoints else path
    return RunInfo(
        run_id=path.name,
        path=path,
        total_steps=steps_of(newest),
        num_checkpoints=len(checkpoints),
        agent=str(config.get("agent", "?")),
        mode=str(config.get("mode", "?")),
        seed=int(config.get("seed", 0)),
        changed_at=newest.stat().st_mtime,
    )


def _runs_folder(save_dir: str) -> Path:
    return Path(save_dir).expanduser() / "runs"


def _not_writable(path: Path, error: OSError) -> ConfigurationError:
    if isinstance(error, UnsafeFileError):
        return ConfigurationError(f"Cannot use {error.filename}: {error.strerror}.", error.remedy)
    return ConfigurationError(
        f"Cannot write in the save folder {path}: {error.strerror or error}.",
        "Give a writable one with --save-dir.",
    )
