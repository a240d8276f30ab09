"""Keep what is of use to one process alone: it goes with the process, even with one that is killed.

Whoever makes such a folder or file holds a lock on it, which nobody can hold beyond the end of the
process; what nobody holds is removed by the next process that makes one there.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PREFIX = "poketui-scratch-"


@contextlib.contextmanager
def scratch_folder(within: Path | None = None) -> Iterator[Path]:
    """Give a folder for temporary files, in `within` or where the system has its own."""
    place = within or Path(tempfile.gettempdir())
    for path in place.glob(f"{_PREFIX}*"):
        remove_abandoned(path)
    folder, lock = Path(), None
    while lock is None:  # another process may have removed it before it was locked
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        lock = hold(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def hold(path: Path) -> int | None:
    """Return a descriptor that keeps a folder or file of ours; None: it is gone, or another's."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found = os.fstat(descriptor)
        if found.st_uid == os.geteuid() and os.path.samestat(found, path.lstat()):
            return descriptor
    os.close(descriptor)
    return None


def remove_abandoned(path: Path) -> None:
    """Remove a folder or file of ours that no process holds."""
    lock = hold(path)
    if lock is None:
        return
    with contextlib.suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
    os.close(lock)
