"""Write what runs leave behind, without training any."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engine.config import RunConfig
from engine.events import EpisodeEnded, Event
from engine.runs.folder import RunFolder
from engine.runs.journal import Journal
from engine.runs.lock import RunStatus, write_status
from engine.types import EpisodeSummary


def ended(number: int, reward: float, **facts: Any) -> EpisodeEnded:
    summary = EpisodeSummary(0, reward, 20, (("goal", reward),), **facts)
    return EpisodeEnded(number, 100 * number, summary)


def save_run(
    saves: Path,
    returns: Iterable[float] = (),
    *,
    events: Iterable[Event] = (),
    run_id: str = "",
    changed_s: float = 0.0,
    status: RunStatus | None = None,
    has_checkpoint: bool = False,
    **settings: Any,
) -> Path:
    """Return the folder of a run whose episodes had these returns: a success above zero.

    Its journal holds these `events`, too.
    """
    folder = RunFolder.create(RunConfig(save_dir=str(saves), **settings))
    episodes = [ended(at, each, is_success=each > 0) for at, each in enumerate(returns, 1)]
    append(folder.path, [*episodes, *events])
    if has_checkpoint:
        folder.checkpoints_path.mkdir()
        (folder.checkpoints_path / f"step-{100 * len(episodes):012d}.zip").write_bytes(b"")
    if status is not None:
        write_status(folder.path, status)
    folder.unlock()
    path = folder.path.rename(saves / "runs" / run_id) if run_id else folder.path
    if changed_s:
        for changed in (*path.glob("checkpoints/*"), *path.iterdir(), path):
            os.utime(changed, (changed_s, changed_s))
    return path


def append(path: Path, events: Iterable[Event]) -> None:
    """Append to a run's journal."""
    journal = Journal(path / "journal.jsonl")
    for event in events:
        journal.take(event)
    journal.close()
