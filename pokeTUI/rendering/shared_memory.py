"""Pass pictures to a terminal on the same machine in shared memory, as POSIX names it."""

import contextlib
import itertools
import os
import secrets
import time
from pathlib import Path

from engine.files import open_file, write_all

_FOLDER = Path("/dev/shm")
"""Where Linux has it."""
_UNREAD_S = 60.0
"""No terminal reads a picture later than this."""
_UNREAD = 8
"""Pictures that may wait; a terminal that is further behind reads none any more."""


class SharedPictures:
    """Write pictures; the terminal removes each when it has read it."""

    def __init__(self) -> None:
        for path in _FOLDER.glob("poketui-*"):  # of a cockpit that was killed, which none reads
            with contextlib.suppress(OSError):
                if time.time() - path.lstat().st_mtime > _UNREAD_S:
                    path.unlink()
        name = f"poketui-{secrets.token_hex(8)}"
        self._paths = (_FOLDER / f"{name}-{number}" for number in itertools.count())
        self._unread: list[Path] = []

    def write(self, pixels: bytes) -> str:
        """Return the name of what holds `pixels`, "" where there is no memory for them."""
        path = next(self._paths)
        try:
            descriptor = open_file(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except OSError:
            return ""
        self._unread.append(path)
        try:
            write_all(descriptor, pixels)
        except OSError:
            return ""
        finally:
            os.close(descriptor)
            self._remove(_UNREAD)
        return f"/{path.name}"

    def clear(self) -> None:
        """Remove what was not read."""
        self._remove(0)

    def _remove(self, left: int) -> None:
        while len(self._unread) > left:
            with contextlib.suppress(OSError):  # it was read
                self._unread.pop(0).unlink()
