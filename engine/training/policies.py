"""Find, write and read cloned policies: <save_dir>/policies/<id>/, as runs have their folders."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import CheckpointError, ConfigurationError
from engine.imitation.policy import Policy
from engine.training.checkpoint import (
    BEST,
    LATEST,
    Checkpoint,
    CheckpointStore,
    read_checkpoint,
)
from engine.training.files import write_file

_FOLDER = "policies"
_SETTINGS = "config.json"


@dataclass(frozen=True, slots=True)
class PolicyFolder:
    """Where one cloned policy is saved.

    Attributes:
        path: <save_dir>/policies/<id>.
    """

    path: Path

    @classmethod
    def create(cls, save_dir: str, settings: dict[str, Any]) -> "PolicyFolder":
        """Make a new one, and write down with what settings it was begun.

        Raises:
            ConfigurationError: The save folder cannot be written.
        """
        policies = Path(save_dir).expanduser() / _FOLDER
        stamp = time.strftime("%Y%m%d-%H%M%S")
        try:
            policies.mkdir(parents=True, exist_ok=True)
            for number in range(1, 1000):
                path = policies / (stamp if number == 1 else f"{stamp}-{number}")
                try:
                    path.mkdir()
                except FileExistsError:
                    continue
                write_file(path / _SETTINGS, json.dumps(settings, indent=1).encode())
                return cls(path)
        except OSError as error:
            raise ConfigurationError(
                f"Cannot write to {policies}: {error.strerror or error}.",
                "Give another folder with --save-dir.",
            ) from None
        raise ConfigurationError(f"Too many policies began at {stamp}.", "Try again in a second.")

    @classmethod
    def find(cls, save_dir: str, name: str) -> "PolicyFolder":
        """Return the folder of a policy by its id, its path, or "latest".

        Raises:
            CheckpointError: There is none.
        """
        policies = Path(save_dir).expanduser() / _FOLDER
        if name == LATEST:
            found = sorted(path.parent for path in policies.glob(f"*/{_SETTINGS}"))
            if not found:
                raise CheckpointError(
                    f"There is no cloned policy in {policies}.", "Make one with: poketui bc"
                )
            return cls(found[-1])
        for path in (policies / name, Path(name).expanduser()):
            if (path / _SETTINGS).is_file():
                return cls(path)
        raise CheckpointError(
            f"There is no cloned policy {name} in {policies}.", "Make one with: poketui bc"
        )

    @property
    def tensorboard_path(self) -> Path:
        """Return where its figures are."""
        return self.path / "tensorboard"

    def settings(self) -> dict[str, Any]:
        """Return the settings that it was begun with.

        Raises:
            CheckpointError: They are damaged.
        """
        try:
            settings = json.loads((self.path / _SETTINGS).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise CheckpointError(
                f"Cannot read {self.path / _SETTINGS}: {error}.", "Clone the policy again."
            ) from None
        if not isinstance(settings, dict):
            raise CheckpointError(
                f"{self.path / _SETTINGS} holds no settings.", "Clone the policy again."
            )
        return settings

    def store(self, keep: int) -> CheckpointStore:
        """Return its checkpoints."""
        return CheckpointStore(self.path / "checkpoints", keep)


def read_policy(save_dir: str, name: str) -> tuple[Policy, Path]:
    """Read a policy: the best one of a folder, else the newest; or a checkpoint's file.

    Args:
        save_dir: Where policies are saved.
        name: "latest", an id, or the path of a folder or a file.

    Raises:
        CheckpointError: There is none, or it is damaged.
    """
    path = Path(name).expanduser()
    if name != LATEST and path.is_file():
        saved = read_checkpoint(path)
    else:
        folder = PolicyFolder.find(save_dir, name)
        path = folder.path / "checkpoints" / BEST
        if path.is_file():
            saved = read_checkpoint(path)
        else:
            saved, path, _ = folder.store(keep=1).load_newest()
    return policy_of(saved, path), path


def policy_of(saved: Checkpoint, path: Path) -> Policy:
    """Return the policy of a checkpoint.

    Raises:
        CheckpointError: It holds none.
    """
    try:
        return Policy.load(saved.facts, saved.arrays)
    except (KeyError, TypeError, ValueError, ConfigurationError) as error:
        raise CheckpointError(
            f"The checkpoint {path} holds no usable policy: {error}.", "Clone it again: poketui bc"
        ) from None
