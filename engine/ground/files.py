"""Read and write the project's own files as if whoever made the folder were hostile.

A file is either the old one or the whole new one, is its owner's alone, and is never reached
through a symbolic link. What is read has a limit, compressed or not.

Only calls of `os` write, so that tests can let each of them fail.
"""

import codecs
import contextlib
import errno
import json
import os
import re
import secrets
import shutil
import stat
import sys
import tomllib
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from engine.ground.numerals import MAX_INT, is_number

FILE_MODE, FOLDER_MODE = 0o600, 0o700
"""A run holds what a person typed: it is nobody else's to read."""

EXPORT_MODE = 0o666
"""Of a file that a person asked for by name; the umask applies to it, as to any other."""
MAX_SETTINGS, MAX_LINE = 1 << 18, 1 << 23
"""Most bytes of a settings file, and of a line of a journal: far more than any of ours has."""
_MAX_DEPTH = 32
_TOO_DEEP, _TOO_LARGE = "it is nested too deeply", "a number is too large, or none"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16's, which it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BLOCK = 1 << 16
_HALF_PAIR = re.compile("[\ud800-\udfff]")

_LINK = (errno.ELOOP, "it is a symbolic link", "Remove the link.")
_HARD_LINK = (errno.EMLINK, "it is a hard link", "Put a copy in its place.")
_ODD = (errno.EINVAL, "it is not a regular file", "Move it away.")


class UnsafeFileError(OSError):
    """Something that must not be written lies in the place of a file of ours."""

    def __init__(self, reason: tuple[int, str, str], path: Path) -> None:
        number, text, self.remedy = reason
        super().__init__(number, text, str(path))


class FileTooLargeError(OSError):
    """A file is larger than the limit for it."""

    def __init__(self, path: Path, limit: int) -> None:
        super().__init__(errno.EFBIG, f"it is larger than {limit:,} bytes", str(path))


def remedy(error: Exception, otherwise: str) -> str:
    """Return what to do about a file that cannot be used."""
    return error.remedy if isinstance(error, UnsafeFileError) else otherwise


@contextlib.contextmanager
def os_errors_as(
    kind: Callable[[str, str], Exception], what: str, hint: str = ""
) -> Iterator[None]:
    """Raise an error of `kind` in place of an OSError: "`what`: the system's reason.", `hint`."""
    try:
        yield
    except OSError as error:
        raise kind(f"{what}: {error.strerror or error}.", hint) from None


def open_file(path: Path, flags: int, mode: int = FILE_MODE) -> int:
    """Open one of our files and return its descriptor; flags as for `os.open`, without O_TRUNC.

    Raises:
        OSError: It cannot be opened, is a symbolic link, is no regular file, or is to be written
            and has a second name.
    """
    # Without O_NONBLOCK, opening a named pipe would wait for ever.
    flags |= os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, mode)
    except OSError as error:
        # ENXIO: a named pipe that nobody reads, or a socket.
        if reason := {errno.ELOOP: _LINK, errno.ENXIO: _ODD}.get(error.errno or 0):
            raise UnsafeFileError(reason, path) from None
        raise
    try:
        is_written = bool(flags & (os.O_WRONLY | os.O_RDWR))
        _check_kind(os.fstat(descriptor), path, is_written=is_written)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def check_file(path: Path) -> None:
    """Refuse what a library that opens files by itself would write through.

    Raises:
        OSError: There is something at `path`, and it is not a file with this one name.
    """
    with contextlib.suppress(FileNotFoundError):
        _check_kind(path.lstat(), path, is_written=True)


def check_folder(path: Path) -> None:
    """Refuse a folder of ours if anything directly inside is neither a file nor a folder.

    Raises:
        OSError: It holds a link, a pipe or the like, or cannot be read.
    """
    for inside in path.iterdir():
        if inside.is_symlink() or not inside.is_dir():
            check_file(inside)


def _check_kind(found: os.stat_result, path: Path, *, is_written: bool) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise UnsafeFileError(_LINK, path)
    if not stat.S_ISREG(found.st_mode):
        raise UnsafeFileError(_ODD, path)
    if is_written and found.st_nlink > 1:
        raise UnsafeFileError(_HARD_LINK, path)


def open_to_read(path: Path, limit: int) -> int:
    """Open a file, a user's or ours, behind a symbolic link too, and return its descriptor.

    Raises:
        OSError: It cannot be read, is no regular file, or holds more than `limit` bytes.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        _check_kind(found, path, is_written=False)
        if found.st_size > limit:
            raise FileTooLargeError(path, limit)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def read_file(path: Path, limit: int) -> bytes:
    """Return the bytes of a file, a user's or ours, behind a symbolic link too.

    Raises:
        OSError: It cannot be read, is no regular file, or holds more than `limit` bytes.
    """
    with os.fdopen(open_to_read(path, limit), "rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise FileTooLargeError(path, limit)
    return content


def read_text(path: Path, limit: int = MAX_SETTINGS) -> str:
    """Return the text of a file of at most `limit` bytes, a user's or ours; see `decode_text`.

    Raises:
        OSError: It cannot be read, is no regular file, or is too large.
        ValueError: It is not text, and where.
    """
    return decode_text(read_file(path, limit))


def decode_text(data: bytes) -> str:
    r"""Return text in UTF-8, or in what its byte order mark names, with line ends as "\n".

    Raises:
        ValueError: It is not text, and where.
    """
    mark, encoding = next((each for each in _MARKS if data.startswith(each[0])), (b"", "utf-8"))
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        name, at = encoding[:6].rstrip("-").upper(), len(mark) + error.start
        raise ValueError(f"it is not {name} text: see byte {at:,}") from None
    if "\0" in text:
        raise ValueError(f"it is not text: character {text.index(chr(0)):,} is a zero")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_lines(path: Path, newest: int | None = None, limit: int = MAX_LINE) -> Iterator[bytes]:
    r"""Yield the lines of a file with their ends, never more than one of them in memory.

    Args:
        path: The file, a user's or ours.
        newest: How many of the last lines; None for all.
        limit: Bytes of a line; a longer one comes as b"\n".

    Raises:
        OSError: It cannot be read, or is no regular file.
    """
    with os.fdopen(open_to_read(path, sys.maxsize), "rb") as file:
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


def read_object(path: Path) -> dict[str, Any]:
    """Return what a file with one JSON object holds.

    Raises:
        ValueError: Saying shortly why it cannot be read.
    """
    try:
        values = parse_json(read_text(path))
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from None
    if not isinstance(values, dict):
        raise ValueError("it contains no keys")
    check_values(values)
    return values


def check_values(values: dict[str, Any]) -> None:
    """Refuse what would break whoever shows or compares settings.

    Raises:
        ValueError: They are nested too deeply, a number is too large or none, or a text is not
            Unicode.
    """
    level: list[Any] = [values]
    for _ in range(_MAX_DEPTH):
        parts = [
            part
            for value in level
            for part in (value.values() if isinstance(value, dict) else value)
        ]
        if any(isinstance(part, int) and abs(part) >= MAX_INT for part in parts):
            raise ValueError(_TOO_LARGE)
        if not all(is_number(part) for part in parts if isinstance(part, float)):
            raise ValueError(_TOO_LARGE)
        # JSON can spell half a surrogate pair, which cannot be written.
        if any(isinstance(part, str) and _HALF_PAIR.search(part) for part in parts):
            raise ValueError("a text is not Unicode")
        level = [part for part in parts if isinstance(part, dict | list)]
    if level:
        raise ValueError(_TOO_DEEP)


def write_file(path: Path, content: bytes | memoryview, mode: int = FILE_MODE) -> None:
    """Write beside, flush to the disk and rename.

    Raises:
        OSError: It could not be written; what was at `path` is untouched.
    """
    os.close(_replace(path, [content], os.O_WRONLY, mode))


def write_all(descriptor: int, content: bytes | bytearray | memoryview) -> None:
    """Write all of it; `os.write` may take only a part.

    Raises:
        OSError: It could not be written, or not all of it.
    """
    waiting = memoryview(content)
    while waiting:
        waiting = waiting[os.write(descriptor, waiting) :]


def _replace(
    path: Path, blocks: Iterable[bytes | memoryview], flags: int, mode: int = FILE_MODE
) -> int:
    """Write a new file beside `path`, give it that name, and return its descriptor."""
    beside = temporary_path(path)
    descriptor = open_file(beside, flags | os.O_CREAT | os.O_EXCL, mode)
    try:
        for block in blocks:
            write_all(descriptor, block)
        os.fsync(descriptor)
        os.replace(beside, path)  # noqa: PTH105 (see above)
        sync_folder(path.parent)
    except BaseException:  # Ctrl-C too must leave no half file behind; it is raised again
        os.close(descriptor)
        with contextlib.suppress(OSError):
            os.unlink(beside)  # noqa: PTH108 (see above)
        raise
    return descriptor


def copy_file(source: Path, target: Path) -> None:
    """Copy what may be large to a name that is free; a copy that was cut off stays.

    Raises:
        OSError: It cannot be read or written, or the name is taken.
    """
    with (
        os.fdopen(open_to_read(source, sys.maxsize), "rb") as old,
        os.fdopen(open_file(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as new,
    ):
        shutil.copyfileobj(old, new)


def is_named(path: Path, descriptor: int) -> bool:
    """Return whether a path names the open file: it was neither deleted nor replaced."""
    with contextlib.suppress(OSError):
        return os.path.samestat(os.stat(path, follow_symlinks=False), os.fstat(descriptor))  # noqa: PTH116
    return False


def restore_file(path: Path, descriptor: int) -> int:
    """Write a deleted file again from its descriptor, which is still open; return the new one.

    Both are open for reading and appending; the old one is closed if all went well.

    Raises:
        OSError: It could not be written; `descriptor` is as it was.
    """
    make_folder(path.parent)
    size = os.fstat(descriptor).st_size
    blocks = (os.pread(descriptor, _BLOCK, at) for at in range(0, size, _BLOCK))
    restored = _replace(path, blocks, os.O_RDWR | os.O_APPEND)
    os.close(descriptor)
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


def check_writable(path: Path) -> None:
    """Refuse a folder that could not be written, or could not be made, before work is lost.

    Raises:
        OSError: What it is, or the nearest that exists above it, is no folder or not writable.
    """
    nearest = next(each for each in (path, *path.absolute().parents) if os.path.lexists(each))
    if not nearest.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "it is not a folder", str(nearest))
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(nearest))


def make_subfolder(path: Path) -> None:
    """Make a folder inside the folder of a run, a policy or a set.

    Those folders themselves, and what is above them, a person may have put on another disk; a link
    further inside can only lead astray.

    Raises:
        OSError: It cannot be made, is a symbolic link, or something else has its name.
    """
    if path.is_symlink():
        raise UnsafeFileError(_LINK, path)
    make_folder(path)


def make_private(path: Path) -> None:
    """Keep others out of a folder of ours that an older version made, if it is this user's."""
    found = path.stat()
    if found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) & 0o077:
        path.chmod(FOLDER_MODE)


def remove_folder(path: Path) -> None:
    """Delete a folder of ours with all that is in it; a link in its place is refused.

    Raises:
        OSError: It cannot be deleted, or is a symbolic link.
    """
    if path.is_symlink():
        raise UnsafeFileError(_LINK, path)
    shutil.rmtree(path)


def missing_folders(path: Path) -> list[Path]:
    """Return which of a folder and those above it do not exist, the deepest first."""
    return [folder for folder in (path, *path.parents) if not folder.exists()]


def remove_empty(folders: Iterable[Path]) -> None:
    """Delete those of the folders that are empty, in their order."""
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


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
        raise ValueError("it is truncated or has trailing data")
    return content


def read_toml(path: Path) -> dict[str, Any]:
    """Return what a TOML file holds.

    Raises:
        OSError: It cannot be read, is no regular file, or is too large.
        ValueError: It is broken, not text, or nested too deeply, or a number is too large.
    """
    values = parse_toml(read_text(path))
    check_values(values)
    return values


def parse_toml(text: str) -> dict[str, Any]:
    """Return what TOML text holds.

    Raises:
        ValueError: It is broken, or nested too deeply.
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def parse_json(text: str | bytes, **options: Any) -> Any:
    """Return what JSON text holds; options as of `json.loads`.

    Raises:
        ValueError: It is broken, not text, or nested too deeply, or a number is too large.
    """
    try:
        return json.loads(text, **{"parse_float": _parse_float, **options})
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise
    except ValueError:  # Python makes no number of thousands of digits, either
        raise ValueError(_TOO_LARGE) from None


def _parse_float(text: str) -> float:
    """Return a number; NaN and infinities have words of their own in JSON."""
    if not is_number(value := float(text)):
        raise ValueError(_TOO_LARGE)
    return value
