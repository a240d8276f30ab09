"""Write and read checkpoints: one zip file of JSON, arrays and raw bytes, sealed by its sum.

Nothing in it is ever executed: no pickle. The zip comment, its last 64 bytes, is the SHA-256 of
everything before. A file is written beside, flushed to the disk and renamed, so that a process
killed at any moment leaves the former checkpoint whole.

A folder holds the last checkpoints by their steps, and `best.zip`: that one of all ever written
there whose facts have the highest `score`.
"""

import hashlib
import io
import json
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import CheckpointError
from engine.files import open_file, write_file

FORMAT = 2
"""Version of what a checkpoint holds; another one is refused."""

BEST = "best.zip"
LATEST = "latest"

_FACTS = "facts.json"
_ARRAYS = "arrays/"
_BLOBS = "blobs/"
_SUM_LENGTH = 64
_UNREADABLE = (
    OSError, EOFError, ValueError, KeyError, TypeError, RuntimeError, zipfile.BadZipFile,
    zlib.error,
)  # fmt: skip
"""What reading raises on files that are damaged, or no checkpoints at all."""
_NAME = re.compile(r"step-(\d{12})\.zip")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Everything a run goes on from.

    Attributes:
        facts: JSON-able values.
        arrays: Arrays of plain numbers by name; a name may have slashes.
        blobs: Raw bytes by name.
    """

    facts: Mapping[str, Any]
    arrays: Mapping[str, NDArray[np.generic]] = field(default_factory=dict)
    blobs: Mapping[str, bytes] = field(default_factory=dict)

    def blobs_under(self, prefix: str) -> dict[str, bytes]:
        """Return the blobs whose name starts with `prefix`, without it."""
        return {
            name.removeprefix(prefix): blob
            for name, blob in self.blobs.items()
            if name.startswith(prefix)
        }

    def arrays_under(self, prefix: str) -> dict[str, NDArray[np.generic]]:
        """Return the arrays whose name starts with `prefix`, without it."""
        return {
            name.removeprefix(prefix): array
            for name, array in self.arrays.items()
            if name.startswith(prefix)
        }


class CheckpointStore:
    """Keep the last checkpoints of a run in a folder, and the best one.

    Args:
        folder: Made if it is missing.
        keep: How many stay.
    """

    def __init__(self, folder: Path, keep: int) -> None:
        self._folder = folder
        self._keep = keep

    def paths(self) -> list[Path]:
        """Return the checkpoints, newest first."""
        return checkpoint_paths(self._folder)

    def save(self, checkpoint: Checkpoint, total_steps: int) -> Path:
        """Write a checkpoint and delete the oldest ones beyond `keep`.

        One of more steps can only be damaged, or the run would have gone on from it: it does not
        count.

        Raises:
            CheckpointError: The disk is full or not writable; the former ones are untouched.
        """
        path = self._folder / f"step-{total_steps:012d}.zip"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_checkpoint(path, checkpoint)
            if _is_better(checkpoint, self._folder / BEST):
                _copy(path, self._folder / BEST)
            ours = [path for path in self.paths() if steps_of(path) <= total_steps]
            for old in [*ours[self._keep :], *self._folder.glob("*.tmp")]:
                old.unlink(missing_ok=True)
        except OSError as error:
            raise CheckpointError(
                f"Cannot write the checkpoint {path}: {error.strerror or error}.",
                "Free some disk space; the former checkpoint is untouched.",
            ) from None
        return path

    def load_newest(
        self, use: Callable[[Checkpoint], None] = lambda _: None
    ) -> tuple[Checkpoint, Path, list[str]]:
        """Return the newest checkpoint that is whole, its path, and what is wrong with newer ones.

        Args:
            use: Does something with it, or refuses it with a CheckpointError.

        Raises:
            CheckpointError: There is none.
        """
        warnings: list[str] = []
        for path in self.paths():
            try:
                checkpoint = read_checkpoint(path)
                use(checkpoint)
                return checkpoint, path, warnings
            except CheckpointError as error:
                warnings.append(f"{error.message} Taking the one before.")
        detail = f" ({warnings[0]})" if warnings else ""
        raise CheckpointError(
            f"No usable checkpoint in {self._folder}{detail}.", "Start a new run."
        )


def checkpoint_paths(folder: Path) -> list[Path]:
    """Return the checkpoints in a folder, newest first."""
    if not folder.is_dir():
        return []
    return sorted((path for path in folder.iterdir() if _NAME.fullmatch(path.name)), reverse=True)


def steps_of(path: Path) -> int:
    """Return the steps that a checkpoint's file name states."""
    match = _NAME.fullmatch(path.name)
    return int(match[1]) if match else 0


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint so that `path` is either the old file or the whole new one.

    Raises:
        OSError: It could not be written.
    """
    write_file(path, seal(_zip(checkpoint)))


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint, having checked that no byte of it has changed.

    Raises:
        CheckpointError: It is missing, damaged, or of another format.
    """
    try:
        content = path.read_bytes()
        if content != seal(content):
            raise ValueError("its sum does not match")
        checkpoint = _unzip(content)
    except _UNREADABLE as error:
        reason = getattr(error, "strerror", None) or error
        raise CheckpointError(
            f"The checkpoint {path} is damaged or unreadable: {reason}.", "Resume an older one."
        ) from None
    found = checkpoint.facts.get("format")
    if found != FORMAT:
        raise CheckpointError(
            f"The checkpoint {path} is of another version: it has format {found}, not {FORMAT}.",
            "Go on with the version that wrote it, or start a new run.",
        )
    return checkpoint


def is_whole(path: Path) -> bool:
    """Tell whether no byte of a checkpoint has changed, without reading what it holds."""
    try:
        with os.fdopen(open_file(path, os.O_RDONLY), "rb") as file:
            waiting = os.fstat(file.fileno()).st_size - _SUM_LENGTH
            digest = hashlib.sha256()
            while waiting > 0 and (block := file.read(min(waiting, 1 << 20))):
                digest.update(block)
                waiting -= len(block)
            return file.read() == digest.hexdigest().encode()
    except OSError:
        return False


def seal(content: bytes) -> bytes:
    """Replace a zip file's comment, its last 64 bytes, by the SHA-256 of all before."""
    body = content[:-_SUM_LENGTH]
    return body + hashlib.sha256(body).hexdigest().encode()


def _is_better(checkpoint: Checkpoint, best: Path) -> bool:
    score = checkpoint.facts.get("score")
    if score is None or not best.exists():
        return score is not None
    try:
        with zipfile.ZipFile(best) as archive:
            return tuple(score) > tuple(json.loads(archive.read(_FACTS))["score"])
    except _UNREADABLE:
        return True


def _copy(source: Path, target: Path) -> None:
    """Give a file a second name; where that cannot be, write it a second time."""
    temporary = target.with_name(target.name + ".tmp")
    temporary.unlink(missing_ok=True)
    try:
        temporary.hardlink_to(source)
    except OSError:
        write_file(target, source.read_bytes())
    else:
        temporary.replace(target)


def _zip(checkpoint: Checkpoint) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.comment = bytes(_SUM_LENGTH)
        archive.writestr(_FACTS, json.dumps({"format": FORMAT, **checkpoint.facts}))
        for name, array in checkpoint.arrays.items():
            with archive.open(f"{_ARRAYS}{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
        for name, blob in checkpoint.blobs.items():
            archive.writestr(f"{_BLOBS}{name}", blob)
    return buffer.getvalue()


def _unzip(content: bytes) -> Checkpoint:
    arrays: dict[str, NDArray[np.generic]] = {}
    blobs: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        facts = dict(json.loads(archive.read(_FACTS)))
        for name in archive.namelist():
            if name.startswith(_ARRAYS):
                file = io.BytesIO(archive.read(name))
                key = name.removeprefix(_ARRAYS).removesuffix(".npy")
                arrays[key] = np.lib.format.read_array(file, allow_pickle=False)
            elif name.startswith(_BLOBS):
                blobs[name.removeprefix(_BLOBS)] = archive.read(name)
    return Checkpoint(facts, arrays, blobs)
