"""Write a demonstration while it is played, so that it survives a crash."""

import contextlib
import fcntl
import os
import struct
import threading
from dataclasses import replace
from pathlib import Path

from engine.demos.demonstration import NO_PROPOSAL, SUCCESS, Demonstration, encode_demo, write_demo
from engine.demos.layout import BROKEN, cannot_write
from engine.demos.recording_log import (
    EVENT,
    HEAD,
    LIVE,
    LOG_MAGIC,
    LOG_SUFFIX,
    MEMORY,
    REWIND,
    STEP,
    STEP_FORM,
    TAG,
    TASK,
    UNMARK,
    Draft,
    as_json,
    frame,
    log_path,
    read_change,
    read_log,
)
from engine.env.choices import NO_CHOICES, BeginDemo, Choices, DemoEnded
from engine.env.live import LiveStretch
from engine.errors import DemoError
from engine.ground.files import make_folder, open_file, restore_file, sync_folder, write_all

_SYNC_EVERY_S = 0.5


class DemoWriter:
    """Append every step to the log `PATH.part` at once, flushed to the disk within a second.

    `finish` turns the log into the demonstration's file, `discard` deletes it. If neither is called
    because the program or the machine died, `recover` makes the file of what was played until then.

    Attributes:
        path: The demonstration's file.
        draft: What was played so far.

    Raises:
        DemoError: It cannot be written, or the file already exists.
    """

    def __init__(self, path: Path, head: Demonstration) -> None:
        self.path = path
        self._log = log_path(path)
        self.draft = Draft(head)
        if path.exists():
            raise DemoError(f"{path} already exists.", "Choose another name.")
        try:
            make_folder(path.parent)
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND
            self._file = open_file(self._log, flags)
        except OSError as error:
            raise cannot_write(self._log, error) from None
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._is_dirty = threading.Event()
        self._is_over = threading.Event()
        # The head is a demonstration without steps of its own, in the same layout.
        begin = encode_demo(self.draft.demonstration())
        try:
            self._write(LOG_MAGIC + frame(HEAD, begin))
            self._sync()
            sync_folder(path.parent)
        except (OSError, DemoError):
            self.discard()
            raise
        self._syncer = threading.Thread(target=self._keep_synced, name="demo", daemon=True)
        self._syncer.start()

    @property
    def is_marked(self) -> bool:
        """Return whether it was marked as a success."""
        return any(event.kind == SUCCESS for event in self.draft.events)

    @property
    def is_synced(self) -> bool:
        """Return whether all that was played is on the disk."""
        return not self._is_dirty.is_set()

    def step(
        self,
        action: int,
        reward: float,
        *,
        done: bool = False,
        proposal: int = NO_PROPOSAL,
        is_intervention: bool = False,
    ) -> None:
        """Take in a step.

        Raises:
            DemoError: It cannot be written, or the demonstration is too long; it is as it was.
        """
        try:
            payload = STEP_FORM.pack(action, reward, done | is_intervention << 1, proposal)
        except (struct.error, OverflowError) as error:
            raise DemoError(f"Invalid step: {error}.") from None
        self._append(STEP, payload)

    def live(self, stretch: LiveStretch, paid: float = 0.0) -> None:
        """Take in live play, or the whole of what is known in part; `paid` since the last time."""
        self._append(LIVE, as_json([stretch.pack(), paid]))

    def event(self, kind: str, text: str = "") -> None:
        """Take in an event that happens now."""
        self._append(EVENT, as_json([self.draft.length, kind, text]))

    def memory(self, digest: str, *, is_step: bool = True) -> None:
        """Take in the work RAM's current SHA-1 (`Game.digest`), best every `HASH_EVERY` steps.

        `is_step`: no live play followed the last step.
        """
        self._append(MEMORY, as_json([digest, is_step]))

    def tag(self, *tags: str) -> None:
        """Add tags: single words."""
        self._append(TAG, as_json(tags))

    def set_task(self, task: str) -> None:
        """Set what is shown."""
        self._append(TASK, as_json(task))

    def mark_success(self, text: str = "") -> None:
        """Set the success mark."""
        self.event(SUCCESS, text)

    def unmark(self) -> None:
        """Remove the success mark."""
        self._append(UNMARK, as_json(None))

    def rewind(self, to_step: int, frames: int = 0) -> None:
        """Forget all after `to_step` steps of the episode: the game went back there.

        The first `frames` frames of live play that followed that step stay.
        """
        self._append(REWIND, as_json([to_step, frames]))

    def finish(
        self, memory: str = "", *, is_step: bool = True, choices: Choices = NO_CHOICES
    ) -> Demonstration:
        """Write the demonstration's file, and return it.

        `memory` is the current hash; `choices` says who chose the episode's actions.

        Raises:
            DemoError: It cannot be written; all that was played stays in the log.
        """
        if memory:
            self.memory(memory, is_step=is_step)
        demo = self.draft.demonstration()
        *lead, own = demo.recording.segments
        segments = (*lead, replace(own, choices=choices))
        demo = replace(demo, recording=replace(demo.recording, segments=segments))
        write_demo(self.path, demo)
        self.discard()
        return demo

    def discard(self) -> None:
        """Delete it; may be called again."""
        self.close()
        with contextlib.suppress(OSError):
            self._log.unlink(missing_ok=True)

    def close(self) -> None:
        """Leave the log as it is, for `recover`; may be called again."""
        if self._is_over.is_set():
            return
        self._is_over.set()
        if hasattr(self, "_syncer"):
            self._syncer.join()
        with contextlib.suppress(OSError):
            self._sync()
        os.close(self._file)

    def _append(self, kind: bytes, payload: bytes) -> None:
        """Check the record as reading it would, take it in, and write it."""
        if self._is_over.is_set():
            raise DemoError("The demonstration is finished.", "Start another one.")
        try:
            change = read_change(kind, payload, self.draft)
        except BROKEN as error:
            raise DemoError(
                f"This cannot be recorded: {error}.", "Finish this recording and start another one."
            ) from None
        self._write(frame(kind, payload))
        self._is_dirty.set()
        change(self.draft)

    def _write(self, data: bytes) -> None:
        if not os.path.lexists(self._log):
            # It was deleted: make it anew. If that fails, the next step tries again.
            with contextlib.suppress(OSError):
                self._file = restore_file(self._log, self._file)
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        size = os.fstat(self._file).st_size
        try:
            write_all(self._file, data)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, size)  # a half record would hide those after it
            raise cannot_write(self._log, error) from None

    def _keep_synced(self) -> None:
        while not self._is_over.wait(_SYNC_EVERY_S):
            if self._is_dirty.is_set():
                # A disk that fails now fails again, and louder, when the next step is written.
                with contextlib.suppress(OSError):
                    self._sync()

    def _sync(self) -> None:
        self._is_dirty.clear()
        os.fsync(self._file)


def recover(path: Path) -> Demonstration:
    """Turn a log that was left behind into the demonstration's file.

    Where nothing had been pressed yet, the log is deleted, and no file is made. `path` is the log,
    or the demonstration's file that it would have become.

    Raises:
        DemoError: It is still being written, damaged, or cannot be written.
    """
    log = path if path.suffix == LOG_SUFFIX else log_path(path)
    demo = read_log(log)
    if is_being_written(log):
        raise DemoError(f"{log} is still being recorded.", "Finish that recording first.")
    target = log.with_name(log.name.removesuffix(LOG_SUFFIX))
    if not demo.shown:
        log.unlink(missing_ok=True)
        return demo
    if target.exists():
        raise DemoError(f"{target} already exists.", f"Move it, or delete {log}.")
    write_demo(target, demo)
    log.unlink(missing_ok=True)
    return demo


def rescue(env_index: int, order: BeginDemo, path: Path) -> DemoEnded:
    """Turn the log of a process that is gone into the file at `path`; return how it ended.

    It was played in environment `env_index`, and began with `order`.
    """
    log = log_path(path)
    try:
        demo = read_log(log)
        shown = demo.shown
        human = sum(each.is_live or bool(demo.is_intervention[each.step]) for each in shown)
        is_unwanted = order.needs_human and not human and not demo.has_live
        kept = "" if not shown or is_unwanted else str(path)
        if kept:
            recover(log)
        else:
            log.unlink()
        return DemoEnded(env_index, kept, len(shown), human, demo.has_live, demo.episode_return)
    except DemoError as error:
        failure = str(error)
    except OSError as error:
        failure = f"{log}: {error.strerror or error}."
    return DemoEnded(env_index, "", 0, 0, False, 0.0, failure)


def is_being_written(log: Path) -> bool:
    """Return whether a program still writes a log."""
    try:
        descriptor = open_file(log, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
