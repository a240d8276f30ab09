"""Run other processes, and look at them."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HEAR_CTRL_C = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
"""Begins a program that is to be interrupted: it would ignore that in a shell's background."""


def wait_until(condition: Callable[[], bool], timeout_s: float = 60.0) -> bool:
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


@contextmanager
def child_process(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Run a program until the block ends: a test that fails must not wait for it for ever."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def is_gone(pid: int) -> bool:
    """Return whether a process has ended (a zombie without a parent to reap it counts as ended)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    stat = _stat(pid)
    return bool(stat) and stat[0] == "Z"


def is_stopped(pid: int) -> bool:
    """Return whether a process stands still until it is told to continue."""
    stat = _stat(pid)
    return bool(stat) and stat[0] == "T"


def command_line(pid: int) -> bytes:
    """Return how a process was started; nothing where there is no such process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def children(parent: int) -> list[int]:
    """Return the processes that a process started and that still run."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    stats = {pid: _stat(pid) for pid in pids}
    return [pid for pid, stat in stats.items() if stat and int(stat[1]) == parent]


def resident_mb(pid: int) -> float:
    """Return the memory of a process, what it shares with others included."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _stat(pid: int) -> list[str]:
    """Return state, parent and more; nothing where there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return []
