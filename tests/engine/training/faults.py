"""Let every call of the system that a write makes fail, or kill the process in it.

Run as a program (`python -m tests.engine.training.faults SUBJECT FOLDER`), because it forks: a fork
writes with one fault each time, and then the parent says what it finds. Prints one JSON list.
"""

import errno
import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from engine.config import RunConfig
from engine.errors import PokeTUIError
from engine.events import PolicyUpdated
from engine.runs.checkpoint import Checkpoint, CheckpointStore
from engine.runs.folder import RunFolder, list_runs
from engine.runs.journal import Journal, read_journal
from engine.runs.settings import load_settings

CALLS = (
    "open", "write", "fsync", "close", "replace", "rename", "link", "unlink", "mkdir", "ftruncate",
)  # fmt: skip
WAYS = ("full", "broken", "killed before", "killed after", "killed within")


class Faults:
    """Count the calls, and let something happen in one of them.

    Args:
        at: Number of the call, from 0; -1 only counts.
        way: One of `WAYS`.
        share: For "killed within": how much of a write is done, 0 to 1.
    """

    def __init__(self, at: int = -1, way: str = "", share: float = 0.5) -> None:
        self.names: list[str] = []
        self._at, self._way, self._share = at, way, share
        for name in CALLS:
            setattr(os, name, self._wrapped(name, getattr(os, name)))

    def _wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.names.append(name)
            # A full disk stays full: from the fault on, nothing can be written.
            if len(self.names) - 1 == self._at or (
                self._way == "full" and len(self.names) > self._at >= 0 and name == "write"
            ):
                self._strike(name, real, arguments)
            result = real(*arguments, **options)
            if len(self.names) - 1 == self._at and self._way == "killed after":
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return call

    def _strike(self, name: str, real: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        if self._way in ("full", "broken"):
            number = errno.ENOSPC if self._way == "full" else errno.EIO
            raise OSError(number, os.strerror(number))
        if self._way == "killed within" and name == "write":
            descriptor, data = arguments
            real(descriptor, bytes(data)[: int(len(data) * self._share)])
        if self._way != "killed after":
            os.kill(os.getpid(), signal.SIGKILL)


def in_fork(work: Callable[[], object]) -> int:
    """Do something in a fork; return its exit code: 0, 3 for an error of ours, or -signal."""
    pid = os.fork()
    if not pid:
        code = 9
        try:
            work()
            code = 0
        except PokeTUIError:
            code = 3
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def count_calls(work: Callable[[], object]) -> list[str]:
    """Return the calls that something makes, without a fault."""
    reader, writer = os.pipe()

    def counted() -> None:
        pipe_write = os.write
        faults = Faults()
        work()
        pipe_write(writer, json.dumps(faults.names).encode())

    assert in_fork(counted) == 0
    os.close(writer)
    with os.fdopen(reader) as file:
        return list(json.load(file))


def cases(calls: list[str]) -> Iterator[tuple[int, str, float]]:
    """Yield every fault: each call in each way, a write at many of its bytes."""
    for number, name in enumerate(calls):
        for way in WAYS:
            if way != "killed within":
                yield number, way, 0.5
            elif name == "write":
                for step in range(9):
                    yield number, way, step / 8


def checkpoint_of(value: int) -> Checkpoint:
    noise = np.random.default_rng(value).random(2000)
    return Checkpoint({"value": value, "score": (False, 1, float(value))}, {"noise": noise})


def tried(
    folder: Path, prepare: Callable[[Path], tuple[Callable[[], object], Any]]
) -> Iterator[tuple[Path, Any, dict[str, Any]]]:
    """Do something with every fault, each in a folder of its own; yield what came of it.

    `prepare` returns what is to be done in a folder, and what must be known of it afterwards.
    """
    calls = count_calls(prepare(folder / "whole")[0])
    for index, (number, way, share) in enumerate(cases(calls)):
        path = folder / str(index)
        work, known = prepare(path)
        code = in_fork(lambda: (Faults(number, way, share), work()))  # noqa: B023
        yield path, known, {"call": calls[number], "way": way, "code": code}


def try_checkpoints(folder: Path) -> Iterator[dict[str, Any]]:
    """Save a second checkpoint where only one is kept, with every fault."""

    def prepare(path: Path) -> tuple[Callable[[], object], None]:
        store = CheckpointStore(path, keep=1)
        store.save(checkpoint_of(1), 10)
        return lambda: store.save(checkpoint_of(2), 20), None

    for path, _, case in tried(folder, prepare):
        store = CheckpointStore(path, keep=1)
        found, _, warnings = store.load_newest()
        has_best = (path / "best.zip").exists()
        store.save(checkpoint_of(3), 30)
        yield case | {
            "value": found.facts["value"],
            "warnings": warnings,
            "next": store.load_newest()[0].facts["value"],
            "left": sorted(entry.name for entry in path.iterdir()),
            "has_best": has_best,
        }


def event(number: int) -> PolicyUpdated:
    return PolicyUpdated(number, number * 10, {"entropy": number / 3})


def try_journals(folder: Path) -> Iterator[dict[str, Any]]:
    """Write behind a noted position, with every fault; then cut and continue as a resumed run
    does."""

    def write(journal: Journal, numbers: range) -> int:
        for number in numbers:
            journal.take(event(number))
        return journal.position()

    def prepare(path: Path) -> tuple[Callable[[], object], int]:
        journal = Journal(path)
        position = write(journal, range(20))
        return lambda: (write(journal, range(20, 40)), journal.close()), position

    for path, position, case in tried(folder, prepare):
        after_fault = list(read_journal(path))
        resumed = Journal(path)
        resumed.truncate(position)
        resumed.take(event(20))
        resumed.close()
        yield case | {
            "kept": after_fault[:20] == [event(number) for number in range(20)],
            "resumed": list(read_journal(path)) == [event(number) for number in range(21)],
        }


def try_settings(folder: Path) -> Iterator[dict[str, Any]]:
    """Begin a second run, with every fault."""

    def create(path: Path, seed: int) -> RunFolder:
        return RunFolder.create(RunConfig(save_dir=str(path), seed=seed))

    def prepare(path: Path) -> tuple[Callable[[], object], None]:
        create(path, 1).unlock()
        return lambda: create(path, 2), None

    for path, _, case in tried(folder, prepare):
        seeds = sorted(load_settings(info.path).seed for info in list_runs(str(path)))
        yield case | {"seeds": seeds}


def try_sizes(folder: Path) -> Iterator[dict[str, Any]]:
    """Let the kernel stop a checkpoint's write at many sizes (RLIMIT_FSIZE)."""
    (folder / "whole").mkdir()
    CheckpointStore(folder / "whole", keep=1).save(checkpoint_of(2), 20)
    size = (folder / "whole" / "step-000000000020.zip").stat().st_size
    for limit in range(0, size + 997, 997):
        path = folder / str(limit)
        store = CheckpointStore(path, keep=1)
        store.save(checkpoint_of(1), 10)

        def save(limit: int = limit, store: CheckpointStore = store) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            store.save(checkpoint_of(2), 20)

        code = in_fork(save)
        value = store.load_newest()[0].facts["value"]
        names = sorted(entry.name for entry in path.iterdir())
        yield {"fits": limit >= size, "code": code, "value": value, "left": names}


SUBJECTS = {
    "checkpoint": try_checkpoints,
    "journal": try_journals,
    "settings": try_settings,
    "sizes": try_sizes,
}


def main() -> None:
    subject, folder = sys.argv[1], Path(sys.argv[2])
    json.dump(list(SUBJECTS[subject](folder)), sys.stdout)


if __name__ == "__main__":
    main()
