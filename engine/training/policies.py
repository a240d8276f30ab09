"""Read cloned policies."""

from pathlib import Path

from engine.errors import CheckpointError, ConfigurationError
from engine.folders import user_path
from engine.imitation.policy import Policy
from engine.training.checkpoint import BEST, LATEST, Checkpoint, read_checkpoint
from engine.training.policy_folders import PolicyFolder


def read_policy(save_dir: str, name: str) -> tuple[Policy, Path]:
    """Read a policy: the best one of a folder, else the newest; or a checkpoint's file.

    Args:
        save_dir: Where policies are saved.
        name: "latest", an id, or the path of a folder or a file.

    Raises:
        CheckpointError: There is none, or it is damaged.
    """
    path = user_path(name)
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
