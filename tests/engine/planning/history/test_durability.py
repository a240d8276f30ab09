"""What stays when processes die and disks refuse."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.planning.history import schema, store
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from tests.engine.planning.history.helpers import record
from tests.engine.processes import wait_until

START = """
import sys
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from tests.engine.planning.history.helpers import record
history = DecisionHistoryAnalyzer(sys.argv[1])
"""

FOREVER = """
for number in range(10**9):
    record(history, number)
    if number % 100 == 99:
        assert history.flush()
        print(number + 1, flush=True)
"""

FULL_DISK = """
import resource
history.close()
for path, recovers in ((sys.argv[1], True), (sys.argv[2], False)):
    warnings = []
    history = DecisionHistoryAnalyzer(path, warn=warnings.append)
    assert history.flush()
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
    record(history, *range(3000))
    for _ in range(5):
        assert not history.flush()
    assert len(warnings) == 1, warnings
    assert "Cannot write the decision history" in warnings[0], warnings
    assert len(history.analyze_patterns()) == 1
    if recovers:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        assert history.flush()
    history.close()
    print(history._store.num_dropped)
"""


def start(script: str, path: Path, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", START + script, str(path), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def finish(script: str, path: Path, *arguments: str) -> str:
    """Run a script to its end and return what it printed."""
    with start(script, path, *arguments) as process:
        out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert not err
    return out


def count(path: Path) -> int:
    with DecisionHistoryAnalyzer(path) as history:
        return sum(pattern["frequency"] for pattern in history.analyze_patterns(1))


@contextlib.contextmanager
def locked(path: Path, ending: str) -> Iterator[None]:
    """Keep others from writing into a database until the block ends."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as blocker:
        blocker.execute("BEGIN IMMEDIATE")
        yield
        blocker.execute(ending)


@pytest.mark.parametrize("flushes", [1, 7])
def test_a_process_killed_in_mid_write_leaves_all_that_was_flushed(path, flushes):
    with start(FOREVER, path) as process:
        flushed = [int(process.stdout.readline()) for _ in range(flushes)][-1]
        process.send_signal(signal.SIGKILL)
        more = process.stdout.read().split()
    flushed = max([flushed, *map(int, more)])
    with DecisionHistoryAnalyzer(path) as history:
        rewards = [d["outcome_reward"] for d in history.get_recent_decisions(10**6)][::-1]
    assert len(rewards) >= flushed
    assert rewards == list(range(len(rewards)))


def test_a_script_that_just_ends_has_written_everything(path):
    finish("record(history, *range(2000))", path)
    assert count(path) == 2000


@pytest.mark.slow
def test_a_full_disk_costs_one_warning_and_what_it_never_took_is_counted(path):
    full = path.with_name("full.db")
    dropped, lost = map(int, finish(FULL_DISK, path, str(full)).split())
    assert (dropped, count(path)) == (0, 3000)  # it was full for a while
    assert 0 < lost <= 3000
    assert count(full) == 3000 - lost


def test_more_than_may_wait_is_dropped_counted_and_told_once(path, monkeypatch):
    monkeypatch.setattr(store, "QUEUE_ROWS", 50)
    monkeypatch.setattr(schema, "_BUSY_TIMEOUT_S", 60.0)  # it waits for the lock to the end
    warnings: list[str] = []
    with DecisionHistoryAnalyzer(path, warn=warnings.append) as history:
        with locked(path, "ROLLBACK"):
            record(history, 0)
            # From here on the batch that is tried waits for the lock, and takes nothing more.
            assert wait_until(lambda: history._store._waiting.empty(), 60.0)
            record(history, *range(1, 500))
            assert history._store.num_waiting <= 100  # what waits, and the batch that is tried
            assert history._store.num_dropped >= 400
        assert history.flush()
    assert len(warnings) == 1
    assert "some are lost" in warnings[0]
    assert count(path) == 500 - history._store.num_dropped


def test_only_flush_waits_for_a_locked_file(path):
    with DecisionHistoryAnalyzer(path) as history:
        with locked(path, "COMMIT"):
            record(history, *range(100))  # returns while the file is locked
            assert history.analyze_patterns()[0]["frequency"] == 100
        assert len(history.get_recent_decisions()) == 100
