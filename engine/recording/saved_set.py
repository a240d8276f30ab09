"""Continue with a set of demonstrations: count what is there, and rescue what a crash left."""

from dataclasses import dataclass
from pathlib import Path

from engine.demos.demonstration import SUFFIX, Demonstration, read_demo
from engine.demos.recording_log import LOG_SUFFIX, read_log
from engine.demos.writer import is_being_written, recover
from engine.errors import DemoError


@dataclass(frozen=True, slots=True)
class SavedSet:
    """What was found."""

    count: int
    """Demonstrations that show something, those that were rescued among them."""
    rescued: tuple[str, ...]
    """A line for each of these."""
    refused: tuple[str, ...]
    """A line for each file that cannot be used."""


def resume_set(folder: Path) -> SavedSet:
    """Rescue what sessions that died left in a folder, and count its demonstrations."""
    rescued, refused = [], []
    for log in sorted(folder.glob(f"*{SUFFIX}{LOG_SUFFIX}")):
        if is_being_written(log):
            continue
        try:
            if steps := _rescue(log):
                rescued.append(f"{log.stem} was left by a crash and is rescued: {steps}")
        except DemoError as error:
            refused.append(str(error))
    count = 0
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            count += bool(read_demo(path).shown)
        except DemoError as error:
            refused.append(str(error))
    return SavedSet(count, tuple(rescued), tuple(refused))


def _rescue(log: Path) -> str:
    """Make a log's demonstration; return how much is in it, "" where there is nothing to rescue."""
    demo = read_log(log)
    path = log.with_name(log.stem)
    if not demo.shown or (path.exists() and _is_same(read_demo(path), demo)):
        log.unlink(missing_ok=True)
        return ""
    recover(log)
    steps = len(demo.shown)
    live = ", some of it in real time" if demo.has_live else ""
    return f"{steps:,} step{'s' * (steps != 1)}{live}"


def _is_same(demo: Demonstration, logged: Demonstration) -> bool:
    """Return whether a file was written whole before its program died."""
    return demo.recording.segments == logged.recording.segments
