"""Write what runs leave behind, without training any."""

import os
from pathlib import Path
from typing import Any

from engine.config import RunConfig
from engine.events import EpisodeEnded
from engine.runs.folder import RunFolder
from engine.runs.journal import Journal
from engine.runs.lock import RunStatus, write_status
from engine.types import EpisodeSummary


def ended(number: int, reward: float, **facts: Any) -> EpisodeEnded:
    return EpisodeEnded(number, 100 * number, EpisodeSummary(0, reward, 20, (), **facts))


def save_run(
    saves: Path,
    returns: list[float],
    *,
    run_id: str = "",
    changed_s: float = 0.0,
    status: RunStatus | None = None,
    has_checkpoint: bool = False,
    **settings: Any,
) -> Path:
    """Return the folder of a run whose episodes had these returns: a success above zero."""
    folder = RunFolder.create(RunConfig(save_dir=str(saves), **settings))
    append(
        folder.path, [ended(at, each, is_success=each > 0) for at, each in enumerate(returns, 1)]
    )
    if has_checkpoint:
        folder.checkpoints_path.mkdir()
        (folder.checkpoints_path / f"step-{100 * len(returns):012d}.zip").write_bytes(b"")
    if status is not None:
        write_status(folder.path, status)
    folder.unlock()
    path = folder.path.rename(saves / "runs" / run_id) if run_id else folder.path
    if changed_s:
        for changed in (*path.glob("checkpoints/*"), *path.iterdir(), path):
            os.utime(changed, (changed_s, changed_s))
    return path


def append(path: Path, events: list[EpisodeEnded]) -> None:
    """Append to a run's journal."""
    journal = Journal(path / "journal.jsonl")
    for event in events:
        journal.take(event)
    journal.close()
