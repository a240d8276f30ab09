"""Write a file whole or not at all."""

import contextlib
import os
import secrets
from pathlib import Path

from engine.errors import DemoError


def write_whole(path: Path, content: bytes) -> None:
    """Write beside, flush to the disk and rename; make the folder if it is not there.

    Raises:
        DemoError: It could not be written; what was at `path` is untouched.
    """
    beside = temporary_path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise cannot_write(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def temporary_path(path: Path) -> Path:
    """Return a name beside `path` that nobody else uses."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")


def sync_folder(folder: Path) -> None:
    """Bring a folder's list of files to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def cannot_write(path: Path, error: OSError) -> DemoError:
    """Return the error for a file that cannot be written."""
    return DemoError(
        f"Cannot write {path}: {error.strerror or error}.", "Free the disk, or choose a folder."
    )
