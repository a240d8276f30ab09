"""Read and write the project's own files as if whoever made the folder were hostile.

A file is either the old one or the whole new one, is its owner's alone, and is never reached
through a symbolic link. What is read has a limit, compressed or not.

Only calls of `os` write, so that tests can let each of them fail.
"""

import contextlib
import errno
import json
import os
import secrets
import shutil
import stat
import zlib
from pathlib import Path
from typing import Any

FILE_MODE, FOLDER_MODE = 0o600, 0o700
"""A run holds what a person typed: it is nobody else's to read."""


def open_file(path: Path, flags: int) -> int:
    """Open one of our files and return its descriptor; flags as for `os.open`.

    Raises:
        OSError: It cannot be opened, is a symbolic link, or is no regular file.
    """
    # Without O_NONBLOCK, opening a named pipe would wait for ever.
    flags |= os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, FILE_MODE)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, "it is a symbolic link", str(path)) from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return descriptor


def read_file(path: Path, limit: int) -> bytes:
    """Return the bytes of a file, a user's or ours, behind a symbolic link too.

    Raises:
        OSError: It cannot be read, is no regular file, or holds more than `limit` bytes.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    with os.fdopen(descriptor, "rb") as file:
        content = file.read(limit + 1) if found.st_size <= limit else b""
    if found.st_size > limit or len(content) > limit:
        raise OSError(errno.EFBIG, f"it is larger than {limit:,} bytes", str(path))
    return content


def write_file(path: Path, content: bytes) -> None:
    """Write beside, flush to the disk and rename.

    Raises:
        OSError: It could not be written; what was at `path` is untouched.
    """
    beside = temporary_path(path)
    try:
        descriptor = open_file(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            waiting = memoryview(content)
            while waiting:
                waiting = waiting[os.write(descriptor, waiting) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(beside, path)  # noqa: PTH105 (see above)
    except BaseException:  # Ctrl-C too must leave no half file behind; it is raised again
        with contextlib.suppress(OSError):
            os.unlink(beside)  # noqa: PTH108 (see above)
        raise
    sync_folder(path.parent)


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


def make_folder(path: Path) -> None:
    """Make a folder of ours and those above it that are missing, for their owner alone.

    Raises:
        OSError: It cannot be made, or something else has its name.
    """
    if not path.is_dir():
        if path.parent != path:
            make_folder(path.parent)
        with contextlib.suppress(FileExistsError):
            path.mkdir(FOLDER_MODE)
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "it is not a folder", str(path))


def remove_folder(path: Path) -> None:
    """Delete a folder of ours with all that is in it; a link in its place is refused.

    Raises:
        OSError: It cannot be deleted, or is a symbolic link.
    """
    if path.is_symlink():
        raise OSError(errno.ELOOP, "it is a symbolic link", str(path))
    shutil.rmtree(path)


def inflate(data: bytes, limit: int) -> bytes:
    """Unpack zlib data that holds exactly one stream of at most `limit` bytes.

    Raises:
        ValueError: It is damaged, or larger.
    """
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(data, limit + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if len(content) > limit:
        raise ValueError(f"it unpacks to more than {limit:,} bytes")
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError("it is cut off, or something follows it")
    return content


def parse_json(text: str | bytes) -> Any:
    """Return what JSON text holds.

    Raises:
        ValueError: It is broken, not UTF-8, or nested too deeply.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
