"""Treat a folder of demonstrations as a dataset: list, count, choose, merge and split."""

import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.config import RunConfig
from engine.demos.demonstration import MAX_DEMO_FILE, SUFFIX, Demonstration, read_demo
from engine.demos.layout import read_limited, write_whole
from engine.demos.recording_log import LOG_SUFFIX
from engine.errors import DemoError
from engine.ground.files import open_to_read, os_errors_as, parse_json
from engine.ground.folders import user_path
from engine.types import GAME_BOY_ACTIONS

SPLIT = "split.json"
"""File beside demonstrations that says which of them are for validation only, for all clones."""
_MAX_SPLIT_SIZE = 1 << 24
DEMOS_FOLDER = "demos"
"""Folder inside the save folder that keeps demonstrations."""
INTERVENTIONS_FOLDER = "interventions"
"""Folder inside that one, of what people played when they took over from an agent."""


@dataclass(frozen=True, slots=True)
class DemoEntry:
    """A file of a dataset: its demonstration, or why it cannot be read."""

    path: Path
    demo: Demonstration | None
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which demonstrations to choose: those that meet all that is set.

    Attributes:
        tags: All of them.
        is_success: None: whether or not.
        by: Who played; "": anybody.
        map: A map that it was on; "": anywhere.
        least_return: None: any.
    """

    tags: frozenset[str] = frozenset()
    is_success: bool | None = None
    by: str = ""
    map: str = ""
    least_return: float | None = None

    def meets(self, demo: Demonstration) -> bool:
        """Return whether a demonstration is wanted."""
        return (
            self.tags <= demo.tags
            and self.is_success in (None, demo.is_success)
            and self.by in ("", demo.by)
            and (not self.map or self.map in {name for name, _ in demo.maps()})
            and (self.least_return is None or demo.episode_return >= self.least_return)
        )


@dataclass(frozen=True, slots=True)
class DemoStatistics:
    """What a dataset holds.

    Attributes:
        lengths: Presses by demonstration, also those in real time.
        live_s: Seconds played in real time, in all.
        returns: By demonstration.
        successes: Demonstrations that reached the goal.
        by: (who, demonstrations), the most first.
        maps: (map, presses on it), the most first.
        actions: (name, how often), in the order of the game's actions.
        milestones: (key, demonstrations that reached it), the most first.
        notes: (words, demonstrations in which a person noted them), the most first.
        interventions: Presses of a person in an agent's place.
    """

    lengths: tuple[int, ...]
    live_s: float
    returns: tuple[float, ...]
    successes: int
    by: tuple[tuple[str, int], ...]
    maps: tuple[tuple[str, int], ...]
    actions: tuple[tuple[str, int], ...]
    milestones: tuple[tuple[str, int], ...]
    notes: tuple[tuple[str, int], ...]
    interventions: int


class DemoSet:
    """Demonstrations in a folder: the files `paths`, or all of them in the order of their names."""

    def __init__(self, folder: Path, paths: Iterable[Path] | None = None) -> None:
        self.folder = folder
        self.paths = tuple(sorted(folder.glob(f"*{SUFFIX}")) if paths is None else paths)

    def __len__(self) -> int:
        return len(self.paths)

    def logs(self) -> tuple[Path, ...]:
        """Return what is being recorded, or was left behind: see `engine.demos.writer.recover`."""
        return tuple(sorted(self.folder.glob(f"*{SUFFIX}{LOG_SUFFIX}")))

    def sets(self) -> tuple["DemoSet", ...]:
        """Return the sets in folders of their own inside this folder, by their names."""
        inside = sorted(path for path in self.folder.glob("*") if path.is_dir())
        return tuple(found for found in map(DemoSet, inside) if len(found) or found.logs())

    def with_sets(self) -> "DemoSet":
        """Return this one with what is in those sets."""
        return DemoSet(self.folder, (path for one in (self, *self.sets()) for path in one.paths))

    def entries(self) -> Iterator[DemoEntry]:
        """Yield what is in each file, or why it cannot be read."""
        for path in self.paths:
            try:
                yield DemoEntry(path, read_demo(path))
            except DemoError as error:
                yield DemoEntry(path, None, str(error))

    def read(self) -> Iterator[tuple[Path, Demonstration]]:
        """Yield every demonstration.

        Raises:
            DemoError: One cannot be read.
        """
        for path in self.paths:
            yield path, read_demo(path)

    def statistics(self) -> DemoStatistics:
        """Count what the readable ones hold."""
        demos = [entry.demo for entry in self.entries() if entry.demo is not None]
        maps: Counter[str] = Counter()
        for demo in demos:
            for name, steps in demo.maps():
                maps[name] += steps
        shown = [demo.shown for demo in demos]
        pressed = zip(demos, shown, strict=True)
        actions = Counter(demo.action_names[each.action] for demo, one in pressed for each in one)
        names = dict.fromkeys(name for demo in demos for name in demo.action_names)
        reached = Counter(key for demo in demos for key in dict(demo.milestones))
        noted = Counter(words for demo in demos for words in dict(demo.notes))
        return DemoStatistics(
            lengths=tuple(len(one) for one in shown),
            live_s=sum(demo.live_s for demo in demos),
            returns=tuple(demo.episode_return for demo in demos),
            successes=sum(demo.is_success for demo in demos),
            by=tuple(Counter(demo.by for demo in demos).most_common()),
            maps=tuple(maps.most_common()),
            actions=tuple((name, actions[name]) for name in names or GAME_BOY_ACTIONS.names),
            milestones=tuple(reached.most_common()),
            notes=tuple(noted.most_common()),
            interventions=sum(demo.num_interventions for demo in demos),
        )

    def choose(self, wanted: Wanted) -> "DemoSet":
        """Return the readable ones that are wanted."""
        chosen = (e.path for e in self.entries() if e.demo is not None and wanted.meets(e.demo))
        return DemoSet(self.folder, chosen)

    def merge(self, others: Iterable["DemoSet"]) -> list[Path]:
        """Copy into this folder what it does not hold; return the new files.

        Raises:
            DemoError: One cannot be read or written; what was copied before stays.
        """
        present = {_digest(path) for path in self.folder.glob(f"*{SUFFIX}")}
        copied = []
        for other in others:
            for path, _ in other.read():  # what cannot be read is not spread
                digest = _digest(path)
                if digest not in present:
                    present.add(digest)
                    copied.append(copy_demo(path, self.folder))
        self.paths = tuple(sorted({*self.paths, *copied}))
        return copied

    def check_deletable(self) -> None:
        """Refuse to delete what lies elsewhere.

        Raises:
            DemoError: A demonstration's folder, unless it is the dataset's own, is a link.
        """
        for folder in {path.parent for path in self.paths} - {self.folder}:
            if folder.is_symlink():
                raise DemoError(
                    f"{folder} is a symbolic link: its target is not deleted.",
                    f"Delete from {folder.resolve()} itself, or remove the link.",
                )

    def delete(self) -> int:
        """Delete the files of the dataset; return how many.

        Raises:
            DemoError: One lies behind a link, or cannot be deleted; those before it are.
        """
        self.check_deletable()
        for path in self.paths:
            with os_errors_as(DemoError, f"Cannot delete {path}"):
                path.unlink(missing_ok=True)
        count, self.paths = len(self.paths), ()
        return count


def demos_folder(config: RunConfig) -> Path:
    """Return the folder in which demonstrations are kept."""
    return user_path(config.save_dir) / DEMOS_FOLDER


def copy_demo(path: Path, folder: Path) -> Path:
    """Copy a demonstration under its own name, or another if that is taken; return the copy.

    Raises:
        DemoError: It cannot be written.
    """
    target, number = folder / path.name, 2
    while target.exists():
        target, number = folder / f"{path.stem}-{number}{SUFFIX}", number + 1
    write_whole(target, read_limited(path, MAX_DEMO_FILE))
    return target


def write_split(demos: DemoSet, valid_share: float, seed: int) -> tuple[Path, int, int]:
    """Split a folder's demonstrations into training and validation, in a file beside them.

    The same seed and names give the same split. Of two or more, each part gets at least one.

    Returns:
        The file, how many are for training, and how many for validation.

    Raises:
        DemoError: There are none, the share is none, or it cannot be written.
    """
    names = [path.name for path in demos.paths]
    if not names:
        raise DemoError(f"No demonstrations in {demos.folder}.", "Record some first.")
    if not 0 <= valid_share <= 1:
        raise DemoError(f"Invalid validation share: {valid_share}.", "Use a value between 0 and 1.")
    order = np.random.default_rng(seed).permutation(len(names))
    count = round(valid_share * len(names))
    if 0 < valid_share < 1 and len(names) > 1:
        count = min(max(count, 1), len(names) - 1)
    facts = {
        "train": [names[place] for place in sorted(order[count:])],
        "valid": [names[place] for place in sorted(order[:count])],
        "seed": seed,
        "valid_share": valid_share,
    }
    path = demos.folder / SPLIT
    write_whole(path, json.dumps(facts, indent=1).encode())
    return path, len(names) - count, count


def read_split(folder: Path) -> frozenset[str]:
    """Return the names of a folder's files for validation; none where it was not split.

    Raises:
        DemoError: The split file is damaged.
    """
    path = folder / SPLIT
    if not path.exists():
        return frozenset()
    try:
        names = parse_json(read_limited(path, _MAX_SPLIT_SIZE))["valid"]
        if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
            raise ValueError("invalid names")
        return frozenset(names)
    except (ValueError, TypeError, KeyError):
        raise DemoError(
            f"{path} is not a valid split file.", "Split again: poketui demos split"
        ) from None


def _digest(path: Path) -> str:
    with (
        os_errors_as(DemoError, f"Cannot read {path}", "Make it readable."),
        os.fdopen(open_to_read(path, sys.maxsize), "rb") as file,
    ):
        return hashlib.file_digest(file, "sha256").hexdigest()
