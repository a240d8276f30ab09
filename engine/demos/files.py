"""Read and write files of demonstrations, and say in this package's words what went wrong."""

from pathlib import Path

from engine.errors import DemoError
from engine.files import (
    FILE_MODE,
    FileTooLargeError,
    make_folder,
    read_file,
    remedy,
    write_file,
)


def read_limited(path: Path, limit: int) -> bytes:
    """Return a file's bytes.

    Raises:
        DemoError: It cannot be read, or has more than `limit` bytes.
    """
    try:
        if not path.is_file():
            what = "is a folder" if path.is_dir() else "is not a regular file"
            what = what if path.exists() else "does not exist"
            raise DemoError(f"{path} {what}.", "List demonstrations: poketui demos")
        return read_file(path, limit)
    except FileTooLargeError:
        raise DemoError(f"{path} is too large for a demonstration.", "Use another file.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DemoError(f"Cannot read {path}: {reason}.", "Make it readable.") from None


def write_whole(path: Path, content: bytes, mode: int = FILE_MODE) -> None:
    """Write a file whole or not at all; make the folder if it is not there.

    Raises:
        DemoError: It could not be written; what was at `path` is untouched.
    """
    try:
        make_folder(path.parent)
        write_file(path, content, mode)
    except OSError as error:
        raise cannot_write(path, error) from None


def cannot_write(path: Path, error: OSError) -> DemoError:
    """Return the error for a file that cannot be written."""
    return DemoError(
        f"Cannot write {path}: {error.strerror or error}.",
        remedy(error, "Free some disk space, or choose another folder."),
    )
