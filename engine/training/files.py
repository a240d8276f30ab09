"""Write files so that each is either the old one or the whole new one, whatever ends the writing.

Only calls of `os` are used, so that tests can let each of them fail.
"""

import contextlib
import os
from pathlib import Path


def write_file(path: Path, content: bytes) -> None:
    """Write beside, flush to the disk and rename.

    Raises:
        OSError: It could not be written; what was at `path` is untouched.
    """
    temporary = path.with_name(path.name + ".tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            waiting = memoryview(content)
            while waiting:
                waiting = waiting[os.write(descriptor, waiting) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)  # noqa: PTH105 (see above)
    except BaseException:  # Ctrl-C too must leave no half file behind; it is raised again
        with contextlib.suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108 (see above)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
