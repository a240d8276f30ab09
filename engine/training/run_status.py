"""Keep in a run's folder how it stands, so that a crash can be told from an end."""

import contextlib
import json
from enum import StrEnum
from pathlib import Path

from engine.files import read_object, write_file
from engine.quoting import one_line
from engine.training.run_lock import is_locked

STATUS_NAME = "status.json"
_LONGEST = 80


class RunStatus(StrEnum):
    """How a run stands."""

    RUNNING = "running"
    FINISHED = "finished"
    """It took all steps or episodes that it was given."""
    STOPPED = "stopped"
    """A person or a signal ended it, or an older version that did not say how it ended."""
    CRASHED = "crashed"
    """Its process is gone without having ended it."""
    DAMAGED = "damaged"
    """Its settings cannot be read."""


def write_status(folder: Path, status: RunStatus, reason: str = "") -> None:
    """Note how the run in `folder` stands; a full disk keeps no run from going on."""
    with contextlib.suppress(OSError):
        write_file(folder / STATUS_NAME, json.dumps({"status": status, "reason": reason}).encode())


def is_running(folder: Path) -> bool:
    """Return whether a process works on the run in `folder`."""
    return is_locked(folder / "lock")


def read_status(folder: Path) -> tuple[RunStatus, str]:
    """Return how the run in `folder` stands, and why it ended, "" where that is not known."""
    if is_running(folder):
        return RunStatus.RUNNING, ""
    try:
        values = read_object(folder / STATUS_NAME)
        status = RunStatus(values.get("status", ""))
    except ValueError:
        return RunStatus.STOPPED, ""
    if status is RunStatus.RUNNING:
        return RunStatus.CRASHED, ""
    return status, one_line(str(values.get("reason", "")), _LONGEST)
