"""Make folders that are of use to one process alone, and go with it, even if it is killed.

Whoever makes one holds a lock on it, which nobody can hold beyond the end of the process; what
nobody holds is removed by the next process that makes one there.
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
        if (abandoned := _hold(path)) is not None:
            shutil.rmtree(path, ignore_errors=True)
            os.close(abandoned)
    folder, lock = Path(), None
    while lock is None:  # another process may have removed it before it was locked
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        lock = _hold(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _hold(folder: Path) -> int | None:
    """Return a descriptor that keeps a folder of ours; None: it is gone, held or another's."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(folder, flags)
    except OSError:
        return None
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found = os.fstat(descriptor)
        if found.st_uid == os.geteuid() and os.path.samestat(found, folder.lstat()):
            return descriptor
    os.close(descriptor)
    return None
