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
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

FILE_MODE, FOLDER_MODE = 0o600, 0o700
"""A run holds what a person typed: it is nobody else's to read."""

MAX_SETTINGS, MAX_LINE = 1 << 18, 1 << 23
"""Bytes of a file of settings, and of a line of a journal: far more than any of ours has."""
_MAX_DEPTH = 32
_BLOCK = 1 << 16


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
    with _open_to_read(path) as file:
        size = os.fstat(file.fileno()).st_size
        content = file.read(limit + 1) if size <= limit else b""
    if size > limit or len(content) > limit:
        raise OSError(errno.EFBIG, f"it is larger than {limit:,} bytes", str(path))
    return content


def read_lines(path: Path, newest: int | None = None, limit: int = MAX_LINE) -> Iterator[bytes]:
    r"""Yield the lines of a file with their ends, never more than one of them in memory.

    Args:
        path: The file, a user's or ours.
        newest: How many of the last lines; None for all.
        limit: Bytes of a line; a longer one comes as b"\n".

    Raises:
        OSError: It cannot be read, or is no regular file.
    """
    with _open_to_read(path) as file:
        if newest is not None:
            _seek_newest(file, newest)
        while line := file.readline(limit):
            if len(line) == limit and not line.endswith(b"\n"):
                while line and not line.endswith(b"\n"):
                    line = file.readline(_BLOCK)
                line = b"\n"
            yield line


def _seek_newest(file: BinaryIO, count: int) -> None:
    """Go to where the last `count` lines begin."""
    end = at = file.seek(0, os.SEEK_END)
    while at:
        size = min(at, _BLOCK)
        at = file.seek(at - size)
        block = file.read(size)
        # The end of the last line begins no other.
        stop = size - 1 if at + size == end else size
        while (stop := block.rfind(b"\n", 0, stop)) >= 0:
            count -= 1
            if count <= 0:
                file.seek(at + stop + 1)
                return
    file.seek(0)


def _open_to_read(path: Path) -> BinaryIO:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return os.fdopen(descriptor, "rb")


def read_object(path: Path, limit: int = MAX_SETTINGS) -> dict[str, Any]:
    """Return what a file with one JSON object holds.

    Raises:
        ValueError: Saying shortly why it cannot be read.
    """
    try:
        values = parse_json(read_file(path, limit))
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from None
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8 text") from None
    if not isinstance(values, dict):
        raise ValueError("it holds no keys")
    check_values(values)
    return values


def _is_unicode(text: str) -> bool:
    """Tell whether a text can be written: JSON can spell half a surrogate pair."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def check_values(values: dict[str, Any]) -> None:
    """Refuse what would break whoever shows or compares settings.

    Raises:
        ValueError: They are nested too deeply, a number has more than 64 bits, or a text is
            not Unicode.
    """
    level: list[Any] = [values]
    for _ in range(_MAX_DEPTH):
        parts = [
            part
            for value in level
            for part in (value.values() if isinstance(value, dict) else value)
        ]
        if any(isinstance(part, int) and abs(part) >= 1 << 63 for part in parts):
            raise ValueError("a number is too large")
        if any(isinstance(part, str) and not _is_unicode(part) for part in parts):
            raise ValueError("a text is not Unicode")
        level = [part for part in parts if isinstance(part, dict | list)]
    if level:
        raise ValueError("it is nested too deeply")


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


def is_named(path: Path, descriptor: int) -> bool:
    """Tell whether a path names the open file: it was neither deleted nor replaced."""
    try:
        return os.path.samestat(os.stat(path, follow_symlinks=False), os.fstat(descriptor))  # noqa: PTH116
    except OSError:
        return False


def restore_file(path: Path, descriptor: int) -> int:
    """Write an open file that was deleted anew under its name.

    Args:
        path: Its name.
        descriptor: Open for reading and appending; closed if all went well.

    Returns:
        The new file's descriptor, open in the same way.

    Raises:
        OSError: It could not be written; `descriptor` is as it was.
    """
    make_folder(path.parent)
    beside = temporary_path(path)
    restored = open_file(beside, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL)
    try:
        at = 0
        while block := os.pread(descriptor, _BLOCK, at):
            at += len(block)
            waiting = memoryview(block)
            while waiting:
                waiting = waiting[os.write(restored, waiting) :]
        os.fsync(restored)
        os.replace(beside, path)  # noqa: PTH105 (see above)
    except BaseException:  # as in `write_file`
        os.close(restored)
        with contextlib.suppress(OSError):
            os.unlink(beside)  # noqa: PTH108 (see above)
        raise
    os.close(descriptor)
    sync_folder(path.parent)
    return restored


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
