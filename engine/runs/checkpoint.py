"""Write and read checkpoints: one zip file of JSON, arrays and raw bytes, sealed by its sum.

Nothing in it is ever executed: no pickle. The zip comment, its last 64 bytes, is the SHA-256 of
everything before. A file is written under another name, flushed to the disk and renamed, so that a
process killed at any moment leaves the former checkpoint whole.

A folder holds the last checkpoints by their steps, and `best.zip`, the one with the highest `score`
in its facts of all ever written there.
"""

import hashlib
import io
import json
import os
import re
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.errors import CheckpointError
from engine.ground.archives import BROKEN, Archive, Limits, write_array
from engine.ground.files import make_subfolder, open_file, parse_json, read_file, remedy, write_file
from engine.ground.numerals import MAX_TIME

FORMAT = 2
"""Version of a checkpoint's content; others are refused."""

BEST = "best.zip"
LATEST = "latest"

LIMITS = Limits(size=(1 << 32) + (1 << 28), unpacked=1 << 32, members=1 << 14)
"""Of a checkpoint. A million steps of a DQN's replay are 1.8 GB, 100,000 with pictures 2.1 GB."""
MAX_FACTS = 1 << 25
"""Bytes of its JSON."""

_FACTS = "facts.json"
_ARRAYS = "arrays/"
_BLOBS = "blobs/"
_SUM_LENGTH = 64
_USE_ANOTHER = "Use another one."
_CHUNK = 1 << 20
_HEADER_ROOM = 1 << 9
_Value = TypeVar("_Value")
_NAME = re.compile(r"step-(\d{12})\.zip")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Everything a run continues from: JSON-able facts, arrays of plain numbers, and raw bytes.

    A name of an array may have slashes.
    """

    facts: Mapping[str, Any]
    arrays: Mapping[str, NDArray[np.generic]] = field(default_factory=dict)
    blobs: Mapping[str, bytes] = field(default_factory=dict)

    def blobs_under(self, prefix: str) -> dict[str, bytes]:
        """Return the blobs whose name starts with `prefix`, without it."""
        return under(self.blobs, prefix)

    def arrays_under(self, prefix: str) -> dict[str, NDArray[np.generic]]:
        """Return the arrays whose name starts with `prefix`, without it."""
        return under(self.arrays, prefix)


class CheckpointStore:
    """Keep the last `keep` checkpoints of a run in a folder, and the best one."""

    def __init__(self, folder: Path, keep: int) -> None:
        self._folder = folder
        self._best = folder / BEST
        self._keep = keep

    def paths(self) -> list[Path]:
        """Return the checkpoints, newest first."""
        return checkpoint_paths(self._folder)

    def save(self, checkpoint: Checkpoint, total_steps: int) -> Path:
        """Write a checkpoint and delete the oldest ones beyond `keep`.

        A checkpoint with more steps than this one must be damaged, or the run would have resumed
        from it: it does not count towards `keep`.

        Raises:
            CheckpointError: The disk is full or not writable; the former ones are untouched.
        """
        path = self._folder / f"step-{total_steps:012d}.zip"
        former: list[Path] = []
        try:
            former = self.paths()
            make_subfolder(self._folder)
            write_checkpoint(path, checkpoint)
            if _is_better(checkpoint, self._best):
                _copy(path, self._best)
            ours = [path for path in self.paths() if steps_of(path) <= total_steps]
            left = (one for one in self._folder.glob("*.tmp") if one.is_symlink() or one.is_file())
            for old in [*ours[self._keep :], *left]:
                old.unlink(missing_ok=True)
        except OSError as error:
            raise CheckpointError(
                f"Cannot write the checkpoint {error.filename or path}: {error.strerror or error}.",
                remedy(
                    error,
                    "Free some disk space" + ("; the previous one is intact." if former else "."),
                ),
            ) from None
        return path

    def best(self) -> Path:
        """Return the best checkpoint.

        Raises:
            CheckpointError: The run has none yet.
        """
        if not self._best.is_file():
            raise CheckpointError(
                f"The run {self._folder.parent.name} has no best checkpoint yet.",
                "Use --checkpoint latest.",
            )
        return self._best

    def load_best(self) -> tuple[Checkpoint, Path, list[str]]:
        """Return the best checkpoint by the policy alone; if there is none, as `load_newest`."""
        best, warnings = self._best, []
        if best.is_file() and _is_seen_alone(best):
            try:
                return read_checkpoint(best), best, []
            except CheckpointError as error:
                warnings = [f"{error.message} Using the latest one."]
        checkpoint, path, more = self.load_newest()
        return checkpoint, path, warnings + more

    def load_newest(
        self, use: Callable[[Checkpoint], None] = lambda _: None
    ) -> tuple[Checkpoint, Path, list[str]]:
        """Return the newest checkpoint that is whole, its path, and what is wrong with newer ones.

        `use` is called with it, and may refuse it with a CheckpointError.

        Raises:
            CheckpointError: There is none.
        """
        refused: list[CheckpointError] = []
        for path in self.paths():
            try:
                checkpoint = read_checkpoint(path)
                use(checkpoint)
            except CheckpointError as error:
                refused.append(error)
            else:
                warnings = [f"{error.message} Using the previous one." for error in refused]
                return checkpoint, path, warnings
        detail = f": {refused[0].message}" if refused else "."
        hints = [error.hint for error in refused if error.hint not in ("", _USE_ANOTHER)]
        raise CheckpointError(
            f"No usable checkpoint in {self._folder}{detail}",
            hints[0] if hints else "Start a new run.",
            is_permanent=True,
        )


def under(values: Mapping[str, _Value], prefix: str) -> dict[str, _Value]:
    """Return the entries whose name starts with `prefix`, without it."""
    found = values.items()
    return {key.removeprefix(prefix): value for key, value in found if key.startswith(prefix)}


def checkpoint_paths(folder: Path) -> list[Path]:
    """Return the checkpoints in a folder, newest first."""
    if not folder.is_dir():
        return []
    found = (path for path in folder.iterdir() if _NAME.fullmatch(path.name) and path.is_file())
    return sorted(found, reverse=True)


def steps_of(path: Path) -> int:
    """Return the steps that a checkpoint's file name states."""
    match = _NAME.fullmatch(path.name)
    return int(match[1]) if match else 0


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint so that `path` is either the old file or the whole new one.

    Raises:
        OSError: It could not be written.
    """
    content = _zip(checkpoint)
    seal(content)
    write_file(path, content)


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint, having checked that no byte of it has changed.

    Raises:
        CheckpointError: It is missing, damaged, or of another format.
    """
    try:
        checkpoint = _read(path)
    except FileNotFoundError:
        raise CheckpointError(
            f"There is no checkpoint {path}.", "`poketui runs` lists the saved runs."
        ) from None
    except BROKEN as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise CheckpointError(
            f"The checkpoint {path} is damaged or unreadable: {reason}.", _USE_ANOTHER
        ) from None
    found = checkpoint.facts.get("format")
    if found != FORMAT:
        raise CheckpointError(
            f"The checkpoint {path} has format {found}, expected {FORMAT} (a different version).",
            "Use the version that wrote it, or start a new run.",
        )
    return checkpoint


def is_whole(path: Path) -> bool:
    """Return whether no byte of a checkpoint has changed, without loading it."""
    try:
        with os.fdopen(open_file(path, os.O_RDONLY), "rb") as file:
            _check_sum(file)
    except (OSError, ValueError):
        return False
    return True


def uptime_of(path: Path) -> float:
    """Return the run's uptime in seconds at a checkpoint, 0 if it does not say."""
    try:
        uptime_s = float(_read_facts(path).get("uptime_s", 0.0))
    except BROKEN:
        return 0.0
    return uptime_s if 0 <= uptime_s < MAX_TIME else 0.0


def seal(content: bytearray | memoryview) -> None:
    """Replace a zip file's comment, its last 64 bytes, by the SHA-256 of all before."""
    body = memoryview(content)[:-_SUM_LENGTH]
    content[-_SUM_LENGTH:] = hashlib.sha256(body).hexdigest().encode()


def _is_seen_alone(best: Path) -> bool:
    """Return whether it is the best one by games of the policy alone, without the planner."""
    try:
        return bool(_read_facts(best)["score"][0])
    except BROKEN:
        return True  # reading it reports the damage


def _is_better(checkpoint: Checkpoint, best: Path) -> bool:
    score = checkpoint.facts.get("score")
    if score is None or not best.exists():
        return score is not None
    try:
        return tuple(score) > tuple(_read_facts(best)["score"])
    except BROKEN:
        return True


def _copy(source: Path, target: Path) -> None:
    """Link a file under a second name; where that is not possible, copy it."""
    temporary = target.with_name(target.name + ".tmp")
    temporary.unlink(missing_ok=True)
    try:
        temporary.hardlink_to(source)
    except OSError:
        write_file(target, read_file(source, LIMITS.size))
    else:
        temporary.replace(target)


def _zip(checkpoint: Checkpoint) -> memoryview:
    facts = json.dumps({"format": FORMAT, **checkpoint.facts})
    _check_sizes(facts, checkpoint)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.comment = bytes(_SUM_LENGTH)
        archive.writestr(_FACTS, facts)
        for name, array in checkpoint.arrays.items():
            write_array(archive, f"{_ARRAYS}{name}", array)
        for name, blob in checkpoint.blobs.items():
            archive.writestr(f"{_BLOBS}{name}", blob)
    return buffer.getbuffer()


def _check_sizes(facts: str, checkpoint: Checkpoint) -> None:
    """Refuse to write what could not be read again."""
    arrays = sum(array.nbytes for array in checkpoint.arrays.values())
    total = len(facts) + arrays + sum(map(len, checkpoint.blobs.values()))
    members = 1 + len(checkpoint.arrays) + len(checkpoint.blobs)
    # Each array has a header, too.
    if (
        len(facts) > MAX_FACTS
        or members > LIMITS.members
        or total + members * _HEADER_ROOM > LIMITS.unpacked
    ):
        raise CheckpointError(
            f"The run cannot be saved: {total:,} bytes in {members:,} parts exceed the "
            f"{LIMITS.unpacked:,} in {LIMITS.members:,} allowed in a checkpoint.",
            "Lower num_envs, ppo.rollout_steps, dqn.capacity or dqn.pixel_capacity.",
        )


def _read(path: Path) -> Checkpoint:
    arrays: dict[str, NDArray[np.generic]] = {}
    blobs: dict[str, bytes] = {}
    with closing(Archive(path, LIMITS)) as archive:
        _check_sum(archive.file)
        for name in archive.members:
            if name.startswith(_ARRAYS):
                arrays[name.removeprefix(_ARRAYS).removesuffix(".npy")] = archive.array(name)
            elif name.startswith(_BLOBS):
                blobs[name.removeprefix(_BLOBS)] = archive.read(name, LIMITS.unpacked)
        return Checkpoint(_facts(archive), arrays, blobs)


def _check_sum(file: BinaryIO) -> None:
    """Refuse a file that is not as it was written."""
    left = file.seek(0, io.SEEK_END) - _SUM_LENGTH
    file.seek(0)
    found = hashlib.sha256()
    while left > 0 and (chunk := file.read(min(left, _CHUNK))):
        found.update(chunk)
        left -= len(chunk)
    if file.read(_SUM_LENGTH) != found.hexdigest().encode():
        raise ValueError("wrong checksum")


def _read_facts(path: Path) -> dict[str, Any]:
    """Return a checkpoint's facts, its sum unchecked; raise one of `BROKEN`."""
    with closing(Archive(path, LIMITS)) as archive:
        return _facts(archive)


def _facts(archive: Archive) -> dict[str, Any]:
    facts = parse_json(archive.read(_FACTS, MAX_FACTS))
    if not isinstance(facts, dict):
        raise ValueError("missing metadata")
    return facts
