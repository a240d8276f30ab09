"""Write files of demonstrations, and say in this package's words what went wrong."""

from pathlib import Path

from engine.errors import DemoError
from engine.files import FILE_MODE, make_folder, remedy, write_file


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
        remedy(error, "Free the disk, or choose a folder."),
    )
