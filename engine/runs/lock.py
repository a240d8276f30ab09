"""Keep two processes from working on one run, and record how it ends, to recognise a crash."""

import contextlib
import fcntl
import json
import os
import secrets
import time
from enum import StrEnum
from pathlib import Path

from engine.ground.files import (
    MAX_SETTINGS,
    is_named,
    open_file,
    read_file,
    read_object,
    write_file,
)
from engine.ground.text import one_line

_TRIES, _PAUSE_S = 4, 0.01
"""For taking the lock: `is_locked` holds it for an instant."""


def is_locked(path: Path) -> bool:
    """Return whether a process holds the lock at `path`; nothing is written."""
    try:
        descriptor = open_file(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        # Closing alone would leave it to a process that was forked just now.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


class RunLock:
    """A locked file at `path`, held until `release` or the end of this process, however it ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None
        self._token = secrets.token_bytes(16)

    @property
    def is_taken(self) -> bool:
        """Return whether it was taken here and not released, even if its file was deleted."""
        return self._descriptor is not None

    @property
    def is_held(self) -> bool:
        """Return whether it still keeps others off: its file was not deleted or replaced."""
        return self._descriptor is not None and is_named(self.path, self._descriptor)

    def take(self) -> bool:
        """Take it; return False where another process has it."""
        descriptor = self._locked_file()
        if descriptor is None:
            return False
        self.release()
        self._descriptor = descriptor
        return True

    def take_again(self) -> bool:
        """Take it after its file was deleted or replaced, unless another process had it since."""
        with contextlib.suppress(FileNotFoundError):
            # A file with our token is ours, copied back; any other was made by a process that has
            # resumed the run, even if it has ended since.
            if read_file(self.path, MAX_SETTINGS) != self._token:
                return False
        return self.take()

    def release(self) -> None:
        """Let others work on the run."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _locked_file(self) -> int | None:
        """Return the descriptor of the file, locked; None if another process has locked it."""
        tries = 0
        while True:
            descriptor = open_file(self.path, os.O_RDWR | os.O_CREAT)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                tries += 1
                if tries == _TRIES:
                    return None
                time.sleep(_PAUSE_S)
                continue
            except OSError:
                os.close(descriptor)
                raise
            if is_named(self.path, descriptor):
                break
            os.close(descriptor)  # it was deleted just now, and the next one may have another
        # The token says who took it last. A full disk must not prevent a resume.
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.write(descriptor, self._token)
        return descriptor


STATUS_NAME = "status.json"
_LONGEST = 80


class RunStatus(StrEnum):
    """The status of a run."""

    RUNNING = "running"
    FINISHED = "finished"
    """It took all steps or episodes that it was given."""
    STOPPED = "stopped"
    """A person or a signal ended it, or an older version, which did not record why, ran it."""
    CRASHED = "crashed"
    """Its process is gone without having ended it."""
    DAMAGED = "damaged"
    """Its settings cannot be read."""


def write_status(folder: Path, status: RunStatus, reason: str = "") -> None:
    """Write the status of the run in `folder`, unless the disk is full: the run must go on."""
    with contextlib.suppress(OSError):
        write_file(folder / STATUS_NAME, json.dumps({"status": status, "reason": reason}).encode())


def is_running(folder: Path) -> bool:
    """Return whether a process works on the run in `folder`."""
    return is_locked(folder / "lock")


def read_status(folder: Path) -> tuple[RunStatus, str]:
    """Return the status of the run in `folder`, and why it ended, "" where that is not known."""
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
