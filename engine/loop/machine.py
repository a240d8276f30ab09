"""Measure a run's use of its machine: from /proc on Linux, else by the standard library.

Nothing here waits, draws a random number, or fails: what a system does not report is left out.
"""

import csv
import math
import os
import resource
import shutil
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from engine.events import GpuUse, ProcessUse, SystemMeasured
from engine.ground.folders import folder_bytes
from engine.ground.processes import foreign_environment

_INTERVAL_S = 5.0
_FIRST_S = 1.0
_SPEEDS = 60
"""Measurements whose speed and database size are kept: the last five minutes."""
_CGROUP = Path("/sys/fs/cgroup")
_MIB = 1024**2
_QUERY = (
    "--query-gpu=name,utilization.gpu,memory.used,memory.total",
    "--format=csv,noheader,nounits",
)


class MachineMeter:
    """Measure every few seconds.

    Args:
        folder: The run's, whose size and disk count.
        history_bytes: Returns the size of the decision database.
    """

    def __init__(
        self,
        folder: Path,
        clock: Callable[[], float] = time.monotonic,
        history_bytes: Callable[[], int] = int,
    ) -> None:
        self._folder = folder
        self._history_bytes = history_bytes
        self._history: deque[tuple[float, int]] = deque(maxlen=_SPEEDS)
        self._clock = clock
        self._due_s = clock() + _FIRST_S
        self._ticks = _core_ticks()
        self._speeds: deque[float] = deque(maxlen=_SPEEDS)
        self._gpus = _Gpus()

    def is_due(self) -> bool:
        """Return whether it is time to measure again."""
        return self._clock() >= self._due_s

    def measure(
        self,
        processes: Mapping[str, Sequence[int]],
        steps_per_s: float,
        checkpoints: Sequence[tuple[float, float]],
    ) -> SystemMeasured:
        """Return a measurement.

        Args:
            processes: Ids of the run's processes by name, without this one.
            steps_per_s: How fast the run is.
            checkpoints: As `SystemMeasured.checkpoints`.
        """
        now_s = self._clock()
        self._due_s = now_s + _INTERVAL_S
        self._speeds.append(steps_per_s)
        self._history.append((now_s, self._history_bytes()))
        used, total = memory() or (0, 0)
        disk_free = disk_total = 0
        with suppress(OSError):
            disk_total, _, disk_free = shutil.disk_usage(self._folder)
        return SystemMeasured(
            cores=self._cores(),
            num_cores=os.cpu_count() or 1,
            load_average=_load_average(),
            processes=_processes(processes, self._gpus.pid),
            memory_used=used,
            memory_total=total,
            gpus=self._gpus.poll(),
            disk_free=disk_free,
            disk_total=disk_total,
            run_bytes=folder_bytes(self._folder),
            speeds=tuple(self._speeds),
            checkpoints=tuple(checkpoints),
            history_bytes=self._history[-1][1],
            history_bytes_per_hour=self._history_growth(),
        )

    def close(self) -> None:
        """End the query of the GPUs."""
        self._gpus.close()

    def _history_growth(self) -> float:
        (first_s, first), (last_s, last) = self._history[0], self._history[-1]
        return 3600 * (last - first) / (last_s - first_s) if last_s > first_s else math.nan

    def _cores(self) -> tuple[float, ...]:
        """Return each core's load since the last time."""
        before, self._ticks = self._ticks, _core_ticks()
        loads = []
        for core, (busy, total) in sorted(self._ticks.items()):
            former_busy, former_total = before.get(core, (busy, total))
            passed = total - former_total
            loads.append((busy - former_busy) / passed if passed > 0 else 0.0)
        return tuple(loads)


class _Gpus:
    """Run nvidia-smi, where it is installed, and read its answer the next time.

    torch could tell too, but would load a driver into the process that trains.
    """

    def __init__(self) -> None:
        self._command = shutil.which("nvidia-smi")
        self._process: subprocess.Popen[str] | None = None
        self._found: tuple[GpuUse, ...] = ()

    @property
    def pid(self) -> int | None:
        """Return the id of the running query."""
        return None if self._process is None else self._process.pid

    def poll(self) -> tuple[GpuUse, ...]:
        """Return the last answer, and start another query; never wait."""
        process = self._process
        if process is None and self._command:
            with suppress(OSError):
                self._process = subprocess.Popen(
                    [self._command, *_QUERY],
                    env=foreign_environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                    start_new_session=True,
                )
        elif process is not None and process.poll() is not None:
            answer = process.communicate()[0]
            self._process, self._found = None, gpus_in(answer)
            if process.returncode:
                self._command, self._found = None, ()  # there is no such GPU, or no driver
        return self._found

    def close(self) -> None:
        """End the running query."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def gpus_in(answer: str) -> tuple[GpuUse, ...]:
    """Return the GPUs in nvidia-smi's answer, which has [N/A] for what it does not know."""
    rows = [row for row in csv.reader(answer.splitlines(), skipinitialspace=True) if len(row) == 4]
    return tuple(
        GpuUse(name, _number(load) / 100, *(int(_number(size, 0.0) * _MIB) for size in sizes))
        for name, load, *sizes in rows
    )


def memory() -> tuple[int, int] | None:
    """Return the used and total bytes of memory, of this container; None where not known."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        sizes = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines}
        total, free = sizes["MemTotal"], sizes["MemAvailable"]
    except (OSError, ValueError, KeyError, IndexError):
        return None
    with suppress(OSError, ValueError):
        limit = int((_CGROUP / "memory.max").read_text(encoding="ascii"))
        current = int((_CGROUP / "memory.current").read_text(encoding="ascii"))
        total, free = min(total, limit), min(free, limit - current)
    return total - max(0, free), total


def _core_ticks() -> dict[int, tuple[int, int]]:
    """Return (busy, all) ticks of the cores that this process may use; empty where not known."""
    try:
        lines = Path("/proc/stat").read_text(encoding="ascii").splitlines()
        allowed = os.sched_getaffinity(0)
    except (OSError, AttributeError):
        return {}
    found = {}
    for line in lines:
        name, *rest = line.split()
        if name.startswith("cpu") and name[3:].isdigit() and int(name[3:]) in allowed:
            ticks = [int(tick) for tick in rest[:8]]  # what follows is in these already
            idle = ticks[3] + ticks[4]
            found[int(name[3:])] = sum(ticks) - idle, sum(ticks)
    return found


def _load_average() -> float:
    try:
        return os.getloadavg()[0]
    except (OSError, AttributeError):
        return math.nan


def _processes(named: Mapping[str, Sequence[int]], passing: int | None) -> tuple[ProcessUse, ...]:
    """Return the memory of the trainer, `named` processes and other children but `passing`."""
    known = {pid for pids in named.values() for pid in pids}
    others = _children() - known - {passing}
    groups = {"trainer": (os.getpid(),), **named, "other": tuple(others)}
    found = []
    for name, pids in groups.items():
        sizes = [size for pid in pids if (size := _resident_bytes(pid)) is not None]
        if sizes:
            found.append(ProcessUse(name, len(sizes), sum(sizes)))
    return tuple(found)


def family_bytes(pid: int) -> int:
    """Return the memory of a process and its children; 0 where not known."""
    return sum(_resident_bytes(each) or 0 for each in (pid, *_children(str(pid))))


def _children(pid: str = "self") -> set[int]:
    found: set[int] = set()
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found.update(map(int, path.read_text(encoding="ascii").split()))
    return found


def _resident_bytes(pid: int) -> int | None:
    """Return the memory of a process; outside Linux, the peak of this one."""
    with suppress(OSError, IndexError):
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * resource.getpagesize()
    if sys.platform == "linux" or pid != os.getpid():
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _number(text: str, otherwise: float = math.nan) -> float:
    try:
        return float(text)
    except ValueError:
        return otherwise
