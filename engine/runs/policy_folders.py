"""Find and make the folders of cloned policies, <save_dir>/policies/<id>/; imports nothing slow."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from engine.errors import CheckpointError, ConfigurationError
from engine.ground.files import (
    check_writable,
    make_folder,
    missing_folders,
    os_errors_as,
    read_object,
    remove_empty,
    remove_folder,
    write_file,
)
from engine.ground.folders import user_path
from engine.runs.checkpoint import LATEST
from engine.runs.cloning_settings import CloningConfig, check
from engine.runs.folder import RunFolder, SavedFolder, find_run, make_stamped_folder
from engine.runs.settings import CONFIG_NAME

FEATURES = "env.features"
"""The setting of what a policy sees, in its config.json and in a run that begins from it."""

_FOLDER = "policies"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_STAMP = re.compile(r"(\d{8}-\d{6})(?:-(\d+))?$")


class PolicyFolder(SavedFolder):
    """Where one cloned policy is saved: <save_dir>/policies/<id>."""

    @classmethod
    @contextmanager
    def begin(
        cls, save_dir: str, settings: dict[str, Any], name: str = ""
    ) -> "Iterator[PolicyFolder]":
        """Make a new one for the context, deleted after it if nothing was saved; see `create`."""
        missing = missing_folders(user_path(save_dir) / _FOLDER)
        folder = cls.create(save_dir, settings, name)
        try:
            yield folder
        finally:
            if not any(folder.checkpoints_path.glob("*.zip")):
                with suppress(OSError):
                    remove_folder(folder.path)
                remove_empty(missing)

    @classmethod
    def create(cls, save_dir: str, settings: dict[str, Any], name: str = "") -> "PolicyFolder":
        """Make a new one whose id begins with `name`, and write its settings.

        Raises:
            ConfigurationError: The save folder cannot be written, or the name is not valid.
        """
        check_name(name)
        policies = user_path(save_dir) / _FOLDER
        with _writing(policies):
            folder = cls(make_stamped_folder(policies, name))
            try:
                folder._write(settings)
            except BaseException:  # Ctrl-C too; it is raised again
                remove_empty([folder.path])
                raise
        return folder

    @classmethod
    def find(cls, save_dir: str, name: str) -> "PolicyFolder":
        """Return a policy's folder by id, path, or "latest", or raise CheckpointError."""
        policies = user_path(save_dir) / _FOLDER
        if name == LATEST:
            whole = (info.path for info in list_policies(save_dir) if not info.refusal)
            paths = sorted(whole, key=_began_at, reverse=True)
        else:
            named = (policies / name, user_path(name))
            paths = [path for path in named if os.path.lexists(path / CONFIG_NAME)]
        if not paths:
            which = "" if name == LATEST else f" {name}"
            raise CheckpointError(
                f"There is no cloned policy{which} in {policies}.", "Create one: poketui bc"
            )
        return cls(paths[0])

    def settings(self) -> dict[str, Any]:
        """Return the settings that it was begun with, or raise CheckpointError."""
        try:
            return read_object(self.config_path)
        except ValueError as error:
            raise CheckpointError(
                f"Cannot read {self.config_path}: {error}.", "Clone the policy again."
            ) from None

    def restore(self, settings: Mapping[str, Any]) -> None:
        """Write its settings again if they were deleted.

        Raises:
            CheckpointError: They cannot be written.
        """
        hint = "Its folder was replaced."
        with os_errors_as(CheckpointError, f"Cannot write {self.config_path}", hint):
            make_folder(self.path)
            if not os.path.lexists(self.config_path):
                self._write(settings)

    def _write(self, settings: Mapping[str, Any]) -> None:
        write_file(self.config_path, json.dumps(settings, indent=1).encode())


def check_name(name: str) -> None:
    """Raise ConfigurationError unless a policy's id can begin with a name."""
    if name and not _NAME.fullmatch(name):
        raise ConfigurationError(
            f"exp_name = {name!r:.80} is not valid in a folder name.",
            "Use up to 60 letters, digits, '-', '_' and '.', starting with a letter or digit.",
        )


def _began_at(folder: Path) -> tuple[str, int, int]:
    """Return when a policy was begun: by its id, where a name may stand before the time."""
    stamp = _STAMP.search(folder.name)
    if stamp is None:
        return folder.name, 0, 0
    return stamp[1], (folder / CONFIG_NAME).stat().st_mtime_ns, int(stamp[2] or 1)


@dataclass(frozen=True, slots=True)
class PolicyInfo:
    """What a list of cloned policies shows.

    Attributes:
        how: "cloned" or "DAgger".
        changed_at: Seconds since the epoch.
        refusal: Why its settings cannot be read, "" if they can.
    """

    policy_id: str
    path: Path
    how: str
    network: str
    inputs: str
    seed: int
    changed_at: float
    refusal: str = ""


def list_policies(save_dir: str) -> list[PolicyInfo]:
    """Return the cloned policies, the newest first; one that cannot be read says why."""
    found = []
    for folder in map(PolicyFolder, (user_path(save_dir) / _FOLDER).glob("*")):
        if not os.path.lexists(folder.config_path):
            continue
        refusal = ""
        try:
            settings = read_object(folder.config_path)
        except ValueError as error:
            settings, refusal = {}, f"{CONFIG_NAME}: {error}"
        cloning = settings.get("cloning")
        known = cloning if isinstance(cloning, dict) else {}
        seed = known.get("seed", 0)
        if not refusal and not (known and isinstance(seed, int)):
            refusal = f"{CONFIG_NAME}: incomplete settings"
        has_journal = os.path.isfile(folder.journal_path)  # noqa: PTH113
        dated = folder.journal_path if has_journal else folder.path
        found.append(
            PolicyInfo(
                policy_id=folder.path.name,
                path=folder.path,
                how="DAgger" if "dagger" in settings else "cloned",
                network=str(known.get("network", "?")),
                inputs=str(known.get("inputs", "?")),
                seed=seed if isinstance(seed, int) else 0,
                changed_at=dated.stat().st_mtime,
                refusal=refusal,
            )
        )
    return sorted(found, key=lambda info: (info.changed_at, info.policy_id), reverse=True)


def find_saved(save_dir: str, name: str) -> RunFolder | PolicyFolder:
    """Return the folder of a run, or else of a cloned policy, by name.

    `name` is an id, a path, or "latest", which is a run.

    Raises:
        CheckpointError: There is neither.
    """
    try:
        path = find_run(save_dir, name, purpose="read")
    except CheckpointError:
        if name != LATEST:
            with suppress(CheckpointError):
                return PolicyFolder.find(save_dir, name)
        raise
    return PolicyFolder(path) if path.resolve().parent.name == _FOLDER else RunFolder(path)


def check_save_folder(save_dir: str) -> None:
    """Raise ConfigurationError if a save folder cannot hold a policy, before one is trained."""
    policies = user_path(save_dir) / _FOLDER
    with _writing(policies):
        check_writable(policies)


def _writing(policies: Path) -> AbstractContextManager[None]:
    hint = "Choose another folder with --save-dir."
    return os_errors_as(ConfigurationError, f"Cannot write to {policies}", hint)


_DQN_OF_FRAMES: Mapping[str, Any] = MappingProxyType(
    {
        "dqn.exploration": "boltzmann",  # the likeliest action alone gets stuck
        "dqn.duelling": False,
        "dqn.batch_size": 64,
        "dqn.gradient_steps": 1,
        "dqn.replay_ratio": 2,
        "dqn.warmup_steps": 1000,
        "dqn.learning_rate": 5e-5,
        "imitation.demo_share": 0.5,
        "imitation.cloning_floor": 0.5,
    }
)
"""With these DQN neither unlearns a clone of the screen nor takes hours (docs/experiments.md)."""


def features_of_policy(settings: Mapping[str, Any]) -> str:
    """Return the `env.features` of a policy by its config.json, which older ones do not say."""
    game = settings.get("game")
    return str(game.get(FEATURES, "first")) if isinstance(game, dict) else "first"


def agent_settings(save_dir: str, name: str) -> dict[str, Any]:
    """Return the settings, by dotted key, of a run whose agent can begin from a policy.

    They leave the agent open where several can use the policy's network.

    Raises:
        CheckpointError: There is no such policy.
        ConfigurationError: Its settings are damaged.
    """
    path = user_path(name)
    is_file = name != LATEST and path.is_file()
    # <id>/checkpoints/step-....zip
    folder = (
        PolicyFolder(path.resolve().parents[1]) if is_file else PolicyFolder.find(save_dir, name)
    )
    settings = folder.settings()
    found = settings.get("cloning")
    cloning = check(CloningConfig, found if isinstance(found, dict) else {})
    start = {
        "start_policy": name if is_file else str(folder.path),
        "encoder": cloning.encoder,
        FEATURES: features_of_policy(settings),
    }
    size = cloning.hidden_size
    if cloning.sees_colour:
        return {**start, "ppo.hidden_size": size, "dqn.hidden_size": size, **_DQN_OF_FRAMES}
    return start | {"agent": cloning.network, f"{cloning.network}.hidden_size": size}
